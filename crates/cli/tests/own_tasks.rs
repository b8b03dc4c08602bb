//! The backlog that ralph keeps itself, as a person uses it.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project, and a home outside of it.
struct Place {
    root: TempDir,
    home: TempDir,
}

fn place() -> Place {
    Place { root: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() }
}

impl Place {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
        command.args(args).current_dir(self.root.path());
        command.env_clear().env("HOME", self.home.path()).env("PATH", "/nowhere");
        command.env("DEPLOY_TOKEN", "hunter2-hunter2-hunter2");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("ralph starts")
    }

    fn said(&self, args: &[&str]) -> String {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
        text(&out.stdout)
    }

    /// What it complains of; nothing is changed by that.
    fn refused(&self, args: &[&str]) -> String {
        let before = self.exported();
        let out = self.run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", text(&out.stdout));
        let told = text(&out.stderr);
        assert!(told.contains("\nnext: "), "{args:?} names no next step:\n{told}");
        assert_eq!(self.exported(), before, "{args:?}");
        told
    }

    fn exported(&self) -> String {
        text(&self.run(&["tasks", "export", "--tracker", "native"]).stdout)
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.said(args)).unwrap()
    }

    fn fed(&self, args: &[&str], input: &str) -> Output {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ralph prints UTF-8")
}

