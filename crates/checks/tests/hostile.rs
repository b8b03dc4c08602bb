//! Whatever the bytes are: no panic, bounded time and memory.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use ralph_checks::diff::{Change, fingerprint, fingerprint_unified, similarity};
use ralph_checks::{Exit, Findings, Output, Root, discover, read};

fn found(bytes: &[u8]) -> Findings {
    read(&Output { tool: None, exit: Exit::Code(1), root: &Root::new(Path::new("/project")), bytes })
}

/// Pieces of every format, so that random texts get far into the readers.
const PIECES: [&str; 64] = [
    "test result: FAILED. 1 passed; 1 failed; 0 ignored\n",
    "---- a stdout ----\n",
    "failures:\n",
    "    a\n",
    "     Running tests/a.rs (target/debug/deps/a-0123456789abcdef)\n",
    "running 2 tests\n",
    "thread 'a' panicked at src/a.rs:1:2:\n",
    "        FAIL [   0.1s] (1/2) a::b c\n",
    "  TRY 1 FAIL [ 0.1s] a b\n",
    "     Summary [ 0.2s] 6 tests run: 3 passed, 3 failed\n",
    "error[E0308]: mismatched types\n",
    " --> src/a.rs:1:2\n",
    "  |  ^^^ expected\n",
    "warning: unused\n",
    "=== FAILURES ===\n",
    "___ test_a ___\n",
    "E   assert 1\n",
    "tests/a.py:1: AssertionError\n",
    "=== short test summary info ===\n",
    "FAILED a.py::b[c - d] - e\n",
    "=== 3 failed in 0.1s ===\n",
    "FAIL a.test.js\n",
    "  ● a › b\n",
    "Tests:       3 failed, 3 total\n",
    " FAIL  a.test.js > b > c\n",
    " FAIL  a [ a ]\n",
    "      Tests  3 failed | 3 passed (6)\n",
    "  3 passing (7ms)\n",
    "  3 failing\n",
    "  1) a\n",
    "       b:\n",
    "bun test v1\n",
    "(fail) a > b [0.1ms]\n",
    "a.test.js:\n",
    " 3 fail\n",
    "Ran 6 tests across 3 files. [6ms]\n",
    "ℹ fail 3\n",
    "✖ failing tests:\n",
    "test at a.js:1:2\n",
    "✖ a (1ms)\n",
    "TAP version 13\n",
    "not ok 1 - a # TODO\n",
    "    not ok 2 - b\n",
    "  ---\n",
    "  location: 'a:1:2'\n",
    "  ...\n",
    "# Subtest: a\n",
    "=== RUN   TestA/b\n",
    "--- FAIL: TestA/b (0.00s)\n",
    "FAIL\ta/b\t0.1s\n",
    "a.ts(1,2): error TS1: x\n",
    "a.ts:1:2 - error TS1: x\n",
    "/a/b.js\n",
    "  1:2  error  x  rule\n",
    "a.c:1:2: error: x [-Wy]\n",
    "a.py:1: error: x  [y]\n",
    "{\"reason\":\"compiler-message\",\"message\":{}}\n",
    "[{\"filePath\":\"a\",\"messages\":[]}]\n",
    "{\"Action\":\"fail\",\"Package\":\"a\",\"Test\":\"b/c\"}\n",
    "<testsuite><testcase name=\"a\"><failure/>",
    "</testsuite>\n",
    "[ERROR] a.java:[1,2] x\n",
    "[ERROR] a.B.c -- Time elapsed: 1 s <<< FAILURE!\n",
    "A > b FAILED\n",
];

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => "[ -~]{0,30}\n".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        found(&bytes);
    }

    #[test]
    fn any_pieces_are_read_and_named_once(bytes in texts()) {
        let all = found(&bytes);
        prop_assert_eq!(all.fingerprints().len(), all.failures.len());
        prop_assert!(!all.failures.is_empty());
    }

    #[test]
    fn any_cut_of_a_piece_is_read(piece in prop::sample::select(&PIECES[..]), at in any::<prop::sample::Index>(), rest in any::<Vec<u8>>()) {
        let kept = &piece.as_bytes()[..at.index(piece.len() + 1)];
        found(&[kept, &rest].concat());
    }

    #[test]
    fn any_diff_has_a_fingerprint(text in "([-+ @][-+a-z{}*/# @,0-9]{0,12}\n|@@ -1,3 \\+1,3 @@\n|diff --git a/x b/y\n|--- a/x\n|\\+\\+\\+ b/x\n){0,30}") {
        let one = fingerprint_unified(&text);
        let same = similarity(&one, &one);
        prop_assert!(one.is_empty() && same == 0.0 || (same - 1.0).abs() < 1e-9);
    }

    #[test]
    fn similarity_is_mutual_and_bounded(a in "[a-d +{}\n]{0,80}", b in "[a-d +{}\n]{0,80}") {
        let one = fingerprint(&[Change::between("x", "", &a)]);
        let other = fingerprint(&[Change::between("x", "", &b)]);
        let found = similarity(&one, &other);
        prop_assert!((0.0..=1.0).contains(&found));
        prop_assert!((found - similarity(&other, &one)).abs() < 1e-12);
    }

    #[test]
    fn any_project_files_are_looked_at(name in prop::sample::select(&[
        "Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "Makefile", "justfile", "mypy.ini", "go.mod",
    ][..]), bytes in prop_oneof![any::<Vec<u8>>(), "[\\[\\]{}:=\"a-z.\n \t]{0,80}".prop_map(String::into_bytes)]) {
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join(name), &bytes).unwrap();
        discover(project.path());
    }
}

