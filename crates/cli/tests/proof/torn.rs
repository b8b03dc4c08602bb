//! A rollback that dies at any of its steps is finished by whatever comes next.

use std::collections::BTreeMap;
use std::fs;

use ralph_testkit::{Project, Ran};

use crate::project;
use crate::time::{BUSY, TORN, Tree, put_back_events, torn, tree};

/// A project whose run has changed, made and removed files.
fn worked() -> (Project, Tree, Tree) {
    let project = project().agent(&format!("rm -rf gone\n{BUSY}"));
    let root = project.tree();
    fs::create_dir(root.join("gone")).unwrap();
    for name in ["gone/a", "gone/b", "log.txt"] {
        fs::write(root.join(name), format!("{name} as it was\n")).unwrap();
    }
    let before = tree(&root);
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "2"]).code, Some(3));
    let after = tree(&root);
    (project, before, after)
}

fn with(project: &Project, args: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = project.command(args);
    command.envs(variables.iter().copied());
    command.output().unwrap().into()
}

/// Every pass of every point that the command comes by, as a setting that kills there.
fn deaths(log: &str) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut deaths = Vec::new();
    for line in log.lines() {
        let point = line.split(' ').nth(1).unwrap_or(line);
        let nth = counts.entry(point).or_default();
        deaths.push(format!("{point}={nth}*off->return(ralph)"));
        *nth += 1;
    }
    deaths
}