fn check(place: &Place, of: &str, value: &Value) {
    let schema = place.json(&["config", "schema", "--of", of]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {value:#}");
}

#[test]
fn a_backlog_begins_with_the_first_task_that_is_added() {
    let place = place();
    assert!(place.refused(&["tasks"]).contains("ralph tasks add"));
    assert_eq!(place.said(&["tasks", "add", "Schema"]), "added T-1  Schema\n");
    let login = ["tasks", "add", "Login", "--depends-on", "T-1", "--priority", "0", "--label", "ui"];
    assert_eq!(place.said(&login), "added T-2  Login\n");
    place.said(&["tasks", "add", "Accounts", "--id", "accounts", "--epic-container"]);
    let told = place.said(&["tasks"]);
    assert_eq!(told, place.said(&["tasks", "list"]));
    assert!(told.contains("T-2  Login  after T-1"), "{told}");
    assert!(told.contains("2 tasks: 1 ready, 1 waiting for others; and 1 container\n"), "{told}");
    assert_eq!(fs::read_dir(place.root.path()).unwrap().count(), 0, "nothing is put into the tree");
    let listed = place.json(&["tasks", "--json"]);
    check(&place, "tasks", &listed);
    assert_eq!((&listed["tracker"], &listed["next"]), (&json!("native"), &json!("T-1")));
}

#[test]
fn a_task_is_done_blocked_and_taken_up_again_with_its_whole_history() {
    let place = place();
    place.said(&["tasks", "add", "Schema", "--criteria", "migrates", "--description", "All tables."]);
    place.said(&["tasks", "add", "Login", "--depends-on", "T-1"]);
    assert_eq!(place.said(&["tasks", "done", "T-1", "--reason", "by hand"]), "T-1 is done\n");
    assert_eq!(place.said(&["tasks", "done", "T-1"]), "nothing has changed: T-1 is completed already\n");
    assert!(place.said(&["tasks", "--next"]).starts_with("T-2"));
    assert!(place.said(&["tasks", "block", "T-2", "--why", "no key"]).contains("reopen"));
    assert_eq!(place.run(&["tasks", "--next"]).status.code(), Some(4));
    let told = place.said(&["tasks", "show", "T-2"]);
    assert!(told.contains("blocked") && told.contains("reason: no key"), "{told}");
    assert_eq!(place.said(&["tasks", "reopen", "T-2"]), "T-2 is open\n");
    let shown = place.json(&["tasks", "show", "T-1", "--json"]);
    check(&place, "task", &shown);
    assert_eq!(shown["task"]["acceptance_criteria"], json!(["migrates"]));
    assert_eq!((&shown["dependents"], &shown["ready"]), (&json!(["T-2"]), &json!(false)));
    assert_eq!(shown["record"]["reason"], "by hand");
    assert_eq!(shown["record"]["history"].as_array().unwrap().len(), 2);
    assert_eq!(shown["record"]["history"][1]["fields"]["status"], "completed");
    assert_eq!(shown["record"]["history"][1]["by"], "person");
    let history = place.json(&["tasks", "show", "T-2", "--json"])["record"]["history"].clone();
    let statuses: Vec<_> =
        history.as_array().unwrap().iter().map(|line| line["fields"]["status"].clone()).collect();
    assert_eq!(statuses, ["open", "blocked", "open"]);
    assert!(place.refused(&["tasks", "done", "T-9"]).contains("there is no task T-9"));
    assert!(place.refused(&["tasks", "show", "T-9"]).contains("there is no task T-9"));
}

#[test]
fn every_field_can_be_edited_and_what_is_not_said_stays() {
    let place = place();
    place.said(&["tasks", "add", "One", "--label", "a", "--criteria", "x"]);
    place.said(&["tasks", "add", "Two"]);
    place.said(&["tasks", "add", "Three", "--depends-on", "T-1,T-2"]);
    let edit =
        "tasks edit T-3 --title Third --priority 4 --label b --no-depends-on T-1 --parent T-1 --criteria y";
    assert_eq!(place.said(&edit.split(' ').collect::<Vec<_>>()), "changed T-3\n");
    assert!(place.said(&edit.split(' ').collect::<Vec<_>>()).starts_with("nothing has changed"));
    let task = place.json(&["tasks", "show", "T-3", "--json"])["task"].clone();
    assert_eq!((&task["title"], &task["priority"]), (&json!("Third"), &json!(4)));
    assert_eq!((&task["depends_on"], &task["parent"]), (&json!(["T-2"]), &json!("T-1")));
    place.said(&[
        "tasks",
        "edit",
        "T-1",
        "--clear-criteria",
        "--criteria",
        "z",
        "--no-label",
        "a",
        "--label",
        "c",
    ]);
    let task = place.json(&["tasks", "show", "T-1", "--json"])["task"].clone();
    assert_eq!((&task["acceptance_criteria"], &task["labels"]), (&json!(["z"]), &json!(["c"])));
    place.said(&[
        "tasks",
        "edit",
        "T-1",
        "--status",
        "cancelled",
        "--reason",
        "no need",
        "--kind",
        "container",
    ]);
    let shown = place.json(&["tasks", "show", "T-1", "--json"]);
    assert_eq!(
        (&shown["task"]["status"], &shown["record"]["reason"]),
        (&json!("cancelled"), &json!("no need"))
    );
    place.said(&["tasks", "edit", "T-3", "--no-parent", "--blocks", "T-1"]);
    assert_eq!(place.json(&["tasks", "show", "T-3", "--json"])["task"]["blocks"], json!(["T-1"]));
}

#[test]
fn what_cannot_be_is_refused_by_name_and_nothing_is_lost() {
    let place = place();
    for (title, on) in [("One", None), ("Two", Some("T-1")), ("Three", Some("T-2"))] {
        let mut args = vec!["tasks", "add", title];
        args.extend(on.iter().flat_map(|on| ["--depends-on", on]));
        place.said(&args);
    }
    for (args, part) in [
        ("tasks edit T-1 --depends-on T-3", "T-1 → T-3 → T-2 → T-1"),
        ("tasks add Four --depends-on T-9", "T-4 would depend on T-9, which is not there"),
        ("tasks add Four --parent nowhere", "T-4 would be below nowhere"),
        ("tasks add Four --blocks T-9", "T-4 would block T-9"),
        ("tasks add Four --id T-1", "there is a task T-1 already"),
        ("tasks add Four --id T-5 --depends-on T-5", "T-5 → T-5"),
        ("tasks edit T-1", "nothing is to be changed"),
        ("tasks edit T-9 --priority 1", "there is no task T-9"),
        ("tasks edit T-1 --label ", "a label is empty"),
        ("tasks add ", "the title is empty"),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let told = place.refused(&args);
        assert!(told.contains(part), "{args:?}: {told}");
    }
    assert!(place.refused(&["tasks", "add", "a\nb"]).contains("more than one line"));
    for wrong in ["--priority=5", "--priority=x", "--id=../x", "--id=prompt", "--depends-on=a b"] {
        let out = place.run(&["tasks", "add", "x", wrong]);
        assert_eq!(out.status.code(), Some(2), "{wrong}");
    }
    assert_eq!(place.said(&["tasks", "add", "Four"]), "added T-4  Four\n");
}

#[test]
fn a_task_is_read_from_a_file_or_from_standard_input() {
    let place = place();
    let out =
        place.fed(&["tasks", "add", "--file", "-", "--priority", "1"], "Fix it\n\nIt broke\nyesterday.\n");
    assert_eq!(text(&out.stdout), "added T-1  Fix it\n", "{}", text(&out.stderr));
    let task = place.json(&["tasks", "show", "T-1", "--json"])["task"].clone();
    assert_eq!((&task["description"], &task["priority"]), (&json!("It broke\nyesterday."), &json!(1)));
    assert_eq!(place.fed(&["tasks", "add", "--file", "-"], " \n").status.code(), Some(2));
    assert!(place.refused(&["tasks", "add", "--file", "nowhere.txt"]).contains("nowhere.txt"));
}

#[test]
fn a_secret_is_in_no_file_of_ralphs() {
    let place = place();
    let secret = "hunter2-hunter2-hunter2";
    place.said(&[
        "tasks",
        "add",
        "Use the token",
        "--description",
        &format!("it is {secret}"),
        "--criteria",
        secret,
    ]);
    place.said(&["tasks", "edit", "T-1", "--title", &format!("Use {secret}")]);
    place.said(&["tasks", "done", "T-1", "--reason", secret]);
    let line =
        json!({"title": "x", "metadata": {"deep": [{"key": secret}]}, "description": secret}).to_string();
    assert!(place.fed(&["tasks", "import", "-"], &line).status.success());
    let exported = place.exported();
    assert!(!exported.contains(secret) && exported.lines().count() == 2, "{exported}");
    let mut dirs = vec![place.home.path().to_owned()];
    while let Some(dir) = dirs.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                dirs.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{}", path.display());
            }
        }
    }
}

