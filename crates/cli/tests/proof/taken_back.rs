//! What a person has taken back stays so, whatever the run was doing and whichever run was named.

use std::fs;

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, Project, send, until};

use crate::project;
use crate::time::{TORN, Tree, put_back_events, torn, tree};

fn names(project: &Project) -> Vec<String> {
    tree(&project.tree()).into_keys().collect()
}

/// Killed in the middle of the second iteration's first attempt.
fn killed(project: &Project) {
    let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
    torn(project);
    run.kill();
}

#[test]
fn what_was_rolled_back_while_it_was_checked_does_not_complete_the_run() {
    let agent = "echo \"attempt $RALPH_ATTEMPT\" > made\necho \"<promise>$RALPH_PROMISE</promise>\"";
    let project = project().agent(agent);
    let check = "custom=sh -c 'test -e ../made-before && exit 0; test -e made || exit 1; touch ../checking; sleep 600'";
    let mut run = project.start(&["run", "work", "--yes", "--max-iterations", "2", "--criteria", check]);
    until(PATIENCE, "a check", || project.base().join("checking").exists().then_some(()));
    run.kill();
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert_eq!(tree(&project.tree()), Tree::new());
    fs::write(project.base().join("made-before"), "").unwrap();
    let ran = project.ralph(&["resume", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(fs::read_to_string(project.tree().join("made")).unwrap(), "attempt 2\n", "it is done again");
}

#[test]
fn one_file_that_was_rolled_back_is_not_a_tree_that_was_seen_to() {
    let project = project().agent(TORN);
    let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
    torn(&project);
    send(run.pid(), Signal::SIGINT);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert_eq!(project.ralph(&["rollback", "--yes", "log.txt"]).code, Some(0));
    assert_eq!(names(&project), ["half-done"]);
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(names(&project), ["log.txt", "made-1", "made-2"], "not begun on a torn tree");
}

#[test]
fn whichever_run_is_named_the_one_that_goes_on_hears_of_it() {
    let project = project().agent(crate::time::BUSY);
    assert_eq!(project.ralph(&["run", "first", "--max-iterations", "1"]).code, Some(3));
    let first = project.run_id().unwrap();
    let torn_agent = project.script("torn.sh", TORN);
    let second = ["run", "second", "--max-iterations", "3", "--agent-command", torn_agent.to_str().unwrap()];
    let mut run = project.start(&second);
    torn(&project);
    run.kill();
    assert_eq!(project.ralph(&["rollback", "--run", &first, "--yes"]).code, Some(0));
    assert_eq!(names(&project), Vec::<String>::new());
    assert_eq!(put_back_events(&project).len(), 1, "the journal of the second tells of it");
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(names(&project), ["log.txt", "made-2"]);
}

#[test]
fn a_rollback_that_finds_everything_in_order_counts_as_one() {
    let project = project().agent(TORN);
    killed(&project);
    for name in ["half-done", "log.txt"] {
        fs::remove_file(project.tree().join(name)).unwrap();
    }
    let idle = project.ralph(&["rollback", "--yes"]);
    assert!(idle.code == Some(0) && idle.out.contains("everything is as it was"), "{}", idle.out);
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(names(&project), ["log.txt", "made-2"]);
}

#[test]
fn a_rollback_of_one_file_that_was_cut_short_does_not_pay_what_is_owed() {
    let project = project().agent(TORN);
    killed(&project);
    let mut cut = project.command(&["rollback", "--to", "2", "--yes", "log.txt"]);
    cut.env("FAILPOINTS", "snapshot.restore.intended=return(ralph)");
    assert_eq!(cut.output().unwrap().status.code(), None);
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(names(&project), ["log.txt", "made-1", "made-2"]);
}
