//! A graph that is told what happens in its tree is the one that is made from scratch, whatever happens there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::{Just, Strategy, prop_assert_eq, proptest};
use proptest::test_runner::Config;
use ralph_graph::{Graph, Options, Report, Unwatched, Watched};

use crate::project::{Project, options};

/// Names that meet each other as files, as directories and in rules.
const PLACES: [&str; 12] = [
    "a.rs",
    "b.py",
    "run",
    "src",
    "src/a.rs",
    "src/in",
    "src/in/c.go",
    "src/in/run",
    "out",
    "out/d.ts",
    ".h",
    "src/a.rs/e.rb",
];
const TEXTS: [&str; 5] = [
    "",
    "use crate::b::two;\npub fn one() { two(); }\nstruct Three;\n",
    "class Five(Six):\n    def one(self):\n        return two()\n",
    "#!/bin/sh\none() { two; }\n",
    "package d\n\nfunc one() { two() }\n",
];
const RULES: [&str; 6] = ["", "out/\n", "*.rs\n!a.rs\n", "/src/in\n", "!.h\n", "run\nb.*\n"];
const RULE_FILES: [&str; 4] = [".gitignore", "src/.gitignore", ".ignore", ".git/info/exclude"];

#[derive(Debug, Clone)]
enum Edit {
    Write { place: usize, text: usize },
    Append { place: usize },
    MakeFolder { place: usize },
    Remove { place: usize },
    Rename { from: usize, to: usize },
    Link { from: usize, to: usize },
    Rule { file: usize, text: usize },
    RuleAbove { text: usize },
    ReplaceRoot,
    Update,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let place = || 0..PLACES.len();
    let text = 0..TEXTS.len();
    let rule = || 0..RULES.len();
    let edit = proptest::prop_oneof![
        8 => (place(), text).prop_map(|(place, text)| Edit::Write { place, text }),
        3 => place().prop_map(|place| Edit::Append { place }),
        3 => place().prop_map(|place| Edit::MakeFolder { place }),
        4 => place().prop_map(|place| Edit::Remove { place }),
        6 => (place(), place()).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => (place(), place()).prop_map(|(from, to)| Edit::Link { from, to }),
        2 => (0..RULE_FILES.len(), rule()).prop_map(|(file, text)| Edit::Rule { file, text }),
        1 => rule().prop_map(|text| Edit::RuleAbove { text }),
        1 => Just(Edit::ReplaceRoot),
        8 => Just(Edit::Update),
    ];
    proptest::collection::vec(edit, 1..40)
}

/// What cannot be done now is left undone: only what the tree comes to in the end counts.
fn perform(project: &Project, edit: &Edit) -> std::io::Result<()> {
    let at = |place: usize| project.root().join(PLACES[place]);
    let above = |path: &Path| fs::create_dir_all(path.parent().unwrap());
    match edit {
        Edit::Write { place, text } => {
            above(&at(*place))?;
            fs::write(at(*place), TEXTS[*text])
        }
        Edit::Append { place } => {
            let mut file = fs::File::options().append(true).open(at(*place))?;
            std::io::Write::write_all(&mut file, b"\nfn more() {}\n")
        }
        Edit::MakeFolder { place } => fs::create_dir_all(at(*place)),
        Edit::Remove { place } => {
            let path = at(*place);
            if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
        }
        Edit::Rename { from, to } => {
            above(&at(*to))?;
            fs::rename(at(*from), at(*to))
        }
        Edit::Link { from, to } => symlink(at(*to), at(*from)),
        Edit::Rule { file, text } => {
            let path = project.root().join(RULE_FILES[*file]);
            above(&path)?;
            fs::write(path, RULES[*text])
        }
        Edit::RuleAbove { text } => {
            fs::create_dir_all(project.root().with_file_name(".git"))?;
            fs::write(project.root().with_file_name(".gitignore"), RULES[*text])
        }
        Edit::ReplaceRoot => {
            let aside = project.root().with_file_name("aside");
            fs::rename(project.root(), &aside)?;
            fs::create_dir(project.root())?;
            for entry in fs::read_dir(&aside)? {
                let entry = entry?;
                fs::rename(entry.path(), project.root().join(entry.file_name()))?;
            }
            fs::remove_dir(aside)
        }
        Edit::Update => Ok(()),
    }
}

