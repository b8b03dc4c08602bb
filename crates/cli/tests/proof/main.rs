//! What is promised to people, shown with the real binary: it stops as it should, obeys while it runs, survives what
//! is done to it and to its storage, and leaves no process behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acp;
mod agents;
mod controls;
mod crashes;
mod ends;
mod fallback;
mod hooks;
mod orphans;
mod output;
mod redaction;
mod signals;
mod starts;
mod storage;
mod vanished;

use ralph_testkit::Project;

fn project() -> Project {
    Project::new(env!("CARGO_BIN_EXE_ralph"))
}
