//! A repository is the agent's as much as anybody's: nothing that its configuration names is ever run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ralph_testkit::{PATIENCE, Project, until};

use crate::project;
use crate::time::{git, tree};

/// Every key with a command that git would run; `PLANT` leaves a mark of the name that follows it.
const CONFIG: &str = r#"
[core]
    fsmonitor = PLANT core.fsmonitor
    hooksPath = HOOKS
    pager = PLANT core.pager
    editor = PLANT core.editor
    sshCommand = PLANT core.sshCommand
    askPass = PLANT core.askPass
    gitProxy = PLANT core.gitProxy
    alternateRefsCommand = PLANT core.alternateRefsCommand
[sequence]
    editor = PLANT sequence.editor
[diff]
    external = PLANT diff.external
[diff "planted"]
    command = PLANT diff.command
    textconv = PLANT diff.textconv
[filter "planted"]
    clean = PLANT filter.clean
    smudge = PLANT filter.smudge
    required = true
[filter "process"]
    process = PLANT filter.process
[merge "planted"]
    driver = PLANT merge.driver
[mergetool "planted"]
    cmd = PLANT mergetool.cmd
[difftool "planted"]
    cmd = PLANT difftool.cmd
[interactive]
    diffFilter = PLANT interactive.diffFilter
[commit]
    gpgSign = true
[gpg]
    program = PLANT gpg.program
[gpg "ssh"]
    program = PLANT gpg.ssh.program
[credential]
    helper = !PLANT credential.helper
[uploadpack]
    packObjectsHook = PLANT uploadpack.packObjectsHook
[alias]
    status = !PLANT alias.status
    st = !PLANT alias.st
[pager]
    status = PLANT pager.status
    diff = PLANT pager.diff
    log = PLANT pager.log
[browser "planted"]
    cmd = PLANT browser.cmd
[sendemail]
    sendmailCmd = PLANT sendemail.sendmailCmd
[trailer "planted"]
    command = PLANT trailer.command
[protocol "ext"]
    allow = always