/// Every field has something in it.
const FULL: &str = r#"{"id":"full","title":"All of it","status":"completed","priority":0,"description":"a\nb","acceptance_criteria":["x","y"],"labels":["ui"],"depends_on":["T-1"],"blocks":["T-2"],"parent":"T-3","kind":"container","metadata":{"estimate":[1,{"a":null}]},"reason":"done","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05.5Z","closed_at":"2026-01-04T03:04:05Z"}"#;

#[test]
fn everything_that_is_exported_is_imported_again() {
    let (one, other) = (place(), place());
    let lines = format!("{{\"title\":\"a\"}}\n\n{{\"title\":\"b\"}}\n{{\"title\":\"c\"}}\n{FULL}\n");
    let out = one.fed(&["tasks", "import", "-"], &lines);
    assert_eq!(text(&out.stdout), "added 4 tasks\n", "{}", text(&out.stderr));
    let exported = one.exported();
    assert_eq!(exported.lines().last(), Some(FULL));
    for line in exported.lines() {
        check(&one, "task-line", &serde_json::from_str(line).unwrap());
    }
    fs::write(other.root.path().join("tasks.jsonl"), &exported).unwrap();
    assert_eq!(other.said(&["tasks", "import", "tasks.jsonl"]), "added 4 tasks\n");
    assert_eq!(other.exported(), exported);
    assert!(other.refused(&["tasks", "import", "tasks.jsonl"]).contains("there is a task T-1 already"));
    let more = format!("{exported}{{\"id\":\"new\",\"title\":\"new\"}}\n");
    fs::write(other.root.path().join("tasks.jsonl"), more).unwrap();
    let told = other.said(&["tasks", "import", "tasks.jsonl", "--skip-existing"]);
    assert_eq!(told, "added 1 task, left out 4 whose ids are taken\n");
    fs::write(other.root.path().join("bad.jsonl"), "{\"title\":\"fine\"}\n{\"title\":7}\n").unwrap();
    let told = other.refused(&["tasks", "import", "bad.jsonl"]);
    assert!(told.contains("bad.jsonl:2:"), "{told}");
}

const PRD: &str = r#"{"name": "Shop", "userStories": [
    {"id": "US-1", "title": "Schema", "passes": true, "completionNotes": "fine", "acceptanceCriteria": ["migrates"], "notes": "n", "own": 7},
    {"id": "US-2", "title": "Login", "description": "d", "passes": false, "dependsOn": ["US-1"], "priority": 1, "labels": ["ui"]}
]}"#;

