//! `kill -9`, and the way back.

use ralph_testkit::{PATIENCE, extra_attempts, kill_nine, survivors, until};

use crate::agents::{HELD, begun, let_go};
use crate::project;

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it", "--max-iterations", "5"]);
    begun(&project, 1, 1);
    let_go(&project, 1);
    begun(&project, 2, 1);
    run.kill();
    let status = project.status().unwrap();
    assert_eq!((&status["alive"], &status["resumable"]), (&false.into(), &true.into()));

    let_go(&project, 2);
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let journal = project.journal();
    let iterations: Vec<u64> = journal
        .iter()
        .filter(|entry| entry["type"] == "iteration_started")
        .map(|entry| entry["iteration"].as_u64().unwrap())
        .collect();
    assert_eq!(iterations, [1, 2], "an interrupted attempt is not a new iteration");
    assert_eq!(extra_attempts(&journal), 1);
    let status = project.status().unwrap();
    assert_eq!((&status["iteration"], &status["attempts"]), (&2.into(), &3.into()));
    assert_eq!(project.state().join("output").join(project.run_id().unwrap()).read_dir().unwrap().count(), 3);
}

#[test]
fn a_killed_guard_costs_one_attempt() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    kill_nine(run.guard());
    begun(&project, 1, 2);
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(run.end(PATIENCE).code, Some(0));
    assert_eq!(extra_attempts(&project.journal()), 1);
}

#[test]
fn resume_ends_what_both_dead_left_behind() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let (id, guard) = (project.run_id().unwrap(), run.guard());
    kill_nine(guard);
    run.kill();
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(survivors(&id), []);
}

#[test]
fn an_unfinished_run_is_not_run_over() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    run.kill();
    let id = project.run_id().unwrap();
    // The dead run's guard may still hold the tree; its refusal is another one.
    let refused = until(PATIENCE, "a refusal", || {
        Some(project.ralph(&["run", "do something else"])).filter(|ran| ran.err.contains("unfinished"))
    });
    assert_eq!(refused.code, Some(2));
    for part in [id.as_str(), "ralph resume", "run --new"] {
        assert!(refused.err.contains(part), "{part} in {}", refused.err);
    }

    (1..=2).for_each(|iteration| let_go(&project, iteration));
    let new = project.ralph(&["run", "do something else", "--new"]);
    assert_eq!(new.code, Some(0), "{}", new.err);
    assert_ne!(project.run_id().unwrap(), id);
    assert_eq!(project.ralph(&["logs", &id]).code, Some(0), "the old one can still be read");
}

#[test]
fn resume_takes_over_when_the_holder_lets_go() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    run.kill();
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    // Another command has the tree for a moment, as `ralph stop` has on a dead run.
    let mut holder = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", holder.id())).unwrap();
    let start: u64 = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().parse().unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let owner = serde_json::json!({
        "run": project.run_id(), "pid": holder.id(), "process_start": start, "boot": boot.trim(),
        "since": "2026-01-01T00:00:00Z",
    });
    std::fs::write(project.state().join("owner.json"), owner.to_string()).unwrap();
    assert_eq!(project.status().unwrap()["alive"], true);
    let mut resumed = project.start(&["resume"]);
    until(PATIENCE, "the request", || (project.rows("controls") > 0).then_some(()));
    holder.kill().unwrap();
    holder.wait().unwrap();
    let ran = resumed.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(project.status().unwrap()["status"], "success", "{}", ran.out);
}
