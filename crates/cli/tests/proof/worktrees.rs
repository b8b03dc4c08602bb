//! A run in a work tree of its own, beside whatever goes on in the project.

use std::fs;
use std::path::{Path, PathBuf};

use ralph_testkit::{PATIENCE, Project, Ran, until};

use crate::agents::DONE;
use crate::project;
use crate::time::git;

/// Waits in the project, and is done at once anywhere else.
const HELD_AT_HOME: &str = r#"
case "$PWD" in
*/tree) touch ../begun; until [ -e ../go ]; do sleep 0.05; done ;;
*) echo made > made.txt ;;
esac
echo "<promise>$RALPH_PROMISE</promise>"
"#;

fn repository(agent: &str) -> Project {
    let project = project().agent(agent);
    let root = project.tree();
    git(&root, &["init", "-q"]);
    fs::write(root.join("file.txt"), "one\n").unwrap();
    commit(&root);
    project
}

fn commit(root: &Path) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "more"]);
}

/// The work trees beside the project, with the branches that are ralph's.
fn made(project: &Project) -> (Vec<PathBuf>, String) {
    let beside = fs::read_dir(project.base()).unwrap().map(|entry| entry.unwrap().path());
    let is_made = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("tree-ralph-");
    (beside.filter(is_made).collect(), git(&project.tree(), &["branch", "--list", "ralph/*"]))
}

fn nothing_made(project: &Project, ran: &Ran) {
    assert_eq!(made(project), (Vec::new(), String::new()), "{}{}", ran.out, ran.err);
}

fn only(project: &Project) -> PathBuf {
    let (trees, _) = made(project);
    assert_eq!(trees.len(), 1, "{trees:?}");
    trees[0].clone()
}

fn ralph_in(project: &Project, dir: &Path, args: &[&str]) -> Ran {
    project.command(args).current_dir(dir).output().unwrap().into()
}

