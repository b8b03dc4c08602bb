//! What a person asks of a run while it is on.

use ralph_testkit::{PATIENCE, Project, survivors, until};

use crate::agents::{DONE, HELD, begun, has_begun, let_go};
use crate::project;

#[test]
fn stop_waits_for_the_iteration() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    assert!(!run.is_over(), "the agent is still at it");
    let_go(&project, 1);
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let events = project.events();
    assert!(events.contains(&"iteration_ended".to_owned()), "{events:?}");
    assert_eq!(events.iter().filter(|event| *event == "iteration_started").count(), 1);
    assert_eq!(project.status().unwrap()["stop_reason"], "stopped");

    let_go(&project, 2);
    assert_eq!(project.ralph(&["resume"]).code, Some(0), "whoever resumes no longer wants it stopped");
    assert_eq!(project.status().unwrap()["iteration"], 2);
}

#[test]
fn stop_now_ends_the_agent() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(run.end(PATIENCE).code, Some(130));
    let journal = project.journal();
    let ended = journal.iter().find(|entry| entry["type"] == "attempt_ended").unwrap();
    assert_eq!(ended["ending"]["lost"], "aborted");
    assert_eq!(project.status().unwrap()["stop_reason"], "aborted");

    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert!(has_begun(&project, 1, 2), "the iteration goes on with its next attempt");
}

#[test]
fn cancelling_twice_is_harmless() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    for _ in 0..2 {
        assert_eq!(project.ralph(&["stop"]).code, Some(0));
    }
    for _ in 0..2 {
        assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    }
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert_eq!(project.events().iter().filter(|event| *event == "run_stopped").count(), 1);
}

#[test]
fn a_paused_run_goes_on_when_it_is_resumed() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    assert_eq!(project.ralph(&["pause"]).code, Some(0));
    let_go(&project, 1);
    until(PATIENCE, "a pause", || (project.status()?["status"] == "paused").then_some(()));
    assert!(!run.is_over() && !has_begun(&project, 2, 1));
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    let_go(&project, 2);
    assert_eq!(run.end(PATIENCE).code, Some(0));
    let events = project.events();
    assert!(["paused", "unpaused"].iter().all(|event| events.contains(&(*event).to_owned())), "{events:?}");
}

#[test]
fn a_paused_run_can_be_stopped() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    project.ralph(&["pause"]);
    let_go(&project, 1);
    until(PATIENCE, "a pause", || (project.status()?["status"] == "paused").then_some(()));
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    assert_eq!(run.end(PATIENCE).code, Some(130));
}

#[test]
fn more_iterations_are_granted_while_it_runs() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it", "--max-iterations", "1"]);
    begun(&project, 1, 1);
    assert_eq!(project.ralph(&["set", "iterations", "+1"]).code, Some(0));
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(run.end(PATIENCE).code, Some(0));
    assert_eq!(project.status().unwrap()["max_iterations"], 2);
}

/// What was granted is durable, and the process that has just decided to stop has not looked since.
#[cfg(feature = "failpoints")]
#[test]
fn what_is_granted_at_the_last_moment_is_granted() {
    let project = project().agent(HELD);
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    let log = project.base().join("log");
    let mut command = project.command(&["run", "do it", "--max-iterations", "1"]);
    command.env("FAILPOINTS", "consolidate.after=1*sleep(3000)").env("FAILPOINTS_LOG", &log);
    let mut run = command.spawn().unwrap();
    let decided = || std::fs::read_to_string(&log).is_ok_and(|log| log.contains("consolidate.after"));
    until(PATIENCE, "the end to be decided", || decided().then_some(()));
    assert_eq!(project.ralph(&["set", "iterations", "+1"]).code, Some(0));
    let ended = until(PATIENCE, "the run to end", || run.try_wait().unwrap());
    assert_eq!(ended.code(), Some(0), "{:?}", project.events());
    let starts = project.events().iter().filter(|event| *event == "iteration_started").count();
    assert_eq!((starts, project.status().unwrap()["iteration"].as_u64()), (2, Some(2)));
}

#[test]
fn fewer_iterations_end_it() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it", "--max-iterations", "9"]);
    begun(&project, 1, 1);
    assert_eq!(project.ralph(&["set", "iterations", "1"]).code, Some(0));
    let_go(&project, 1);
    assert_eq!(run.end(PATIENCE).code, Some(3));
    assert_eq!(project.ralph(&["set", "iterations", "0"]).code, Some(2));
}

#[test]
fn a_sentence_stands_in_the_next_brief_and_only_there() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    assert_eq!(project.ralph(&["steer", "leave the goose alone"]).code, Some(0));
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(run.end(PATIENCE).code, Some(0));
    assert!(project.brief(2, 1).contains("leave the goose alone"));
    assert!(!project.brief(1, 1).contains("leave the goose alone"));
}

#[test]
fn a_finished_run_takes_nothing_more() {
    let project = project().agent(DONE);
    assert_eq!(project.ralph(&["run", "do it"]).code, Some(0));
    let before = project.journal();
    for args in [&["stop"][..], &["stop", "--now"], &["pause"], &["set", "iterations", "5"], &["steer", "x"]]
    {
        let ran = project.ralph(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        assert!(ran.out.contains("already ended"), "{args:?}: {}", ran.out);
    }
    let resumed = project.ralph(&["resume"]);
    assert_eq!(resumed.code, Some(0));
    assert!(resumed.out.contains("has ended: completed"), "{}", resumed.out);
    assert_eq!(project.journal(), before);
}

#[test]
fn what_is_asked_of_an_interrupted_run_waits_for_its_resumption() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    run.kill();
    assert_eq!(project.ralph(&["steer", "mind the gap"]).code, Some(0));
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert!(project.brief(1, 2).contains("mind the gap"), "{}", project.brief(1, 2));
}