/// Of the processor, without optimisation: what is not linear is far beyond this.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long this thread has had the processor; a busy machine does not count.
fn spent() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

fn within_patience(what: &str, bytes: &[u8]) -> Findings {
    let begun = spent();
    let all = found(bytes);
    let took = spent() - begun;
    assert!(took < PATIENCE, "{what} took {took:?}");
    all
}

#[test]
fn a_line_of_fifty_megabytes_and_many_lines() {
    for byte in [b'x', b' ', b'\r', b'<', b'"', b'[', 0x1b, 0xff, b':', b'('] {
        let all = within_patience("one line", &vec![byte; 50_000_000 / 5]);
        assert!(all.truncated, "{byte}");
    }
    let mut long = b"FAILED ".to_vec();
    long.resize(50_000_000, b'-');
    within_patience("one line of fifty megabytes", &long);
    let block: Vec<u8> = PIECES.concat().into_bytes();
    let many = block.repeat(10_000_000 / block.len());
    let all = within_patience("many lines", &many);
    assert!(all.failures.len() <= 10_000);
}

#[test]
fn what_could_be_quadratic_is_not() {
    let shapes: [(&str, String); 8] = [
        ("open reports", "<testsuite ".repeat(500_000)),
        ("open tags", format!("<testsuite>{}</testsuite>", "<testcase name=\"".repeat(200_000))),
        ("open sequences", "\x1b[".repeat(1_000_000)),
        ("different failures", (0..200_000).map(|n| format!("src/f{n}.c:1:1: error: e{n}\n")).collect()),
        ("alike failures", (0..200_000).map(|n| format!("src/f.c:{n}:1: error: e\n")).collect()),
        (
            "nested tests",
            (0..100_000).map(|n| format!("--- FAIL: T{}/{n} (0.00s)\n", "/a".repeat(n % 50))).collect(),
        ),
        ("retried tests", (0..100_000).map(|n| format!("  TRY 1 FAIL [ 0.1s] a t{n}\n")).collect()),
        ("names", " FAIL  a.test.js > b\n".repeat(200_000)),
    ];
    for (what, text) in &shapes {
        within_patience(what, text.as_bytes());
    }
    let diff: String = (0..200_000).map(|n| format!("+line {n} of it\n")).collect();
    let diff = format!("--- a/x\n+++ b/x\n@@ -0,0 +1,200000 @@\n{diff}");
    let begun = spent();
    let one = fingerprint_unified(&diff);
    assert!(one.len() <= 4_096 && spent() - begun < PATIENCE);
}

#[test]
fn a_pipe_is_no_file_of_the_project() {
    let project = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(project.path().join("Cargo.toml")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", project.path().join("package.json")).unwrap();
    assert_eq!(discover(project.path()), []);
}
