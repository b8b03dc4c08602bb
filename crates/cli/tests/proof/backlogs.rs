//! Runs over a backlog, with the real binary and a prd.json that another program looks at all the while.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ralph_testkit::{PATIENCE, Project, until};
use serde_json::{Value, json};

use crate::agents::DONE;
use crate::project;

/// Three fail twice and one always; everybody notes beside the tree what they were given, and leaves a file in it.
const WORKER: &str = r#"
echo "$RALPH_TASK" >> ../order
tries=$(grep -cx "$RALPH_TASK" ../order)
case "$RALPH_TASK" in
    S-05|S-17|S-29) [ "$tries" -ge 3 ] || { echo 'not yet'; exit 0; } ;;
    S-33) echo 'never'; exit 0 ;;
esac
[ -n "$HOLD_AT" ] && [ "$RALPH_TASK" = "$HOLD_AT" ] && [ ! -e ../go ] && { touch ../held; sleep 60; }
echo done > "$RALPH_TASK.txt"
echo "<promise>$RALPH_PROMISE</promise>"
"#;

/// Forty stories: each depends on the one four before, but for the first of each of the four chains.
fn stories() -> Value {
    let story = |at: usize| {
        let depends: Vec<String> = if at > 4 { vec![format!("S-{:02}", at - 4)] } else { Vec::new() };
        json!({
            "id": format!("S-{at:02}"), "title": format!("story {at}"), "description": "do it",
            "acceptanceCriteria": ["it is done"], "priority": 1 + at % 4, "passes": false, "dependsOn": depends,
        })
    };
    json!({ "name": "forty", "ofAnotherTool": {"kept": true}, "userStories": (1..=40).map(story).collect::<Vec<_>>() })
}

fn with_stories(project: &Project, stories: &Value) {
    fs::write(project.tree().join("prd.json"), serde_json::to_string_pretty(stories).unwrap()).unwrap();
}

/// Which stories the file says are done; it must be whole whenever anybody looks.
fn passing(tree: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(tree.join("prd.json")).unwrap();
    let prd: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let stories = prd["userStories"].as_array().unwrap().iter();
    let done = stories.filter(|story| story["passes"] == true);
    done.map(|story| story["id"].as_str().unwrap().to_owned()).collect()
}

fn order(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.base().join("order")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn forty_tasks_are_gone_through_in_order_with_a_kill_in_the_middle_and_the_rest_is_accounted_for() {
    let project = project().agent(WORKER).with("HOLD_AT", "S-20");
    with_stories(&project, &stories());
    let looking = Arc::new(AtomicBool::new(true));
    let (tree, go_on) = (project.tree(), looking.clone());
    let looker = std::thread::spawn(move || {
        let mut seen = BTreeSet::new();
        while go_on.load(Ordering::Relaxed) {
            let now = passing(&tree);
            assert!(seen.is_subset(&now), "what was done is undone: {seen:?} {now:?}");
            for done in &now {
                assert!(tree.join(format!("{done}.txt")).exists(), "{done} passes and was not done");
            }
            seen = now;
        }
    });
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    until(PATIENCE, "the twentieth", || project.base().join("held").exists().then_some(()));
    run.kill();
    let before = passing(&project.tree());
    assert!(!before.is_empty() && !before.contains("S-20"));
    fs::write(project.base().join("go"), "").unwrap();
    let ran = project.ralph(&["resume"]);
    looking.store(false, Ordering::Relaxed);
    looker.join().unwrap();
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);

    let done = passing(&project.tree());
    let undone: BTreeSet<String> =
        (1..=40).map(|at| format!("S-{at:02}")).filter(|id| !done.contains(id)).collect();
    assert_eq!(undone.iter().map(String::as_str).collect::<Vec<_>>(), ["S-33", "S-37"]);
    let status = project.status().unwrap();
    assert_eq!((&status["stop_reason"], &status["backlog"]["open"]), (&"failed".into(), &40.into()));
    let evidence = status["evidence"].as_str().unwrap();
    assert!(evidence.contains("S-33 was skipped: 3 iterations did not complete it"), "{evidence}");
    assert!(evidence.contains("S-37 waits for S-33"), "{evidence}");

    let order = order(&project);
    let mut tries: BTreeMap<&str, usize> = BTreeMap::new();
    let mut finished = BTreeSet::new();
    for (at, task) in order.iter().enumerate() {
        *tries.entry(task).or_default() += 1;
        let number: usize = task[2..].parse().unwrap();
        let needs = format!("S-{:02}", number.saturating_sub(4));
        assert!(number <= 4 || finished.contains(&needs), "{task} came before {needs}: {order:?}");
        if order.get(at + 1) != Some(task) {
            finished.insert(task.clone());
        }
    }
    for (task, tries) in tries {
        let expected = match task {
            "S-05" | "S-17" | "S-29" | "S-33" => 3,
            "S-20" => 2,
            _ => 1,
        };
        assert_eq!(tries, expected, "{task}");
    }
    let prd: Value =
        serde_json::from_str(&fs::read_to_string(project.tree().join("prd.json")).unwrap()).unwrap();
    assert_eq!(prd["ofAnotherTool"]["kept"], true);
    assert!(ran.out.contains("✘ S-33"), "the summary names it: {}", ran.out);
    let why = project.ralph(&["why", "S-17"]);
    assert!(why.out.contains("completed") && why.out.contains("3 iterations"), "{}", why.out);
}

