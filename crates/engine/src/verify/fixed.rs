//! What the checks consist of: its content at the start, and what has become of it since.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use globset::{Glob, GlobSetBuilder};
use ralph_core::check::{CheckResult, Verification};
use ralph_core::judge::Shown;
use ralph_core::run::Baseline;

/// What a file that is not there is said to contain.
const ABSENT: &str = "absent";

/// The content of every file that a check is defined in or that is protected, by its name. `package.json#scripts` is only
/// that part of the file.
pub(crate) fn contents(root: &Path, verification: &Verification) -> BTreeMap<String, String> {
    let defined = verification.checks.iter().flat_map(|check| &check.defined_in);
    let mut fixed: BTreeMap<String, String> =
        defined.map(|name| (name.clone(), content(root, name))).collect();
    for path in protected(root, &verification.protect) {
        let content = content(root, &path);
        fixed.insert(path, content);
    }
    fixed
}

/// What a file, or a part of one, contains: the same for the same content.
pub fn content(root: &Path, name: &str) -> String {
    let (path, part) = name.split_once('#').map_or((name, None), |(path, part)| (path, Some(part)));
    let Ok(bytes) = fs::read(root.join(path)) else { return ABSENT.to_owned() };
    let Some(part) = part else { return blake3::hash(&bytes).to_string() };
    match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(document) => blake3::hash(document[part].to_string().as_bytes()).to_string(),
        Err(_) => blake3::hash(&bytes).to_string(),
    }
}

/// The files that a pattern protects; ignored ones too, for the agent can change them as well.
fn protected(root: &Path, patterns: &[String]) -> Vec<String> {
    let mut set = GlobSetBuilder::new();
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        set.add(glob);
    }
    let Ok(set) = set.build() else { return Vec::new() };
    if set.is_empty() {
        return Vec::new();
    }
    let walk = walkdir::WalkDir::new(root).into_iter().filter_entry(|entry| entry.file_name() != ".git");
    let files = walk.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir());
    let names = files.filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_str()?.to_owned()));
    names.filter(|name| set.is_match(name)).collect()
}

/// What was changed of what the checks consist of, in words.
pub(crate) fn tampering(
    root: &Path,
    verification: &Verification,
    baseline: &Baseline,
    checks: &[Shown],
) -> Vec<String> {
    let now = contents(root, verification);
    let mut found = Vec::new();
    // A file that is new under a protected pattern, such as a further test, weakens nothing.
    for (name, before) in &baseline.fixed {
        match now.get(name) {
            Some(after) if after == before => {}
            Some(after) if after != ABSENT => {
                found.push(format!("{name} is part of the checks and was changed"));
            }
            Some(_) | None => found.push(format!("{name} is part of the checks and was removed")),
        }
    }
    found.extend(checks.iter().filter_map(|check| fewer_tests(baseline, &check.result)));
    found
}

/// A check that could be counted before and has lost tests since. One that cannot be counted now has failed to run.
fn fewer_tests(baseline: &Baseline, check: &CheckResult) -> Option<String> {
    let before = *baseline.tests.get(&check.name)?;
    let now = check.counts?.total();
    (check.passed && now < before)
        .then(|| format!("{} had {before} tests at the start and has {now} now", check.name))
}

#[cfg(test)]
mod tests {
    use super::{contents, tampering};
    use ralph_core::check::{Check, Command, Criterion, Verification};
    use ralph_core::run::Baseline;
    use std::collections::BTreeMap;
    use std::fs;
    use std::time::Duration;

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

    #[test]
    fn what_the_checks_consist_of_cannot_change_unseen() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("writes");
        fs::create_dir(root.join("tests")).expect("a directory");
        write("package.json", r#"{"scripts":{"test":"jest"},"dependencies":{}}"#);
        write("tests/a.js", "one");
        write("tests/b.js", "two");
        let verification = verification(&["package.json#scripts"], &["tests/**"]);
        let baseline = Baseline { tests: BTreeMap::new(), fixed: contents(root, &verification) };
        let found = || tampering(root, &verification, &baseline, &[]);
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
}
