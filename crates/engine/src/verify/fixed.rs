//! What the checks consist of: its content at the start, and what has become of it since.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::fcntl::OFlag;
use ralph_core::check::{CheckResult, Verification};
use ralph_core::judge::Shown;
use ralph_core::run::Baseline;

use super::protect::protected;

/// What a file that is not there is said to contain.
const ABSENT: &str = "absent";
/// In place of the content of a file that the checks themselves make or change.
const RESTLESS: &str = "restless";
/// No document that has parts is longer.
const LONGEST_DOCUMENT: u64 = 16 << 20;

/// The content of every file that a check is defined in or that is protected, by its name.
pub(crate) fn contents(root: &Path, verification: &Verification) -> BTreeMap<String, String> {
    let defined = verification.checks.iter().flat_map(|check| &check.defined_in);
    let mut fixed: BTreeMap<String, String> =
        defined.map(|name| (name.clone(), content(root, name))).collect();
    for path in protected(root, &verification.protect) {
        fixed.insert(path.to_string_lossy().into_owned(), told(pointing(&root.join(path))));
    }
    fixed
}

/// What stays the same while checks run; what they change themselves can tell nothing of what others do.
pub(crate) fn settled(
    before: BTreeMap<String, String>,
    mut after: BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    for (name, content) in before {
        let now = after.entry(name).or_insert_with(|| ABSENT.to_owned());
        if *now != content {
            RESTLESS.clone_into(now);
        }
    }
    after
}

/// The names of what the checks change themselves.
pub(crate) fn restless(fixed: &BTreeMap<String, String>) -> Vec<&str> {
    fixed.iter().filter(|(_, content)| *content == RESTLESS).map(|(name, _)| name.as_str()).collect()
}

/// What a file, or the part of one that is named behind a `#`, contains: the same for the same content.
pub fn content(root: &Path, name: &str) -> String {
    let (path, part) = name.split_once('#').map_or((name, None), |(path, part)| (path, Some(part)));
    told(digest(&root.join(path), part))
}

fn told(digest: io::Result<String>) -> String {
    match digest {
        Ok(digest) => digest,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            ABSENT.to_owned()
        }
        Err(error) => format!("unreadable: {}", error.kind()),
    }
}

/// Of a link also where it points to: who turns it elsewhere has changed it.
fn pointing(path: &Path) -> io::Result<String> {
    match fs::read_link(path) {
        Ok(target) => Ok(format!("{} behind {}", told(digest(path, None)), target.display())),
        Err(_) => digest(path, None),
    }
}

fn digest(path: &Path, part: Option<&str>) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    // A device may never end, and opening one may already do something.
    if !metadata.is_file() {
        return Ok("not a file".to_owned());
    }
    // Whoever opens a pipe, should one be there by now, waits for somebody to write into it.
    let mut file = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    let mut whole = blake3::Hasher::new();
    if let Some(part) = part.filter(|_| metadata.len() <= LONGEST_DOCUMENT) {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        match part_of(path, &bytes, part) {
            Ok(Some(text)) => return Ok(blake3::hash(text.as_bytes()).to_string()),
            Ok(None) => return Ok(ABSENT.to_owned()),
            Err(Unreadable) => whole.update(&bytes),
        };
    } else {
        whole.update_reader(file)?;
    }
    Ok(whole.finalize().to_string())
}

/// The document does not say where its parts are.
struct Unreadable;

fn part_of(path: &Path, bytes: &[u8], part: &str) -> Result<Option<String>, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable)?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(value_at(serde_json::from_str(text).map_err(|_| Unreadable)?, part)),
        Some("toml") => Ok(value_at(toml::from_str(text).map_err(|_| Unreadable)?, part)),
        Some(_) | None => {
            let mut is_in_it = false;
            let lines = text.lines().filter(|line| {
                if let Some(heading) = line.strip_prefix('[') {
                    // `[mypy-shop.*]` belongs to `[mypy]`.
                    let rest = heading.strip_prefix(part);
                    is_in_it = rest.is_some_and(|rest| rest.starts_with([']', '-']));
                }
                is_in_it
            });
            let lines: Vec<&str> = lines.collect();
            Ok((!lines.is_empty()).then(|| lines.join("\n")))
        }
    }
}

/// In an order of its own, whatever the document's.
fn value_at(mut document: serde_json::Value, part: &str) -> Option<String> {
    document.sort_all_objects();
    part.split('.').try_fold(&document, |value, key| value.get(key)).map(ToString::to_string)
}

/// What was changed of what the checks consist of, in words.
pub(crate) fn changes(baseline: &Baseline, now: &BTreeMap<String, String>) -> Vec<String> {
    let fixed = baseline.fixed.iter().filter(|(_, content)| *content != RESTLESS);
    let changed = fixed.filter_map(|(name, before)| {
        let what = match now.get(name).map_or(ABSENT, String::as_str) {
            after if after == before => return None,
            ABSENT => "removed",
            _ if before == ABSENT => "added",
            _ => "changed",
        };
        Some(format!("{name} is part of the checks and was {what}"))
    });
    changed.collect()
}

