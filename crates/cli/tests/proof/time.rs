//! Every file can be put back: after a run, to any iteration, and by itself after a crash.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use nix::sys::signal::Signal;
use ralph_testkit::{PATIENCE, Project, send, until};

use crate::project;

/// Everything below a directory: kind, mode, content or target.
pub(crate) type Tree = BTreeMap<String, (char, u32, Vec<u8>)>;

pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut left = vec![root.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let (kind, content) = if meta.is_dir() {
                left.push(path.clone());
                ('d', Vec::new())
            } else if meta.is_symlink() {
                ('l', fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes())
            } else if meta.file_type().is_fifo() {
                ('p', Vec::new())
            } else {
                ('f', fs::read(&path).unwrap())
            };
            let mode = if kind == 'l' { 0 } else { meta.permissions().mode() & 0o7777 };
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            tree.insert(name, (kind, mode, content));
        }
    }
    tree
}

pub(crate) fn git(dir: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(dir).args(["-c", "user.name=n", "-c", "user.email=e@e", "-c", "init.defaultBranch=main"]);
    let out = git.args(args).output().expect("there is a git");
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

/// One file per iteration and one that every iteration changes; never done.
pub(crate) const BUSY: &str = r#"
echo "iteration $RALPH_ITERATION" >> log.txt
echo "$RALPH_ITERATION" > "made-$RALPH_ITERATION"
echo 'not yet'
"#;

/// Turns everything over that it finds.
const VANDAL: &str = r#"
echo changed > kept.txt
chmod 600 script.sh
rm -rf empty gone.txt link target-dir
mkdir link && echo x > link/inside
ln -s kept.txt gone.txt
echo new > untracked-too.txt
mkdir -p deep/er && echo new > deep/er/new.txt
echo changed > build/ignored.o
echo new > build/new.o
git -c user.name=n -c user.email=e@e commit -qam 'the work of an agent'
echo 'not yet'
"#;

fn repository() -> Project {
    let project = project().agent(VANDAL);
    let root = project.tree();
    git(&root, &["init", "-q"]);
    for dir in ["empty", "build", "target-dir"] {
        fs::create_dir(root.join(dir)).unwrap();
    }
    fs::write(root.join(".gitignore"), "build/\n").unwrap();
    fs::write(root.join("build/ignored.o"), "object").unwrap();
    fs::write(root.join("kept.txt"), "as it was\n").unwrap();
    fs::write(root.join("gone.txt"), "to be removed\n").unwrap();
    fs::write(root.join("script.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.join("script.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    fs::set_permissions(root.join("empty"), PermissionsExt::from_mode(0o700)).unwrap();
    symlink("../outside", root.join("link")).unwrap();
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    fs::write(root.join("untracked.txt"), "a person's own\n").unwrap();
    nix::unistd::mkfifo(&root.join("pipe"), nix::sys::stat::Mode::from_bits_truncate(0o640)).unwrap();
    project
}

/// The tree without git's own directory and what is ignored.
fn covered(tree: &Tree) -> Tree {
    let is_covered =
        |name: &String| name != ".git" && !name.starts_with(".git/") && !name.starts_with("build/");
    tree.iter()
        .filter(|(name, _)| is_covered(name))
        .map(|(name, what)| (name.clone(), what.clone()))
        .collect()
}

fn of_git(tree: &Tree) -> Tree {
    tree.iter().filter(|(name, _)| name.starts_with(".git/")).map(|(n, w)| (n.clone(), w.clone())).collect()
}

#[test]
fn a_rollback_is_exact_and_leaves_git_and_ignored_files_alone() {
    let project = repository();
    let root = project.tree();
    let before = tree(&root);
    let then = git(&root, &["rev-parse", "HEAD"]);
    assert_eq!(project.ralph(&["run", "turn it over", "--max-iterations", "1"]).code, Some(3));
    let after = tree(&root);
    assert_ne!(covered(&before), covered(&after));

    let dry = project.ralph(&["rollback", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}", dry.err);
    assert!(
        dry.out.contains("bring back  empty") && dry.out.contains("delete      untracked-too.txt"),
        "{}",
        dry.out
    );
    assert_eq!(tree(&root), after, "a dry run changes nothing");

    let refused = project.ralph(&["rollback"]);
    assert_eq!(refused.code, Some(2), "nobody can be asked: {}", refused.out);
    assert!(refused.err.contains("--yes"), "{}", refused.err);
    assert_eq!(tree(&root), after);

    let ran = project.ralph(&["rollback", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let restored = tree(&root);
    assert_eq!(covered(&restored), covered(&before));
    assert_eq!(restored["build/ignored.o"].2, b"changed\n", "what is ignored is nobody's to put back");
    assert!(restored.contains_key("build/new.o"));
    assert_eq!(of_git(&restored), of_git(&after), "git's own files are not touched");
    assert!(ran.out.contains(&format!("git reset {then}")), "HEAD has moved: {}", ran.out);
    assert!(ran.out.contains("ralph rollback --undo"), "{}", ran.out);
    let told = project.journal().into_iter().find(|entry| entry["type"] == "rolled_back").unwrap();
    assert_eq!((&told["why"], &told["iteration"]), (&"asked".into(), &serde_json::Value::Null));
    assert!(told["changed"].as_u64().unwrap() >= 10, "{told}");

    assert_eq!(project.ralph(&["rollback", "--undo", "--yes"]).code, Some(0));
    assert_eq!(tree(&root), after, "the undoing is exact, too");
    let again = project.ralph(&["rollback", "--undo", "--yes"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(covered(&tree(&root)), covered(&before), "the undoing can be undone");
    let idle = project.ralph(&["rollback", "--yes"]);
    assert!(idle.code == Some(0) && idle.out.contains("everything is as it was"), "{}", idle.out);
}

#[test]
fn any_iteration_and_any_path_can_be_gone_back_to() {
    let project = project().agent(BUSY);
    let root = project.tree();
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "4"]).code, Some(3));
    let end = tree(&root);
    let files = || tree(&root).into_keys().collect::<Vec<_>>();

    let one = project.ralph(&["rollback", "--yes", "--to", "3", "made-4", "log.txt"]);
    assert_eq!(one.code, Some(0), "{}", one.err);
    assert_eq!(files(), ["log.txt", "made-1", "made-2", "made-3"]);
    assert_eq!(fs::read_to_string(root.join("log.txt")).unwrap(), "iteration 1\niteration 2\n");
    assert_eq!(project.ralph(&["rollback", "--undo", "--yes"]).code, Some(0));
    assert_eq!(tree(&root), end);

    assert_eq!(project.ralph(&["rollback", "--yes", "--to", "2"]).code, Some(0));
    assert_eq!(files(), ["log.txt", "made-1"]);
    assert_eq!(project.ralph(&["rollback", "--yes", "--to", "4"]).code, Some(0), "forwards, too");
    assert_eq!(files(), ["log.txt", "made-1", "made-2", "made-3"]);
    let told: Vec<_> = project
        .journal()
        .iter()
        .filter(|entry| entry["type"] == "rolled_back")
        .map(|e| e["iteration"].clone())
        .collect();
    assert_eq!(told, [3.into(), serde_json::Value::Null, 2.into(), 4.into()]);

    for (args, part) in [
        (["rollback", "--to", "9"], "iterations 1 to 4"),
        (["rollback", "--to", "0"], "iterations 1 to 4"),
        (["rollback", "--yes", "../../etc"], "not in the project"),
    ] {
        let refused = project.ralph(&args);
        assert_eq!(refused.code, Some(2), "{args:?}: {}", refused.out);
        assert!(refused.err.contains(part), "{args:?}: {}", refused.err);
    }
}

#[test]
fn a_rollback_is_told_as_json_and_any_snapshot_can_be_named() {
    let project = project().agent(BUSY);
    let root = project.tree();
    assert_eq!(project.ralph(&["run", "work", "--max-iterations", "2"]).code, Some(3));
    let end = tree(&root);
    let json = |args: &[&str]| -> serde_json::Value {
        let ran = project.ralph(&[&["rollback", "--json"], args].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    let dry = json(&["--to", "2", "--dry-run"]);
    let expected = serde_json::json!([
        {"path": "log.txt", "action": "change"}, {"path": "made-2", "action": "delete"}
    ]);
    assert_eq!((&dry["changes"], &dry["undo"], &dry["dry_run"]), (&expected, &().into(), &true.into()));
    assert_eq!(tree(&root), end);
    assert_eq!(project.ralph(&["rollback", "--json"]).code, Some(2), "nobody can be asked");
    let done = json(&["--to", "2", "--yes"]);
    assert_eq!((&done["changes"], &done["iteration"]), (&expected, &2.into()));
    assert_ne!(tree(&root), end);
    let undo = done["undo"].as_str().unwrap();
    json(&["--snapshot", &undo[..16], "--yes"]);
    assert_eq!(tree(&root), end);
    let unknown = project.ralph(&["rollback", "--snapshot", "zz", "--yes"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("no snapshot `zz`"), "{}", unknown.err);
}

#[test]
fn nothing_is_rolled_back_under_a_run_that_is_on() {
    let project = project().agent(crate::agents::HELD);
    let mut run = project.start(&["run", "do it"]);
    crate::agents::begun(&project, 1, 1);
    let before = tree(&project.tree());
    let refused = project.ralph(&["rollback", "--yes"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("ralph stop"), "{}", refused.err);
    assert_eq!(tree(&project.tree()), before);
    (1..=2).for_each(|iteration| crate::agents::let_go(&project, iteration));
    assert_eq!(run.end(PATIENCE).code, Some(0));
}

/// Leaves a mess in its first attempt and hangs; does its work in the second.
pub(crate) const TORN: &str = r#"
echo "iteration $RALPH_ITERATION" >> log.txt
if [ "$RALPH_ITERATION" = 2 ] && [ "$RALPH_ATTEMPT" = 1 ]; then
  rm made-1; echo half > half-done; touch ../torn; sleep 600
fi
echo "$RALPH_ITERATION" > "made-$RALPH_ITERATION"
[ "$RALPH_ITERATION" = 2 ] && echo "<promise>$RALPH_PROMISE</promise>"
exit 0
"#;

pub(crate) fn torn(project: &Project) {
    until(PATIENCE, "a mess", || project.base().join("torn").exists().then_some(()));
}

pub(crate) fn put_back_events(project: &Project) -> Vec<serde_json::Value> {
    project.journal().into_iter().filter(|entry| entry["type"] == "rolled_back").collect()
}

#[test]
fn an_attempt_that_was_killed_is_made_again_from_where_it_began() {
    let project = project().agent(TORN);
    let root = project.tree();
    let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
    torn(&project);
    run.kill();
    fs::write(root.join("by-hand.txt"), "a person's own, after the crash\n").unwrap();
    let mess = tree(&root);
    let ran = project.ralph(&["resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("half-done") && ran.out.contains("ralph rollback --undo"), "{}", ran.out);
    assert_eq!(tree(&root).into_keys().collect::<Vec<_>>(), ["log.txt", "made-1", "made-2"]);
    assert_eq!(fs::read_to_string(root.join("log.txt")).unwrap(), "iteration 1\niteration 2\n");
    let told = put_back_events(&project);
    assert_eq!(told.len(), 1);
    assert_eq!((&told[0]["why"], &told[0]["iteration"]), (&"torn".into(), &2.into()));
    assert_eq!(project.ralph(&["rollback", "--undo", "--yes"]).code, Some(0));
    assert_eq!(tree(&root), mess, "neither the work of the killed attempt nor a person's is lost");
}

#[test]
fn the_tree_of_a_killed_attempt_can_be_kept() {
    let project = project().agent(TORN);
    let root = project.tree();
    let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
    torn(&project);
    run.kill();
    let ran = project.ralph(&["resume", "--keep-tree"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(tree(&root).into_keys().collect::<Vec<_>>(), ["half-done", "log.txt", "made-2"]);
    assert_eq!(put_back_events(&project), Vec::<serde_json::Value>::new());
}

#[test]
fn an_aborted_attempt_is_put_back_when_it_is_resumed_and_not_before() {
    let project = project().agent(TORN);
    let root = project.tree();
    let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
    torn(&project);
    send(run.pid(), Signal::SIGINT);
    assert_eq!(run.end(PATIENCE).code, Some(130));
    assert!(root.join("half-done").exists(), "whoever aborts may want to look");
    assert_eq!(project.ralph(&["resume"]).code, Some(0));
    assert_eq!(tree(&root).into_keys().collect::<Vec<_>>(), ["log.txt", "made-1", "made-2"]);
}

#[test]
fn a_person_who_has_rolled_back_is_not_overruled_by_resume() {
    for (signal, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGKILL, None)] {
        let project = project().agent(TORN);
        let root = project.tree();
        let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
        torn(&project);
        send(run.pid(), signal);
        assert_eq!(run.end(PATIENCE).code, code);
        assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0), "{signal}");
        assert_eq!(tree(&root), Tree::new(), "{signal}");
        assert_eq!(project.ralph(&["resume"]).code, Some(0), "{signal}");
        assert_eq!(tree(&root).into_keys().collect::<Vec<_>>(), ["log.txt", "made-2"], "{signal}");
    }
}

#[test]
fn an_ordinary_failure_goes_on_with_what_is_there() {
    let script = "echo $RALPH_ATTEMPT >> tries; [ $RALPH_ATTEMPT -ge 3 ] || exit 1\n\
                  echo \"<promise>$RALPH_PROMISE</promise>\"";
    let project = project().agent(script);
    assert_eq!(project.ralph(&["run", "work"]).code, Some(0));
    assert_eq!(fs::read_to_string(project.tree().join("tries")).unwrap(), "1\n2\n3\n");
    assert_eq!(put_back_events(&project), Vec::<serde_json::Value>::new());
}
