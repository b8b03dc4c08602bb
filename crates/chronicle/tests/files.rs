//! The files in `.ralph/`: what stands in their way, and who else writes them.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use common::iteration;
use ralph_chronicle::{Chronicle, ChronicleError, Room};

const RUN: &str = "0abcdefghjkm";

struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/.ralph")).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        Home { dir }
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.dir.path().join("project").join(path)
    }

    fn chronicle(&self) -> Chronicle {
        Chronicle::of(&self.dir.path().join("project"))
    }

    fn record(&self, number: u32) -> Result<(), ChronicleError> {
        self.chronicle().record(&iteration(RUN, number, "T-1"), &[]).map(|_| ())
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_project_without_anything_gets_all_of_it() {
    let home = Home::new();
    fs::remove_dir(home.path(".ralph")).unwrap();
    let chronicle = home.chronicle();
    assert_eq!(chronicle.progress().unwrap(), ralph_chronicle::Progress::default());
    assert_eq!(chronicle.logs(&ralph_chronicle::Filter::default()).unwrap(), []);
    assert!(!home.path(".ralph").exists());
    chronicle.ignore().unwrap();
    home.record(1).unwrap();
    chronicle.log(&iteration(RUN, 1, "T-1"), Room::default()).unwrap().finish().unwrap();
    assert_eq!(fs::read_to_string(home.path(".ralph/.gitignore")).unwrap(), "progress.md\nlogs/\n");
    assert_eq!(names(&home.path(".ralph")), [".gitignore", "logs", "progress.md"]);
    assert_eq!(names(&home.path(".ralph/logs")), ["0abcdefghjkm-00001-T-1.log"]);
}

#[test]
fn a_new_run_wipes_nothing_and_the_mode_stays() {
    let home = Home::new();
    fs::write(home.path(".ralph/progress.md"), "mine\n").unwrap();
    fs::set_permissions(home.path(".ralph/progress.md"), fs::Permissions::from_mode(0o600)).unwrap();
    for run in ["0abcdefghjkm", "0bbcdefghjkm"] {
        home.chronicle().record(&iteration(run, 1, "T-1"), &["use it".to_owned()]).unwrap();
    }
    let text = fs::read_to_string(home.path(".ralph/progress.md")).unwrap();
    assert!(text.starts_with("mine\n\n## Codebase patterns\n\n- use it\n"), "{text}");
    assert!(text.contains("of 0abcdefghjkm:") && text.contains("of 0bbcdefghjkm:"), "{text}");
    let mode = fs::metadata(home.path(".ralph/progress.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(names(&home.path(".ralph")), ["progress.md"]);
}

#[test]
fn what_is_no_text_is_left_alone_and_named() {
    let home = Home::new();
    let progress = home.path(".ralph/progress.md");
    fs::write(&progress, b"ab\xff\n").unwrap();
    let error = home.record(1).unwrap_err();
    assert!(matches!(error, ChronicleError::NotText { at: 2, .. }), "{error:?}");
    assert_eq!(error.next(), "save it as UTF-8");
    assert!(home.chronicle().progress().is_err());
    assert_eq!(fs::read(&progress).unwrap(), b"ab\xff\n");
    fs::remove_file(&progress).unwrap();
    fs::create_dir(&progress).unwrap();
    assert!(matches!(home.record(1), Err(ChronicleError::NoFile { .. })));
    fs::remove_dir(&progress).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &progress,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(matches!(home.record(1), Err(ChronicleError::NoFile { .. })));
    fs::remove_file(&progress).unwrap();
    fs::write(&progress, vec![b'x'; (16 << 20) + 1]).unwrap();
    assert!(matches!(home.record(1), Err(ChronicleError::TooLarge { .. })));
    assert_eq!(names(&home.path(".ralph")), ["progress.md"]);
}

#[test]
fn nothing_is_written_where_a_symlink_leads_out() {
    let home = Home::new();
    let outside = home.dir.path().join("outside");
    fs::write(outside.join("file"), "theirs").unwrap();
    let leads_out = |result: Result<(), ChronicleError>| {
        assert!(matches!(result, Err(ChronicleError::LeadsOut { .. })), "{result:?}");
    };
    for target in
        ["../../outside/file", "../../outside/new", outside.join("file").to_str().unwrap(), "progress.md"]
    {
        symlink(target, home.path(".ralph/progress.md")).unwrap();
        leads_out(home.record(1));
        fs::remove_file(home.path(".ralph/progress.md")).unwrap();
    }
    symlink("../../outside", home.path(".ralph/logs")).unwrap();
    let log = home.chronicle().log(&iteration(RUN, 1, "T-1"), Room::default());
    leads_out(log.map(drop));
    leads_out(home.chronicle().logs(&ralph_chronicle::Filter::default()).map(drop));
    fs::remove_file(home.path(".ralph/logs")).unwrap();
    fs::remove_dir(home.path(".ralph")).unwrap();
    symlink("../outside", home.path(".ralph")).unwrap();
    leads_out(home.record(1));
    leads_out(home.chronicle().ignore());
    assert_eq!(names(&outside), ["file"]);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "theirs");
}

#[test]
fn a_link_within_the_project_stays_one() {
    let home = Home::new();
    fs::create_dir(home.path("docs")).unwrap();
    fs::write(home.path("docs/progress.md"), "mine\n").unwrap();
    symlink("../docs/progress.md", home.path(".ralph/progress.md")).unwrap();
    home.record(1).unwrap();
    assert!(fs::symlink_metadata(home.path(".ralph/progress.md")).unwrap().is_symlink());
    assert!(fs::read_to_string(home.path("docs/progress.md")).unwrap().starts_with("mine\n"));
    assert_eq!(names(&home.path("docs")), ["progress.md"]);
    assert!(home.chronicle().progress().unwrap().recent(5, 1_000).contains("T-1"));
}

#[test]
fn what_a_killed_process_left_is_swept_and_a_living_ones_is_not() {
    let home = Home::new();
    fs::create_dir(home.path(".ralph/logs")).unwrap();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let living = std::os::unix::process::parent_id();
    for process in [gone.id(), living] {
        fs::write(home.path(&format!(".ralph/.progress.md.ralph-{process}")), "half").unwrap();
        let half = format!(".ralph/logs/.0abcdefghjkm-00001-T-1.log.ralph-{process}");
        fs::write(home.path(&half), "half").unwrap();
    }
    home.record(1).unwrap();
    home.chronicle().log(&iteration(RUN, 1, "T-1"), Room::default()).unwrap().finish().unwrap();
    let kept = format!(".progress.md.ralph-{living}");
    assert_eq!(names(&home.path(".ralph")), [kept.as_str(), "logs", "progress.md"]);
    let kept = format!(".0abcdefghjkm-00001-T-1.log.ralph-{living}");
    assert_eq!(names(&home.path(".ralph/logs")), [kept.as_str(), "0abcdefghjkm-00001-T-1.log"]);
}

#[test]
fn an_agent_that_writes_all_the_time_is_not_overwritten() {
    let home = Home::new();
    home.record(1).unwrap();
    let progress = home.path(".ralph/progress.md");
    let done = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        // As editors do it: the new file takes the place of the one that was read, if that is still the same.
        let agent = scope.spawn(|| {
            let mut written = 0;
            while !done.load(Ordering::Relaxed) {
                let fresh = home.path(".ralph/agent.tmp");
                let before = fs::read_to_string(&progress).unwrap();
                fs::write(&fresh, format!("{before}agent {written}\n")).unwrap();
                if fs::read_to_string(&progress).unwrap() == before {
                    fs::rename(&fresh, &progress).unwrap();
                    written += 1;
                }
                std::thread::yield_now();
            }
            written
        });
        for number in 2..14 {
            match home.record(number) {
                Ok(()) | Err(ChronicleError::Contended { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        done.store(true, Ordering::Relaxed);
        agent.join().unwrap()
    });
    let text = fs::read_to_string(&progress).unwrap();
    let kept = text.lines().filter(|line| line.starts_with("agent ")).count();
    // One that never rests slips in twice within microseconds now and then.
    assert!(written > 0 && kept * 100 >= written * 99, "{kept} of {written}");
}
