//! What an error of the agent comes to.

use ralph_testkit::{PATIENCE, Project};

use crate::agents::FAILS;
use crate::project;

/// How the run ends, and after how many attempts.
#[track_caller]
fn check(project: &Project, args: &[&str], attempts: u64, evidence: &[&str]) {
    let ran = project.start(&[&["run", "do it"], args].concat()).end(PATIENCE);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let status = project.status().unwrap();
    assert_eq!((&status["status"], &status["attempts"]), (&"failed".into(), &attempts.into()), "{status}");
    let found = status["evidence"].as_str().unwrap();
    assert!(evidence.iter().all(|evidence| found.contains(evidence)), "{evidence:?} in {found:?}");
}

fn skipped(project: &Project) -> bool {
    project.events().contains(&"task_skipped".to_owned())
}

#[test]
fn a_prompt_that_fails_is_tried_again_three_times_and_then_skipped() {
    let project = project().agent(FAILS);
    check(&project, &[], 4, &["task `prompt` was skipped", "4 attempts", "exit code 7"]);
    let waits = project.journal();
    let waits: Vec<_> = waits.iter().filter(|entry| entry["type"] == "waiting").collect();
    assert_eq!(waits.len(), 3);
    assert!(skipped(&project));
}

#[test]
fn skip_and_abort_try_nothing_again() {
    for strategy in ["skip", "abort"] {
        let project = project().agent(FAILS);
        check(&project, &["--on-error", strategy], 1, &["task `prompt` was skipped", "exit code 7"]);
    }
}

#[test]
fn the_number_of_retries_can_be_set() {
    let project = project().agent(FAILS);
    check(&project, &["--max-retries", "1"], 2, &["2 attempts ended in error"]);
}

#[test]
fn failures_in_a_row_end_the_run_before_the_task_is_skipped() {
    let few = project().agent(FAILS);
    check(&few, &["--max-consecutive-failures", "4"], 4, &["4 failures in a row"]);
    assert!(!skipped(&few), "the run's own limit was reached first");
    let many = project().agent(FAILS);
    check(&many, &["--max-retries", "9"], 5, &["5 failures in a row"]);
}

#[test]
fn an_overload_is_tried_again_even_where_errors_abort() {
    let project = project();
    let agent = project.script("overloaded", "cat >/dev/null; echo 'the servers are BUSY'; exit 1");
    let config = format!(
        "[agents.mine]\nprogram = \"{}\"\nformat = \"text\"\nargs = []\n[[agents.mine.signals]]\nmeans = \
         \"overloaded\"\nlast_line = [\"the servers are BUSY\"]\n",
        agent.display()
    );
    std::fs::write(project.user_config(), config).unwrap();
    let args =
        ["--agent", "mine", "--on-error", "abort", "--max-retries", "1", "--max-consecutive-failures", "3"];
    check(&project, &args, 3, &["overloaded: the servers are BUSY"]);
    assert!(!project.events().contains(&"agent_changed".to_owned()));
}
