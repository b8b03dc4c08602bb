//! Loops as other tools leave them, in all the ways in which they write them, and what they come to.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::path::Path;

use ralph_core::in_session::Strategy;
use ralph_migrate::{FoundLoop, Plan, Predecessor, Request, Scope, plan};

/// What is planned where this file is there, which stays as it is.
fn planned(from: Predecessor, name: &str, text: &str) -> Plan {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    assert!(from.found(Scope::Project, dir.path()).is_some(), "{name}");
    let ours = dir.path().join(".ralph");
    let request = Request { scope: Scope::Project, root: dir.path(), ours: &ours, agents: &[] };
    let plan = plan(from, &request).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "theirs stays as it is");
    assert!(plan.files.is_empty() && !ours.exists());
    plan
}

#[track_caller]
fn one(plan: Plan) -> FoundLoop {
    assert_eq!(plan.faults, [], "no faults");
    let [found] = <[FoundLoop; 1]>::try_from(plan.loops).unwrap();
    found
}

fn omo(text: &str) -> Plan {
    planned(Predecessor::OhMyOpencode, ".omo/ralph-loop.local.md", text)
}

fn claude(text: &str) -> Plan {
    planned(Predecessor::ClaudePlugin, ".claude/ralph-loop.local.md", text)
}

fn supercode(text: &str) -> Plan {
    planned(Predecessor::Supercode, ".supercoin/ralph-loop-state.json", text)
}

const OMO: &str = "---
active: true
iteration: 3
max_iterations: 100
completion_promise: \"ALL DONE\"
initial_completion_promise: \"ALL DONE\"
started_at: \"2026-01-02T03:04:05.678Z\"
session_id: \"ses_12ab\"
strategy: \"reset\"
message_count_at_start: 42
---
Fix the tests.

Then write docs.
";

const CLAUDE: &str = "---
active: true
iteration: 1
session_id: 0f5e-11
max_iterations: 0
completion_promise: null
started_at: \"2026-01-02T03:04:05Z\"
---

Fix the tests.
";

const SUPERCODE: &str = r#"{
  "active": true,
  "iteration": 2,
  "maxIterations": 25,
  "completionPromise": "ALL_FIXED",
  "startedAt": "2026-01-02T03:04:05.678Z",
  "prompt": "Fix \"it\".\nAll of it.",
  "sessionId": "abc-1",
  "lastIterationAt": "2026-01-02T03:05:05.678Z"
}"#;

