//! A graph's file that is not what was written is made again, whatever happened to it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ralph_graph::Unusable;

use crate::project::Project;

fn project() -> Project {
    Project::new(&[("a.rs", "fn one() { two() }\nfn two() {}\n"), ("b.py", "def three():\n    pass\n")])
}

#[test]
fn a_damaged_file_is_made_again() {
    let project = project();
    let sound = project.update().0.fingerprint();
    let whole = fs::read(project.kept()).unwrap();
    let mut cases: Vec<Vec<u8>> =
        vec![Vec::new(), b"SQLite format 3\0".to_vec(), whole[..whole.len() - 1].to_vec()];
    cases.push([whole.as_slice(), b"x"].concat());
    for at in (0..whole.len()).step_by(7) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x41;
        cases.push(flipped);
    }
    for case in cases {
        fs::write(project.kept(), &case).unwrap();
        let (graph, report) = project.update();
        assert!(report.unusable.is_some(), "{} bytes", case.len());
        assert_eq!((graph.fingerprint(), report.parsed), (sound, 2));
        assert_eq!(project.update().1.unusable, None, "and kept");
    }
}

#[test]
fn a_file_of_another_edition_is_made_again() {
    let project = project();
    project.update();
    let mut other = fs::read(project.kept()).unwrap();
    other[8] ^= 1;
    fs::write(project.kept(), other).unwrap();
    assert_eq!(project.update().1.unusable, Some(Unusable::OtherEdition));
}

#[test]
fn nobody_else_can_read_it_and_nothing_is_left_beside_it() {
    let project = project();
    project.update();
    let mode = fs::metadata(project.kept()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(project.kept().parent().unwrap()).unwrap().count(), 1);
}
