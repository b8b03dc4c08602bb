//! What is particular to SQLite: files, crashes, foreign programs, full disks.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corrupt;
mod crash;
mod disk;
mod foreign;
mod kill;
mod memory;
mod open;
mod project;
mod property;
mod tasks;

use ralph_core::run::Run;
use ralph_store::conformance::sample::{at, run};
use ralph_store::conformance::wait;
use ralph_store::{SqliteStore, Store, Unfinished};

/// A run that has been created in a store.
fn created(store: &SqliteStore) -> Run {
    let mut run = run();
    wait(store.create_run(&run, at(0), Unfinished::Refuse, &[])).unwrap();
    run.fresh.clear();
    run
}

/// The names and contents of all files of a directory.
fn contents(dir: &std::path::Path) -> std::collections::BTreeMap<std::ffi::OsString, Vec<u8>> {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    files.map(|file| (file.file_name(), std::fs::read(file.path()).unwrap())).collect()
}