fn watch(project: &Project) -> (Watched, Report) {
    Watched::new(&project.root(), &project.kept(), options(), &|_, _| {}).unwrap()
}

fn paths(graph: &Graph) -> Vec<&str> {
    graph.files().map(|(_, path, _)| path).collect()
}

proptest! {
    #![proptest_config(Config { cases: 96, ..Config::default() })]
    #[test]
    fn a_watched_graph_is_the_one_built_anew(edits in edits()) {
        let project = Project::new(&[("a.rs", TEXTS[1]), ("src/in/c.go", TEXTS[4])]);
        let (mut watched, _) = watch(&project);
        for edit in &edits {
            let _undone = perform(&project, edit);
            if let Edit::Update = edit {
                watched.update().unwrap();
                prop_assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
            }
        }
        watched.update().unwrap();
        prop_assert_eq!(watched.unwatched(), None);
        prop_assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
        // And what is kept is the same to whoever reads it.
        watched.keep().unwrap();
        prop_assert_eq!(project.update().0.fingerprint(), watched.graph().fingerprint());
    }
}

#[test]
fn only_what_happened_is_looked_at() {
    let project =
        Project::new(&[("a.rs", "fn one() {}"), ("b/c.rs", "fn two() {}"), ("b/d.rs", "fn x() {}")]);
    let (mut watched, first) = watch(&project);
    assert_eq!((first.files, first.parsed, first.written > 0), (3, 3, true));
    // Times that are too new to be relied on make an unwatched graph read its files again.
    let nothing = watched.update().unwrap();
    assert_eq!((nothing.parsed, nothing.same, nothing.files, nothing.symbols), (0, 0, 3, 3));
    project.write("b/c.rs", "fn two() {} fn three() {}");
    let changed = watched.update().unwrap();
    assert_eq!((changed.parsed, changed.same, changed.symbols), (1, 0, 4));
    project.write("notes.md", "# No code");
    project.write("b/.swp", "");
    assert_eq!(watched.update().unwrap().same, 0);
}

#[test]
fn a_graph_is_written_only_when_it_is_asked_to() {
    let project = Project::new(&[("a.rs", "fn one() {}")]);
    let (mut watched, _) = watch(&project);
    let before = fs::read(project.kept()).unwrap();
    assert_eq!(watched.keep().unwrap(), 0, "as it is kept");
    project.write("a.rs", "fn two() {}");
    watched.update().unwrap();
    assert_eq!(fs::read(project.kept()).unwrap(), before);
    assert!(watched.keep().unwrap() > 0);
    assert_ne!(fs::read(project.kept()).unwrap(), before);
}

#[test]
fn a_tree_with_too_many_directories_is_walked_each_time_and_says_so() {
    let project = Project::new(&[("a/a.rs", "fn a() {}"), ("b/b.rs", "fn b() {}"), ("c/c.rs", "fn c() {}")]);
    let (root, kept) = (project.root(), project.kept());
    let (mut watched, _) = Watched::within(&root, &kept, options(), 3, &|_, _| {}).unwrap();
    assert_eq!(watched.unwatched(), Some(Unwatched::TooManyFolders { most: 3 }));
    assert_eq!(
        watched.unwatched().unwrap().to_string(),
        "changes are looked for in the whole tree each time: it has more than 3 directories"
    );
    project.write("a/a.rs", "fn other() {}");
    project.remove("b/b.rs");
    project.write("d/d.rs", "fn d() {}");
    watched.update().unwrap();
    assert_eq!(paths(watched.graph()), ["a/a.rs", "c/c.rs", "d/d.rs"]);
    assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
}

#[test]
fn a_tree_that_grows_beyond_the_bound_is_watched_no_longer() {
    let project = Project::new(&[("a/a.rs", "fn a() {}")]);
    let (root, kept) = (project.root(), project.kept());
    let (mut watched, _) = Watched::within(&root, &kept, options(), 3, &|_, _| {}).unwrap();
    assert_eq!(watched.unwatched(), None);
    for folder in ["b", "c", "d"] {
        project.write(&format!("{folder}/x.rs"), "fn x() {}");
    }
    watched.update().unwrap();
    assert_eq!(watched.unwatched(), Some(Unwatched::TooManyFolders { most: 3 }));
    project.write("d/x.rs", "fn y() {}");
    watched.update().unwrap();
    assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
}

