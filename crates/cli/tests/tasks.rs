//! `ralph tasks`, `ralph prd check` and `ralph convert` as a person runs them.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn ralph(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    command.args(args).current_dir(dir).env_clear().env("HOME", dir).env("PATH", "/nowhere");
    command.output().expect("ralph starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ralph prints UTF-8")
}

/// Four that can be done, two that wait for each other, one that waits for what is not there, one that is done.
const PRD: &str = r#"{
  "name": "Shop",
  "userStories": [
    {"id": "US-1", "title": "Schema", "passes": false, "acceptanceCriteria": ["migrates"]},
    {"id": "US-2", "title": "Login", "passes": false, "acceptanceCriteria": ["a test"], "dependsOn": ["US-1"], "priority": 1},
    {"id": "US-3", "title": "Style", "passes": false, "acceptanceCriteria": ["looks"], "priority": 5, "labels": ["ui"]},
    {"id": "US-4", "title": "Urgent \u001b[31mfix", "passes": false, "acceptanceCriteria": ["a test"], "priority": 1},
    {"id": "US-5", "title": "Chicken", "passes": false, "dependsOn": ["US-6"]},
    {"id": "US-6", "title": "Egg", "passes": false, "dependsOn": ["US-5"]},
    {"id": "US-7", "title": "Lost", "passes": false, "dependsOn": ["US-99"]},
    {"id": "US-8", "title": "Old", "passes": true}
  ]
}
"#;

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("prd.json"), PRD).unwrap();
    dir
}

#[test]
fn a_backlog_is_listed_in_its_order_with_what_is_never_done_and_why() {
    let dir = project();
    let out = ralph(dir.path(), &["tasks"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let told = text(&out.stdout);
    let order: Vec<&str> = told
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter(|word| word.starts_with("US-"))
        .collect();
    assert_eq!(order, ["US-4", "US-1", "US-2", "US-3", "US-5", "US-6", "US-7"], "{told}");
    for part in [
        "US-2  Login  after US-1",
        "waits for itself: US-5 → US-6 → US-5",
        "depends on US-99, which is not there",
        "8 tasks: 3 ready, 1 waiting for others, 3 not going to be done, 1 completed",
    ] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    assert!(!told.contains('\u{1b}'), "a title drives no terminal: {told:?}");
    let why = text(&ralph(dir.path(), &["tasks", "--why"]).stdout);
    assert!(why.contains("ready; priority 2; 1 task waits for it, weight 0."), "{why}");
    assert_eq!(fs::read_to_string(dir.path().join("prd.json")).unwrap(), PRD, "looking changes nothing");
}

#[test]
fn the_next_task_and_filters() {
    let dir = project();
    let next = |args: &[&str]| {
        let out = ralph(dir.path(), &[&["tasks", "--next"], args].concat());
        (out.status.code(), text(&out.stdout).split_whitespace().next().unwrap_or_default().to_owned())
    };
    let found = |id: &str| (Some(0), id.to_owned());
    assert_eq!(next(&[]), found("US-4"));
    assert_eq!(next(&["--label", "ui"]), found("US-3"));
    assert_eq!(next(&["--task-range", "-3"]), found("US-1"));
    assert_eq!(next(&["--task", "US-3", "--task", "US-1"]), found("US-1"));
    assert_eq!(next(&["--task", "US-2"]).0, Some(4), "what it waits for was not asked for");
    assert_eq!(next(&["--task", "US-8"]).0, Some(4));
    let unknown = ralph(dir.path(), &["tasks", "--epic", "nowhere"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("there is no task nowhere"));
}

#[test]
fn json_is_as_its_schema_says() {
    let dir = project();
    for (args, of) in [
        (vec!["tasks", "--json"], "tasks"),
        (vec!["tasks", "--next", "--json"], "tasks"),
        (vec!["prd", "check", "prd.json", "--json"], "prd-check"),
    ] {
        let schema = ralph(dir.path(), &["config", "schema", "--of", of]);
        let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
        let value: Value = serde_json::from_slice(&ralph(dir.path(), &args).stdout).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{args:?}: {errors:?}");
    }
    let value: Value = serde_json::from_slice(&ralph(dir.path(), &["tasks", "--json"]).stdout).unwrap();
    assert_eq!(value["next"], "US-4");
    assert_eq!(value["tasks"][1]["blocks"], serde_json::json!(["US-2"]));
    assert_eq!(value["cycles"], serde_json::json!([["US-5", "US-6"]]));
    assert_eq!(value["unknown_dependencies"][0]["missing"], "US-99");
}

#[test]
fn a_check_finds_what_will_fail_and_exits_with_1() {
    let dir = project();
    let out = ralph(dir.path(), &["prd", "check", "prd.json"]);
    assert_eq!(out.status.code(), Some(1));
    let told = text(&out.stdout);
    for part in [
        "error: these wait for each other",
        "error: US-7 depends on US-99",
        "warning: US-5 has no acceptance criteria",
        "2 errors, 3 warnings",
    ] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    fs::write(dir.path().join("twice.json"), PRD.replace("US-8", "US-1")).unwrap();
    let twice = ralph(dir.path(), &["prd", "check", "twice.json"]);
    assert_eq!(twice.status.code(), Some(2));
    let told = text(&twice.stderr);
    assert!(
        told.contains("two stories are called US-1: the first is on line 4")
            && told.contains("twice.json:11:5"),
        "{told}"
    );
    fs::write(dir.path().join("twice.json"), PRD.replace("US-8", "US-1").replace("US-7", "US-2")).unwrap();
    let json = ralph(dir.path(), &["prd", "check", "twice.json", "--json"]);
    assert_eq!((json.status.code(), text(&json.stderr)), (Some(2), String::new()));
    let value: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["findings"][0]["about"], "malformed");
    let what = value["findings"][0]["what"].as_str().unwrap();
    assert!(what.contains("two stories are called US-2") && what.contains("and US-1 on line 11"), "{what}");
}

/// A `br` that knows three issues: two in an epic, one of them put off, and the epic itself.
#[test]
fn an_epic_is_neither_work_nor_trouble() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("bin")).unwrap();
    fs::create_dir_all(dir.path().join(".beads")).unwrap();
    let issues = r#"[{"id":"b-1","title":"Epic","status":"open","issue_type":"epic"},
        {"id":"b-2","title":"Work","status":"open","parent":"b-1"},
        {"id":"b-3","title":"Later","status":"open","parent":"b-1","defer_until":"2999-01-01T00:00:00Z"}]"#;
    let br = dir.path().join("bin/br");
    fs::write(&br, format!("#!/bin/sh\ncat <<'END'\n{issues}\nEND\n")).unwrap();
    fs::set_permissions(&br, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("bin/bv"), "#!/bin/sh\necho broken >&2; exit 1\n").unwrap();
    fs::set_permissions(dir.path().join("bin/bv"), fs::Permissions::from_mode(0o755)).unwrap();
    let tasks = |args: &[&str]| {
        let path = format!("{}:/usr/bin:/bin", dir.path().join("bin").display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
        command.arg("tasks").args(args).current_dir(dir.path()).env_clear();
        command.env("HOME", dir.path()).env("PATH", path).output().unwrap()
    };
    let told = text(&tasks(&[]).stdout);
    assert!(told.contains("2 tasks: 1 ready, 1 not going to be done; 1 container of them\n"), "{told}");
    assert!(
        told.contains("b-3  Later  marked as blocked in the tracker: it is put off until 2999"),
        "{told}"
    );
    assert!(!told.contains("b-1  Epic"), "{told}");
    let why = text(&tasks(&["--why"]).stdout);
    assert!(why.contains("b-1  Epic  holds other tasks, and is not worked on itself"), "{why}");
    let viewed = tasks(&["--tracker", "beads-bv"]);
    assert_eq!(viewed.status.code(), Some(0));
    let note = text(&viewed.stderr);
    assert!(
        note.contains("note: `bv --robot-triage` failed: broken; ralph ranks the graph itself"),
        "{note}"
    );
}

