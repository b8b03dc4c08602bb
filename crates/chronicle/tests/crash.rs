//! A process that is killed while it writes: what is there is whole.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod common;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use common::iteration;
use ralph_chronicle::{Chronicle, Filter, Room, Section};

const RUN: &str = "0abcdefghjkm";
const ROOT: &str = "RALPH_CHRONICLE_CRASH";
const KILLS: u32 = 40;

/// What the killed process does, started as a test of its own: writes for ever, and says how far it is.
#[test]
fn writer() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let chronicle = Chronicle::of(Path::new(&root));
    let begun = chronicle.logs(&Filter::default()).unwrap().last().map_or(0, |log| log.iteration);
    for number in begun + 1.. {
        let mut one = iteration(RUN, number, "T-1");
        one.said = "word ".repeat(100);
        chronicle.record(&one, &[format!("pattern {number}")]).unwrap();
        let mut log = chronicle.log(&one, Room::default()).unwrap();
        log.section(Section::Output { attempt: 1 }, "printed\n".repeat(5_000).as_bytes()).unwrap();
        log.section(Section::Stderr { attempt: 1 }, &b"the end\n"[..]).unwrap();
        log.finish().unwrap();
        eprint!(".");
    }
}

#[test]
fn what_a_killed_process_leaves_is_whole() {
    let root = tempfile::tempdir().unwrap();
    let chronicle = Chronicle::of(root.path());
    let mut spins = 0;
    for kill in 0..KILLS {
        let mut writer = Command::new(std::env::current_exe().unwrap());
        writer.args(["--exact", "writer", "--nocapture"]).env(ROOT, root.path());
        let mut writer = writer.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut dots = writer.stderr.take().unwrap();
        dots.read_exact(&mut [0; 1]).unwrap();
        // A different moment each time.
        for _ in 0..kill * 20_000 {
            spins = std::hint::black_box(spins) ^ kill;
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let text = fs::read_to_string(root.path().join(".ralph/progress.md")).unwrap();
        let lines = |begin: &str| text.lines().filter(|line| line.starts_with(begin)).count();
        assert_eq!(lines("### Iteration "), lines("<!-- ralph "));
        assert!(text.ends_with(" -->\n"), "{text}");
        let logs = chronicle.logs(&Filter::default()).unwrap();
        for log in &logs {
            let text = fs::read_to_string(&log.path).unwrap();
            assert!(text.ends_with("--- STDERR ---\nthe end\n"), "{}", log.path.display());
        }
        // An entry that a log is missing for is written once more, and is there once.
        let entries = lines("### Iteration ") + lines("- Iteration ");
        assert!(entries - logs.len() <= 1, "{entries} entries, {} logs", logs.len());
    }
    let last = chronicle.logs(&Filter::default()).unwrap().last().unwrap().iteration;
    assert!(last >= KILLS);
}