#[test]
fn an_interrupted_run_can_be_stopped() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    run.kill();
    let stop = || project.ralph(&["stop"]);
    // The dead run's guard may still be ending the agent.
    let stopped = until(PATIENCE, "a stop", || Some(stop()).filter(|ran| ran.code == Some(0)));
    assert!(stopped.out.contains("is stopped"), "{stopped:?}");
    let status = project.status().unwrap();
    assert_eq!((&status["status"], &status["alive"]), (&"stopped".into(), &false.into()), "{status}");
}

/// How often a sentence stands in the briefs of these attempts.
fn mentions(project: &Project, sentence: &str, attempts: &[(u32, u32)]) -> Vec<usize> {
    let brief = |(iteration, attempt): &(u32, u32)| project.brief(*iteration, *attempt);
    attempts.iter().map(brief).map(|brief| brief.matches(sentence).count()).collect()
}

#[test]
fn what_is_asked_of_a_stopped_run_is_taken_up_when_it_is_resumed() {
    for now in [false, true] {
        let project = project().agent(HELD);
        let mut run = project.start(&["run", "do it", "--max-iterations", "9"]);
        begun(&project, 1, 1);
        assert_eq!(project.ralph(if now { &["stop", "--now"] } else { &["stop"] }).code, Some(0));
        let_go(&project, 1);
        assert_eq!(run.end(PATIENCE).code, Some(130));

        for args in [&["steer", "leave the goose alone"][..], &["set", "iterations", "2"]] {
            let asked = project.ralph(args);
            assert_eq!(asked.code, Some(0), "{args:?}: {}", asked.err);
            assert!(asked.out.contains("ralph resume"), "{args:?}: {}", asked.out);
        }
        assert_eq!(project.status().unwrap()["status"], "stopped", "asking does not set it going");

        // From now on it promises nothing, so only the limit can end the run.
        project.script("agent.sh", "echo 'not yet'");
        let ran = project.ralph(&["resume"]);
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        let status = project.status().unwrap();
        assert_eq!((&status["stop_reason"], &status["iteration"]), (&"max_iterations".into(), &2.into()));
        assert_eq!(status["max_iterations"], 2);
        let attempts: &[_] = if now { &[(1, 1), (1, 2), (2, 1)] } else { &[(1, 1), (2, 1)] };
        let expected: &[usize] = if now { &[0, 1, 0] } else { &[0, 1] };
        assert_eq!(mentions(&project, "leave the goose alone", attempts), expected);
    }
}

/// A run whose first check is under way, until [`over`] is said.
fn in_the_first_check() -> (Project, ralph_testkit::Live) {
    let project = project().agent(&format!("touch made\n{DONE}"));
    let check = "custom=touch ../checking; while [ ! -e ../over ]; do sleep 0.02; done; test -e ../good";
    let run = project.start(&["run", "do it", "--yes", "--max-iterations", "1", "--criteria", check]);
    until(PATIENCE, "the first check", || project.base().join("checking").exists().then_some(()));
    (project, run)
}

fn over(project: &Project) {
    std::fs::write(project.base().join("over"), "").unwrap();
}

fn count(project: &Project, event: &str) -> usize {
    project.events().iter().filter(|other| *other == event).count()
}

#[test]
fn a_pause_during_the_first_checks_holds_until_a_person_resumes() {
    let (project, mut run) = in_the_first_check();
    assert_eq!(project.ralph(&["pause"]).code, Some(0));
    over(&project);
    until(PATIENCE, "a pause", || (project.status()?["status"] == "paused").then_some(()));
    assert!(!run.is_over());
    assert_eq!((count(&project, "baseline"), count(&project, "iteration_started")), (1, 0));
    std::fs::write(project.base().join("good"), "").unwrap();
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!((count(&project, "paused"), count(&project, "unpaused")), (1, 1));
}

#[test]
fn a_stop_during_the_first_checks_is_one_stop_and_comes_after_them() {
    let (project, mut run) = in_the_first_check();
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    assert!(!run.is_over() && count(&project, "run_stopped") == 0, "{:?}", project.events());
    over(&project);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    let events = project.events();
    assert_eq!(events[events.len() - 2..], ["baseline", "run_stopped"], "{events:?}");
    assert_eq!((count(&project, "run_stopped"), count(&project, "iteration_started")), (1, 0));
}

#[test]
fn stop_now_ends_the_first_checks() {
    let (project, mut run) = in_the_first_check();
    let asked = std::time::Instant::now();
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert!(asked.elapsed() < std::time::Duration::from_secs(8), "{:?}", asked.elapsed());
    assert_eq!((count(&project, "run_stopped"), count(&project, "baseline")), (1, 0));
    let id = project.run_id().unwrap();
    assert!(survivors(&id).is_empty(), "{:?}", survivors(&id));
    over(&project);
    std::fs::write(project.base().join("good"), "").unwrap();
    assert_eq!(project.ralph(&["resume"]).code, Some(0), "the checks are run again");
}