/// What stands under a protected pattern and did not at the start: test runners load such files by themselves.
pub(crate) fn additions(baseline: &Baseline, now: &BTreeMap<String, String>) -> Vec<String> {
    let added = now.keys().filter(|name| !baseline.fixed.contains_key(*name));
    added.map(|name| format!("{name} is protected and was added")).collect()
}

/// What checks that pass have lost.
pub(crate) fn vanished(baseline: &Baseline, checks: &[Shown]) -> Vec<String> {
    checks.iter().filter_map(|check| fewer_tests(baseline, &check.result)).collect()
}

/// A check that passes and runs fewer tests than before. While it fails, tests may be missing because of that.
fn fewer_tests(baseline: &Baseline, check: &CheckResult) -> Option<String> {
    let (before, now) = (*baseline.tests.get(&check.name)?, check.tests?);
    (check.passed && now < before)
        .then(|| format!("{} ran {before} tests at the start and runs {now} now", check.name))
}

#[cfg(test)]
mod tests {
    use super::{additions, changes, contents, restless, settled, vanished};
    use ralph_core::check::{Check, CheckExit, CheckResult, Command, Criterion, Failing, Verification};
    use ralph_core::judge::Shown;
    use ralph_core::run::Baseline;
    use std::collections::BTreeMap;
    use std::fs;
    use std::time::Duration;
    use tempfile::TempDir;

    fn verification(defined_in: &[&str], protect: &[&str]) -> Verification {
        let owned = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let check = Check {
            name: "test_pass".to_owned(),
            criterion: Criterion::TestPass,
            command: Command::Shell("npm test".to_owned()),
            dir: None,
            env: BTreeMap::new(),
            timeout: Duration::from_secs(1),
            defined_in: owned(defined_in),
        };
        Verification { checks: vec![check], protect: owned(protect), ..Verification::default() }
    }

