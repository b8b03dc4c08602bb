//! Custody against agents that try to escape it. This binary plays every part: guard, ralph, agent and judge.
//!
//! `cargo test --test custody -- bench` measures what custody costs instead.

#![expect(clippy::unwrap_used, reason = "without the test harness, clippy does not know a test")]

mod agent;
mod bench;
mod contract;
mod host;
mod judge;
mod matrix;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["guard"] => return ralph_engine::custody::guard_main(),
        ["agent", part @ ..] => agent::play(part),
        ["ralph", run, cgroup, shape, way] => host::play(run, cgroup, shape, way),
        ["bench"] => bench::run(),
        // What nextest asks before it runs anything.
        ["--list", ..] => println!("custody: test"),
        ["contract"] => contract::run(),
        _ => {
            // By itself, since whoever opens a custody becomes a subreaper, and the matrix leaves orphans to init.
            let program = std::env::current_exe().unwrap();
            let contract = std::process::Command::new(program).arg("contract").status().unwrap();
            assert!(contract.success());
            matrix::run();
        }
    }
    ExitCode::SUCCESS
}
