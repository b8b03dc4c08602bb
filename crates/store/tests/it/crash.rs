//! The process dies before, inside and after every kind of transaction.

#![cfg(feature = "failpoints")]

use std::os::unix::process::ExitStatusExt;

use ralph_core::control::Control;
use ralph_core::event::Event;
use ralph_store::conformance::sample::{at, run_with_id};
use ralph_store::conformance::wait;
use ralph_store::{SqliteStore, Store, StoreError, Unfinished};

use super::kill::{child, dir_of_child, id};

/// Makes a store, creates a run, commits one line and asks one thing. Does nothing unless it is the child.
#[test]
fn child_that_does_everything_once() {
    let Some(dir) = dir_of_child() else { return };
    let store = SqliteStore::open(&dir).unwrap();
    let mut run = run_with_id(id());
    wait(store.create_run(&run, at(0), Unfinished::Refuse, &[])).unwrap();
    run.fresh.clear();
    run.note(at(1), Event::Notice { text: "committed".to_owned() });
    wait(store.commit(&run, at(1), &[])).unwrap();
    wait(store.request(&run.id, &Control::Stop, at(2))).unwrap();
}

/// How many lines and controls are there; nothing if there is no run.
fn left(dir: &std::path::Path) -> Result<Option<(usize, usize)>, StoreError> {
    let store = SqliteStore::open(dir)?;
    wait(store.check())?;
    let Some(run) = wait(store.run(&id()))? else { return Ok(None) };
    let lines = wait(store.entries(&run.id, 0, 100))?.len();
    Ok(Some((lines, wait(store.waiting_controls(&run.id, run.controls_seen))?.len())))
}

#[test]
fn a_crash_leaves_all_or_nothing_of_each_transaction() {
    let expected = [
        ("store.migrate.before", None),
        ("store.migrate.inside", None),
        ("store.migrate.after", None),
        ("store.create.before", None),
        ("store.create.inside", None),
        ("store.create.after", Some((1, 0))),
        ("store.commit.before", Some((1, 0))),
        ("store.commit.inside", Some((1, 0))),
        ("store.commit.after", Some((2, 0))),
        ("store.request.before", Some((2, 0))),
        ("store.request.inside", Some((2, 0))),
        ("store.request.after", Some((2, 1))),
    ];
    for (point, state) in expected {
        let dir = tempfile::tempdir().unwrap();
        let mut child = child("crash::child_that_does_everything_once", dir.path());
        let ended = child.env("FAILPOINTS", format!("{point}=return")).status().unwrap();
        assert_eq!(ended.signal(), Some(9), "{point} kills");
        assert_eq!(left(dir.path()).unwrap(), state, "after {point}");
    }
}
