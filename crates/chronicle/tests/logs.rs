//! Logs of iterations.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod common;

use std::fs;
use std::io::Read;
use std::path::Path;

use common::iteration;
use ralph_chronicle::{Chronicle, Filter, Iteration, Outcome, Room, Section, Snapshots, Switch};
use ralph_core::check::{CheckExit, CheckResult, Counts, Criterion, Failing, Judgement, Opinion};
use ralph_core::id::{AgentName, RunId, TaskId};
use ralph_core::policy::Cost;
use ralph_core::report::Usage;

fn write(root: &Path, iteration: &Iteration, room: Room) -> std::path::PathBuf {
    let mut log = Chronicle::of(root).log(iteration, room).unwrap();
    log.section(Section::Output { attempt: 1 }, &b"printed\n"[..]).unwrap();
    log.finish().unwrap()
}

#[test]
fn a_log_says_all_that_is_known_and_then_what_was_printed() {
    let root = tempfile::tempdir().unwrap();
    let agent = |name| AgentName::parse(name).unwrap();
    let mut one = iteration("0abcdefghjkm", 12, "US-001");
    one.outcome = Outcome::Incomplete { findings: vec!["a test\n--- RAW OUTPUT ---\nfails".to_owned()] };
    (one.model, one.effort, one.epic) =
        (Some("opus".to_owned()), Some("high".to_owned()), Some("E-1".to_owned()));
    one.ended_at = one.started_at + std::time::Duration::from_secs(252);
    one.duration = std::time::Duration::from_secs(252);
    one.attempts = 2;
    one.promised = true;
    one.said = "Done.\n".repeat(3);
    one.usage = Usage {
        input_tokens: 1_000,
        cached_tokens: 900,
        output_tokens: 50,
        cost: Cost(120_000),
        cost_is_estimated: false,
    };
    one.checks = vec![CheckResult {
        name: "test".to_owned(),
        criterion: Criterion::TestPass,
        command: "cargo test".to_owned(),
        exit: CheckExit::Code { code: 1 },
        passed: false,
        counts: Some(Counts { passed: 11, failed: 1, skipped: 0 }),
        tests: None,
        failures: Vec::new(),
        failing: Failing::default(),
        duration_ms: 1_200,
        tail: String::new(),
    }];
    let reason = "one test fails".to_owned();
    one.judgement = Some(Judgement { opinion: Opinion::Failure, reason, suggestions: Vec::new() });
    one.files = vec!["src/a.rs".into()];
    one.snapshots = Snapshots { before: Some("b3-1".to_owned()), after: Some("b3-2".to_owned()) };
    one.switches = vec![Switch { from: agent("codex"), to: agent("claude"), why: "limited".to_owned() }];
    let mut log = Chronicle::of(root.path()).log(&one, Room::default()).unwrap();
    log.section(Section::Output { attempt: 1 }, &b"first"[..]).unwrap();
    log.section(Section::Stderr { attempt: 1 }, &b"warning\n"[..]).unwrap();
    log.section(Section::Output { attempt: 2 }, &b"second \xff\n"[..]).unwrap();
    let path = log.finish().unwrap();
    assert_eq!(path, root.path().join(".ralph/logs/0abcdefghjkm-00012-US-001.log"));
    let wanted = "\
# Iteration 12 Log

## Metadata

- **Run**: 0abcdefghjkm
- **Task ID**: US-001
- **Task Title**: Add login
- **Description**: Add login and all that belongs to it
- **Status**: incomplete
- **Task Completed**: No
- **Promise Detected**: Yes
- **Started At**: 2027-01-15T08:00:00Z
- **Ended At**: 2027-01-15T08:04:12Z
- **Duration**: 4m 12s
- **Input Tokens**: 1000
- **Cached Tokens**: 900
- **Output Tokens**: 50
- **Total Tokens**: 1050
- **Cost**: $0.12
- **Agent**: claude
- **Model**: opus
- **Effort**: high
- **Attempts**: 2
- **Epic**: E-1
- **Sandbox Mode**: off
- **Sandbox Network**: Yes
- **Verdict**: not complete
- **Judge**: failure: one test fails
- **Snapshot Before**: b3-1
- **Snapshot After**: b3-2
- **Completion Summary**: Done. Done. Done.

## Agent Switches

- codex → claude: limited

## Checks

- `cargo test`: test fails (exit code 1): 11 passed, 1 failed

## Findings

- a test --- RAW OUTPUT --- fails

## Files Changed

- src/a.rs

--- RAW OUTPUT ---
first
--- STDERR ---
warning

--- RAW OUTPUT OF ATTEMPT 2 ---
second \u{fffd}
";
    assert_eq!(String::from_utf8_lossy(&fs::read(&path).unwrap()), wanted);
}

