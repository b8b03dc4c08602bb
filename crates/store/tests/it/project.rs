//! Where projects keep their state, and the register over all of them.

use ralph_core::id::RunId;
use ralph_store::conformance::sample::at;
use ralph_store::conformance::wait;
use ralph_store::{ProjectMoved, Register, Registered, StoreError, project_dir, settle};

#[test]
fn a_project_keeps_its_key_however_it_is_called() {
    let home = tempfile::tempdir().unwrap();
    let (state, root) = (home.path().join("state"), home.path().join("project"));
    std::fs::create_dir(&root).unwrap();
    std::os::unix::fs::symlink(&root, home.path().join("link")).unwrap();
    let dir = project_dir(&state, &root).unwrap();
    assert_eq!(project_dir(&state, &home.path().join("link")).unwrap(), dir);
    assert_eq!(project_dir(&state, &root.join("../project/.")).unwrap(), dir);
    assert_ne!(project_dir(&state, home.path()).unwrap(), dir);
    let key = dir.file_name().unwrap().to_str().unwrap();
    assert!(key.len() == 16 && key.bytes().all(|b| b.is_ascii_hexdigit()), "{key}");
    assert!(!state.exists(), "asking makes nothing");
    assert!(project_dir(&state, &home.path().join("nowhere")).is_err());
}

#[test]
fn a_moved_project_is_noticed_once() {
    let home = tempfile::tempdir().unwrap();
    let (state, old, new) = (home.path().join("state"), home.path().join("old"), home.path().join("new"));
    std::fs::create_dir(&old).unwrap();
    assert_eq!(settle(&state, &old).unwrap(), None);
    assert_eq!(settle(&state, &old).unwrap(), None);
    let kept = project_dir(&state, &old).unwrap();
    let before = old.canonicalize().unwrap();
    std::fs::rename(&old, &new).unwrap();
    assert_eq!(settle(&state, &new).unwrap(), Some(ProjectMoved::From { path: before, state: kept }));
    assert_eq!(settle(&state, &new).unwrap(), None);
}

#[test]
fn a_replaced_project_is_noticed_once() {
    let home = tempfile::tempdir().unwrap();
    let (state, root, away) = (home.path().join("state"), home.path().join("root"), home.path().join("away"));
    std::fs::create_dir(&root).unwrap();
    settle(&state, &root).unwrap();
    std::fs::rename(&root, &away).unwrap();
    std::fs::create_dir(&root).unwrap();
    let path = root.canonicalize().unwrap();
    assert_eq!(settle(&state, &root).unwrap(), Some(ProjectMoved::Replaced { path }));
    assert_eq!(settle(&state, &root).unwrap(), None);
}

#[test]
fn the_register_knows_every_run() {
    let home = tempfile::tempdir().unwrap();
    let missing = Register::open_existing(home.path()).err();
    assert_eq!(missing, Some(StoreError::NoDatabase { path: home.path().join("global.db") }));
    let register = Register::open(home.path()).unwrap();
    let [first, second] = [1, 2].map(|n| RunId::new(at(n), 0));
    let root = std::path::Path::new("/home/p\u{fc}");
    wait(register.record(&first, root, at(1))).unwrap();
    wait(register.record(&second, root, at(2))).unwrap();
    wait(register.record(&first, root, at(3))).unwrap();
    let line = |run: &RunId, second| Registered { run: run.clone(), root: root.to_owned(), at: at(second) };
    let beside = Register::open_existing(home.path()).unwrap();
    assert_eq!(wait(beside.list()).unwrap(), [line(&second, 2), line(&first, 3)]);
    assert_eq!(wait(beside.project_of(&first)).unwrap(), Some(root.to_owned()));
    assert_eq!(wait(beside.project_of(&RunId::new(at(9), 9))).unwrap(), None);
}
