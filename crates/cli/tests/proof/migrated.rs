//! Projects of other tools that are taken over, and worked on as they are.

use std::fs;
use std::path::Path;

use ralph_testkit::{Project, entries};
use serde_json::{Value, json};

use crate::project;

/// In the manner of ralph-tui's own for a prd.json.
const TEMPLATE: &str = "{{!-- For prd.json. --}}
{{#if prdContent}}
We are working in a project to implement the following document:

{{prdContent}}

---
{{/if}}

## Your Task: {{taskId}} - {{taskTitle}}

{{#if acceptanceCriteria}}
### Acceptance Criteria
{{acceptanceCriteria}}
{{/if}}
{{#if codebasePatterns}}
### Patterns
{{codebasePatterns}}
{{/if}}
{{#if config.autoCommit}}
Do not create commits: they are made for you.
{{/if}}

APPEND to `.ralph-tui/progress.md`.

When finished, signal completion with:
<promise>COMPLETE</promise>
";

const PROGRESS: &str = "# Ralph Progress Log

This file tracks progress across iterations.

## Codebase Patterns (Study These First)

- Every query goes through db::run.

---

## 2026-01-02 - US-000
- Set the project up
---
";

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A project in the middle of its work.
fn of_ralph_tui(project: &Project) {
    let story = |id: &str, passes: bool| {
        json!({ "id": id, "title": format!("story {id}"), "description": "do it", "passes": passes,
                "acceptanceCriteria": ["it works"], "priority": 1, "dependsOn": [] })
    };
    let prd = json!({ "name": "p", "branchName": "b",
                      "userStories": [story("US-001", true), story("US-002", false), story("US-003", false)] });
    let session = json!({ "version": 1, "sessionId": "s", "status": "interrupted", "currentIteration": 2,
        "maxIterations": 10, "tasksCompleted": 1, "agentPlugin": "claude", "skippedTaskIds": ["US-003"],
        "iterations": [], "trackerState": { "plugin": "json", "prdPath": "./prd.json", "totalTasks": 3, "tasks": [] } });
    let tree = project.tree();
    write(&tree, "prd.json", &prd.to_string());
    let config = "maxIterations = 7\niterationDelay = 0\n[errorHandling]\nstrategy = \"abort\"\n[parallel]\nmode = \"never\"\n";
    write(&tree, ".ralph-tui/config.toml", config);
    write(&tree, ".ralph-tui/templates/json.hbs", TEMPLATE);
    write(&tree, ".ralph-tui/progress.md", PROGRESS);
    write(&tree, ".ralph-tui/session.json", &session.to_string());
}

fn contents(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_project_that_was_taken_over_is_worked_on_with_its_own_template_and_word() {
    let project = project().agent("echo \"I did $RALPH_TASK.\"; echo; echo '<promise>COMPLETE</promise>'");
    of_ralph_tui(&project);
    let (tree, theirs) = (project.tree(), project.tree().join(".ralph-tui"));
    let before = contents(&theirs);
    let dry = project.ralph(&["migrate", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}{}", dry.out, dry.err);
    assert!(dry.out.contains("word = \"COMPLETE\"") && dry.out.contains("parallel.mode"), "{}", dry.out);
    assert!(!tree.join(".ralph").exists());

    let taken = project.ralph(&["migrate", "ralph-tui"]);
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    for said in ["maxIterations → limits.max_iterations", "US-003", "ralph run --prd ./prd.json"] {
        assert!(taken.out.contains(said), "no {said} in {}", taken.out);
    }
    assert_eq!(contents(&theirs), before, "theirs stays as it is");
    assert_eq!(fs::read_to_string(tree.join(".ralph/progress.md")).unwrap(), PROGRESS);
    let ours = contents(&tree.join(".ralph"));
    assert_eq!(project.ralph(&["migrate"]).code, Some(0), "a second time changes nothing");
    assert_eq!(contents(&tree.join(".ralph")), ours);

    assert_eq!(project.ralph(&["trust", "--yes"]).code, Some(0));
    let ran = project.ralph(&["run", "--prd", "./prd.json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let prd: Value = serde_json::from_str(&fs::read_to_string(tree.join("prd.json")).unwrap()).unwrap();
    assert!(prd["userStories"].as_array().unwrap().iter().all(|story| story["passes"] == true), "{prd:#}");
    let brief = project.brief(1, 1);
    for said in ["## Your Task: US-002 - story US-002", "it works", "db::run", "`.ralph/progress.md`"] {
        assert!(brief.contains(said), "no {said} in {brief}");
    }
    assert_eq!(project.status().unwrap()["max_iterations"], 7);
    let progress = fs::read_to_string(tree.join(".ralph/progress.md")).unwrap();
    assert!(progress.starts_with(PROGRESS.trim_end()) && progress.contains("US-003"), "{progress}");
    assert_eq!(contents(&theirs), before, "nor does a run touch theirs");
}

#[test]
fn what_is_ralphs_already_is_left_and_the_rest_is_taken_over() {
    let project = project();
    of_ralph_tui(&project);
    let own = "[limits]\nmax_iterations = 3\n";
    write(&project.tree(), ".ralph/config.toml", own);
    let taken = project.ralph(&["migrate", "--json"]);
    assert_eq!(taken.code, Some(1), "{}{}", taken.out, taken.err);
    assert_eq!(fs::read_to_string(project.tree().join(".ralph/config.toml")).unwrap(), own);
    assert!(project.tree().join(".ralph/templates/prd.hbs").exists());
    let told: Value = serde_json::from_str(&taken.out).unwrap();
    let files = told[0]["files"].as_array().unwrap();
    let config = files.iter().find(|file| file["path"].as_str().unwrap().ends_with("config.toml")).unwrap();
    assert_eq!(config["outcome"], "kept");
    assert!(config["text"].as_str().unwrap().contains("max_iterations = 7"), "{told:#}");
}

#[test]
fn what_makes_no_sense_is_told_with_its_line_and_nothing_is_written() {
    let refused: [(&str, &str, &str); 3] = [
        (".ralph-tui/config.toml", "a = 1\nmaxIterations = [1]\n", "config.toml:2:1"),
        (".ralph-tui/config.toml", "agent = \"claude\"\n\nenvExclude = [\"A=B\"]\n", "config.toml:3:1"),
        (".ralph-tui/session.json", "{\n \"status\": 3 }", "session.json:2:"),
    ];
    for (name, text, said) in refused {
        let project = project();
        of_ralph_tui(&project);
        write(&project.tree(), name, text);
        let taken = project.ralph(&["migrate"]);
        assert_eq!(taken.code, Some(2), "{}{}", taken.out, taken.err);
        assert!(taken.err.contains(said) && taken.err.contains("next:"), "no {said} in {}", taken.err);
        assert!(!project.tree().join(".ralph").exists(), "{name}");
    }
    let nothing = project();
    assert_eq!(nothing.ralph(&["migrate"]).code, Some(4));
}

#[test]
fn nothing_is_written_through_a_link_that_leads_out() {
    let project = project();
    of_ralph_tui(&project);
    let outside = project.base().join("outside");
    fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, project.tree().join(".ralph")).unwrap();
    let taken = project.ralph(&["migrate"]);
    assert_eq!(taken.code, Some(2), "{}{}", taken.out, taken.err);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_persons_own_settings_are_taken_over_where_ralph_looks_for_them() {
    let project = project();
    write(project.base(), ".config/ralph-tui/config.toml", "maxIterations = 12\n");
    write(project.base(), ".config/ralph-tui/templates/json.hbs", TEMPLATE);
    let taken = project.ralph(&["migrate", "--user"]);
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    let shown = project.ralph(&["config", "show"]);
    assert!(shown.out.contains("max_iterations = 12"), "{}", shown.out);
    assert_eq!(project.ralph(&["template", "check"]).code, Some(0));
    assert!(taken.out.contains("--promise COMPLETE"), "{}", taken.out);
}

const LOOP: &str = "---
active: true
iteration: 3
max_iterations: 5
completion_promise: \"ALL DONE\"
started_at: \"2026-01-02T03:04:05Z\"
session_id: \"ses_12ab\"
strategy: \"continue\"
---
Fix the tests.
";

/// What is known of the loop in a session.
fn state(project: &Project, session: &str, host: &str) -> (Option<i32>, Value) {
    let ran = project.ralph(&["loop", "status", "--session", session, "--host", host, "--json"]);
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_default())
}

#[test]
fn a_loop_in_a_session_goes_on_in_ralphs_hands_with_what_it_has_made() {
    let project = project();
    write(&project.tree(), ".omo/ralph-loop.local.md", LOOP);
    let dry = project.ralph(&["migrate", "--dry-run", "--json"]);
    assert_eq!(dry.code, Some(0), "{}{}", dry.out, dry.err);
    let told: Value = serde_json::from_str(&dry.out).unwrap();
    assert_eq!(told[0]["loops"][0]["outcome"], "planned", "{told:#}");
    assert_eq!(state(&project, "ses_12ab", "opencode").0, Some(4), "nothing is recorded yet");

    let taken = project.ralph(&["migrate"]);
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    let said = [
        "recorded a loop: ses_12ab of opencode, iteration 3 of 5",
        "ralph install opencode",
        "end it in oh-my-opencode",
    ];
    assert!(said.iter().all(|said| taken.out.contains(said)), "{}", taken.out);
    let (code, view) = state(&project, "ses_12ab", "opencode");
    assert_eq!(
        (code, &view["iteration"], &view["max_iterations"]),
        (Some(0), &3.into(), &5.into()),
        "{view:#}"
    );
    let logged = project.ralph(&["logs", view["run"].as_str().unwrap(), "--json"]).out;
    let started = &entries(&logged)[0];
    assert_eq!((&started["promise"], &started["nonce"]), (&"ALL DONE".into(), &false.into()), "{started:#}");
    assert_eq!(started["prompt"], "Fix the tests.");

    let again = project.ralph(&["migrate", "--json"]);
    let told: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!((again.code, &told[0]["loops"][0]["outcome"]), (Some(0), &"same".into()), "{told:#}");
    assert_eq!(project.rows("runs"), 1, "a second time changes nothing");
    let left = fs::read_to_string(project.tree().join(".omo/ralph-loop.local.md")).unwrap();
    assert_eq!(left, LOOP, "theirs stays as it is");
    assert!(!project.tree().join(".ralph").exists(), "a loop is no file of the project's");
}

#[test]
fn a_loop_that_cannot_go_on_is_told_with_the_run_that_does_the_same() {
    let project = project();
    let text = LOOP.replace("active: true", "active: false");
    write(&project.tree(), ".claude/ralph-loop.local.md", &text);
    let state = r#"{"active":true,"iteration":1,"maxIterations":9,"prompt":"Do it.","sessionId":""}"#;
    write(&project.tree(), ".supercoin/ralph-loop-state.json", state);
    write(&project.tree(), ".ralph-mem/config.yaml", "ralph:\n  max_iterations: 4\n");
    let taken = project.ralph(&["migrate"]);
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    for said in [
        "ralph run 'Fix the tests.' --max-iterations 5 --promise 'ALL DONE' --no-nonce",
        "(it is not active)",
        "ralph run 'Do it.' --max-iterations 9 --promise DONE --no-nonce",
        "(it names no session)",
        "ralph run TASK --max-iterations 4",
    ] {
        assert!(taken.out.contains(said), "no {said} in {}", taken.out);
    }
    assert_eq!(fs::read_dir(project.state_home()).map_or(0, Iterator::count), 0, "nothing is recorded");
    write(
        &project.tree(),
        ".claude/ralph-loop.local.md",
        &text.replace("Fix the tests.", "Fix it.\n\nIt's all."),
    );
    let taken = project.ralph(&["migrate"]);
    let said = r"`ralph run $'Fix it.\n\nIt\'s all.' --max-iterations 5 --promise 'ALL DONE' --no-nonce`, or `/ralph`";
    assert!(taken.out.contains(said), "{}", taken.out);
    write(&project.tree(), ".claude/ralph-loop.local.md", &text.replace("Fix the tests.", ""));
    let taken = project.ralph(&["migrate", "claude-plugin"]);
    assert!(taken.out.contains("(it has no prompt)") && !taken.out.contains("anew"), "{}", taken.out);
}

#[test]
fn a_loop_of_a_tool_that_ralph_lives_in_no_session_of_is_only_told() {
    let project = project();
    let state = r#"{"active":true,"iteration":2,"maxIterations":9,"prompt":"Do it.","sessionId":"abc-1"}"#;
    write(&project.tree(), ".supercoin/ralph-loop-state.json", state);
    let taken = project.ralph(&["migrate"]);
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    let said = [
        "(ralph lives in no session of this tool's)",
        "to begin it anew: `ralph run 'Do it.' --max-iterations 9 --promise DONE --no-nonce`\n",
    ];
    assert!(said.iter().all(|said| taken.out.contains(said)), "{}", taken.out);
    assert_eq!(fs::read_dir(project.state_home()).map_or(0, Iterator::count), 0, "nothing is recorded");
}

#[test]
fn a_loop_without_a_bound_goes_on_for_as_long_as_the_settings_say() {
    let project = project();
    let text =
        LOOP.replace("iteration: 3", "iteration: 150").replace("max_iterations: 5", "max_iterations: 0");
    write(&project.tree(), ".claude/ralph-loop.local.md", &text);
    fs::write(project.user_config(), "[limits]\nmax_iterations = 20\n").unwrap();
    let taken = project.ralph(&["migrate"]);
    assert_eq!(taken.code, Some(0), "{}{}", taken.out, taken.err);
    assert!(taken.out.contains("`/ralph-loop:cancel-ralph`"), "{}", taken.out);
    let (_, view) = state(&project, "ses_12ab", "claude");
    assert_eq!((&view["iteration"], &view["max_iterations"]), (&150.into(), &169.into()), "{view:#}");
}

#[test]
fn the_state_of_a_loop_that_makes_no_sense_keeps_nothing_else_from_being_taken_over() {
    let project = project();
    write(&project.tree(), ".claude/ralph-loop.local.md", &LOOP.replace("ses_12ab", "../../x"));
    write(&project.tree(), ".sisyphus/ralph-loop.local.md", LOOP);
    let taken = project.ralph(&["migrate"]);
    assert_eq!(taken.code, Some(1), "{}{}", taken.out, taken.err);
    assert!(taken.out.contains("ralph-loop.local.md:7:1"), "{}", taken.out);
    assert_eq!(state(&project, "ses_12ab", "opencode").0, Some(0));
    assert_eq!(project.ralph(&["migrate", "supercode"]).code, Some(4), "nothing of that one");
}