#[test]
fn beside_a_run_that_goes_on_another_has_a_directory_and_a_branch_of_its_own() {
    let project = repository(HELD_AT_HOME);
    let mut first = project.start(&["run", "wait"]);
    until(PATIENCE, "the first run", || project.base().join("begun").exists().then_some(()));
    let id = project.run_id().unwrap();
    let refused = project.ralph(&["run", "make it"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains(&id) && refused.err.contains("--worktree"), "{}", refused.err);
    nothing_made(&project, &refused);

    let ran = project.ralph(&["run", "make it", "--worktree"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let tree = only(&project);
    let name = tree.file_name().unwrap().to_string_lossy().into_owned();
    let branch = format!("ralph/{}", name.strip_prefix("tree-ralph-").unwrap());
    let home = project.tree().canonicalize().unwrap();
    for part in [
        format!("works in {}, on the new branch {branch}", tree.canonicalize().unwrap().display()),
        "what was changed is not committed".to_owned(),
        format!("git -C {} merge {branch}", home.display()),
        format!("git -C {} worktree remove ", home.display()),
    ] {
        assert!(ran.out.contains(&part), "{part} in {}", ran.out);
    }
    assert_eq!(git(&tree, &["branch", "--show-current"]), branch);
    assert!(tree.join("made.txt").exists() && !project.tree().join("made.txt").exists());
    let there = ralph_in(&project, &tree, &["status"]);
    assert!(there.out.contains("make it") && there.out.contains("completed"), "{}{}", there.out, there.err);
    assert_eq!(project.run_id().unwrap(), id, "the project has its own run");
    fs::write(project.base().join("go"), "").unwrap();
    assert_eq!(first.end(PATIENCE).code, Some(0));
}

#[test]
fn beside_a_loop_in_a_session() {
    let project = repository(DONE);
    assert_eq!(
        project.ralph(&["loop", "start", "--host", "claude", "--session", "s1", "--", "x"]).code,
        Some(0)
    );
    let refused = project.ralph(&["run", "y"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--force") && refused.err.contains("--worktree"), "{}", refused.err);
    let wanted = project.base().join("elsewhere");
    let ran = project.ralph(&["run", "y", &format!("--worktree={}", wanted.display())]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(wanted.join("file.txt").exists());
}

#[test]
fn what_cannot_be_had_is_refused_and_nothing_is_made() {
    let refused = |project: &Project, flag: &str, why: &str| {
        let ran = project.ralph(&["run", "x", flag]);
        assert_eq!(ran.code, Some(2), "{flag}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(why) && ran.err.contains("next:"), "{flag}: {}", ran.err);
        ran
    };
    let bare = project().agent(DONE);
    refused(&bare, "--worktree", "needs a git repository");
    assert_eq!(fs::read_dir(bare.base()).unwrap().count(), 4, "agent, tree, config and runtime alone");
    git(&bare.tree(), &["init", "-q"]);
    refused(&bare, "--worktree", "nothing is committed here");

    let project = repository(DONE);
    fs::create_dir(project.base().join("there")).unwrap();
    for (flag, why) in [
        ("--worktree=../there", "this is there already"),
        ("--worktree=inside", "inside the tree"),
        ("--worktree=../no/such", "no directory for it"),
    ] {
        let ran = refused(&project, flag, why);
        nothing_made(&project, &ran);
    }
    // What is wrong with the run itself is found in the work tree, which does not stay for it.
    for args in [&["run", "x", "--agent", "nobody"][..], &["run", "--prd", "missing.json"], &["run"]] {
        let args = [args, &["--worktree"]].concat();
        let ran = project.ralph(&args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("removed again"), "{}", ran.err);
        nothing_made(&project, &ran);
    }
    let states = fs::read_dir(project.state_home().join("ralph/projects")).unwrap().count();
    assert_eq!(states, 1, "nothing is kept of what was removed");
}

#[test]
fn what_is_not_committed_stays_at_home() {
    let project = repository(DONE);
    let root = project.tree();
    fs::create_dir(root.join(".ralph")).unwrap();
    fs::write(root.join(".ralph/config.toml"), "max_iterations = 3\n").unwrap();
    fs::write(root.join("file.txt"), "two\n").unwrap();
    let ran = project.ralph(&["run", "x", "--worktree"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("2 uncommitted files of ") && ran.out.contains("file.txt"), "{}", ran.out);
    assert!(ran.out.contains(".ralph/config.toml is not committed"), "{}", ran.out);
    assert_eq!(fs::read_to_string(only(&project).join("file.txt")).unwrap(), "one\n");
}

#[test]
fn a_run_that_was_killed_goes_on_there() {
    let held = r#"touch ../begun; until [ -e ../go ]; do sleep 0.05; done; echo "<promise>$RALPH_PROMISE</promise>""#;
    let project = repository(held);
    let mut run = project.start(&["run", "x", "--worktree"]);
    until(PATIENCE, "its agent", || project.base().join("begun").exists().then_some(()));
    run.kill();
    fs::write(project.base().join("go"), "").unwrap();
    let tree = only(&project);
    let ran = ralph_in(&project, &tree, &["resume"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains(" merge ralph/"), "{}", ran.out);
    assert_eq!(project.ralph(&["status"]).code, Some(4), "the project itself has no run");
}

#[test]
fn what_was_trusted_is_trusted_if_it_is_the_same() {
    let project = repository(DONE);
    let root = project.tree();
    let config = |text: &str| fs::write(root.join(".ralph/config.toml"), text).unwrap();
    fs::create_dir(root.join(".ralph")).unwrap();
    config("[[check]]\nname = \"one\"\ncommand = \"true\"\ncriterion = \"custom\"\n");
    commit(&root);
    let refused = project.ralph(&["run", "x", "--worktree"]);
    assert_eq!(refused.code, Some(2), "{}{}", refused.out, refused.err);
    assert!(
        refused.err.contains("`ralph trust`") && !refused.err.contains("removed again"),
        "{}",
        refused.err
    );
    nothing_made(&project, &refused);
    assert_eq!(project.ralph(&["trust", "--yes"]).code, Some(0));
    let ran = project.ralph(&["run", "x", "--worktree"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    git(&root, &["worktree", "remove", "--force", only(&project).to_str().unwrap()]);
    let branch = git(&root, &["branch", "--list", "ralph/*", "--format=%(refname:short)"]);
    git(&root, &["branch", "-q", "-D", &branch]);

    config("[[check]]\nname = \"two\"\ncommand = \"touch ../bitten\"\ncriterion = \"custom\"\n");
    commit(&root);
    config("[[check]]\nname = \"one\"\ncommand = \"true\"\ncriterion = \"custom\"\n");
    let refused = project.ralph(&["run", "x", "--worktree"]);
    assert_eq!(refused.code, Some(2), "{}{}", refused.out, refused.err);
    let place = root.canonicalize().unwrap().join(".ralph/config.toml");
    assert!(refused.err.contains(place.to_str().unwrap()), "{}", refused.err);
    assert!(
        refused.err.contains("touch ../bitten") && refused.err.contains("removed again"),
        "{}",
        refused.err
    );
    nothing_made(&project, &refused);
    assert!(!project.base().join("bitten").exists());
}

#[test]
fn a_project_below_the_top_is_the_same_one_in_the_work_tree() {
    let project = repository(&format!("pwd > where; {DONE}"));
    let app = project.tree().join("app");
    fs::create_dir_all(app.join("src")).unwrap();
    fs::write(app.join("src/main.rs"), "").unwrap();
    commit(&project.tree());
    fs::create_dir(app.join(".ralph")).unwrap();
    let ran = ralph_in(&project, &app.join("src"), &["run", "x", "--worktree"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let there = only(&project).join("app");
    let told = fs::read_to_string(there.join("where")).unwrap();
    assert_eq!(Path::new(told.trim()).canonicalize().unwrap(), there.canonicalize().unwrap());
}

#[test]
fn notes_and_the_backlog_that_ralph_keeps_are_the_projects() {
    let project = repository(DONE);
    assert_eq!(project.ralph(&["memory", "add", "the exporter listens on port 8080"]).code, Some(0));
    assert_eq!(project.ralph(&["tasks", "add", "Mend the roof"]).code, Some(0));
    let ran = project.ralph(&["run", "--worktree"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("1 of 1 task completed"), "{}", ran.out);
    let tree = only(&project);
    let found = ralph_in(&project, &tree, &["memory", "search", "exporter port"]);
    assert!(found.out.contains("8080"), "{}{}", found.out, found.err);
    let added = ralph_in(&project, &tree, &["memory", "add", "the importer listens on port 9090"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let found = project.ralph(&["memory", "search", "importer port"]);
    assert!(found.out.contains("9090"), "{}{}", found.out, found.err);
}
