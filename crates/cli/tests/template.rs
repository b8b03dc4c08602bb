//! `ralph template` as a person runs it.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn ralph(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    command.arg("template").args(args).current_dir(dir).env_clear().env("PATH", "/nowhere");
    command.env("HOME", dir.join("home")).output().expect("ralph starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ralph prints UTF-8")
}

fn said(dir: &Path, args: &[&str]) -> String {
    let out = ralph(dir, args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

fn json(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_slice(&ralph(dir, args).stdout).unwrap()
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".ralph")).unwrap();
    dir
}

#[test]
fn what_is_shown_is_what_counts() {
    let dir = project();
    let built_in = said(dir.path(), &["show", "prd"]);
    assert!(built_in.contains("{{taskTitle}}") && built_in.contains("{{claim}}"), "{built_in}");
    let user = dir.path().join("home/.config/ralph/templates");
    fs::create_dir_all(&user).unwrap();
    fs::write(user.join("prd.hbs"), "of the user: {{promise}}").unwrap();
    assert_eq!(said(dir.path(), &["show", "prd"]), "of the user: {{promise}}");
    let folder = dir.path().join(".ralph/templates");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("prd.hbs"), "of the project\u{1b}[31m").unwrap();
    assert_eq!(said(dir.path(), &["show", "prd"]), "of the project", "nothing drives the terminal");
    assert_eq!(said(dir.path(), &["show", "prd", "--built-in"]), built_in);
    let shown = json(dir.path(), &["show", "prd", "--json"]);
    assert_eq!((&shown["origin"], &shown["uses_promise"]), (&"project".into(), &false.into()));
    assert!(shown["path"].as_str().unwrap().ends_with(".ralph/templates/prd.hbs"), "{shown}");
    assert_eq!(ralph(dir.path(), &["show", "trello"]).status.code(), Some(2));
}

#[test]
fn without_a_name_it_is_about_the_tracker_that_is_here() {
    let dir = project();
    assert_eq!(json(dir.path(), &["show", "--json"])["name"], "prompt");
    fs::write(dir.path().join("prd.json"), r#"{"name": "a", "userStories": []}"#).unwrap();
    assert_eq!(json(dir.path(), &["show", "--json"])["name"], "prd");
    said(dir.path(), &["eject"]);
    assert!(dir.path().join(".ralph/templates/prd.hbs").is_file());
}

#[test]
fn ejected_templates_are_right_and_nothing_is_written_over() {
    let dir = project();
    for name in ["prompt", "prd", "markdown", "beads", "beads-bv", "github", "linear", "jira", "native"] {
        said(dir.path(), &["eject", name]);
        let path = dir.path().join(format!(".ralph/templates/{name}.hbs"));
        assert_eq!(fs::read_to_string(path).unwrap(), said(dir.path(), &["show", name, "--built-in"]));
    }
    let told = said(dir.path(), &["check"]);
    assert_eq!(told.matches("ok ").count(), 9, "{told}");
    assert!(!told.contains("note:"), "{told}");
    let path = dir.path().join(".ralph/templates/prd.hbs");
    fs::write(&path, "mine").unwrap();
    let out = ralph(dir.path(), &["eject", "prd"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("this file is there already"), "{}", text(&out.stderr));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    said(dir.path(), &["eject", "prd", "--force"]);
    assert!(fs::read_to_string(&path).unwrap().contains("{{claim}}"));
}

#[test]
fn a_check_tells_everything_that_is_wrong_with_its_place() {
    let dir = project();
    assert!(said(dir.path(), &["check"]).contains("no template but ralph's own"));
    let folder = dir.path().join(".ralph/templates");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("prd.hbs"), "{{taskTitel}}\n{{#if epic}}{{nope}}{{/if}} {{claim}}").unwrap();
    fs::write(folder.join("markdwn.hbs"), "{{taskTitle}}").unwrap();
    let out = ralph(dir.path(), &["check"]);
    assert_eq!(out.status.code(), Some(1));
    let (told, errors) = (text(&out.stdout), text(&out.stderr));
    for part in
        ["prd.hbs:1:3", "there is no variable `taskTitel`", "did you mean `taskTitle`?", "prd.hbs:2:15"]
    {
        assert!(errors.contains(part), "{part} in\n{errors}");
    }
    for part in ["markdwn.hbs", "did you mean markdown.hbs?", "will carry no nonce"] {
        assert!(told.contains(part), "{part} in\n{told}");
    }
    let checked = json(dir.path(), &["check", "--json"]);
    assert_eq!((&checked[0]["ok"], &checked[0]["uses_promise"]), (&true.into(), &false.into()));
    assert_eq!((&checked[1]["ok"], &checked[1]["uses_promise"]), (&false.into(), &Value::Null));
    assert_eq!(
        (&checked[1]["faults"][1]["line"], &checked[1]["faults"][1]["column"]),
        (&2.into(), &15.into())
    );
    let missing = ralph(dir.path(), &["check", "nowhere.hbs"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("there is no template at"));
    assert_eq!(ralph(dir.path(), &["check", ".ralph/templates/markdwn.hbs"]).status.code(), Some(0));
}

#[test]
fn the_variables_are_listed() {
    let dir = project();
    let told = said(dir.path(), &["vars"]);
    assert!(told.contains("taskTitle") && told.contains("config") && told.contains("autoCommit"), "{told}");
    let all = json(dir.path(), &["vars", "--json"]);
    let names =
        |shared: bool| all.as_array().unwrap().iter().filter(|one| one["ralph_tui"] == shared).count();
    assert_eq!((names(true), names(false)), (28 + 4 + 1, 19));
    let config = all.as_array().unwrap().iter().find(|one| one["name"] == "config").unwrap();
    assert!(config["fields"].as_array().unwrap().iter().any(|field| field["name"] == "agent.plugin"));
}