#[test]
fn what_others_have_done_since_a_crash_is_not_put_back() {
    for (others, left) in [(true, true), (false, false)] {
        let project = project().agent(WORKER).with("HOLD_AT", "S-01");
        let mut prd = stories();
        prd["userStories"].as_array_mut().unwrap().truncate(3);
        with_stories(&project, &prd);
        let mut run = project.start(&["run", "--iteration-delay", "0"]);
        until(PATIENCE, "the first", || project.base().join("held").exists().then_some(()));
        run.kill();
        fs::write(project.tree().join("S-02.txt"), "by somebody else").unwrap();
        prd["userStories"][1]["passes"] = others.into();
        with_stories(&project, &prd);
        fs::write(project.base().join("go"), "").unwrap();
        let ran = project.ralph(&["resume"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let text = fs::read_to_string(project.tree().join("S-02.txt")).unwrap();
        assert_eq!(text == "by somebody else", left, "{text}");
        let told =
            ran.out.contains("1 task was settled by others since the attempt that was cut short began");
        assert_eq!(told, others, "{}", ran.out);
    }
}

#[test]
fn the_file_of_a_backlog_is_neither_kept_nor_put_back() {
    let project = project().agent(WORKER);
    let mut prd = stories();
    prd["userStories"].as_array_mut().unwrap().truncate(2);
    with_stories(&project, &prd);
    assert_eq!(project.ralph(&["run", "--iteration-delay", "0"]).code, Some(0));
    assert!(!project.ralph(&["diff"]).out.contains("prd.json"));
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert!(!project.tree().join("S-01.txt").exists());
    assert_eq!(passing(&project.tree()).len(), 2, "what the tracker says is not the agent's work");
}

#[test]
fn a_task_that_the_agent_closes_itself_is_not_believed_unless_that_is_asked_for() {
    let closes = r#"echo "$RALPH_TASK" >> ../order
sed -i 's/"passes": false/"passes": true/' prd.json; echo closed"#;
    let mut prd = stories();
    prd["userStories"].as_array_mut().unwrap().truncate(1);
    for (flags, code, passes) in [(&[][..], Some(1), 0), (&["--require", "tracker"], Some(0), 1)] {
        let project = project().agent(closes);
        with_stories(&project, &prd);
        let ran = project.ralph(&[&["run", "--iteration-delay", "0"], flags].concat());
        assert_eq!((ran.code, passing(&project.tree()).len()), (code, passes), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_skipped_task_is_left_and_the_others_go_on() {
    let project = project().agent(WORKER).with("HOLD_AT", "S-01");
    let mut prd = stories();
    prd["userStories"].as_array_mut().unwrap().truncate(3);
    with_stories(&project, &prd);
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    until(PATIENCE, "the first", || project.base().join("held").exists().then_some(()));
    let skipped = project.ralph(&["skip"]);
    assert_eq!(skipped.code, Some(0), "{}", skipped.err);
    assert_eq!(run.end(PATIENCE).code, Some(1));
    assert_eq!(passing(&project.tree()).into_iter().collect::<Vec<_>>(), ["S-02", "S-03"]);
    let events = project.events();
    assert!(events.contains(&"task_skipped".to_owned()), "{events:?}");
    assert!(!project.tree().join("S-01.txt").exists());
}

#[test]
fn a_prompt_has_no_task_to_skip_and_a_backlog_no_prompt() {
    let project = project().agent(DONE);
    assert_eq!(project.ralph(&["run", "do it"]).code, Some(0));
    let none = project.ralph(&["run"]);
    assert_eq!(none.code, Some(2), "{}", none.out);
    assert!(none.err.contains("no backlog"), "{}", none.err);
    with_stories(&project, &stories());
    let both = project.ralph(&["run", "do it", "--prd", "prd.json"]);
    assert_eq!(both.code, Some(2));
    assert!(both.err.contains("a prompt is no task of a backlog"), "{}", both.err);
}

#[test]
fn what_cannot_be_done_is_told_before_the_run_and_does_not_hold_up_the_rest() {
    let project = project().agent(WORKER);
    let mut prd = stories();
    let list = prd["userStories"].as_array_mut().unwrap();
    list.truncate(4);
    list[1]["dependsOn"] = json!(["S-03"]);
    list[2]["dependsOn"] = json!(["S-02"]);
    list[3]["dependsOn"] = json!(["S-99"]);
    with_stories(&project, &prd);
    let ran = project.ralph(&["run", "--iteration-delay", "0"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let told: Vec<String> = project
        .journal()
        .iter()
        .take_while(|entry| entry["type"] != "iteration_started")
        .filter_map(|entry| Some(entry["text"].as_str()?.to_owned()))
        .collect();
    assert!(told.iter().any(|text| text.contains("S-02 → S-03 → S-02")), "{told:?}");
    assert!(told.iter().any(|text| text.contains("S-99")), "{told:?}");
    assert_eq!(order(&project), ["S-01"]);
}

#[test]
fn a_backlog_that_the_agent_breaks_ends_the_run_with_the_line_and_nothing_is_written() {
    let project = project().agent("echo '{' > prd.json; echo 'oops'");
    let mut prd = stories();
    prd["userStories"].as_array_mut().unwrap().truncate(2);
    with_stories(&project, &prd);
    let ran = project.ralph(&["run", "--iteration-delay", "0"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let status = project.status().unwrap();
    assert!(status["evidence"].as_str().unwrap().contains("prd.json:"), "{status}");
    assert_eq!(fs::read_to_string(project.tree().join("prd.json")).unwrap(), "{\n");
    with_stories(&project, &prd);
    fs::write(project.base().join("agent.sh"), format!("#!/bin/sh\n{WORKER}\n")).unwrap();
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(passing(&project.tree()).len(), 2);
}

#[test]
fn a_brief_of_a_backlog_tells_the_task_its_criteria_and_the_word() {
    let project = project().agent(WORKER);
    let mut prd = stories();
    prd["userStories"].as_array_mut().unwrap().truncate(1);
    with_stories(&project, &prd);
    assert_eq!(project.ralph(&["run", "--iteration-delay", "0"]).code, Some(0));
    let brief = project.brief(1, 1);
    for said in ["S-01", "story 1", "it is done", "forty", "DONE-"] {
        assert!(brief.contains(said), "{said}: {brief}");
    }
    assert!(!brief.contains("<promise>DONE"), "the whole tag is never in a brief: {brief}");
}

#[test]
fn a_template_of_the_project_is_used_once_it_is_trusted_and_without_the_promise_the_plain_word_counts() {
    let says = r#"grep -q 'Work on S-01: story 1 (0 of 1)' || { echo 'another brief'; exit 0; }
echo "<promise>DONE</promise>""#;
    let project = project().agent(says);
    let mut prd = stories();
    prd["userStories"].as_array_mut().unwrap().truncate(1);
    with_stories(&project, &prd);
    fs::create_dir_all(project.tree().join(".ralph/templates")).unwrap();
    let template = "Work on {{taskId}}: {{taskTitle}} ({{prdCompletedCount}} of {{prdTotalCount}})";
    fs::write(project.tree().join(".ralph/templates/prd.hbs"), template).unwrap();
    let refused = project.ralph(&["run", "--iteration-delay", "0"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("not trusted"), "{}", refused.err);
    assert_eq!(project.ralph(&["trust", "--yes"]).code, Some(0));
    let ran = project.ralph(&["run", "--iteration-delay", "0"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    fs::write(project.tree().join(".ralph/templates/prd.hbs"), format!("{template} {{{{promis}}}}")).unwrap();
    let wrong = project.ralph(&["run", "--new", "--yes"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("prd.hbs:1:") && wrong.err.contains("promise"), "{}", wrong.err);
}

#[test]
fn a_template_that_is_named_words_a_prompt_and_is_found_again() {
    let project = project()
        .agent("grep -q 'Please: do it' && touch ../heard; echo \"<promise>$RALPH_PROMISE</promise>\"");
    fs::create_dir_all(project.tree().join("sub")).unwrap();
    fs::write(project.tree().join("sub/my.hbs"), "Please: {{prompt}}\n{{claim}}").unwrap();
    let ran = project.ralph(&["run", "do it", "--template", "sub/my.hbs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(project.base().join("heard").exists());
    let missing = project.ralph(&["run", "do it", "--template", "sub/none.hbs"]);
    assert_eq!(missing.code, Some(2), "{}", missing.out);
}

/// What ralph's own backlog says of a task, asked as a person would.
fn standing(project: &Project, task: &str) -> Value {
    let shown = project.ralph(&["tasks", "show", task, "--json"]);
    let shown: Value = serde_json::from_str(&shown.out).unwrap_or_else(|_| panic!("{}", shown.err));
    shown["task"]["status"].clone()
}

#[test]
fn a_backlog_of_ralphs_own_is_gone_through_with_a_kill_in_the_middle_and_says_how_far_it_is() {
    let waits = r#"
echo "$RALPH_TASK" >> ../order
touch "../begun-$RALPH_TASK"
while [ ! -e "../go-$RALPH_TASK" ]; do sleep 0.02; done
echo "<promise>$RALPH_PROMISE</promise>"
"#;
    let project = project().agent(waits);
    for more in [&["first"][..], &["second", "--depends-on", "T-1"], &["third", "--priority", "0"]] {
        let added = project.ralph(&[&["tasks", "add"], more].concat());
        assert_eq!(added.code, Some(0), "{}", added.err);
    }
    let expected = ["T-3", "T-1", "T-2"];
    let mut run = project.start(&["run", "--iteration-delay", "0"]);
    for (at, task) in expected.into_iter().enumerate() {
        until(PATIENCE, task, || project.base().join(format!("begun-{task}")).exists().then_some(()));
        let now = expected.map(|task| standing(&project, task));
        let by_place = |place: usize| match place.cmp(&at) {
            std::cmp::Ordering::Less => "completed",
            std::cmp::Ordering::Equal => "in_progress",
            std::cmp::Ordering::Greater => "open",
        };
        assert_eq!(now, [0, 1, 2].map(by_place), "while {task} is worked on");
        if task == "T-1" {
            run.kill();
            run = project.start(&["resume"]);
        }
        fs::write(project.base().join(format!("go-{task}")), "").unwrap();
    }
    let ran = run.end(PATIENCE);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(expected.map(|task| standing(&project, task)), ["completed"; 3]);
    assert_eq!(order(&project), ["T-3", "T-1", "T-1", "T-2"]);
    assert!(project.brief(1, 1).contains("third"), "{}", project.brief(1, 1));
}