    fn laid(files: &[(&str, &str)]) -> TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in the directory")).expect("a directory");
            fs::write(path, text).expect("writes");
        }
        dir
    }

    #[test]
    fn neither_a_pipe_nor_a_device_is_waited_for() {
        let dir =
            laid(&[("Makefile", "test:"), ("tests/a", "one"), ("tests/b", "two"), ("tests/c", "three")]);
        let root = dir.path().to_owned();
        let verification = verification(&["Makefile", "GNUmakefile", "x/y#z"], &["tests/*"]);
        let baseline = Baseline { tests: BTreeMap::new(), fixed: contents(&root, &verification) };
        for name in ["Makefile", "tests/a", "tests/b", "tests/c"] {
            fs::remove_file(root.join(name)).expect("removes");
        }
        for name in ["Makefile", "GNUmakefile", "tests/a"] {
            nix::unistd::mkfifo(&root.join(name), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        }
        std::os::unix::fs::symlink("/dev/zero", root.join("tests/b")).expect("a link");
        std::os::unix::fs::symlink("nowhere", root.join("tests/c")).expect("a link");
        let (say, hear) = std::sync::mpsc::channel();
        // Whoever hangs on a pipe is left behind: nothing else would end this test.
        std::thread::spawn(move || say.send(changes(&baseline, &contents(&root, &verification))));
        let found = hear.recv_timeout(Duration::from_secs(20)).expect("nothing is waited for");
        assert_eq!(
            found,
            [
                "GNUmakefile is part of the checks and was added",
                "Makefile is part of the checks and was changed",
                "tests/a is part of the checks and was changed",
                "tests/b is part of the checks and was changed",
                "tests/c is part of the checks and was changed",
            ]
        );
    }

    #[test]
    fn a_part_of_a_file_is_compared_alone() {
        let dir = laid(&[]);
        let content = |file: &str, text: &str, part: &str| {
            fs::write(dir.path().join(file), text).expect("writes");
            super::content(dir.path(), &format!("{file}#{part}"))
        };
        let same = |file: &str, part: &str, one: &str, other: &str| {
            content(file, one, part) == content(file, other, part)
        };
        assert!(same(
            "a.json",
            "jest",
            r#"{"jest":{"a":1,"b":2},"x":1}"#,
            r#"{"x":2, "jest":{"b":2,"a":1}}"#
        ));
        assert!(!same("a.json", "jest", r#"{"jest":{"a":1}}"#, r#"{"jest":{"a":2}}"#));
        let ruff = "[tool.ruff]\nline-length = 80\n";
        assert!(same("a.toml", "tool.ruff", ruff, &format!("[project]\nname = \"x\"\n{ruff}")));
        assert!(!same("a.toml", "tool.ruff", ruff, &format!("{ruff}[tool.ruff.lint]\nselect = []\n")));
        let mypy = "[mypy]\nstrict = True\n";
        assert!(same("a.cfg", "mypy", mypy, &format!("[metadata]\nname = x\n{mypy}[flake8]\nx = 1\n")));
        assert!(!same("a.cfg", "mypy", mypy, &format!("{mypy}[mypy-shop.*]\nignore_errors = True\n")));
        assert!(!same("a.cfg", "mypy", mypy, "[mypy]\nstrict = False\n"));
        assert_eq!(content("a.cfg", "[mypyc]\n", "mypy"), super::ABSENT);
        assert!(!same("a.toml", "tool.ruff", "[tool.ruff", "[tool.ruff # broken"), "all of it, then");
    }

    #[test]
    fn a_check_that_passes_with_fewer_tests_was_tampered_with() {
        let baseline =
            Baseline { tests: BTreeMap::from([("test_pass".to_owned(), 6)]), fixed: BTreeMap::new() };
        let found = |passed: bool, tests: Option<u64>| {
            let result = CheckResult {
                name: "test_pass".to_owned(),
                criterion: Criterion::TestPass,
                command: "npm test".to_owned(),
                exit: CheckExit::Code { code: i32::from(!passed) },
                passed,
                counts: None,
                tests,
                failures: Vec::new(),
                failing: Failing::default(),
                duration_ms: 1,
                tail: String::new(),
            };
            vanished(&baseline, &[Shown { result, output: String::new() }])
        };
        assert_eq!(found(true, Some(5)), ["test_pass ran 6 tests at the start and runs 5 now"]);
        assert!(found(true, Some(6)).is_empty());
        assert!(found(false, Some(5)).is_empty(), "what does not compile runs no test");
        assert!(found(true, None).is_empty(), "nothing is known");
    }

    #[test]
    fn what_the_checks_consist_of_cannot_change_unseen() {
        let package = r#"{"scripts":{"test":"jest"},"dependencies":{}}"#;
        let dir = laid(&[("package.json", package), ("tests/a.js", "one"), ("tests/b.js", "two")]);
        let root = dir.path();
        let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("writes");
        let verification = verification(&["package.json#scripts"], &["tests/**"]);
        let baseline = Baseline { tests: BTreeMap::new(), fixed: contents(root, &verification) };
        let found = || changes(&baseline, &contents(root, &verification));
        write("package.json", r#"{"scripts":{"test":"jest"},"dependencies":{"left":"1"}}"#);
        write("src.js", "new");
        assert!(found().is_empty(), "a dependency is no check");
        write("package.json", r#"{"scripts":{"test":"true"},"dependencies":{}}"#);
        write("tests/a.js", "changed");
        fs::remove_file(root.join("tests/b.js")).expect("removes");
        write("tests/c.js", "new");
        assert_eq!(
            found(),
            [
                "package.json#scripts is part of the checks and was changed",
                "tests/a.js is part of the checks and was changed",
                "tests/b.js is part of the checks and was removed",
            ]
        );
    }

    #[test]
    fn what_is_new_among_the_protected_is_told() {
        let dir = laid(&[("tests/a", "one"), ("tests/__pycache__/a.pyc", "x")]);
        let verification = verification(&[], &["tests"]);
        let baseline = Baseline { tests: BTreeMap::new(), fixed: contents(dir.path(), &verification) };
        fs::write(dir.path().join("tests/conftest.py"), "exit").expect("writes");
        fs::write(dir.path().join("tests/__pycache__/b.pyc"), "x").expect("writes");
        let now = contents(dir.path(), &verification);
        assert_eq!(additions(&baseline, &now), ["tests/conftest.py is protected and was added"]);
        assert!(changes(&baseline, &now).is_empty());
    }

    #[test]
    fn what_the_checks_change_themselves_tells_nothing() {
        let dir = laid(&[("tests/a", "one"), ("tests/report", "old"), ("tests/gone", "x")]);
        let (root, verification) = (dir.path(), verification(&[], &["tests"]));
        let before = contents(root, &verification);
        fs::write(root.join("tests/report"), "new").expect("writes");
        fs::write(root.join("tests/made"), "new").expect("writes");
        fs::remove_file(root.join("tests/gone")).expect("removes");
        let fixed = settled(before, contents(root, &verification));
        assert_eq!(restless(&fixed), ["tests/gone", "tests/report"]);
        let baseline = Baseline { tests: BTreeMap::new(), fixed };
        fs::write(root.join("tests/report"), "newer").expect("writes");
        fs::write(root.join("tests/gone"), "again").expect("writes");
        let now = contents(root, &verification);
        assert!(changes(&baseline, &now).is_empty() && additions(&baseline, &now).is_empty());
        fs::write(root.join("tests/a"), "two").expect("writes");
        assert_eq!(
            changes(&baseline, &contents(root, &verification)),
            ["tests/a is part of the checks and was changed"]
        );
    }

    #[test]
    fn a_link_that_points_elsewhere_was_changed() {
        let dir = laid(&[("one", "same"), ("two", "same"), ("tests/a", "x")]);
        let link = dir.path().join("tests/link");
        std::os::unix::fs::symlink("../one", &link).expect("a link");
        let verification = verification(&[], &["tests"]);
        let baseline = Baseline { tests: BTreeMap::new(), fixed: contents(dir.path(), &verification) };
        fs::remove_file(&link).expect("removes");
        std::os::unix::fs::symlink("../two", &link).expect("a link");
        assert_eq!(changes(&baseline, &contents(dir.path(), &verification)).len(), 1);
    }
}
