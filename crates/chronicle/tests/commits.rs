//! Commits by the real git.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod repository;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ralph_chronicle::{Committed, Committing, Declined, Ended, Next, Plan, Standing};
use repository::{Repository, id_of};

#[test]
fn only_what_the_task_changed_is_committed_and_what_is_staged_stays_staged() {
    let repository = Repository::with(&["kept", "changed", "removed", "moved", "staged"]);
    repository.write("changed", "2");
    repository.write("new/deep/file", "1");
    fs::remove_file(repository.path("removed")).unwrap();
    fs::rename(repository.path("moved"), repository.path("renamed")).unwrap();
    repository.write("staged", "staged");
    repository.write("also-staged", "staged");
    repository.git(&["add", "staged", "also-staged"]);
    repository.write("staged", "and changed since");
    repository.write("untracked", "mine");
    let task = ["changed", "new", "new/deep", "new/deep/file", "removed", "moved", "renamed", "kept"];
    let committed = repository.commit(&task, "feat: it's \"done\"\n\n# not a comment\n");
    let Committed::Made { id, paths, untidy: false } = committed else { panic!("{committed:?}") };
    assert_eq!(id, repository.git(&["rev-parse", "HEAD"]));
    let wanted = ["changed", "moved", "new/deep/file", "removed", "renamed"].map(PathBuf::from);
    assert_eq!(paths, wanted);
    assert_eq!(repository.git(&["log", "-1", "--format=%B"]), "feat: it's \"done\"\n\n# not a comment");
    assert_eq!(repository.status(), ["A  also-staged", "MM staged", "?? untracked"]);
    assert_eq!(repository.git(&["show", ":staged"]), "staged");
}

