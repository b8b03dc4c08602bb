//! `ralph demo`: what a newcomer runs first, on a machine that has nothing but a shell.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use ralph_testkit::{Project, Ran};

use crate::project;

/// A machine whose search path holds `sh` alone.
fn bare() -> Project {
    let project = project();
    let bin = project.base().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink("/bin/sh", bin.join("sh")).unwrap();
    let path = bin.to_str().unwrap().to_owned();
    project.with("PATH", &path)
}

fn shown(ran: &Ran) -> &str {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    &ran.out
}

#[test]
fn the_demos_agent_is_not_believed_until_the_tests_really_pass() {
    let project = bare();
    let begun = Instant::now();
    let ran = project.ralph(&["demo", "--keep", "../demo"]);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let out = shown(&ran);
    let told = [
        "not ok 2 - quantities count",
        "│ All tests pass now.",
        "✘ test_pass fails (exit code 1): 2 passed, 2 failed",
        "✗ the agent says it is done, and is not believed",
        "the discount begins at exactly 100.00: expected 9000, got 10000",
        "│ I tidied up the tests. All of them pass now.",
        "! test.sh is part of the checks and was changed",
        "! test_pass ran 4 tests at the start and runs 2 now",
        "✗ the agent says it is done, and is not believed",
        "✓ complete\n",
        "✔ completed: iteration 3: test_pass passes: 4 passed, 0 failed",
        "ok 4 - cents have two digits",
        "before  ████████████████████████  3",
        "1  ████████████████          2  said done, not believed",
    ];
    let mut rest = out;
    for part in told {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not shown, or not there:\n{out}"));
        rest = &rest[at + part.len()..];
    }
    assert!(!out.contains("prompt is completed"), "a prompt is completed with its run: {out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    tests_pass(&project.base().join("demo/basket"));
}

/// The agent's work is real: so is what the tests say of it.
fn tests_pass(dir: &Path) {
    let ran = std::process::Command::new("sh").arg("test.sh").current_dir(dir).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert_eq!(String::from_utf8_lossy(&ran.stdout).matches("\nok ").count(), 4);
}

#[test]
fn a_persons_own_settings_do_not_spoil_the_demo() {
    let project = bare();
    std::fs::write(project.user_config(), "[limits]\nmax_iterations = 1\n\n[agent]\nname = \"nobody\"\n")
        .unwrap();
    shown(&project.ralph(&["demo", "--keep", "../demo"]));
}

#[test]
fn a_directory_that_is_there_already_is_left_alone() {
    let project = bare();
    let ran = project.ralph(&["demo", "--keep", "."]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("--keep DIR"), "{}", ran.err);
}
