//! How fast outputs are read, beside looking for the ends of lines in the same bytes.
//!
//! `cargo bench -p ralph-checks --bench read` reads 20 MB of each kind, `-- --large` reads 100 MB.

use std::path::{Path, PathBuf};
use std::time::Instant;

use ralph_checks::diff::{fingerprint_unified, similarity};
use ralph_checks::{Exit, Output, Root, read};

const MB: usize = 1_000_000;

fn main() {
    // Without it this is a test run of all targets, which is no time to measure.
    let flags: Vec<String> = std::env::args().collect();
    if !flags.iter().any(|flag| flag == "--bench") {
        return;
    }
    let size = if flags.iter().any(|flag| flag == "--large") { 100 * MB } else { 20 * MB };
    println!("{:<12} {:>10} {:>12} {:>8} {:>9}", "output", "read MB/s", "lines MB/s", "ratio", "failures");
    for (name, block) in kinds() {
        let bytes = block.repeat(size.div_ceil(block.len()));
        // Alternately, so that a busy machine slows both.
        let rounds: Vec<(f64, f64)> = (0..3).map(|_| (rate(&bytes, failures), rate(&bytes, ends))).collect();
        let best = |rates: &mut dyn Iterator<Item = f64>| rates.fold(0.0, f64::max);
        let (ours, plain) =
            (best(&mut rounds.iter().map(|round| round.0)), best(&mut rounds.iter().map(|round| round.1)));
        let number = failures(&bytes);
        println!("{name:<12} {ours:>10.0} {plain:>12.0} {:>8.3} {number:>9}", ours / plain);
    }
    diffs();
}

fn rate(bytes: &[u8], work: fn(&[u8]) -> usize) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(work(bytes));
    (bytes.len() / MB) as f64 / begun.elapsed().as_secs_f64()
}

fn failures(bytes: &[u8]) -> usize {
    let root = Root::new(Path::new("/project"));
    read(&Output { tool: None, exit: Exit::Code(1), root: &root, bytes }).failures.len()
}

fn ends(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// The recordings of each tool, one after the other, and lines that say nothing.
fn kinds() -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut kinds: Vec<(String, Vec<u8>)> = Vec::new();
    for folder in sorted(&directory).into_iter().filter(|path| path.is_dir()) {
        let texts = sorted(&folder).into_iter().map(|path| std::fs::read(path).expect("a recording"));
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        kinds.push((name, texts.flatten().collect()));
    }
    let noise = (0..2_000).map(|number| {
        format!("[{number}] handled GET /items/{number} for user {} in {number} us\n", number * 7)
    });
    kinds.push(("plain log".to_owned(), noise.collect::<String>().into_bytes()));
    kinds
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("recordings");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn diffs() {
    let lines: String =
        (0..100_000).map(|n| format!("+    let value_{n} = compute(input, {n});\n")).collect();
    let diff = format!("--- a/x.rs\n+++ b/x.rs\n@@ -0,0 +1,100000 @@\n{lines}");
    let begun = Instant::now();
    let one = fingerprint_unified(&diff);
    let took = begun.elapsed();
    let begun = Instant::now();
    let alike = similarity(&one, &one);
    println!(
        "\ndiff of {:.1} MB: {:.1} ms; similarity of two ({alike}): {:.2} ms",
        diff.len() as f64 / MB as f64,
        took.as_secs_f64() * 1e3,
        begun.elapsed().as_secs_f64() * 1e3
    );
}