#[test]
fn the_first_commit_of_a_repository_can_be_made() {
    let repository = Repository::new();
    repository.write("a", "1");
    repository.write("mine", "1");
    repository.git(&["add", "mine"]);
    id_of(repository.commit(&["a"], "first"));
    assert_eq!(repository.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a");
    assert_eq!(repository.status(), ["A  mine"]);
}

#[test]
fn names_are_bytes() {
    let repository = Repository::with(&["plain"]);
    let names: [&[u8]; 6] =
        [b"line\nbreak", b"not utf-8 \xff\xfe", b":(glob)*", b"-rf", b" \"quoted\"\t", b"*"];
    for name in names {
        fs::write(repository.root().join(OsStr::from_bytes(name)), "1").unwrap();
    }
    repository.write("plain", "not of this task");
    let paths: Vec<PathBuf> = names.iter().map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    let committed = repository.perform(repository.request(paths.clone(), "odd"));
    let Committed::Made { paths: made, .. } = committed else { panic!("{committed:?}") };
    let sorted = |mut paths: Vec<PathBuf>| {
        paths.sort();
        paths
    };
    assert_eq!(sorted(made), sorted(paths.clone()));
    assert_eq!(repository.status(), [" M plain"]);
    for path in &paths {
        fs::remove_file(repository.root().join(path)).unwrap();
    }
    id_of(repository.perform(repository.request(paths, "gone")));
    assert_eq!(repository.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "plain");
}

#[test]
fn what_a_path_is_may_change() {
    let repository = Repository::with(&["file", "directory/a", "directory/b", "linked/c", "script"]);
    repository.write("mine", "1");
    repository.git(&["add", "mine"]);
    fs::remove_file(repository.path("file")).unwrap();
    repository.write("file/within", "1");
    fs::remove_dir_all(repository.path("directory")).unwrap();
    repository.write("directory", "1");
    fs::remove_dir_all(repository.path("linked")).unwrap();
    symlink("file", repository.path("linked")).unwrap();
    fs::set_permissions(repository.path("script"), fs::Permissions::from_mode(0o755)).unwrap();
    let task =
        ["file", "file/within", "directory", "directory/a", "directory/b", "linked", "linked/c", "script"];
    // First a hook that says no: the index is then as it was.
    repository.hook("pre-commit", "exit 1");
    let before = repository.status();
    assert!(matches!(repository.commit(&task, "x"), Committed::Refused { .. }));
    assert_eq!(repository.status(), before);
    repository.hook("pre-commit", "exit 0");
    id_of(repository.commit(&task, "x"));
    assert_eq!(repository.status(), ["A  mine"]);
    let tree = repository.git(&["ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD"]);
    assert_eq!(tree, "100644 directory\n100644 file/within\n120000 linked\n100755 script");
}

#[test]
fn a_hook_that_says_no_is_reported_and_nothing_is_lost() {
    let repository = Repository::with(&["a", "staged"]);
    repository.write("staged", "2");
    repository.git(&["add", "staged"]);
    repository.hook("pre-commit", "echo the linter objects; echo really >&2; exit 3");
    repository.write("a", "2");
    repository.write("new", "1");
    let before = repository.status();
    let committed = repository.commit(&["a", "new"], "x");
    let wanted = Committed::Refused {
        output: "the linter objects\nreally".to_owned(),
        hooks: vec!["pre-commit".to_owned()],
    };
    assert_eq!(committed, wanted);
    let told = "no commit: git refused it (hooks: pre-commit): the linter objects really";
    assert_eq!(committed.to_string(), told);
    assert_eq!(repository.status(), before);
    assert_eq!(fs::read_to_string(repository.path("new")).unwrap(), "1");
    // A message that its hook does not like is another reason.
    repository.hook("pre-commit", "exit 0");
    repository.hook("commit-msg", "grep -q '^feat: ' \"$1\" || { echo bad message; exit 1; }");
    let committed = repository.commit(&["a", "new"], "x");
    assert!(committed.to_string().ends_with("(hooks: pre-commit, commit-msg): bad message"), "{committed}");
    id_of(repository.commit(&["a", "new"], "feat: x"));
    assert_eq!(repository.status(), ["M  staged"]);
}

#[test]
fn what_a_hook_changes_is_in_the_commit_and_the_index_agrees() {
    let repository = Repository::with(&["a", "staged"]);
    repository.write("staged", "2");
    repository.git(&["add", "staged"]);
    repository.hook("pre-commit", "echo formatted > a; echo made > made; git add a made");
    repository.write("a", "2");
    let committed = repository.commit(&["a"], "x");
    let Committed::Made { paths, untidy: false, .. } = committed else { panic!("{committed:?}") };
    assert_eq!(paths, ["a", "made"].map(PathBuf::from));
    assert_eq!(repository.git(&["show", "HEAD:a"]), "formatted");
    assert_eq!(repository.status(), ["M  staged"]);
    // Globs mean in a hook what they mean to a person.
    repository.hook("pre-commit", "test \"$(git diff --cached --name-only -- '*.md')\" = b.md");
    repository.write("b.md", "1");
    id_of(repository.commit(&["b.md"], "y"));
}

#[test]
fn a_hook_that_hangs_is_ended_and_one_that_fails_afterwards_changes_nothing() {
    let repository = Repository::with(&["a"]);
    repository.write("a", "2");
    repository.write("new", "1");
    let before = repository.status();
    repository.hook("pre-commit", "exec sleep 600");
    let mut request = repository.request(vec!["a".into(), "new".into()], "x");
    request.timeout = std::time::Duration::from_millis(300);
    assert!(matches!(repository.perform(request.clone()), Committed::Overdue { lock: None }));
    assert_eq!(repository.status(), before);
    repository.hook("pre-commit", "exit 0");
    repository.hook("post-commit", "exec sleep 600");
    request.timeout = std::time::Duration::from_secs(2);
    id_of(repository.perform(request));
    assert!(repository.status().is_empty());
}

#[test]
fn a_tree_that_was_dirty_is_left_alone_unless_that_is_allowed() {
    let repository = Repository::with(&["a", "b"]);
    assert_eq!(repository.survey(), Standing::Clean);
    for own in [".ralph/progress.md", ".ralph/logs/1.log", ".ralph/.gitignore", "prd.json"] {
        repository.write(own, "1");
    }
    assert_eq!(repository.survey(), Standing::Clean);
    repository.write("untracked", "1");
    repository.write("b", "2");
    repository.git(&["add", "b"]);
    let dirty = Standing::Dirty { paths: vec!["b".into(), "untracked".into()], count: 2 };
    assert_eq!(repository.survey(), dirty);
    repository.write("a", "2");
    let mut request = repository.request(vec!["a".into()], "x");
    request.dirty_at_start = true;
    let declined = repository.perform(request.clone());
    assert_eq!(declined, Committed::Declined(Declined::DirtyAtStart));
    request.allow_dirty = true;
    id_of(repository.perform(request));
    assert_eq!(repository.status()[0], "M  b");
}

#[test]
fn what_is_ralphs_own_is_in_no_commit() {
    let repository = Repository::with(&["a"]);
    let own = [".ralph/progress.md", ".ralph/logs/1.log", "prd.json"];
    for path in own {
        repository.write(path, "1");
    }
    assert_eq!(repository.commit(&own, "x"), Committed::Nothing);
    repository.write("a", "2");
    repository.write(".ralph/config.toml", "");
    id_of(repository.commit(&[&own[..], &["a", ".ralph/config.toml"]].concat(), "x"));
    assert_eq!(repository.git(&["show", "--format=", "--name-only"]), ".ralph/config.toml\na");
}

#[test]
fn what_git_sees_no_change_in_is_nothing() {
    let repository = Repository::with(&["a", ".gitignore"]);
    repository.write(".gitignore", "ignored\n");
    repository.git(&["commit", "-qam", "rules"]);
    repository.write("ignored", "1");
    let head = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(repository.commit(&["a", "ignored", "never-there"], "x"), Committed::Nothing);
    assert_eq!(repository.commit(&["a"], " \n\0"), Committed::Declined(Declined::NoMessage));
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn where_no_commit_belongs_none_is_made() {
    let declined = |repository: &Repository| {
        repository.write("a", "task");
        match repository.commit(&["a"], "x") {
            Committed::Declined(why) => why,
            other => panic!("{other:?}"),
        }
    };
    let bare = tempfile::tempdir().unwrap();
    let none = Repository::at(bare.path());
    assert_eq!(declined(&none), Declined::NoRepository);
    assert_eq!(none.survey(), Standing::Unfit(Declined::NoRepository));

    let repository = Repository::with(&["a"]);
    repository.git(&["checkout", "-q", "--detach"]);
    assert_eq!(declined(&repository), Declined::Detached);

    let repository = Repository::with(&["a"]);
    repository.git(&["config", "user.useConfigOnly", "true"]);
    for name in ["user.name", "user.email"] {
        repository.git(&["config", "--unset", name]);
    }
    assert!(matches!(declined(&repository), Declined::NoIdentity { .. }));

    let repository = Repository::with(&["a"]);
    repository.write(".git/index.lock", "");
    let lock = repository.root().canonicalize().unwrap().join(".git/index.lock");
    assert_eq!(declined(&repository), Declined::Locked { path: lock });

    let repository = Repository::with(&["a"]);
    repository.write(".git/config", "[broken");
    assert!(matches!(declined(&repository), Declined::Unclear { .. }));
}

#[test]
fn a_command_that_cannot_be_performed_ends_the_plan() {
    let begun = || {
        let mut plan = Committing::new(Repository::new().request(vec!["a".into()], "x"));
        assert!(matches!(plan.begin(), Next::Perform(_)));
        plan
    };
    let why = "no such program".to_owned();
    let no_git = Next::Over(Committed::Declined(Declined::NoGit { why: why.clone() }));
    assert_eq!(begun().after(Ended::NotStarted { why }), no_git);
    for ended in [Ended::Overdue, Ended::TooMuch] {
        let next = begun().after(ended);
        assert!(matches!(next, Next::Over(Committed::Declined(Declined::Unclear { .. }))), "{next:?}");
    }
}

#[test]
fn what_a_person_is_in_the_middle_of_is_left_alone() {
    for (begin, what) in [
        (["rebase", "side"], "rebase"),
        (["merge", "side"], "merge"),
        (["cherry-pick", "side"], "cherry-pick"),
    ] {
        let repository = Repository::with(&["a", "b"]);
        repository.git(&["checkout", "-qb", "side"]);
        repository.write("a", "side");
        repository.git(&["commit", "-qam", "side"]);
        repository.git(&["checkout", "-q", "main"]);
        repository.write("a", "main");
        repository.git(&["commit", "-qam", "main"]);
        repository.fails(&begin);
        repository.write("b", "2");
        let before = (repository.status(), repository.git(&["rev-parse", "HEAD"]));
        assert_eq!(repository.commit(&["b"], "x"), Committed::Declined(Declined::InProgress { what }));
        assert_eq!((repository.status(), repository.git(&["rev-parse", "HEAD"])), before);
    }
}

#[test]
fn a_project_may_be_a_part_of_a_repository_or_a_linked_work_tree() {
    let repository = Repository::with(&["outer", "odd\nname/inner"]);
    let part = Repository::at(&repository.path("odd\nname"));
    repository.write("outer", "2");
    repository.write("odd\nname/.ralph/progress.md", "1");
    assert_eq!(part.survey(), Standing::Clean);
    part.write("inner", "2");
    part.write("outer", "another of that name");
    assert!(matches!(part.survey(), Standing::Dirty { count: 2, .. }));
    id_of(part.commit(&["inner", "outer", "../outer"], "x"));
    let left = [" M outer", "?? \"odd\\nname/.ralph/progress.md\""];
    assert_eq!(repository.status(), left);

    let home = tempfile::tempdir().unwrap();
    let linked = home.path().join("linked");
    repository.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let linked = Repository::at(&linked);
    linked.write("new", "1");
    let before = repository.git(&["rev-parse", "main"]);
    let id = id_of(linked.commit(&["new"], "y"));
    assert_eq!(repository.git(&["rev-parse", "side"]), id);
    assert_eq!(repository.git(&["rev-parse", "main"]), before);
    assert!(linked.status().is_empty());
}

#[test]
fn of_a_submodule_the_commit_is_recorded_and_nothing_else() {
    let library = Repository::with(&["code"]);
    let repository = Repository::with(&["a"]);
    let source = library.root().to_str().unwrap().to_owned();
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "sub"]);
    repository.git(&["commit", "-qm", "submodule"]);
    let sub = Repository::at(&repository.path("sub"));
    sub.write("code", "2");
    repository.write("a", "2");
    id_of(repository.commit(&["a", "sub/code"], "x"));
    assert_eq!(repository.git(&["show", "--format=", "--name-only"]), "a");
    sub.git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qam", "2"]);
    id_of(repository.commit(&["sub/code"], "y"));
    assert_eq!(repository.git(&["show", "--format=", "--name-only"]), "sub");
    // A repository that git does not know is not swallowed.
    fs::create_dir(repository.path("nested")).unwrap();
    let nested = Repository::init(&repository.path("nested"));
    nested.write("inner", "1");
    assert_eq!(repository.commit(&["nested", "nested/inner"], "z"), Committed::Nothing);
}