/// Session, iteration, bound, word.
fn told(found: &FoundLoop) -> (Option<String>, u32, Option<u32>, Option<String>) {
    let session = found.session.as_ref().map(ToString::to_string);
    (session, found.iteration, found.max_iterations, found.promise.as_ref().map(ToString::to_string))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_loop_of_each_tool_is_read_as_it_writes_it() {
    let found = one(omo(OMO));
    assert_eq!((told(&found), found.host), ((some("ses_12ab"), 3, Some(100), some("ALL DONE")), "opencode"));
    assert_eq!(
        (found.strategy, found.prompt.as_str()),
        (Strategy::Reset, "Fix the tests.\n\nThen write docs.")
    );
    assert_eq!(found.obstacle(), None);
    let found = one(claude(CLAUDE));
    assert_eq!((told(&found), found.host), ((some("0f5e-11"), 1, None, None), "claude"));
    assert_eq!((found.prompt.as_str(), found.obstacle()), ("Fix the tests.", None));
    assert_eq!(found.command().as_deref(), Some("ralph run 'Fix the tests.'"));
    let found = one(supercode(SUPERCODE));
    assert_eq!((told(&found), found.host), ((some("abc-1"), 2, Some(25), some("ALL_FIXED")), "supercode"));
    let nobody = Some("ralph lives in no session of this tool's");
    assert_eq!((found.prompt.as_str(), found.obstacle()), ("Fix \"it\".\nAll of it.", nobody));
    let command = r#"ralph run $'Fix "it".\nAll of it.' --max-iterations 25 --promise ALL_FIXED --no-nonce"#;
    assert_eq!(found.command().as_deref(), Some(command));
    let found = one(claude(&CLAUDE.replace("Fix the tests.", "- fix it")));
    assert_eq!(found.command().as_deref(), Some("ralph run -- '- fix it'"));
}

#[test]
fn line_ends_and_quotes_make_no_difference() {
    let expected = one(omo(OMO));
    for other in [
        OMO.replace('\n', "\r\n"),
        OMO.replace("\"ALL DONE\"", "'ALL DONE'").replace("\"ses_12ab\"", "ses_12ab"),
        OMO.replace("active: true", "active:    true   "),
        format!("\u{feff}{OMO}"),
    ] {
        let found = one(omo(&other));
        assert_eq!((told(&found), &found.prompt), (told(&expected), &expected.prompt), "{other}");
    }
}

#[test]
fn every_place_of_oh_my_opencode_is_looked_at() {
    for place in [".omo", ".sisyphus", ".opencode"] {
        let name = format!("{place}/ralph-loop.local.md");
        assert_eq!(one(planned(Predecessor::OhMyOpencode, &name, OMO)).iteration, 3, "{place}");
    }
}

#[test]
fn what_is_missing_is_what_the_tool_would_take() {
    let bare = one(omo("---\nsession_id: s\n---\nDo it."));
    assert_eq!(told(&bare), (some("s"), 1, Some(100), some("DONE")));
    assert_eq!(told(&one(claude("---\nactive: true\n---\nDo it."))), (None, 1, None, None));
    let bare = one(supercode(r#"{"active":true,"prompt":"Do it.","sessionId":"s"}"#));
    assert_eq!(told(&bare), (some("s"), 1, Some(100), some("DONE")));
}

#[test]
fn a_loop_that_cannot_go_on_says_why() {
    let check = |plan: Plan, why: &str| assert_eq!(one(plan).obstacle(), Some(why));
    check(omo(&OMO.replace("active: true", "active: false")), "it is not active");
    check(supercode(&SUPERCODE.replace("true", "false")), "it is not active");
    check(claude(&CLAUDE.replace("session_id: 0f5e-11", "session_id:")), "it names no session");
    check(claude(&CLAUDE.replace("session_id: 0f5e-11\n", "")), "it names no session");
    check(supercode(&SUPERCODE.replace("\"abc-1\"", "\"\"")), "it names no session");
    check(omo(&OMO.replace("iteration: 3", "iteration: 101")), "its iterations are used up");
    check(claude("---\nactive: true\nsession_id: s\n---\n \n"), "it has no prompt");
    assert_eq!(one(claude(&CLAUDE.replace("iteration: 1", "iteration: 900"))).obstacle(), None, "no bound");
    assert_eq!(one(omo(&OMO.replace("iteration: 3", "iteration: 100"))).obstacle(), None, "the last one");
}

#[test]
fn a_word_that_waits_to_be_verified_is_the_one_before() {
    let text = OMO
        .replace("\ncompletion_promise: \"ALL DONE\"", "\ncompletion_promise: VERIFIED")
        .replace("strategy:", "verification_pending: true\nultrawork: true\nstrategy:");
    let plan = omo(&text);
    let fate = plan.fates.iter().find(|fate| fate.key == "ultrawork").unwrap();
    assert!(fate.became.is_none() && fate.why.contains("verify"), "{fate:?}");
    assert_eq!(told(&one(plan)).3, some("ALL DONE"));
}

#[test]
fn what_makes_no_sense_is_told_with_its_line_and_left() {
    let check = |plan: Plan, line: usize, what: &str| {
        assert_eq!(plan.loops, []);
        let [fault] = plan.faults.as_slice() else { panic!("{:?}", plan.faults) };
        let at = fault.spot.as_ref().map(|spot| spot.line);
        assert!(at == Some(line) && fault.what.contains(what), "{fault}");
    };
    check(omo("no front matter\n"), 1, "`---`");
    check(omo("---\nactive: true\n"), 1, "ends");
    check(omo(&OMO.replace("iteration: 3", "iteration: three")), 3, "`iteration`");
    check(omo(&OMO.replace("active: true", "active: maybe")), 2, "`active`");
    check(omo(&OMO.replace("max_iterations: 100", "max_iterations: -5")), 4, "`max_iterations`");
    check(omo(&OMO.replace("\"reset\"", "\"sideways\"")), 9, "`strategy`");
    check(
        omo(&OMO.replace("completion_promise: \"ALL DONE\"\ni", "completion_promise: \"<b>\"\ni")),
        5,
        "angle",
    );
    check(supercode("{\n  \"active\": tru }"), 2, "");
    check(supercode(&SUPERCODE.replace("\"iteration\": 2", "\"iteration\": \"x\"")), 3, "`iteration`");
    for hostile in ["../../etc/passwd", "a b", "a/b", "%2e%2e", "\u{202e}x"] {
        check(omo(&OMO.replace("ses_12ab", hostile)), 8, "session id");
        check(claude(&CLAUDE.replace("0f5e-11", hostile)), 4, "session id");
        check(supercode(&SUPERCODE.replace("abc-1", hostile)), 8, "session id");
    }
}

#[test]
fn a_session_without_a_loop_of_ralphs_is_not_taken_over_and_no_prompt_is_nothing_to_run() {
    let fate = |plan: &Plan, key: &str| {
        let fate = plan.fates.iter().find(|fate| fate.key == key).unwrap();
        (fate.became.clone(), fate.why.clone())
    };
    let said = |why: &str| (None, why.to_owned());
    let idle = claude(&CLAUDE.replace("active: true", "active: false").replace(": 0\n", ": 5\n"));
    assert_eq!(fate(&idle, "session_id"), said("it is not active"));
    assert_eq!(fate(&idle, "max_iterations").0, some("--max-iterations 5"));
    let empty = claude(&CLAUDE.replace("Fix the tests.\n", "").replace(": 0\n", ": 5\n"));
    assert_eq!(fate(&empty, "session_id"), said("it has no prompt"));
    assert_eq!(fate(&empty, "max_iterations"), said("it has no prompt"));
    assert_eq!(fate(&empty, "started_at"), said("ralph keeps times of its own"));
    assert_eq!(one(empty).command(), None);
    assert_eq!(fate(&claude(CLAUDE), "session_id").0, some("--session 0f5e-11 --host claude"));
}

#[test]
fn nothing_is_read_through_a_link_that_leads_out() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir_all(root.join(".claude")).unwrap();
    fs::write(dir.path().join("secret"), CLAUDE).unwrap();
    std::os::unix::fs::symlink("../../secret", root.join(".claude/ralph-loop.local.md")).unwrap();
    let ours = root.join(".ralph");
    let request = Request { scope: Scope::Project, root: &root, ours: &ours, agents: &[] };
    let plan = plan(Predecessor::ClaudePlugin, &request).unwrap();
    assert!(plan.loops.is_empty() && plan.faults[0].what.contains("leads out of"), "{plan:?}");
}

#[test]
fn every_key_is_accounted_for() {
    for plan in
        [omo(&OMO.replace("strategy:", "colour: red\nstrategy:")), claude(CLAUDE), supercode(SUPERCODE)]
    {
        assert!(
            plan.fates.iter().all(|fate| fate.became.is_some() || !fate.why.is_empty()),
            "{:?}",
            plan.fates
        );
        let keys: Vec<&str> = plan.fates.iter().map(|fate| fate.key.as_str()).collect();
        let unique: std::collections::BTreeSet<&str> = keys.iter().copied().collect();
        assert!(keys.len() == unique.len() && keys.len() >= 6, "{keys:?}");
        assert!(plan.fates.is_sorted_by_key(|fate| fate.line));
    }
}

#[test]
fn settings_of_ralph_mem_become_flags_and_its_database_stays() {
    let text = "ralph:\r\n  max_iterations: 7\n  # note\n  max_duration_ms: 1800000\n  success_criteria:\n    - type: test_pass\n    - type: custom\n      command: make it\n  colour: red\nmemory:\n  max_iterations: 99\n";
    let plan = planned(Predecessor::RalphMem, ".ralph-mem/config.yaml", text);
    assert_eq!(plan.flags, ["--max-iterations 7", "--max-duration 1800s", "--criteria test_pass"]);
    assert!(plan.faults.is_empty() && plan.loops.is_empty());
    let flow = "# x\nralph: {max_iterations: 7, \"max_duration_ms\": 1800000, success_criteria: [{type: test_pass}]} # mine\n\
                memory: {max_iterations: 99}\n";
    let flow = planned(Predecessor::RalphMem, ".ralph-mem/config.yaml", flow);
    assert_eq!((&flow.flags, flow.faults.len()), (&plan.flags, 0));
    let mixed = "ralph:  # mine\n  max_iterations: 7 # or 8\n  max_duration_ms: 1800000\n  success_criteria: [{ type: test_pass }]\n";
    let mixed = planned(Predecessor::RalphMem, ".ralph-mem/config.yaml", mixed);
    assert_eq!((&mixed.flags, mixed.faults.len()), (&plan.flags, 0));
    for other in ["ralph: {\n  max_iterations: 7\n}\n", "{ralph: {max_iterations: 7}}\n", "ralph: *loops\n"] {
        let plan = planned(Predecessor::RalphMem, ".ralph-mem/config.yaml", other);
        assert!(plan.faults.len() == 1 && plan.faults[0].what.contains("not understood"), "{plan:?}");
        assert!(plan.flags.is_empty() && plan.fates.is_empty(), "{plan:?}");
    }
    let wrong = planned(Predecessor::RalphMem, ".ralph-mem/config.yaml", "ralph:\n  max_iterations: many\n");
    assert_eq!(wrong.faults[0].spot.as_ref().unwrap().line, 2);
    let database = planned(Predecessor::RalphMem, ".ralph-mem/memory.db", "SQLite");
    assert!(database.fates[0].why.contains("and stays"), "{:?}", database.fates);
    assert!(!Path::new(".ralph-mem").exists());
}
