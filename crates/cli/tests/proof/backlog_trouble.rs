//! Runs over a backlog that agents, persons and crashes get in the way of.

use std::fs;

use ralph_testkit::{PATIENCE, Project, until};
use serde_json::{Value, json};

use crate::project;
use crate::time::git;

/// Waits where it is told to, and leaves a file.
const WORKER: &str = r#"
echo "$RALPH_TASK" >> ../order
touch "../begun-$RALPH_TASK"
while [ "$RALPH_TASK" = "$HOLD_AT" ] && [ ! -e ../go ]; do sleep 0.02; done
echo done > "$RALPH_TASK.txt"
echo "<promise>$RALPH_PROMISE</promise>"
"#;

fn with_stories(project: &Project, count: usize) {
    let story = |at: usize| json!({"id": format!("S-{at}"), "title": format!("story {at}"), "passes": false});
    let prd = json!({"name": "few", "userStories": (1..=count).map(story).collect::<Vec<_>>()});
    fs::write(project.tree().join("prd.json"), serde_json::to_string_pretty(&prd).unwrap()).unwrap();
}

fn passing(project: &Project) -> Vec<String> {
    let prd = fs::read_to_string(project.tree().join("prd.json")).unwrap();
    let prd: Value = serde_json::from_str(&prd).unwrap();
    let done = prd["userStories"].as_array().unwrap().iter().filter(|story| story["passes"] == true);
    done.map(|story| story["id"].as_str().unwrap().to_owned()).collect()
}