#[test]
fn a_converted_backlog_is_the_same_and_nothing_is_written_over() {
    let dir = project();
    let first = ralph(dir.path(), &["convert", "prd.json", "--to", "markdown"]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let markdown = fs::read_to_string(dir.path().join("TASKS.md")).unwrap();
    assert!(markdown.starts_with("# Shop\n\n- [ ] US-1: Schema\n"), "{markdown}");
    let order = |args: &[&str]| {
        let value: Value = serde_json::from_slice(&ralph(dir.path(), args).stdout).unwrap();
        let ids = |key: &str| {
            value[key].as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
        };
        (ids("tasks"), ids("held"))
    };
    assert_eq!(order(&["tasks", "--json", "--prd", "TASKS.md"]), order(&["tasks", "--json"]));
    fs::write(dir.path().join("TASKS.md"), "mine").unwrap();
    let again = ralph(dir.path(), &["convert", "prd.json", "--to", "markdown"]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(fs::read_to_string(dir.path().join("TASKS.md")).unwrap(), "mine");
    let more = PRD.replace("\"name\"", "\"branchName\": \"x\", \"name\"");
    fs::write(dir.path().join("more.json"), &more).unwrap();
    let copied = ralph(dir.path(), &["convert", "more.json", "--to", "prd", "--output", "copy.json"]);
    assert_eq!(copied.status.code(), Some(0), "{}", text(&copied.stderr));
    assert_eq!(fs::read_to_string(dir.path().join("copy.json")).unwrap(), more, "nothing of it is lost");
    let itself = ralph(dir.path(), &["convert", "prd.json", "--to", "prd", "--force"]);
    assert_eq!(itself.status.code(), Some(2));
    assert_eq!(fs::read_to_string(dir.path().join("prd.json")).unwrap(), PRD);
    assert!(ralph(dir.path(), &["convert", "prd.json", "--to", "markdown", "--force"]).status.success());
    assert_eq!(fs::read_to_string(dir.path().join("TASKS.md")).unwrap(), markdown);
}

#[test]
fn without_a_backlog_the_next_step_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let out = ralph(dir.path(), &["tasks"]);
    assert_eq!(out.status.code(), Some(2));
    let told = text(&out.stderr);
    assert!(told.contains("no backlog in") && told.contains("next: write a prd.json"), "{told}");
    fs::write(dir.path().join("prd.json"), "{\n  \"userStories\": [\n    {\"id\": 7}\n  ]\n}").unwrap();
    let told = text(&ralph(dir.path(), &["tasks"]).stderr);
    assert!(
        told.contains("prd.json:3:12") && told.contains("`id` of story number 1 is not a string"),
        "{told}"
    );
}