#[test]
fn a_prd_comes_in_and_goes_out_with_all_that_the_format_can_say() {
    let place = place();
    fs::write(place.root.path().join("prd.json"), PRD).unwrap();
    let told = place.said(&["tasks", "import", "prd.json"]);
    assert!(told.starts_with("added 2 tasks\nnote: ") && told.contains("--tracker native"), "{told}");
    fs::remove_file(place.root.path().join("prd.json")).unwrap();
    let shown = place.json(&["tasks", "show", "US-1", "--json"]);
    assert_eq!(shown["record"]["reason"], "fine");
    assert_eq!(shown["task"]["metadata"], json!({"notes": "n", "own": 7, "completionNotes": "fine"}));
    let told = place.said(&["tasks", "export", "--to", "prd", "--output", "prd.json"]);
    assert!(told.starts_with("wrote 2 tasks to prd.json"), "{told}");
    let written: Value =
        serde_json::from_str(&fs::read_to_string(place.root.path().join("prd.json")).unwrap()).unwrap();
    let story = &written["userStories"][0];
    assert_eq!(
        (&story["completionNotes"], &story["passes"], &story["notes"]),
        (&json!("fine"), &json!(true), &json!("n"))
    );
    assert_eq!(written["userStories"][1]["dependsOn"], json!(["US-1"]));
    assert_eq!(written["userStories"][1]["priority"], 1);
    let again = place.run(&["tasks", "export", "--tracker", "native", "--to", "prd", "--output", "prd.json"]);
    assert_eq!(again.status.code(), Some(2), "it is there already");
    let itself = place.run(&["tasks", "export", "--to", "markdown", "--output", "prd.json", "--force"]);
    assert!(text(&itself.stderr).contains("this is the file that is read"));
    let markdown = place.said(&["tasks", "export", "--tracker", "native", "--to", "markdown"]);
    assert!(
        markdown.contains("- [x] US-1: Schema\n") && markdown.contains("  - Depends on: US-1\n"),
        "{markdown}"
    );
}

