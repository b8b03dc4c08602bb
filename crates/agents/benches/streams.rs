//! How fast each format is read, beside reading the same bytes as bare JSON values.
//!
//! `cargo bench -p ralph-agents --bench streams` reads 100 MB of each format, `-- --large` reads 500 MB.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ralph_agents::catalog::Catalogue;
use ralph_agents::prices::Prices;
use ralph_agents::stream::{Hearing, Parser};
use ralph_core::promise::Word;
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::output::Lines;

const MB: usize = 1_000_000;
const PIECE: usize = 64 * 1024;
const AGENTS: [&str; 5] = ["claude", "opencode", "codex", "gemini", "qwen"];

fn main() {
    let flags: Vec<String> = std::env::args().collect();
    // Without it this is a test run of all targets, which is no time to measure.
    if !flags.iter().any(|flag| flag == "--bench") {
        return;
    }
    let size = if flags.iter().any(|flag| flag == "--large") { 500 * MB } else { 100 * MB };
    println!("{:<10} {:>12} {:>12} {:>8} {:>10}", "format", "events MB/s", "values MB/s", "ratio", "events");
    for agent in AGENTS {
        let block = recorded(agent);
        let times = size.div_ceil(block.len());
        // Alternately, so that a busy machine slows both.
        let rounds: Vec<((f64, u64), f64)> =
            (0..3).map(|_| (events(agent, &block, times), values(&block, times))).collect();
        let best = |rates: &mut dyn Iterator<Item = f64>| rates.fold(0.0, f64::max);
        let ours = best(&mut rounds.iter().map(|(ours, _)| ours.0));
        let theirs = best(&mut rounds.iter().map(|(_, theirs)| *theirs));
        println!("{agent:<10} {ours:>12.0} {theirs:>12.0} {:>8.2} {:>10}", ours / theirs, rounds[0].0.1);
    }
}

/// The recordings of an agent, one after the other.
fn recorded(agent: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(agent);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("recordings").map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let outputs = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "out"));
    let texts = outputs.map(|path| std::fs::read(path).expect("a recording"));
    texts.filter(|text| text.starts_with(b"{")).flatten().collect()
}

fn parser(agent: &str) -> Box<dyn Parser> {
    let catalogue = Catalogue::builtin();
    let entry = catalogue.get(agent).expect("an entry");
    entry.parser(Hearing {
        promise: Word::parse("DONE-7f3a").expect("a word"),
        brief: "Do the work.\n".repeat(100),
        model: None,
        counter: Usage::default(),
        manners: Arc::clone(&entry.manners),
        prices: Arc::new(Prices::default()),
    })
}

fn events(agent: &str, block: &[u8], times: usize) -> (f64, u64) {
    let mut parser = parser(agent);
    let mut count = 0;
    let start = Instant::now();
    for _ in 0..times {
        for piece in block.chunks(PIECE) {
            parser.push(piece, &mut |event| {
                std::hint::black_box(&event);
                count += 1;
            });
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let conclusion = parser.conclude(&AgentExit::Code { code: 0 }, "");
    assert_eq!(conclusion.malformed, 0);
    ((block.len() * times / MB) as f64 / seconds, count)
}

fn values(block: &[u8], times: usize) -> f64 {
    let mut lines = Lines::new(16 * 1024 * 1024);
    let start = Instant::now();
    for _ in 0..times {
        for piece in block.chunks(PIECE) {
            lines.push(piece, |line| {
                std::hint::black_box(serde_json::from_slice::<serde_json::Value>(line.bytes).expect("json"));
            });
        }
    }
    (block.len() * times / MB) as f64 / start.elapsed().as_secs_f64()
}