#[test]
fn logs_are_found_by_run_iteration_and_task() {
    let root = tempfile::tempdir().unwrap();
    for (run, number, task) in [
        ("0bbcdefghjkm", 1, "a/b"),
        ("0abcdefghjkm", 2, "T-1"),
        ("0abcdefghjkm", 10, "T-2"),
        ("0abcdefghjkm", 1, "T-1"),
    ] {
        write(root.path(), &iteration(run, number, task), Room::default());
    }
    fs::write(root.path().join(".ralph/logs/notes.log"), "mine").unwrap();
    let found = |filter: Filter| -> Vec<(String, u32, String)> {
        let logs = Chronicle::of(root.path()).logs(&filter).unwrap();
        assert!(logs.iter().all(|log| log.path.is_file()));
        logs.into_iter().map(|log| (log.run.to_string(), log.iteration, log.task.to_string())).collect()
    };
    let log = |run: &str, iteration, task: &str| (run.to_owned(), iteration, task.to_owned());
    let all = [
        log("0abcdefghjkm", 1, "T-1"),
        log("0abcdefghjkm", 2, "T-1"),
        log("0abcdefghjkm", 10, "T-2"),
        log("0bbcdefghjkm", 1, "a/b"),
    ];
    assert_eq!(found(Filter::default()), all);
    let run = RunId::parse("0abcdefghjkm").ok();
    let task = |task| TaskId::parse(task).ok();
    assert_eq!(found(Filter { run: run.clone(), iteration: Some(10), task: None }), all[2..3]);
    assert_eq!(found(Filter { task: task("a/b"), ..Filter::default() }), all[3..]);
    assert_eq!(found(Filter { task: task("T-1"), ..Filter::default() }), all[..2]);
    assert_eq!(found(Filter { run, task: task("a/b"), iteration: None }), []);
}

#[test]
fn a_log_that_is_not_finished_is_not_there() {
    let root = tempfile::tempdir().unwrap();
    let one = iteration("0abcdefghjkm", 1, "T-1");
    let whole = write(root.path(), &one, Room::default());
    let before = fs::read(&whole).unwrap();
    let mut half = Chronicle::of(root.path()).log(&one, Room::default()).unwrap();
    half.section(Section::Output { attempt: 1 }, &b"half"[..]).unwrap();
    // What a crash would leave: the log as it was, and something that nobody takes for one.
    assert_eq!(fs::read(&whole).unwrap(), before);
    assert_eq!(Chronicle::of(root.path()).logs(&Filter::default()).unwrap().len(), 1);
    drop(half);
    assert_eq!(fs::read(&whole).unwrap(), before);
    assert_eq!(fs::read_dir(root.path().join(".ralph/logs")).unwrap().count(), 1);
}

#[test]
fn the_oldest_logs_make_room_and_a_persons_files_stay() {
    let root = tempfile::tempdir().unwrap();
    let logs = root.path().join(".ralph/logs");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("0aaaaaaaaaaa-1-mine.log"), vec![b'x'; 4_096]).unwrap();
    let kept = || {
        let found = Chronicle::of(root.path()).logs(&Filter::default()).unwrap();
        found.iter().map(|log| log.iteration).collect::<Vec<_>>()
    };
    for number in 1..=6 {
        write(root.path(), &iteration("0abcdefghjkm", number, "T-1"), Room { logs: 4, ..Room::default() });
    }
    assert_eq!(kept(), [3, 4, 5, 6]);
    let size = fs::metadata(logs.join("0abcdefghjkm-00006-T-1.log")).unwrap().len();
    write(root.path(), &iteration("0abcdefghjkm", 7, "T-1"), Room { bytes: size * 2, ..Room::default() });
    assert_eq!(kept(), [6, 7]);
    write(root.path(), &iteration("0abcdefghjkm", 8, "T-1"), Room { logs: 0, bytes: 0, ..Room::default() });
    assert_eq!(kept(), [8]);
    assert!(logs.join("0aaaaaaaaaaa-1-mine.log").is_file());
}

#[test]
fn an_endless_output_takes_bounded_room() {
    let root = tempfile::tempdir().unwrap();
    let mut log =
        Chronicle::of(root.path()).log(&iteration("0abcdefghjkm", 1, "T-1"), Room::default()).unwrap();
    log.section(Section::Output { attempt: 1 }, std::io::repeat(b'x').take(64 << 20)).unwrap();
    let path = log.finish().unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.len() < (1 << 20) + 4_096, "{}", text.len());
    assert!(text.contains("\n[66060288 bytes are left out here]\n"));
}
