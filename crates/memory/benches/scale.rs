//! What a search costs with 1,000, 100,000 and 1,000,000 notes in a store on disk: with the store open, and as a
//! process of its own would do it, opening the store for one question; and what the choice of notes for a brief costs.
//!
//! `cargo xtask bench recall-scale`, or with sizes of one's own: `cargo xtask bench recall-scale 5000 50000`.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use ralph_core::Timestamp;
use ralph_core::id::{NoteId, SessionId, TaskId};
use ralph_core::note::{Draft, Kind, MemoryEvent, Observation};
use ralph_memory::{Allowance, Need, Query, Ranking, Shelves, catch_up, hydrate, recall};
use ralph_store::{Notes as _, SqliteStore};

const SIZES: [u64; 3] = [1_000, 100_000, 1_000_000];
const QUESTIONS: usize = 300;
const AT_ONCE: u64 = 4096;
/// Notes of a thread, words of a note and of a question.
const THREAD: u64 = 40;
const WORDS: std::ops::Range<u64> = 8..40;
const ASKED: std::ops::Range<u64> = 4..9;
const VOCABULARY: f64 = 60_000.0;

fn main() {
    // Without it this is a test run of all targets, which is no time to measure.
    if !std::env::args().any(|flag| flag == "--bench") {
        return;
    }
    let given: Vec<u64> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    println!(
        "| notes | search p50, ms | p99 | with opening p50 | p99 | hydration p50 | p99 | store, MB | note added, ms | all \
         added, s |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for size in if given.is_empty() { SIZES.to_vec() } else { given } {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(measure(size));
    }
}

async fn measure(size: u64) {
    let dir = tempfile::tempdir().unwrap();
    let mut chance = Chance(size);
    let begun = Instant::now();
    let store = SqliteStore::open(dir.path()).unwrap();
    for first in (0..size).step_by(AT_ONCE as usize) {
        let last = (first + AT_ONCE).min(size);
        let events = (first..last).map(|number| observed(number, &mut chance)).collect();
        store.append_memory(events, moment(last)).await.unwrap();
        catch_up(&store).await.unwrap();
    }
    let built = begun.elapsed();
    let added = one_more(&store, size, &mut chance).await;
    let mut open = Vec::new();
    for _ in 0..QUESTIONS {
        open.push(timed(&store, &chance.question(), size).await);
    }
    let mut briefs = Vec::new();
    for _ in 0..QUESTIONS / 3 {
        briefs.push(hydrated(&store, &mut chance, size).await);
    }
    drop(store);
    let mut fresh = Vec::new();
    for _ in 0..QUESTIONS / 3 {
        let text = chance.question();
        let begun = Instant::now();
        let store = SqliteStore::open_existing(dir.path()).unwrap();
        timed(&store, &text, size).await;
        fresh.push(begun.elapsed());
    }
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    let figures = [open, fresh, briefs].map(half_and_most).map(|(half, most)| (ms(half), ms(most)));
    let [(open_half, open_most), (fresh_half, fresh_most), (brief_half, brief_most)] = figures;
    println!(
        "| {size} | {open_half:.2} | {open_most:.2} | {fresh_half:.2} | {fresh_most:.2} | {brief_half:.2} | \
         {brief_most:.2} | {:.1} | {:.2} | {:.1} |",
        bytes(dir.path()) as f64 / 1e6,
        ms(added),
        built.as_secs_f64(),
    );
}

/// One note the way a hook does it and the next search finds it: appended, then made.
async fn one_more(store: &SqliteStore, size: u64, chance: &mut Chance) -> Duration {
    let mut times = Vec::new();
    for number in size..size + 20 {
        let event = observed(number, chance);
        let begun = Instant::now();
        store.append_memory(vec![event], moment(number)).await.unwrap();
        catch_up(store).await.unwrap();
        times.push(begun.elapsed());
    }
    half_and_most(times).0
}

async fn timed(store: &SqliteStore, text: &str, size: u64) -> Duration {
    let query = Query::new(text);
    let begun = Instant::now();
    let found = recall(store, &query, &Ranking::default(), moment(size)).await.unwrap();
    let took = begun.elapsed();
    assert!(!found.is_empty(), "every question has words that are there");
    took
}

/// A task with two files at hand, as a brief has it.
async fn hydrated(store: &SqliteStore, chance: &mut Chance, size: u64) -> Duration {
    let need = Need {
        task: TaskId::prompt(),
        text: chance.question(),
        files: vec![chance.file(), chance.file()],
        symbols: Vec::new(),
        near: BTreeMap::new(),
        meaning: None,
        run: None,
        current: Vec::new(),
    };
    let shelves = Shelves { project: store, global: None };
    let begun = Instant::now();
    let chosen = hydrate(&shelves, &need, &Allowance::default(), None, moment(size)).await.unwrap();
    let took = begun.elapsed();
    assert!(!chosen.is_empty() || !chosen.left_out.is_empty(), "something was found");
    took
}

/// Half of all notes are what was seen, and the others of every kind that a brief has.
fn kind(number: u64) -> Kind {
    match number % 10 {
        0 => Kind::Skill,
        1 => Kind::Pattern,
        2 | 3 => Kind::Gotcha { triggers: Vec::new(), terminal: None },
        4 => Kind::Failure { approach: word(number), diff: None, errors: Vec::new() },
        _ => Kind::Observation(Observation::Discovery),
    }
}

fn observed(number: u64, chance: &mut Chance) -> MemoryEvent {
    let content = chance.text(WORDS);
    let mut draft = Draft::new(kind(number), content);
    draft.source.session = SessionId::parse(&format!("session-{}", number / THREAD)).ok();
    draft.files = vec![chance.file()];
    draft.valid_from = Some(moment(number));
    MemoryEvent::Observed { note: NoteId::new(moment(number), number), draft: Box::new(draft) }
}

/// A minute a note.
fn moment(number: u64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + number.cast_signed() * 60).unwrap()
}

fn half_and_most(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[(times.len() * 99).div_ceil(100) - 1])
}

fn bytes(dir: &Path) -> u64 {
    std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// The same numbers every time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// The n-th word of a language is about n times as rare as the first.
    fn word(&mut self) -> String {
        let share = self.next() as f64 / u64::MAX as f64;
        word(VOCABULARY.powf(share) as u64)
    }

    fn text(&mut self, words: std::ops::Range<u64>) -> String {
        let count = words.start + self.below(words.end - words.start);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn file(&mut self) -> String {
        format!("src/{}/{}.rs", word(self.below(40)), word(self.below(400)))
    }

    fn question(&mut self) -> String {
        self.text(ASKED) + " " + &word(1)
    }
}

/// A word that can be spoken, for every number another.
fn word(number: u64) -> String {
    const SYLLABLES: [&str; 25] = [
        "ba", "den", "fi", "gor", "hu", "jal", "ke", "lim", "mo", "nur", "pa", "ret", "si", "tol", "vu",
        "wan", "xe", "yin", "zo", "cur", "bra", "ste", "pli", "cho", "thu",
    ];
    let mut rest = number.wrapping_mul(7919) % 9_765_625;
    let mut text = String::new();
    for _ in 0..if number < 15_000 { 3 } else { 5 } {
        text += SYLLABLES[(rest % 25) as usize];
        rest /= 25;
    }
    text
}
