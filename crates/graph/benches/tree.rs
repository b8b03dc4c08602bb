//! What a graph of a large tree costs, beside `ctags -R` on the same tree in the same minutes.
//!
//! `cargo bench -p ralph-graph --bench tree` takes a copy of the sources of all crates that cargo has unpacked, or of the
//! tree that is named after `--`; `RALPH_BENCH_DIR` names where the copy goes. ctags is universal-ctags, `apt-get install
//! universal-ctags` on Debian; without it only ralph is measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ralph_graph::{Graph, Node, Options, Reach, Report, SymbolId, Watched, update};

/// The languages that both read, as ctags calls them.
const LANGUAGES: &str = "--languages=Rust,Python,TypeScript,JavaScript,Go,Java,C,C++,C#,Ruby,PHP,Sh";
const ROUNDS: usize = 3;

fn main() {
    // Without it this is a test run of all targets, which is no time to measure.
    if !std::env::args().any(|flag| flag == "--bench") {
        return;
    }
    let base = std::env::var_os("RALPH_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let home = tempfile::tempdir_in(base).expect("a directory");
    let root = home.path().join("tree");
    copy(&source(), &root);
    let kept = home.path().join("graph");
    let tags = home.path().join("tags");
    let has_ctags = Command::new("ctags").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_ctags {
        println!("ctags is missing (Debian: apt-get install universal-ctags): only ralph is measured");
    }
    let (mut cold, mut alone, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let mut report = Report::default();
    for _ in 0..ROUNDS {
        if has_ctags {
            theirs.push(seconds(|| ctags(&root, &tags)).0);
        }
        let one = || build(&root, &kept, &Options { threads: Some(1), ..Options::default() });
        let _none_yet = fs::remove_file(&kept);
        alone.push(seconds(one).0);
        let _not_this_one = fs::remove_file(&kept);
        let (took, (_, built)) = seconds(|| build(&root, &kept, &Options::default()));
        cold.push(took);
        report = built;
    }
    let megabytes = report.bytes as f64 / 1e6;
    println!(
        "\n{} files, {megabytes:.0} MB, {} symbols, {} mentions; {} left out; the graph's file has {:.1} MB\n",
        report.files,
        report.symbols,
        report.mentions,
        report.skipped.len(),
        fs::metadata(&kept).map_or(0, |file| file.len()) as f64 / 1e6
    );
    println!("| | s | files/s | MB/s | symbols/s |\n|---|---:|---:|---:|---:|");
    let row = |what: &str, took: f64, symbols: usize| {
        let each = |count: usize| count as f64 / took;
        let (files, symbols) = (each(report.files), each(symbols));
        println!("| {what} | {took:.2} | {files:.0} | {:.1} | {symbols:.0} |", megabytes / took);
    };
    row("ralph, cold", median(cold), report.symbols);
    row("ralph, cold, one thread", median(alone), report.symbols);
    if has_ctags {
        let found = fs::read(&tags).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count());
        row("ctags -R, definitions only, one thread", median(theirs), found);
    }
    println!("\n| of ralph | ms |\n|---|---:|");
    let told = |what: &str, took: f64| println!("| {what} | {:.0} |", took * 1e3);
    told("nothing changed", seconds(|| build(&root, &kept, &Options::default())).0);
    told("one file changed", one_changed(&root, &kept));
    let (nothing, changed) = watched(&root, &kept);
    told("nothing changed, watched", nothing);
    told("one file changed, watched", changed);
    questions(&root, &kept);
}

/// The median of some changes of one file in the middle.
fn one_changed(root: &Path, kept: &Path) -> f64 {
    let (graph, _) = build(root, kept, &Options::default());
    changes(&graph, root, || build(root, kept, &Options::default()).1)
}

/// The same while the tree is watched, and with nothing changed.
fn watched(root: &Path, kept: &Path) -> (f64, f64) {
    // The default bound is for the projects of people, not for all of a registry.
    let (mut watched, _) =
        Watched::within(root, kept, Options::default(), usize::MAX, &|_, _| {}).expect("a graph");
    if let Some(why) = watched.unwatched() {
        println!("not watched: {why}");
    }
    let (nothing, _) = seconds(|| watched.update().expect("a graph"));
    let (graph, _) = build(root, kept, &Options::default());
    (nothing, changes(&graph, root, || watched.update().expect("a graph")))
}

fn changes(graph: &Graph, root: &Path, mut update: impl FnMut() -> Report) -> f64 {
    let middle = graph.files().nth(graph.file_count() / 2).expect("a tree with files").1.to_owned();
    let path = root.join(middle);
    let before = fs::read(&path).expect("a file");
    let mut times = Vec::new();
    for round in 0..5 {
        let after = [before.as_slice(), format!("\n// {round}\n").as_bytes()].concat();
        fs::write(&path, after).expect("a file");
        let (took, report) = seconds(&mut update);
        assert_eq!(report.parsed, 1, "only one file was changed");
        times.push(took);
    }
    fs::write(&path, before).expect("a file");
    median(times)
}

fn questions(root: &Path, kept: &Path) {
    let load = || build(root, kept, &Options::default()).0;
    let row = |what: &str, question: &dyn Fn(&Graph)| {
        let graph = load();
        println!("| {what}, after loading | {:.0} |", seconds(|| question(&graph)).0 * 1e3);
    };
    row("all references of a common name", &|graph| {
        let ids: Vec<SymbolId> = graph.named("Error").into_iter().take(20).collect();
        graph.references_to(&ids);
    });
    row("impact of a file", &|graph| {
        let file = graph.files().nth(graph.file_count() / 3).expect("a tree with files").0;
        graph.impact(&[Node::File(file)], Reach::default());
    });
    row("map", &|graph| drop(graph.map(&[], 2_000)));
}

fn build(root: &Path, kept: &Path, options: &Options) -> (Graph, Report) {
    update(root, kept, options, &|_, _| {}).expect("a graph")
}

fn ctags(root: &Path, tags: &Path) {
    let mut ctags = Command::new("ctags");
    ctags.args(["-R", LANGUAGES, "-f"]).arg(tags).arg(".").current_dir(root);
    let status = ctags.stderr(Stdio::null()).status().expect("ctags can be started");
    assert!(status.success(), "ctags ended with {status}");
}

fn source() -> PathBuf {
    let named = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let home = || std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let default = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    named.or_else(|| home().or_else(default).map(|home| home.join("registry/src"))).expect("a tree")
}

fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-rL").arg(from).arg(to).status().expect("cp can be started");
    assert!(status.success(), "cp ended with {status}");
}

fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = Instant::now();
    let done = work();
    (begun.elapsed().as_secs_f64(), done)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
