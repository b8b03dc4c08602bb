//! Where templates are looked for, and in which order.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use ralph_templates::{LARGEST, Lookup, NAMES, Origin, TemplateError, find};

struct Places {
    dir: tempfile::TempDir,
    lookup: Lookup,
}

fn write(path: &Path, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    path.to_owned()
}

/// A template everywhere.
fn places() -> Places {
    let dir = tempfile::tempdir().unwrap();
    let (root, user) = (dir.path().join("project"), dir.path().join("config/ralph"));
    write(&root.join("own.hbs"), "given");
    write(&root.join(".ralph/templates/beads.hbs"), "project");
    write(&user.join("templates/beads.hbs"), "user");
    let lookup = Lookup {
        given: Some(PathBuf::from("own.hbs")),
        project_root: root,
        user_dir: Some(user),
        tracker: "beads".to_owned(),
        own: Some("tracker".to_owned()),
    };
    Places { dir, lookup }
}

#[test]
fn the_first_that_is_there_is_taken() {
    let Places { dir: _dir, mut lookup } = places();
    let (root, user) = (lookup.project_root.clone(), lookup.user_dir.clone().unwrap());
    let check = |lookup: &Lookup, origin: Origin, text: &str| {
        let found = find(lookup).unwrap();
        assert_eq!((found.origin(), found.text()), (&origin, text));
    };
    check(&lookup, Origin::Given(root.join("own.hbs")), "given");
    lookup.given = None;
    let project = root.join(".ralph/templates/beads.hbs");
    check(&lookup, Origin::Project(project.clone()), "project");
    fs::remove_file(project).unwrap();
    let user = user.join("templates/beads.hbs");
    check(&lookup, Origin::User(user.clone()), "user");
    fs::remove_file(user).unwrap();
    check(&lookup, Origin::Tracker("beads".to_owned()), "tracker");
    lookup.own = None;
    let found = find(&lookup).unwrap();
    assert_eq!(found.origin(), &Origin::BuiltIn("beads"));
    assert!(!found.origin().is_custom() && found.uses_promise());
}

#[test]
fn one_tracker_does_not_see_another_ones_template() {
    let Places { dir: _dir, mut lookup } = places();
    (lookup.given, lookup.own) = (None, None);
    for name in NAMES.into_iter().filter(|name| *name != "beads") {
        lookup.tracker = name.to_owned();
        assert_eq!(find(&lookup).unwrap().origin(), &Origin::BuiltIn(name));
    }
    lookup.tracker = "trello".to_owned();
    assert_eq!(find(&lookup).unwrap().origin(), &Origin::BuiltIn("prompt"));
}

#[test]
fn an_absolute_path_is_where_it_says() {
    let Places { dir, mut lookup } = places();
    let path = write(&dir.path().join("elsewhere.hbs"), "elsewhere");
    lookup.given = Some(path.clone());
    assert_eq!(find(&lookup).unwrap().origin(), &Origin::Given(path));
}

#[test]
fn what_is_there_and_not_right_is_never_passed_over() {
    let Places { dir: _dir, mut lookup } = places();
    lookup.given = Some(PathBuf::from("nowhere.hbs"));
    assert!(matches!(find(&lookup), Err(TemplateError::Missing { .. })));
    lookup.given = None;
    let project = lookup.project_root.join(".ralph/templates/beads.hbs");
    let check = |expected: &str| {
        let told = find(&lookup).unwrap_err().to_string();
        assert!(told.contains(expected) && told.contains("beads.hbs"), "{told}");
    };
    fs::write(&project, "{{nope}}").unwrap();
    check("beads.hbs:1:3: there is no variable `nope`");
    fs::write(&project, b"a\xff").unwrap();
    check("its byte 2 is not UTF-8");
    fs::write(&project, " ".repeat(LARGEST + 1)).unwrap();
    check("it has more than 262144 bytes");
    fs::remove_file(&project).unwrap();
    std::os::unix::fs::symlink("nowhere", &project).unwrap();
    check("No such file");
    fs::remove_file(&project).unwrap();
    fs::create_dir(&project).unwrap();
    check("it is not a file");
}

#[test]
fn a_name_leads_out_of_no_directory() {
    let Places { dir: _dir, mut lookup } = places();
    (lookup.given, lookup.own) = (None, None);
    write(&lookup.project_root.join(".ralph/secret.hbs"), "secret");
    for name in ["../secret", "", "a/b", "..", "beads.hbs", "a\0b"] {
        lookup.tracker = name.to_owned();
        assert!(matches!(find(&lookup), Err(TemplateError::Name { .. })), "{name:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_in_a_file_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), tag in any::<bool>()) {
        let Places { dir: _dir, lookup } = places();
        let inner = [if tag { b"{{".as_slice() } else { b"" }, &bytes, b"}}"].concat();
        fs::write(lookup.project_root.join("own.hbs"), inner).unwrap();
        let _ = find(&lookup);
    }
}