#[test]
fn a_rollback_that_is_killed_anywhere_is_finished_by_the_next_command() {
    let (project, before, after) = worked();
    let root = project.tree();
    let log = project.base().join("passes");
    // The second time nothing is new to the vault, as in the trials below.
    for args in [&["rollback", "--yes"][..], &["rollback", "--undo", "--yes"]] {
        assert_eq!(project.ralph(args).code, Some(0));
    }
    let ran = with(&project, &["rollback", "--yes"], &[("FAILPOINTS_LOG", log.to_str().unwrap())]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let deaths = deaths(&fs::read_to_string(&log).unwrap());
    assert!(deaths.iter().any(|death| death.starts_with("snapshot.restore")), "{deaths:?}");
    let mut half_done = 0;
    for death in &deaths {
        let undone = project.ralph(&["rollback", "--undo", "--yes"]);
        assert_eq!((undone.code, tree(&root) == after), (Some(0), true), "before {death}: {}", undone.err);
        let died = with(&project, &["rollback", "--yes"], &[("FAILPOINTS", death)]);
        assert_eq!(died.code, None, "{death}: {}{}", died.out, died.err);
        let status = project.status().unwrap();
        if status["rollback_pending"] == true {
            half_done += 1;
            let doctor = project.ralph(&["doctor"]);
            assert!(doctor.out.contains("a rollback was cut short"), "{death}: {}", doctor.out);
        }
        let again = project.ralph(&["rollback", "--yes"]);
        assert_eq!(again.code, Some(0), "{death}: {}", again.err);
        assert_eq!(tree(&root), before, "{death}");
        assert_eq!(project.status().unwrap()["rollback_pending"], false, "{death}");
    }
    assert!(half_done > 3, "{half_done} of {} were seen half-done", deaths.len());
}

#[test]
fn a_run_that_begins_finishes_a_rollback_first() {
    let (project, before, _) = worked();
    let died = with(&project, &["rollback", "--yes"], &[("FAILPOINTS", "snapshot.restore.intended=return")]);
    assert_eq!(died.code, None, "{}", died.err);
    let found = tree(&project.tree());
    assert_ne!(found, before);
    let quiet = project.script("quiet.sh", crate::agents::DONE);
    let ran = project.ralph(&["run", "more", "--agent-command", quiet.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("a rollback that was cut short is finished"), "{}", ran.out);
    assert_eq!(tree(&project.tree()), before);
    let told = ran.out.split("--snapshot ").nth(1).unwrap();
    let id: String = told.chars().take_while(char::is_ascii_hexdigit).collect();
    assert_eq!(project.ralph(&["rollback", "--snapshot", &id, "--yes"]).code, Some(0));
    assert_eq!(tree(&project.tree()), found, "what was found is not lost");
}

#[test]
fn a_run_that_died_before_it_put_its_tree_back_does_so_when_it_is_resumed() {
    for point in
        ["put_back.before", "put_back.inside", "snapshot.restore.intended", "snapshot.restore.performed"]
    {
        let project = project().agent(BUSY);
        let root = project.tree();
        fs::write(root.join("log.txt"), "as it was\n").unwrap();
        let before = tree(&root);
        let args = ["run", "work", "--max-iterations", "1", "--on-failure", "restore"];
        let died = with(&project, &args, &[("FAILPOINTS", &format!("{point}=return(ralph)"))]);
        assert_eq!(died.code, None, "{point}: {}", died.err);
        let ran = project.ralph(&["resume", "--yes"]);
        assert_eq!(ran.code, Some(3), "{point}: {}{}", ran.out, ran.err);
        assert_eq!(tree(&root), before, "{point}");
        let told = put_back_events(&project);
        assert_eq!((told.len(), &told[0]["why"]), (1, &"failed".into()), "{point}");
        assert_eq!(told[0]["changed"], 2, "{point}: {told:?}");
    }
}

/// A run that is to put its tree back, and died at a point of that.
fn owing(point: &str) -> Project {
    let project = project().agent(BUSY);
    let args = ["run", "work", "--max-iterations", "1", "--on-failure", "restore"];
    let died = with(&project, &args, &[("FAILPOINTS", &format!("{point}=return(ralph)"))]);
    assert_eq!(died.code, None, "{point}: {}", died.err);
    project
}

#[test]
fn a_debt_is_shown_asked_for_and_can_be_let_go() {
    let project = owing("put_back.before");
    let left = tree(&project.tree());
    assert_eq!(project.status().unwrap()["owed"]["why"], "failed");
    assert!(project.ralph(&["status"]).out.contains("owed "));
    let refused = project.ralph(&["resume"]);
    assert_eq!(refused.code, Some(2), "nobody can be asked: {}", refused.out);
    assert!(
        refused.out.contains("delete      made-1") && refused.err.contains("--keep-tree"),
        "{}",
        refused.err
    );
    assert_eq!(project.ralph(&["resume", "--keep-tree"]).code, Some(3));
    assert_eq!(project.status().unwrap()["owed"], serde_json::Value::Null);
    assert_eq!(project.ralph(&["resume", "--yes"]).code, Some(3));
    assert_eq!(tree(&project.tree()), left, "what was let go is not put back later");
}

#[test]
fn a_debt_is_void_once_another_run_has_begun() {
    let project = owing("snapshot.restore.intended");
    let owing = project.run_id().unwrap();
    let good = project.script("good.sh", &format!("echo x > result\n{}", crate::agents::DONE));
    let ran = project.ralph(&["run", "more", "--agent-command", good.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    fs::write(project.tree().join("own"), "a person's own\n").unwrap();
    let now = tree(&project.tree());
    assert_eq!(now.keys().collect::<Vec<_>>(), ["own", "result"]);
    for args in [&["resume", &owing, "--keep-tree"][..], &["resume", &owing, "--yes"]] {
        let ran = project.ralph(args);
        assert_eq!((ran.code, tree(&project.tree()) == now), (Some(3), true), "{args:?}: {}", ran.out);
    }
}

#[test]
fn a_debt_is_not_paid_with_a_persons_own_work() {
    for point in ["put_back.before", "snapshot.restore.intended"] {
        let project = owing(point);
        let run = project.run_id().unwrap();
        fs::write(project.tree().join("own"), "a person's own\n").unwrap();
        let ran = project.ralph(&["resume", "--yes"]);
        assert_eq!(ran.code, Some(3), "{point}: {}", ran.err);
        assert!(ran.out.contains(&format!("ralph rollback --run {run}")), "{point}: {}", ran.out);
        assert!(project.tree().join("own").exists(), "{point}");
    }
}

#[test]
fn a_rollback_that_finishes_what_a_run_owes_pays_it() {
    let project = owing("snapshot.restore.intended");
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert_eq!(project.status().unwrap()["owed"], serde_json::Value::Null);
    let told = put_back_events(&project);
    assert_eq!((told.len(), &told[0]["why"]), (1, &"failed".into()));
}

#[test]
fn a_torn_attempt_that_was_put_back_before_a_crash_is_told_of_after_it() {
    for point in ["put_back.inside", "snapshot.restore.performed"] {
        let project = project().agent(TORN);
        let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
        torn(&project);
        run.kill();
        let died = with(&project, &["resume"], &[("FAILPOINTS", &format!("{point}=return(ralph)"))]);
        assert_eq!(died.code, None, "{point}: {}", died.err);
        let ran = project.ralph(&["resume"]);
        assert_eq!(ran.code, Some(0), "{point}: {}", ran.err);
        let told = put_back_events(&project);
        assert_eq!((told.len(), &told[0]["why"]), (1, &"torn".into()), "{point}");
        assert!(ran.out.contains("half-done"), "{point}: {}", ran.out);
    }
}
