//! What a person has taken back stays so, whatever the run was doing and whichever run was named.

use std::fs;
use std::io::Write;

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, Project, send, until};

use crate::project;
use crate::time::{TORN, Tree, git, put_back_events, torn, tree};

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

/// Commits its mess, and hangs; does its work in the second attempt.
const COMMITS: &str = r#"
if [ "$RALPH_ATTEMPT" = 1 ]; then
  echo mess > file; git -c user.name=n -c user.email=e@e commit -qam mess; touch ../torn; sleep 600
fi
echo work > file
echo "<promise>$RALPH_PROMISE</promise>"
"#;

#[test]
fn a_head_that_an_attempt_moved_is_told_of_whoever_puts_the_files_back() {
    let project = project().agent(COMMITS);
    let root = project.tree();
    fs::write(root.join("file"), "as it was\n").unwrap();
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    let then = git(&root, &["rev-parse", "HEAD"]);
    let mut run = project.start(&["run", "work"]);
    torn(&project);
    run.kill();
    let moved = git(&root, &["rev-parse", "HEAD"]);
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains(&format!("git reset {then}")), "{}", ran.out);
    let told = &put_back_events(&project)[0];
    assert_eq!((&told["head_then"], &told["head"]), (&then.clone().into(), &moved.clone().into()));

    let json = |args: &[&str]| -> serde_json::Value {
        let ran = project.ralph(&[&["rollback", "--json", "--yes"], args].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    let back = json(&[]);
    assert_eq!(back["head_moved"]["command"], format!("git reset {then}"));
    git(&root, &["reset", "-q", &then]);
    assert_eq!(json(&["--undo"])["head_moved"]["command"], format!("git reset {moved}"));
    let undo = back["undo"].as_str().unwrap();
    assert_eq!(json(&["--dry-run", "--snapshot", undo])["head_moved"]["then"], moved);
    git(&root, &["reset", "-q", &moved]);
    assert_eq!(json(&["--dry-run", "--snapshot", undo])["head_moved"], serde_json::Value::Null);
}

/// `ralph rollback` at a terminal, which asks.
fn asked(project: &Project) -> (std::process::Child, std::path::PathBuf) {
    let shown = project.base().join("shown");
    let mut script = std::process::Command::new("script");
    script.args(["-qefc", "\"$UNDER_TEST\" rollback", "/dev/null"]).current_dir(project.tree()).env_clear();
    let like = project.command(&[]);
    script.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    script.env("SHELL", "/bin/sh").stdin(std::process::Stdio::piped());
    let child = script.stdout(fs::File::create(&shown).unwrap()).spawn().expect("there is a script");
    until(PATIENCE, "a question", || {
        fs::read_to_string(&shown).unwrap_or_default().contains("Put this back?").then_some(())
    });
    (child, shown)
}

#[test]
fn nobody_waits_for_a_person_who_is_asked_and_what_was_agreed_to_is_what_is_done() {
    let project = project().agent(crate::time::BUSY);
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "1"]).code, Some(3));
    for changed in [true, false] {
        let (mut child, shown) = asked(&project);
        assert_eq!(project.status().unwrap()["alive"], false);
        let begun = std::time::Instant::now();
        let ran = project.ralph(&["resume"]);
        assert!(ran.code == Some(3) && !ran.out.contains("goes on"), "{}", ran.out);
        assert!(begun.elapsed() < std::time::Duration::from_secs(8), "{:?}", begun.elapsed());
        if changed {
            fs::write(project.tree().join("own"), "a person's own\n").unwrap();
        }
        child.stdin.take().unwrap().write_all(b"y\n").unwrap();
        let code = child.wait().unwrap().code();
        let shown = fs::read_to_string(shown).unwrap();
        assert_eq!(
            (code, shown.contains("meanwhile")),
            (Some(if changed { 2 } else { 0 }), changed),
            "{shown}"
        );
        assert_eq!(project.tree().join("made-1").exists(), changed, "{shown}");
    }
}

#[test]
fn a_snapshot_that_cannot_be_meant_comes_with_what_to_do() {
    let project = project().agent(crate::time::BUSY);
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "2"]).code, Some(3));
    let unknown = project.ralph(&["rollback", "--snapshot", "zz", "--yes"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("ralph snapshots --all"), "{}", unknown.err);
    let many = project.ralph(&["rollback", "--snapshot", "", "--yes"]);
    assert!(many.code == Some(2) && many.err.contains("give more of it"), "{}", many.err);
}