fn notices(project: &Project) -> String {
    let texts = project.journal();
    texts.iter().filter_map(|entry| entry["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn own_tasks(project: &Project, titles: &[&str]) {
    for title in titles {
        assert_eq!(project.ralph(&["tasks", "add", title]).code, Some(0));
    }
}

fn standing(project: &Project, task: &str) -> Value {
    let shown = project.ralph(&["tasks", "show", task, "--json"]);
    let shown: Value = serde_json::from_str(&shown.out).unwrap_or_else(|_| panic!("{}", shown.err));
    shown["task"]["status"].clone()
}

fn begun(project: &Project, task: &str) {
    until(PATIENCE, task, || project.base().join(format!("begun-{task}")).exists().then_some(()));
}

#[test]
fn a_task_that_its_agent_closes_and_then_fails_is_open_again_and_the_run_is_no_success() {
    let project = project().agent(r#"sed -i 's/"passes": false/"passes": true/' prd.json; exit 1"#);
    with_stories(&project, 1);
    let ran = project.ralph(&["run", "--iteration-delay", "0", "--on-error", "skip"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(passing(&project), Vec::<String>::new());
    assert!(notices(&project).contains("S-1 was closed in the tracker"), "{}", notices(&project));
}

#[test]
fn a_task_that_its_agent_closed_before_the_run_was_stopped_is_open_again() {
    let closes = r#"sed -i 's/"passes": false/"passes": true/' prd.json; touch ../begun-S-1; sleep 60"#;
    let project = project().agent(closes);
    with_stories(&project, 1);
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    begun(&project, "S-1");
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert_eq!(passing(&project), Vec::<String>::new());
}

#[test]
fn what_an_agent_closes_beside_its_own_task_is_told() {
    let closes_all = r#"sed -i 's/"passes": false/"passes": true/' prd.json
echo "<promise>$RALPH_PROMISE</promise>""#;
    let project = project().agent(closes_all);
    with_stories(&project, 3);
    project.ralph(&["run", "--iteration-delay", "0"]);
    let told = notices(&project);
    assert!(told.contains("not looked at by ralph: S-2, S-3"), "{told}");
}

#[test]
fn a_task_that_vanishes_from_its_tracker_is_done_with() {
    let project = project().agent(
        r#"printf '{"name": "none", "userStories": []}' > prd.json; echo "<promise>$RALPH_PROMISE</promise>""#,
    );
    with_stories(&project, 1);
    let ran = project.ralph(&["run", "--iteration-delay", "0"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(notices(&project).contains("not in the tracker any more"), "{}", notices(&project));
}

#[test]
fn a_tracker_shows_what_is_worked_on_after_a_stop_and_a_crash_too() {
    let project = project().agent(WORKER).with("HOLD_AT", "T-1");
    own_tasks(&project, &["first", "second"]);
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    begun(&project, "T-1");
    assert_eq!(standing(&project, "T-1"), "in_progress");
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    run.end(PATIENCE);
    assert_eq!(standing(&project, "T-1"), "open");
    fs::remove_file(project.base().join("begun-T-1")).unwrap();
    let mut run = project.start(&["resume"]);
    begun(&project, "T-1");
    assert_eq!(standing(&project, "T-1"), "in_progress", "it is worked on again");
    run.kill();
    assert_eq!(project.ralph(&["stop"]).code, Some(0));
    assert_eq!(standing(&project, "T-1"), "open", "nobody drives the run");
    fs::write(project.base().join("go"), "").unwrap();
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!([standing(&project, "T-1"), standing(&project, "T-2")], ["completed", "completed"]);
}

#[test]
fn a_skip_of_a_crashed_run_is_obeyed_when_it_is_resumed() {
    let project = project().agent(WORKER).with("HOLD_AT", "T-1");
    own_tasks(&project, &["first", "second"]);
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    begun(&project, "T-1");
    run.kill();
    assert_eq!(project.ralph(&["skip"]).code, Some(0));
    assert_eq!(project.ralph(&["resume"]).code, Some(1));
    assert_eq!([standing(&project, "T-1"), standing(&project, "T-2")], ["open", "completed"]);
}

#[test]
fn only_what_is_to_be_done_can_be_skipped() {
    let project = project().agent(WORKER).with("HOLD_AT", "T-2");
    own_tasks(&project, &["first", "second"]);
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    begun(&project, "T-2");
    for (task, why) in [("NOPE", "there is no task NOPE"), ("T-1", "T-1 is settled already")] {
        let refused = project.ralph(&["skip", "--task", task]);
        assert_eq!(refused.code, Some(2), "{}", refused.out);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
    fs::write(project.base().join("go"), "").unwrap();
    assert_eq!(run.end(PATIENCE).code, Some(0));
}

#[test]
fn what_was_completed_stays_when_a_later_task_is_given_up_and_taken_back() {
    let project = project().agent(
        r#"[ "$RALPH_TASK" = T-1 ] || { echo spoilt > T-2.txt; echo 'no'; exit 0; }
echo done > T-1.txt; echo "<promise>$RALPH_PROMISE</promise>""#,
    );
    own_tasks(&project, &["first", "second"]);
    let flags =
        ["run", "--iteration-delay", "0", "--on-failure", "restore", "--max-iterations-per-task", "1"];
    let ran = project.ralph(&flags);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(project.tree().join("T-1.txt").exists(), "{}", ran.out);
    assert!(!project.tree().join("T-2.txt").exists(), "{}", ran.out);
}

#[test]
fn a_run_that_is_aborted_while_a_task_is_committed_commits_it_when_it_goes_on() {
    let project = project().agent(WORKER);
    let tree = project.tree();
    git(&tree, &["init", "--quiet"]);
    for (key, value) in [("user.name", "someone"), ("user.email", "some@one")] {
        git(&tree, &["config", key, value]);
    }
    git(&tree, &["commit", "--quiet", "--allow-empty", "--message=before"]);
    let slow = project.script("pre-commit", "touch ../begun-commit; [ -e ../go ] || sleep 60");
    fs::rename(slow, tree.join(".git/hooks/pre-commit")).unwrap();
    own_tasks(&project, &["first"]);
    let mut run = project.start(&["run", "--iteration-delay", "0", "--auto-commit"]);
    begun(&project, "commit");
    assert_eq!(project.ralph(&["stop", "--now"]).code, Some(0));
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert_eq!(standing(&project, "T-1"), "completed", "what is proven stays");
    fs::write(project.base().join("go"), "").unwrap();
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let log = git(&tree, &["log", "--format=%s", "--name-only"]);
    assert!(log.contains("T-1.txt"), "{log}");
    assert_eq!(fs::read_to_string(project.base().join("order")).unwrap(), "T-1\n", "it is not done twice");
}

#[test]
fn what_is_left_at_a_limit_is_named() {
    let project = project().agent(WORKER);
    with_stories(&project, 3);
    let ran = project.ralph(&["run", "--iteration-delay", "0", "--max-iterations", "1"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let evidence = project.status().unwrap()["evidence"].as_str().unwrap().to_owned();
    assert_eq!(evidence, "1 iteration is used up: 1 task completed, 2 left: S-2 is open; S-3 is open");
    assert!(ran.out.contains("1 of 3 tasks completed, 2 not begun"), "{}", ran.out);
    let why = project.ralph(&["why"]);
    assert!(why.out.contains("next: ralph run --max-iterations 2"), "{}", why.out);
}