/// More than the kernel queues by default, so that events are lost.
#[test]
fn lost_events_are_made_up_for() {
    let project = Project::new(&[("a.rs", "fn a() {}"), ("gone.rs", "fn gone() {}")]);
    let (mut watched, _) = watch(&project);
    for round in 0..20_000 {
        project.write(if round % 2 == 0 { "x.rs" } else { "y.rs" }, "");
        project.remove("x.rs");
    }
    project.remove("gone.rs");
    project.write("last/last.rs", "fn last() {}");
    watched.update().unwrap();
    assert_eq!(paths(watched.graph()), ["a.rs", "last/last.rs", "y.rs"]);
    project.write("last/last.rs", "fn after() {}");
    assert_eq!(watched.update().unwrap().parsed, 1, "it is watched again");
    assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
}

#[test]
fn ignored_directories_are_not_watched() {
    let project = Project::new(&[(".gitignore", "target/\n"), ("a.rs", "fn a() {}")]);
    for at in 0..50 {
        project.write(&format!("target/{at}/x.rs"), "fn x() {}");
    }
    let (root, kept) = (project.root(), project.kept());
    let (mut watched, _) = Watched::within(&root, &kept, options(), 1, &|_, _| {}).unwrap();
    assert_eq!(watched.unwatched(), None, "the root is the only one");
    project.write("target/1/y.rs", "fn y() {}");
    assert_eq!(watched.update().unwrap().files, 1);
    // The rules of a nested repository are in no directory that is watched.
    project.write("a.rs", "fn b() {}");
    assert_eq!(watched.update().unwrap().parsed, 1);
}

#[test]
fn rules_outside_of_what_is_watched_count_at_once() {
    let project =
        Project::new(&[("a.rs", "fn a() {}"), ("deep/b.rs", "fn b() {}"), ("deep/c.rs", "fn c() {}")]);
    fs::create_dir_all(project.root().join("deep/.git/info")).unwrap();
    let own = project.root().with_file_name("excludes");
    let with_own = Options { excludes_file: Some(own.clone()), ..options() };
    let (mut watched, _) = Watched::new(&project.root(), &project.kept(), with_own, &|_, _| {}).unwrap();
    assert_eq!(paths(watched.graph()), ["a.rs", "deep/b.rs", "deep/c.rs"]);
    fs::write(project.root().join("deep/.git/info/exclude"), "b.rs\n").unwrap();
    watched.update().unwrap();
    assert_eq!(paths(watched.graph()), ["a.rs", "deep/c.rs"]);
    fs::write(&own, "a.rs\n").unwrap();
    watched.update().unwrap();
    assert_eq!(paths(watched.graph()), ["deep/c.rs"]);
}

#[test]
fn a_root_that_is_gone_is_an_error_and_one_that_comes_back_is_read() {
    let project = Project::new(&[("a.rs", "fn a() {}")]);
    let (mut watched, _) = watch(&project);
    fs::remove_dir_all(project.root()).unwrap();
    assert!(watched.update().unwrap_err().to_string().starts_with("cannot list the files in"));
    project.write("b.rs", "fn b() {}");
    watched.update().unwrap();
    assert_eq!(paths(watched.graph()), ["b.rs"]);
}

#[test]
fn too_many_files_are_an_error_and_fewer_are_read_again() {
    let project = Project::new(&[("a.rs", "fn a() {}")]);
    let few = Options { most_files: 2, ..options() };
    let (mut watched, _) = Watched::new(&project.root(), &project.kept(), few, &|_, _| {}).unwrap();
    project.write("b.rs", "fn b() {}");
    project.write("c.rs", "fn c() {}");
    assert!(watched.update().unwrap_err().to_string().contains("there are 3 files in it, more than 2"));
    project.remove("b.rs");
    watched.update().unwrap();
    assert_eq!(watched.graph().fingerprint(), project.built_anew().fingerprint());
}

#[test]
fn nothing_is_left_behind_when_it_is_dropped() {
    let open = || {
        let all = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let named = all.filter_map(|entry| fs::read_link(entry.path()).ok());
        named.filter(|path| path.to_string_lossy().contains("inotify")).count()
    };
    let project = Project::new(&[("a.rs", "fn a() {}")]);
    let before = open();
    let (watched, _) = watch(&project);
    assert_eq!(open(), before + 1);
    drop(watched);
    assert_eq!(open(), before);
}
