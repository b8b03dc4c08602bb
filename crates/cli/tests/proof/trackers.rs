//! What trackers other than a file are told by a run, and what a crash leaves beside one.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ralph_testkit::{PATIENCE, Project, until};
use serde_json::{Value, json};

use crate::agents::DONE;
use crate::project;

/// Issues that a stand-in for `br` knows, which is found before any other.
fn with_issues(project: Project, issues: &Value) -> Project {
    let (tree, bin) = (project.tree(), project.base().join("bin"));
    fs::create_dir_all(tree.join(".beads")).unwrap();
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("br");
    fs::write(&program, include_str!("../../../trackers/tests/stand_in.py")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(tree.join(".beads/stand-in.json"), issues.to_string()).unwrap();
    fs::write(tree.join(".beads/shape"), "array").unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    project.with("PATH", &path)
}

fn issue(id: &str, kind: &str, above: Option<&str>) -> Value {
    let mut issue =
        json!({"id": id, "title": format!("Task {id}"), "status": "open", "priority": 2, "issue_type": kind});
    if let Some(above) = above {
        issue["dependencies"] = json!([{"issue_id": id, "depends_on_id": above, "type": "parent-child"}]);
    }
    issue
}

fn status(project: &Project, id: &str) -> String {
    let text = fs::read_to_string(project.tree().join(".beads/stand-in.json")).unwrap();
    let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
    let found = issues.iter().find(|issue| issue["id"] == id).unwrap();
    found["status"].as_str().unwrap().to_owned()
}

#[test]
fn an_epic_is_closed_once_all_in_it_is_done_where_something_waits_for_it() {
    let mut issues = json!([
        issue("E-1", "epic", None),
        issue("A-1", "task", Some("E-1")),
        issue("A-2", "task", Some("E-1")),
        issue("B-1", "task", None),
        issue("E-2", "epic", None),
        issue("A-3", "task", Some("E-2")),
    ]);
    issues[3]["dependencies"] = json!([{"issue_id": "B-1", "depends_on_id": "E-1", "type": "blocks"}]);
    let script = format!("cp .beads/stand-in.json ../seen-$RALPH_TASK\n{DONE}");
    let project = with_issues(project().agent(&script), &issues);
    let ran = project.ralph(&["run", "--tracker", "beads", "--iteration-delay", "0"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let now = ["A-1", "A-2", "E-1", "B-1", "A-3", "E-2"].map(|id| status(&project, id));
    assert_eq!(now, ["closed", "closed", "closed", "closed", "closed", "open"], "nothing waits for E-2");
    for (task, of_epic) in [("A-1", "open"), ("A-2", "open"), ("B-1", "closed")] {
        let text = fs::read_to_string(project.base().join(format!("seen-{task}"))).unwrap();
        let seen: Vec<Value> = serde_json::from_str(&text).unwrap();
        let epic = seen.iter().find(|issue| issue["id"] == "E-1").unwrap();
        assert_eq!(epic["status"], of_epic, "when {task} was begun");
    }
}

#[test]
fn what_a_run_had_in_hand_is_open_again_once_another_takes_its_place() {
    let issues = json!([issue("A-1", "task", None), issue("A-2", "task", None)]);
    let project = with_issues(project().agent("touch ../held; sleep 60"), &issues);
    let mut run = project.start(&["run", "--tracker", "beads"]);
    until(PATIENCE, "the agent", || project.base().join("held").exists().then_some(()));
    run.kill();
    assert_eq!(status(&project, "A-1"), "in_progress");
    let project = project.agent(DONE);
    let refused = project.ralph(&["run", "something else"]);
    assert_eq!((refused.code, status(&project, "A-1").as_str()), (Some(2), "in_progress"), "{}", refused.err);
    let ran = project.ralph(&["run", "something else", "--new"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(status(&project, "A-1"), "open");
}

#[test]
fn what_a_crash_left_beside_a_backlog_is_nobodys_work() {
    let project = project().agent(&format!("echo half > plans/.ralph-tmp.9.new; echo work > made\n{DONE}"));
    let tree = project.tree();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args).current_dir(&tree);
        let out = command.output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    fs::create_dir(tree.join("plans")).unwrap();
    fs::write(tree.join("plans/TODO.md"), "- [ ] A-1: one\n").unwrap();
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "begin"]);
    fs::write(tree.join("plans/.ralph-tmp.1.old"), "half").unwrap();
    let project = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]
        .into_iter()
        .fold(project, |project, name| project.with(name, "t"));
    fs::write(project.base().join(".gitconfig"), "[user]\nname = t\nemail = t@t\n").unwrap();
    let args = ["run", "--prd", "plans/TODO.md", "--auto-commit", "--iteration-delay", "0"];
    let ran = project.ralph(&args);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let shown = project.ralph(&["diff"]);
    assert!(shown.out.contains("made") && !shown.out.contains("ralph-tmp"), "{}", shown.out);
    assert_eq!(git(&["show", "--name-only", "--format=", "HEAD"]).trim(), "made", "{}{}", ran.out, ran.err);
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert!(!tree.join("made").exists() && tree.join("plans/.ralph-tmp.9.new").exists());
}
