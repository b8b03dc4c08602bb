//! Every small project in `tests/projects` with five agents: who mends is believed by the checks, and nobody else is.
//!
//! One test, so that compilers and test runners are not started all at once: two at a time is what two cores bear.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agent;
mod play;

use std::sync::Mutex;
use std::time::Instant;

use agent::Agent;
use ralph_testkit::fixtures::{Fixture, install_tools};
use ralph_testkit::programs::target_dir;

#[test]
fn only_who_mends_is_believed() {
    let tools = install_tools(&target_dir()).unwrap();
    let mut work = Vec::new();
    let mut left_out = Vec::new();
    for fixture in Fixture::all() {
        let missing: Vec<&str> =
            fixture.needs.iter().map(String::as_str).filter(|program| !tools.has(program)).collect();
        if missing.is_empty() {
            work.extend(Agent::all(&fixture).into_iter().map(|agent| (fixture.clone(), agent)));
        } else {
            left_out.push(format!("{:<14} LEFT OUT: no {}", fixture.name, missing.join(", ")));
        }
    }
    // To look at some alone: RALPH_TABLE=jest, RALPH_TABLE='jest tampering'.
    let wanted = std::env::var("RALPH_TABLE").unwrap_or_default();
    work.retain(|(fixture, agent)| label(fixture, agent).contains(&wanted));
    let projects =
        work.iter().map(|(fixture, _)| &fixture.name).collect::<std::collections::BTreeSet<_>>().len();
    let begun = Instant::now();
    let queue = Mutex::new(work.into_iter());
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((fixture, agent)) = queue.lock().unwrap().next() else { return };
                    let begun = Instant::now();
                    let outcome = play::play(&fixture, &agent, &tools);
                    rows.lock().unwrap().push((label(&fixture, &agent), outcome, begun.elapsed()));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    println!("\n{:<14} {:<34} {:>7}  result", "project", "agent", "seconds");
    for (label, outcome, took) in &rows {
        let (Ok(result) | Err(result)) = outcome;
        let mark = if outcome.is_ok() { "" } else { "WRONG: " };
        println!("{label} {:>7.1}  {mark}{result}", took.as_secs_f64());
    }
    left_out.iter().for_each(|line| println!("{line}"));
    let wrong = rows.iter().filter(|(_, outcome, _)| outcome.is_err()).count();
    let seconds = begun.elapsed().as_secs_f64();
    println!("{projects} projects, {} runs, {wrong} wrong, {seconds:.0} s\n", rows.len());
    assert_eq!(wrong, 0, "{wrong} of {} are wrong", rows.len());
    assert!(left_out.is_empty() || std::env::var_os("CI").is_none(), "programs are missing: {left_out:?}");
    assert!(projects >= 12 || !wanted.is_empty(), "only {projects} projects could be tried");
}

/// The row's first columns.
fn label(fixture: &Fixture, agent: &Agent) -> String {
    format!("{:<14} {:<34}", fixture.name, agent.to_string())
}
