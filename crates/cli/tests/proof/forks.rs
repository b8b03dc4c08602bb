//! A new run from where an iteration of another one began.

use std::fs;

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, send};

use crate::agents::{HELD, begun, let_go};
use crate::project;
use crate::time::{BUSY, put_back_events, tree};

#[test]
fn a_fork_begins_with_the_files_of_then_and_the_task_of_then() {
    let project = project().agent(BUSY);
    let root = project.tree();
    assert_eq!(project.ralph(&["run", "the task", "--max-iterations", "3"]).code, Some(3));
    let source = project.run_id().unwrap();
    let end = tree(&root);
    let refused = project.ralph(&["fork", "2"]);
    assert_eq!(refused.code, Some(2), "nobody can be asked: {}", refused.out);
    assert!(refused.err.contains("--yes"), "{}", refused.err);
    assert_eq!((tree(&root), project.run_id().unwrap()), (end.clone(), source.clone()), "nothing was begun");

    let ran = project.ralph(&["fork", "2", "--yes"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.out.contains(&format!("from iteration 2 of run {source}")), "{}", ran.out);
    let journal = project.journal();
    assert_eq!(journal[0]["prompt"], "the task");
    assert_eq!(journal[0]["limits"]["max_iterations"], 3);
    assert_eq!(
        (&journal[0]["forked_from"]["run"], &journal[0]["forked_from"]["iteration"]),
        (&source.into(), &2.into())
    );
    assert_eq!(put_back_events(&project)[0]["why"], "forked");
    let log = "iteration 1\niteration 1\niteration 2\niteration 3\n";
    assert_eq!(fs::read_to_string(root.join("log.txt")).unwrap(), log, "the first line is the other run's");
    assert_eq!(project.ralph(&["rollback", "--undo", "--yes"]).code, Some(0));
    assert_eq!(tree(&root), end, "what was there before the fork is not lost");
    let none = project.ralph(&["fork", "9", "--yes"]);
    assert!(none.code == Some(2) && none.err.contains("iterations 1 to 3"), "{}", none.err);
}

#[test]
fn a_fork_does_not_leave_a_run_behind_unasked_nor_begin_beside_one() {
    let project = project().agent(HELD);
    let mut run = project.start(&["run", "do it"]);
    begun(&project, 1, 1);
    let beside = project.ralph(&["fork", "1", "--yes", "--new"]);
    assert_eq!(beside.code, Some(2), "{}", beside.out);
    assert!(beside.err.contains("in use by run"), "{}", beside.err);
    assert_eq!(project.ralph(&["steer", "mind the gap"]).code, Some(0));
    send(run.pid(), Signal::SIGINT);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    let source = project.run_id().unwrap();
    let refused = project.ralph(&["fork", "1", "--yes"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("ralph fork 1 --new"), "{}", refused.err);
    (1..=2).for_each(|iteration| let_go(&project, iteration));
    let ran = project.ralph(&["fork", "1", "--yes", "--new"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_ne!(project.run_id().unwrap(), source);
    assert!(project.brief(1, 1).contains("mind the gap"), "what was said and not yet heard goes along");
}

#[test]
fn before_a_fork_is_before_its_files_were_put_back() {
    let project = project().agent(BUSY);
    let root = project.tree();
    assert_eq!(project.ralph(&["run", "the task", "--max-iterations", "2"]).code, Some(3));
    fs::write(root.join("own"), "a person's own\n").unwrap();
    let before = tree(&root);
    let ran = project.ralph(&["fork", "2", "--yes"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let undo = put_back_events(&project)[0]["undo"].as_str().unwrap().to_owned();
    assert!(ran.out.contains(&format!("--snapshot {}", &undo[..12])), "{}", ran.out);
    let listed = project.ralph(&["snapshots"]).out;
    assert!(listed.contains("before fork") && listed.contains(&undo[..8]), "{listed}");
    assert!(
        !project.ralph(&["diff", "--stat"]).out.contains("own"),
        "what the fork put back is not its work"
    );
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert_eq!(tree(&root), before);
}

#[test]
fn a_fork_that_fails_is_put_back_to_before_it_whatever_is_swept() {
    let project = project().agent(BUSY).with("RALPH_SET_SNAPSHOTS__KEEP", "1ms");
    let root = project.tree();
    let args = ["run", "the task", "--max-iterations", "2", "--on-failure", "restore"];
    assert_eq!(project.ralph(&args).code, Some(3));
    fs::write(root.join("own"), "a person's own\n").unwrap();
    let before = tree(&root);
    let began = project.ralph(&["fork", "1", "--yes"]);
    assert_eq!(began.code, Some(3), "{}", began.err);
    assert_eq!(tree(&root), before);
}

#[test]
fn a_fork_sees_what_was_tampered_with_before_it_began() {
    let project = project().agent("echo true > check.sh");
    fs::write(project.tree().join("check.sh"), "test -e done\n").unwrap();
    let args = ["run", "do it", "--max-iterations", "2", "--criteria", "custom=sh check.sh"];
    assert_eq!(project.ralph(&args).code, Some(3));
    let ran = project.ralph(&["fork", "2", "--yes"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let journal = project.journal();
    let checked = journal.iter().find(|entry| entry["type"] == "checked").unwrap();
    assert_eq!(checked["tampering"][0], "check.sh is part of the checks and was changed");
}