[remote "origin"]
    url = ext::PLANT remote.url
    fetch = +refs/heads/*:refs/remotes/origin/*
[include]
    path = INCLUDED
"#;

const INCLUDED: &str =
    "[core]\n    fsmonitor = PLANT include.fsmonitor\n[diff]\n    external = PLANT include.diff\n";

const HOOKS: [&str; 9] = [
    "pre-commit",
    "post-commit",
    "post-checkout",
    "post-index-change",
    "post-merge",
    "pre-push",
    "reference-transaction",
    "fsmonitor-watchman",
    "pre-auto-gc",
];

/// Changes files without git; is done in its second iteration, and hangs there once.
const AGENT: &str = r#"
echo "iteration $RALPH_ITERATION" >> file.txt
echo new > "made-$RALPH_ITERATION"
if [ "$RALPH_ITERATION" = 2 ] && [ ! -e ../hung ]; then touch ../hung; sleep 600; fi
[ "$RALPH_ITERATION" -ge 2 ] && echo "<promise>$RALPH_PROMISE</promise>"
exit 0
"#;

fn marks(project: &Project) -> BTreeSet<String> {
    let names = fs::read_dir(project.base().join("marks")).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn planted() -> Project {
    let project = project().agent(AGENT);
    let (root, base) = (project.tree(), project.base().to_owned());
    fs::create_dir(base.join("marks")).unwrap();
    let plant = project.script("plant.sh", &format!("echo x > {}/marks/\"$1\"; exit 1", base.display()));
    git(&root, &["init", "-q"]);
    fs::write(root.join("file.txt"), "one\n").unwrap();
    fs::write(
        root.join(".gitattributes"),
        "*.txt filter=planted diff=planted merge=planted\nmade* filter=process\n",
    )
    .unwrap();
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "one"]);
    fs::write(root.join("file.txt"), "one\nby hand\n").unwrap();
    let hooks = base.join("hooks");
    fs::create_dir(&hooks).unwrap();
    for dir in [&hooks, &root.join(".git/hooks")] {
        HOOKS.iter().for_each(|hook| plant_hook(dir, hook, &plant));
    }
    let fill = |text: &str| {
        let text = text.replace("PLANT", plant.to_str().unwrap()).replace("HOOKS", hooks.to_str().unwrap());
        text.replace("INCLUDED", base.join("included").to_str().unwrap())
    };
    fs::write(base.join("included"), fill(INCLUDED)).unwrap();
    let config = root.join(".git/config");
    fs::write(&config, fs::read_to_string(&config).unwrap() + &fill(CONFIG)).unwrap();
    project
}

fn plant_hook(dir: &Path, hook: &str, plant: &Path) {
    let path = dir.join(hook);
    fs::create_dir_all(dir).unwrap();
    fs::write(&path, format!("#!/bin/sh\nexec {} hook.{hook}\n", plant.display())).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// The plants do bite whoever runs git there.
fn bites(project: &Project) {
    let copy: PathBuf = project.base().join("copy");
    let copied = Command::new("cp").arg("-r").arg(project.tree()).arg(&copy).status().unwrap();
    assert!(copied.success());
    for args in [&["status"][..], &["diff"], &["add", "-A"], &["commit", "-qm", "x"], &["st"], &["fetch"]] {
        let _whatever_comes_of_it = Command::new("git").current_dir(&copy).args(args).output().unwrap();
    }
    let bitten = marks(project);
    assert!(bitten.len() >= 5, "only {bitten:?} were run by git itself");
    for mark in bitten {
        fs::remove_file(project.base().join("marks").join(mark)).unwrap();
    }
}

#[test]
fn nothing_that_a_repository_names_is_run_by_any_command() {
    let keys = CONFIG.matches("PLANT").count();
    assert!(keys >= 25, "{keys} keys");
    let project = planted();
    bites(&project);
    let git_dir = project.tree().join(".git");
    let before = tree(&git_dir);
    let clean = |what: &str| {
        assert_eq!(marks(&project), BTreeSet::new(), "{what} ran something");
        assert_eq!(tree(&git_dir), before, "{what} touched .git");
    };

    let mut run = project.start(&["run", "work", "--max-iterations", "3"]);
    until(PATIENCE, "the second iteration", || project.base().join("hung").exists().then_some(()));
    run.kill();
    clean("run");
    for (args, code) in [
        (&["status"][..], Some(0)),
        (&["resume"], Some(0)),
        (&["status", "--json"], Some(0)),
        (&["status", "--list"], Some(0)),
        (&["logs"], Some(0)),
        (&["replay", "--speed", "1000"], None),
        (&["rollback", "--dry-run"], Some(0)),
        (&["rollback", "--yes"], Some(0)),
        (&["rollback", "--undo", "--yes"], Some(0)),
        (&["rollback", "--to", "2", "--yes"], Some(0)),
        (&["fork", "2", "--yes"], Some(0)),
        (&["run", "again", "--criteria", "custom=true", "--require", "criteria,promise", "--yes"], Some(0)),
        (&["run", "again", "--max-iterations", "1", "--on-failure", "restore"], Some(3)),
        // Whatever a command of this name comes to.
        (&["snapshots"], None),
        (&["diff", "1"], None),
        (&["why"], None),
        (&["inbox"], None),
        (&["agents"], Some(0)),
        (&["config", "show"], Some(0)),
        (&["trust", "--yes"], None),
        (&["doctor"], None),
    ] {
        let ran = project.ralph(args);
        assert!(code.is_none() || ran.code == code, "{args:?}: {:?} {}{}", ran.code, ran.out, ran.err);
        clean(&args.join(" "));
    }
}

#[test]
fn nothing_that_a_repository_names_is_run_for_a_work_tree() {
    let project = planted();
    bites(&project);
    fs::write(project.base().join("hung"), "").unwrap();
    let tree = project.base().join("apart");
    let ran = project.ralph(&["run", "work", "--max-iterations", "3", "--worktree=../apart"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(marks(&project), BTreeSet::new(), "the work tree ran something");
    assert!(ran.out.contains("are not run (planted, process)"), "{}", ran.out);
    let file = fs::read_to_string(tree.join("file.txt")).unwrap();
    assert_eq!(file, "one\niteration 1\niteration 2\n");
    let refused = project.ralph(&["run", "work", "--agent", "nobody", "--worktree=../other"]);
    assert_eq!(refused.code, Some(2), "{}{}", refused.out, refused.err);
    assert!(!project.base().join("other").exists());
    assert_eq!(marks(&project), BTreeSet::new(), "its removal ran something");
}
