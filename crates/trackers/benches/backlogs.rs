//! What large backlogs cost: choosing the next of 100,000 tasks with 500,000 dependencies; reading a prd.json of 10,000
//! stories and completing one of them, beside `jq` doing the same to the same file.
//!
//! `cargo bench -p ralph-trackers --bench backlogs`

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use ralph_core::backlog::{Backlog, Item, Priority, Wanted};
use ralph_core::id::TaskId;
use ralph_trackers::{Context, Prd, Tracker, to_prd};

const ROUNDS: usize = 5;

fn main() {
    // Without it this is a test run of all targets, which is no time to measure.
    if !std::env::args().any(|flag| flag == "--bench") {
        return;
    }
    println!("| what | ms, median of {ROUNDS} |\n|---|---:|");
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
    println!("| (prd.json of 10,000 stories: {:.1} MB) | |", text.len() as f64 / 1e6);
    let mut tracker = Prd::new(path.clone(), dir.clone());
    told("read it", || {
        let begun = Instant::now();
        assert_eq!(tracker.load().expect("a backlog").items().len(), items.len());
        begun
    });
    let mut stories = items.iter();
    told("complete a story in it: read, edit, fsync, replace", || {
        let begun = Instant::now();
        tracker.complete(&stories.next().expect("a story").id, "done").expect("it is written");
        begun
    });
    told("jq: read it and count", || {
        let begun = Instant::now();
        jq(&path, "[.userStories[] | select(.passes | not)] | length", Stdio::null());
        begun
    });
    told("jq: complete a story, rewritten, not synced", || {
        let begun = Instant::now();
        let out = std::fs::File::create(dir.join("out.json")).expect("a file");
        let id = &stories.next().expect("a story").id;
        jq(&path, &format!("(.userStories[] | select(.id == \"{id}\") | .passes) = true"), out.into());
        begun
    });
    let _ = std::fs::remove_dir_all(dir);
}

fn jq(path: &Path, program: &str, out: Stdio) {
    match Command::new("jq").arg(program).arg(path).stdout(out).status() {
        Ok(status) => assert!(status.success(), "jq fails"),
        Err(error) => println!("| jq: {error} | |"),
    }
}

/// The work says when it began, so that what it needs can be made ready before.
fn told(what: &str, mut work: impl FnMut() -> Instant) {
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| work().elapsed().as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    println!("| {what} | {:.1} |", times[ROUNDS / 2]);
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