#[test]
fn a_repository_that_ralph_was_started_from_is_not_mistaken_for_the_projects() {
    let (repository, other) = (Repository::with(&["a"]), Repository::with(&["a"]));
    repository.write("a", "2");
    let git_dir = other.path(".git");
    let lead_astray = [("GIT_DIR", git_dir.clone()), ("GIT_INDEX_FILE", git_dir.join("index"))];
    let head = other.git(&["rev-parse", "HEAD"]);
    let request = repository.request(vec!["a".into()], "x");
    id_of(repository.perform_with(request, &lead_astray.map(|(key, value)| (key, value.into_os_string()))));
    assert_eq!(other.git(&["rev-parse", "HEAD"]), head);
    assert!(repository.status().is_empty());
}

#[test]
fn a_commit_is_signed_as_it_is_configured() {
    let repository = Repository::with(&["a"]);
    repository.write("a", "2");
    repository.git(&["config", "commit.gpgSign", "true"]);
    repository.git(&["config", "gpg.program", "false"]);
    let committed = repository.commit(&["a"], "x");
    let Committed::Refused { output, hooks } = committed else { panic!("{committed:?}") };
    assert!(output.contains("failed to sign") && hooks.is_empty(), "{output}");
    assert_eq!(repository.status(), [" M a"]);
    assert!(Path::new(&repository.path("a")).is_file());
}
