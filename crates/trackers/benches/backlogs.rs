//! What large backlogs cost: choosing the next of 100,000 tasks with 500,000 dependencies; reading a prd.json of 10,000
//! stories and completing one of them, beside `jq` doing the same to the same file and beside ralph-tui telling how far it
//! is with it.
//!
//! `cargo bench -p ralph-trackers --bench backlogs`

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use ralph_core::backlog::{Backlog, Item, Priority, Wanted};
use ralph_core::id::TaskId;
use ralph_testkit::install_ralph_tui;
use ralph_testkit::programs::target_dir;
use ralph_trackers::{Context, Prd, Tracker, to_prd};

const ROUNDS: usize = 5;

fn main() {
    // Without it this is a test run of all targets, which is no time to measure.
    if !std::env::args().any(|flag| flag == "--bench") {
        return;
    }
    println!("| what | ms, median of {ROUNDS} | to ralph's |\n|---|---:|---:|");
    let items = items(100_000, 5);
    let mut built = Vec::new();
    told("100,000 tasks, 500,000 dependencies: the graph", || {
        let items = items.clone();
        let begun = Instant::now();
        built.push(Backlog::new(items).expect("no duplicates"));
        begun
    });
    let backlog = &built[0];
    told("the next of them", || {
        let begun = Instant::now();
        assert!(backlog.next(&Wanted::default()).is_some());
        begun
    });
    told("the order of all of them", || {
        let begun = Instant::now();
        assert_eq!(backlog.plan(&Wanted::default()).turns.len(), items.len());
        begun
    });
    files(&items[..10_000]);
}

fn files(items: &[Item]) {
    let dir = std::env::temp_dir().join(format!("ralph-bench-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let path = dir.join("prd.json");
    let text = to_prd(&Context::default(), items);
    std::fs::write(&path, &text).expect("a file");
    println!("| (prd.json of 10,000 stories: {:.1} MB) | | |", text.len() as f64 / 1e6);
    let mut tracker = Prd::new(path.clone(), dir.clone());
    let read = told("read it", || {
        let begun = Instant::now();
        assert_eq!(tracker.load().expect("a backlog").items().len(), items.len());
        begun
    });
    let mut stories = items.iter();
    let complete = told("complete a story in it: read, edit, fsync, replace", || {
        let begun = Instant::now();
        tracker.complete(&stories.next().expect("a story").id, "done").expect("it is written");
        begun
    });
    beside(read, "jq: read it and count", || {
        let begun = Instant::now();
        jq(&path, "[.userStories[] | select(.passes | not)] | length", Stdio::null());
        begun
    });
    beside(complete, "jq: complete a story, rewritten, not synced", || {
        let begun = Instant::now();
        let out = std::fs::File::create(dir.join("out.json")).expect("a file");
        let id = &stories.next().expect("a story").id;
        jq(&path, &format!("(.userStories[] | select(.id == \"{id}\") | .passes) = true"), out.into());
        begun
    });
    ralph_tui(&dir, read);
    let _ = std::fs::remove_dir_all(dir);
}

/// What its session knows of the 10,000 stories, told by itself; it reads that and not the file of the stories.
fn ralph_tui(dir: &Path, read: f64) {
    let tui = match install_ralph_tui(&target_dir()) {
        Ok(tui) => tui,
        Err(error) => return println!("| ralph-tui: not installed, {error} | | |"),
    };
    let agent = dir.join("claude");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 2.1.197\ncat > /dev/null\n";
    std::fs::write(&agent, script).expect("a file");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    let command = |args: &[&str]| {
        let mut command = tui.command(dir, dir);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", dir.display())).args(args).stdout(Stdio::null());
        command.stderr(Stdio::null());
        command
    };
    let run = ["run", "--headless", "--no-setup", "--no-notify", "--prd", "prd.json", "--agent", "claude"];
    let ran = command(&run).args(["--delay", "0", "--iterations", "1"]).status().expect("it starts");
    assert!(ran.success(), "ralph-tui run fails");
    let session = std::fs::metadata(dir.join(".ralph-tui/session.json")).expect("it has a session").len();
    println!("| (session of ralph-tui {}: {:.1} MB) | | |", tui.version(), session as f64 / 1e6);
    beside(read, "ralph-tui: start, and do nothing (`--version`)", || {
        let begun = Instant::now();
        assert!(command(&["--version"]).status().expect("it starts").success());
        begun
    });
    beside(read, "ralph-tui: `status --json`", || {
        let begun = Instant::now();
        let status = command(&["status", "--json"]).status().expect("it starts");
        assert_eq!(status.code(), Some(1), "there is a session that is not at its end");
        begun
    });
}

fn jq(path: &Path, program: &str, out: Stdio) {
    match Command::new("jq").arg(program).arg(path).stdout(out).status() {
        Ok(status) => assert!(status.success(), "jq fails"),
        Err(error) => println!("| jq: {error} | | |"),
    }
}

/// The work says when it began, so that what it needs can be made ready before.
fn told(what: &str, work: impl FnMut() -> Instant) -> f64 {
    let median = median(work);
    println!("| {what} | {median:.1} | |");
    median
}

/// The same of another program, and how many times as long as ralph it takes.
fn beside(ours: f64, what: &str, work: impl FnMut() -> Instant) {
    let theirs = median(work);
    println!("| {what} | {theirs:.1} | {:.1} times |", theirs / ours);
}

fn median(mut work: impl FnMut() -> Instant) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| work().elapsed().as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// Each depends on some of those before it, the same every time.
fn items(count: usize, needs: usize) -> Vec<Item> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let id = |at: usize| TaskId::parse(&format!("US-{at}")).expect("an id");
    let item = |at: usize| {
        let mut item = Item::new(id(at), format!("Story number {at} of a large backlog"));
        item.priority = Priority::nearest(random(5) as i64);
        item.description =
            "As a user I want what this story is about, so that the file has a usual size.".to_owned();
        item.acceptance_criteria = vec!["the tests pass".to_owned(), "the build has no warnings".to_owned()];
        if at > 0 {
            item.depends_on = (0..needs).map(|_| id(random(at))).collect();
        }
        item
    };
    (0..count).map(item).collect()
}
