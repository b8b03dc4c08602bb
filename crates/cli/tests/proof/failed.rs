//! What becomes of the tree when a run fails, what is said then, and how long snapshots are kept.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::agents::{DONE, NEVER};
use crate::project;
use crate::time::{BUSY, put_back_events, tree};

#[test]
fn a_failed_run_puts_everything_back_where_that_is_wanted() {
    let project = project().agent(BUSY);
    let root = project.tree();
    fs::write(root.join("log.txt"), "as it was\n").unwrap();
    let before = tree(&root);
    let ran = project.ralph(&["run", "work", "--max-iterations", "2", "--on-failure", "restore"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert_eq!(tree(&root), before);
    let told = put_back_events(&project);
    assert_eq!((told.len(), &told[0]["why"], &told[0]["iteration"]), (1, &"failed".into(), &().into()));
    let advised = project.status().unwrap()["next"][0]["command"].as_str().unwrap().to_owned();
    let undo = told[0]["undo"].as_str().unwrap();
    assert_eq!(advised, format!("ralph rollback --snapshot {}", &undo[..12]));
    assert!(ran.out.contains(&advised), "{}", ran.out);
    fs::write(root.join("log.txt"), "own work\n").unwrap();
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0), "another one is the last");
    let mut args: Vec<&str> = advised.split(' ').skip(1).collect();
    args.push("--yes");
    assert_eq!(project.ralph(&args).code, Some(0));
    assert_eq!(fs::read_to_string(root.join("log.txt")).unwrap(), "as it was\niteration 1\niteration 2\n");
}

#[test]
fn what_was_not_put_back_is_not_advised_to_be_undone() {
    let project = project().agent("exit 0");
    let ran = project.ralph(&["run", "work", "--max-iterations", "1", "--on-failure", "restore"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert_eq!(put_back_events(&project), Vec::<serde_json::Value>::new());
    let run = project.run_id().unwrap();
    assert_eq!(project.status().unwrap()["next"][0]["command"], format!("ralph rollback --run {run}"));
    assert!(!ran.out.contains("--undo"), "{}", ran.out);
}

#[test]
fn a_run_that_succeeds_or_is_stopped_keeps_its_work() {
    let project = project().agent(&format!("echo x > made\n{DONE}"));
    assert_eq!(project.ralph(&["run", "work", "--on-failure", "restore"]).code, Some(0));
    assert!(project.tree().join("made").exists());
    assert_eq!(put_back_events(&project), Vec::<serde_json::Value>::new());
}

#[test]
fn a_restore_that_could_never_be_made_is_refused_before_the_run() {
    let off = project().agent(NEVER).with("RALPH_SET_SNAPSHOTS__ENABLED", "false");
    let refused = off.ralph(&["run", "work", "--on-failure", "restore"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("needs snapshots"), "{}", refused.err);
    assert!(off.status().is_none(), "nothing was begun");

    let inside = project().agent(NEVER);
    let state = inside.tree().join("state");
    let inside = inside.with("RALPH_SET_STATE_DIR", &state.to_string_lossy());
    let refused = inside.ralph(&["run", "work", "--on-failure", "restore"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("inside the project"), "{}", refused.err);
}

#[test]
fn without_snapshots_a_run_goes_on_and_nothing_can_be_rolled_back() {
    let project = project().agent(BUSY).with("RALPH_SET_SNAPSHOTS__ENABLED", "false");
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "1"]).code, Some(3));
    let refused = project.ralph(&["rollback", "--yes"]);
    assert_eq!(refused.code, Some(4), "{}", refused.out);
    assert!(refused.err.contains("snapshots.enabled"), "{}", refused.err);
    let advice = project.status().unwrap()["next"].to_string();
    assert!(advice.contains("ralph logs") && !advice.contains("rollback"), "{advice}");
}

#[test]
fn a_failure_comes_with_commands_that_work() {
    let project = project().agent(BUSY);
    let root = project.tree();
    fs::write(root.join("a file"), "as it was\n").unwrap();
    let before = tree(&root);
    let ran = project.ralph(&["run", "work", "--max-iterations", "2"]);
    let run = project.run_id().unwrap();
    assert!(ran.out.contains("2 iterations tried"), "{}", ran.out);
    let status = project.ralph(&["status"]).out;
    let advice = project.status().unwrap()["next"].clone();
    let commands: Vec<&str> =
        advice.as_array().unwrap().iter().map(|one| one["command"].as_str().unwrap()).collect();
    for command in &commands {
        assert!(ran.out.contains(command) && status.contains(command), "{command}: {}", ran.out);
    }
    let recipe = commands.iter().find(|command| command.starts_with("sh ")).unwrap();
    let copy = project.base().join("copy");
    let by_hand = recipe.replace("DIRECTORY", copy.to_str().unwrap());
    let done = Command::new("sh").args(["-c", &by_hand]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(tree(&copy), before, "without ralph");

    let to_two = format!("ralph rollback --run {run} --to 2");
    let all = format!("ralph rollback --run {run}");
    for (command, made) in [(to_two, vec!["a file", "log.txt", "made-1"]), (all, vec!["a file"])] {
        assert!(commands.contains(&command.as_str()), "{command} in {commands:?}");
        let mut args: Vec<&str> = command.split(' ').skip(1).collect();
        args.push("--yes");
        assert_eq!(project.ralph(&args).code, Some(0));
        assert_eq!(tree(&root).into_keys().collect::<Vec<_>>(), made);
    }
    assert!(commands.contains(&format!("ralph fork 2 {run}").as_str()), "{commands:?}");
}

fn marks(vault: &Path) -> usize {
    let names = fs::read_dir(vault).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with("snapshot-")).count()
}

#[test]
fn what_is_too_much_goes_and_what_the_run_needs_stays() {
    let project = project().agent(BUSY).with("RALPH_SET_SNAPSHOTS__MAX_SIZE", "1B");
    let root = project.tree();
    fs::write(root.join("a file"), "as it was\n").unwrap();
    let before = tree(&root);
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "6"]).code, Some(3));
    let left = marks(&project.state().join("snapshots"));
    assert!(left <= 3, "{left} snapshots");
    let gone = project.ralph(&["rollback", "--to", "3", "--yes"]);
    assert_eq!(gone.code, Some(1), "{}", gone.out);
    assert!(gone.err.contains("may have expired"), "{}", gone.err);
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert_eq!(tree(&root), before);
}

#[test]
fn what_is_old_goes_and_what_is_not_stays() {
    let old = project().agent(BUSY).with("RALPH_SET_SNAPSHOTS__KEEP", "1ms");
    assert_eq!(old.ralph(&["run", "work", "--max-iterations", "6"]).code, Some(3));
    let left = marks(&old.state().join("snapshots"));
    assert!(left <= 3, "{left} snapshots");
    let young = project().agent(BUSY);
    assert_eq!(young.ralph(&["run", "work", "--max-iterations", "6"]).code, Some(3));
    assert!(marks(&young.state().join("snapshots")) >= 7);
}
