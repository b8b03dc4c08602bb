//! A hook may object to a commit; what was done stays done.

use std::fs;
use std::process::Command;

use ralph_testkit::Project;
use serde_json::{Value, json};

use crate::project;

const WORKER: &str = r#"
echo done > "$RALPH_TASK.txt"
echo "<promise>$RALPH_PROMISE</promise>"
"#;

fn git(project: &Project, args: &[&str]) -> String {
    let ran = Command::new("git").args(args).current_dir(project.tree()).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn repository() -> Project {
    let project = project().agent(WORKER);
    let story = |at: usize| json!({"id": format!("S-{at}"), "title": format!("story {at}"), "passes": false});
    let prd = json!({"name": "few", "userStories": [story(1), story(2)]});
    fs::write(project.tree().join("prd.json"), prd.to_string()).unwrap();
    git(&project, &["init", "--quiet"]);
    for (key, value) in [("user.name", "someone"), ("user.email", "some@one")] {
        git(&project, &["config", key, value]);
    }
    git(&project, &["add", "--all"]);
    git(&project, &["commit", "--quiet", "--message=before"]);
    project
}

fn hook(project: &Project, on: &str, command: &str, more: &str) {
    let text =
        format!("[[hook]]\nname = \"guard\"\non = [{on}]\ncommand = ['sh', '-c', '''{command}''']\n{more}\n");
    fs::write(project.user_config(), text).unwrap();
}

fn run(project: &Project) {
    let ran = project.ralph(&["run", "--iteration-delay", "0", "--auto-commit"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

fn told(project: &Project, kind: &str) -> Vec<Value> {
    project.journal().into_iter().filter(|entry| entry["type"] == kind).collect()
}

#[test]
fn a_vetoed_commit_is_not_made_and_its_task_stays_complete() {
    let project = repository();
    let objects = r#"tee -a ../asked | grep -q '"task":"S-1"' && echo '{"veto": true, "reason": "not on a Friday"}'; true"#;
    hook(&project, "'commit'", objects, "veto = true");
    run(&project);
    assert_eq!(told(&project, "task_completed").len(), 2);
    let committed = told(&project, "task_committed");
    assert_eq!((committed.len(), &committed[0]["task"]), (1, &json!("S-2")));
    let notices = told(&project, "notice");
    let says = |text: &str| notices.iter().any(|notice| notice["text"].as_str().unwrap().contains(text));
    assert!(says("S-1: not committed: hook `guard` objects: not on a Friday"), "{notices:?}");
    assert!(!git(&project, &["log", "--format=", "--name-only"]).contains("S-1.txt"));
    let asked = fs::read_to_string(project.base().join("asked")).unwrap();
    let first: Value = serde_json::from_str(asked.lines().next().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["files"]), (&json!("commit"), &json!(["S-1.txt"])), "{first}");
    assert!(first["message"].as_str().unwrap().contains("S-1"), "{first}");
}

#[test]
fn a_hook_that_fails_objects_to_nothing_and_without_veto_it_is_told_afterwards() {
    let project = repository();
    hook(&project, "'commit'", "exit 3", "veto = true");
    run(&project);
    assert_eq!(told(&project, "task_committed").len(), 2);
    let project = repository();
    hook(&project, "'commit', 'files_changed'", "cat >> ../told", "");
    run(&project);
    let heard = fs::read_to_string(project.base().join("told")).unwrap();
    let heard: Vec<Value> = heard.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = heard.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(names, ["files_changed", "task_committed", "files_changed", "task_committed"]);
    assert_eq!((&heard[0]["changed"], &heard[0]["files"]), (&json!(1), &json!(["S-1.txt"])));
}