#[test]
fn a_checklist_is_converted_and_a_broken_one_is_refused_whole() {
    let place = place();
    fs::write(
        place.root.path().join("TODO.md"),
        "# P\n- [ ] A-1: one\n- [x] A-2: two\n  - Depends on: A-1\n",
    )
    .unwrap();
    assert!(place.said(&["convert", "TODO.md", "--to", "native"]).starts_with("added 2 tasks\n"));
    let exported = place.exported();
    assert_eq!(exported.lines().count(), 2);
    assert!(exported.contains(r#""status":"completed""#) && exported.contains(r#""depends_on":["A-1"]"#));
    fs::write(place.root.path().join("bad.md"), "- [ ] B-1: one\n- [ ] B-2: two\n  - Depends on: B-9\n")
        .unwrap();
    let told = place.refused(&["tasks", "import", "bad.md"]);
    assert!(told.contains("B-2 would depend on B-9"), "{told}");
    let lines = place.said(&["convert", "TODO.md", "--to", "json", "--output", "-"]);
    assert_eq!(lines.lines().count(), 2);
}

#[test]
fn other_backlogs_are_settled_as_far_as_their_format_can_say_it() {
    let place = place();
    let prd = place.root.path().join("prd.json");
    fs::write(&prd, PRD).unwrap();
    assert_eq!(place.said(&["tasks", "done", "US-2", "--reason", "by hand"]), "US-2 is done\n");
    let written = fs::read_to_string(&prd).unwrap();
    assert!(written.contains(r#""completionNotes": "by hand""#), "{written}");
    assert_eq!(place.said(&["tasks", "done", "US-2"]), "nothing has changed: US-2 is completed already\n");
    assert_eq!(place.said(&["tasks", "reopen", "US-2"]), "US-2 is open\n");
    let before = fs::read_to_string(&prd).unwrap();
    assert!(place.refused(&["tasks", "block", "US-2"]).contains("no way to say that a task is blocked"));
    for args in ["tasks add More", "tasks edit US-2 --priority 0"] {
        let told = place.refused(&args.split(' ').collect::<Vec<_>>());
        assert!(told.contains("prd.json") && told.contains("--tracker native"), "{told}");
    }
    assert_eq!(fs::read_to_string(&prd).unwrap(), before);
    let shown = place.json(&["tasks", "show", "US-2", "--json"]);
    check(&place, "task", &shown);
    assert_eq!((&shown["tracker"], &shown["record"]), (&json!("prd"), &Value::Null));
    assert_eq!(text(&place.run(&["tasks", "export"]).stdout).lines().count(), 2);
    let told = place.said(&["tasks", "add", "More", "--tracker", "native"]);
    assert!(
        told.starts_with("added T-1  More\nnote: ") && told.contains("prd.json comes first here"),
        "{told}"
    );
    assert!(place.said(&["tasks"]).contains("not this one: "), "the other backlog is named");
}

/// `gh` is played by a stand-in that knows its arguments.
#[test]
fn issues_on_github_are_listed_shown_and_settled() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let root = place.root.path();
    let bin = place.home.path().join("bin");
    fs::create_dir_all(root.join(".gh")).unwrap();
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("gh"), include_str!("../../trackers/tests/gh_stand_in.py")).unwrap();
    fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    let issue = json!({"number": 7, "title": "Fix it", "state": "OPEN", "stateReason": "", "labels": [{"name": "P1"}],
        "milestone": null, "url": "https://github.com/o/r/issues/7",
        "body": "It broke.\n\n## Acceptance criteria\n- a test\n"});
    fs::write(root.join(".gh/state.json"), json!({"issues": [issue], "labels": ["P1"]}).to_string()).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let run = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        place.command(&args).env("PATH", &path).output().unwrap()
    };
    let listed = run("tasks --tracker github --json");
    let listed: Value =
        serde_json::from_slice(&listed.stdout).unwrap_or_else(|_| panic!("{}", text(&listed.stderr)));
    assert_eq!((&listed["next"], &listed["tracker"]), (&json!("GH-7"), &json!("github")));
    assert_eq!(listed["tasks"][0]["acceptance_criteria"], json!(["a test"]));
    assert!(
        text(&run("tasks block GH-7 --tracker github").stderr)
            .contains("no way to say that a task is blocked")
    );
    assert_eq!(text(&run("tasks done GH-7 --tracker github --reason fixed").stdout), "GH-7 is done\n");
    assert!(text(&run("tasks show GH-7 --tracker github").stdout).contains("completed, priority 1"));
    assert!(text(&run("tasks add x --tracker github").stderr).contains("gh issue"));
    assert!(place.refused(&["tasks", "--tracker", "github"]).contains("no program gh"));
}

#[test]
fn processes_that_add_at_once_take_no_id_twice() {
    let place = place();
    place.said(&["tasks", "add", "first"]);
    let children: Vec<_> = (0..12)
        .map(|_| place.command(&["tasks", "add", "more"]).stdout(Stdio::piped()).spawn().unwrap())
        .collect();
    let mut numbers: Vec<u32> = children
        .into_iter()
        .map(|child| {
            let out = text(&child.wait_with_output().unwrap().stdout);
            out.split(['-', ' ']).nth(2).unwrap_or_else(|| panic!("{out}")).parse().unwrap()
        })
        .collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(2..=13));
}

#[test]
fn every_change_of_a_backlog_has_help_with_an_example() {
    let place = place();
    for command in ["list", "add", "edit", "show", "done", "block", "reopen", "import", "export"] {
        let help = place.said(&["tasks", command, "--help"]);
        assert!(help.contains("Examples:") && help.contains("Usage: ralph tasks"), "{help}");
    }
}

#[test]
fn without_a_place_for_its_state_files_are_still_listed() {
    let place = place();
    fs::write(place.root.path().join("TODO.md"), "- [ ] A-1: one\n").unwrap();
    let run = |args: &[&str]| place.command(args).env_remove("HOME").output().unwrap();
    assert!(run(&["tasks"]).status.success());
    let own = run(&["tasks", "--tracker", "native"]);
    assert!(text(&own.stderr).contains("HOME is not set"), "{}", text(&own.stderr));
}

/// Looking makes nothing.
#[test]
fn an_empty_backlog_is_said_to_be_empty() {
    let place = place();
    let out = place.run(&["tasks", "--tracker", "native"]);
    assert_eq!((out.status.code(), text(&out.stderr).as_str()), (Some(4), ""));
    assert!(text(&out.stdout).ends_with("no tasks yet\n"), "{}", text(&out.stdout));
    assert!(!Path::new(&place.home.path().join(".local")).exists());
}
