//! What git ignores, asked of git itself: a restore neither deletes nor overwrites it, wherever the rule stands.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ralph_snapshot::{Options, Restore, Vault};
use tempfile::TempDir;

use crate::dice::Dice;
use crate::place::{bytes, tree};

const CASES: u64 = 120;
const NAMES: [&str; 9] = [".env", "x.log", "keep.log", "build", "src", "key", "a b", "out.txt", "deep"];
const PATTERNS: [&str; 20] = [
    ".env",
    "*.log",
    "!keep.log",
    "build/",
    "/app/.env",
    "app/build",
    "/src/*.log",
    "src/**/key",
    "**/deep/",
    "!/app/src/",
    "key",
    "/key",
    "a b",
    "a\\ b ",
    "out.t?t",
    "out.[a-t]xt",
    "packages/*/key",
    "# .env",
    "deep/*",
    "!deep/key",
];

/// A repository with a tree in it, and a vault beside it.
struct World {
    home: TempDir,
    /// The top of the work tree.
    top: PathBuf,
    root: PathBuf,
    own: PathBuf,
}

impl World {
    fn new(dice: &mut Dice) -> World {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().canonicalize().unwrap();
        let (main, own) = (path.join("main"), path.join("own"));
        fs::create_dir(&main).unwrap();
        run(&main, &["init", "-q"]);
        let mut top = main.clone();
        if dice.one_in(2) {
            let commit =
                ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "x"];
            run(&main, &commit);
            top = path.join("linked");
            run(&main, &["worktree", "add", "-q", top.to_str().unwrap()]);
        }
        let root = top.join(dice.pick(&["", "app", "packages/app"]));
        fs::create_dir_all(&root).unwrap();
        let mut rules = vec![own.clone(), main.join(".git/info/exclude"), root.join("src/.gitignore")];
        rules.extend(
            root.ancestors().take_while(|one| one.starts_with(&top)).map(|one| one.join(".gitignore")),
        );
        for file in rules {
            if dice.one_in(2) {
                let lines: Vec<&str> = (0..1 + dice.below(3)).map(|_| *dice.pick(&PATTERNS)).collect();
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, lines.join("\n")).unwrap();
            }
        }
        World { home, top, root, own }
    }

    fn vault(&self) -> Vault {
        let options = Options { excludes_file: Some(self.own.clone()), ..Options::default() };
        Vault::open(&self.home.path().join("vault"), &self.root, options).unwrap()
    }

    fn scatter(&self, dice: &mut Dice) {
        for _ in 0..12 {
            let mut path = self.root.clone();
            (0..1 + dice.below(3)).for_each(|_| path.push(dice.pick(&NAMES)));
            if dice.one_in(4) && path.is_file() {
                fs::remove_file(&path).unwrap();
            } else if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                fs::write(&path, dice.next().to_le_bytes()).unwrap();
            }
        }
    }

    /// Which of these paths below the root git ignores.
    fn ignored(&self, paths: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let mut git = Command::new("git");
        let own = format!("core.excludesFile={}", self.own.display());
        git.current_dir(&self.root).args(["-c", &own, "check-ignore", "--no-index", "--stdin", "-z"]);
        quiet(&mut git).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = git.spawn().unwrap();
        let asked: Vec<u8> =
            paths.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&asked).unwrap();
        drop(stdin);
        let answer = child.wait_with_output().unwrap();
        assert!(matches!(answer.status.code(), Some(0 | 1)), "{answer:?}");
        answer
            .stdout
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| bytes(path).into())
            .collect()
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        tree(&self.root).into_keys().filter(|path| !self.root.join(path).is_dir()).collect()
    }
}

fn run(directory: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    let done = quiet(git.current_dir(directory).args(args)).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// Without what whoever runs the test has configured.
fn quiet(git: &mut Command) -> &mut Command {
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null")
}

#[test]
fn what_git_ignores_is_left_alone_and_all_the_rest_comes_back() {
    let (mut spared, mut back) = (0, 0);
    for seed in 1..=CASES {
        let mut dice = Dice::new(seed);
        let world = World::new(&mut dice);
        let way = world.root.strip_prefix(&world.top).unwrap();
        let above = way.ancestors().filter(|one| !one.as_os_str().is_empty()).map(|one| world.top.join(one));
        if !world.ignored(&above.collect()).is_empty() {
            continue;
        }
        world.scatter(&mut dice);
        let vault = world.vault();
        let taken = vault.take().unwrap();
        let before = tree(&world.root);
        world.scatter(&mut dice);
        let changed = tree(&world.root);
        let named = before.keys().chain(changed.keys()).filter(|path| *path != Path::new(".git"));
        let ignored = world.ignored(&named.cloned().collect());
        let report = vault.restore(taken.id, &Restore::default()).unwrap();
        let after = world.files();
        for path in before.keys().chain(changed.keys()) {
            let what = format!("seed {seed}: {} {report:?}", path.display());
            let now = tree(&world.root).remove(path);
            if ignored.contains(path) {
                assert_eq!(now.as_ref(), changed.get(path), "{what}");
                spared += 1;
            } else if after.contains(path) || !world.root.join(path).is_dir() {
                assert_eq!(now.as_ref(), before.get(path), "{what}");
                back += 1;
            }
        }
    }
    assert!(spared > 100 && back > 100, "{spared} {back}");
}

#[test]
fn a_tree_that_the_repository_around_it_ignores_is_kept_all_the_same() {
    let home = tempfile::tempdir().unwrap();
    let top = home.path().join("top");
    let root = top.join("scratch");
    fs::create_dir_all(&root).unwrap();
    run(&top, &["init", "-q"]);
    fs::write(top.join(".gitignore"), "*\n").unwrap();
    fs::write(root.join("work"), "of hours").unwrap();
    let vault = Vault::open(&home.path().join("vault"), &root, Options::default()).unwrap();
    let taken = vault.take().unwrap();
    assert_eq!(taken.files, 1);
    fs::remove_file(root.join("work")).unwrap();
    vault.restore(taken.id, &Restore::default()).unwrap();
    assert!(root.join("work").exists());
}
