//! What is promised to people, shown with the real binary: it stops as it should, obeys while it runs, survives what
//! is done to it and to its storage, and leaves no process behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acp;
mod agents;
mod arguments;
mod attached;
mod backlog_trouble;
mod backlogs;
mod checks;
mod choices;
mod chronicles;
mod constitution;
mod controls;
mod crashes;
mod demo;
mod diff;
mod drafted;
mod driven;
mod endless;
mod ends;
mod errors;
mod extracted;
mod failed;
mod fallback;
mod forks;
mod hooks;
mod ignored;
mod judge;
mod judge_trouble;
mod machine;
mod meant;
mod migrated;
mod opencode_server;
mod orphans;
mod output;
mod planted;
mod questions;
mod questions_to_agents;
mod readers;
mod redaction;
mod remembered;
mod sandbox;
mod sessions;
mod shown;
mod signals;
mod snapshots;
mod starts;
mod storage;
mod taken_back;
mod time;
#[cfg(feature = "failpoints")]
mod torn;
mod trackers;
mod vanished;
mod vetoed_commits;
mod why;
mod worktrees;

use ralph_testkit::Project;

fn project() -> Project {
    Project::new(env!("CARGO_BIN_EXE_ralph"))
}
