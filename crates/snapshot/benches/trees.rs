//! What a snapshot costs, beside git on the same tree: `git add -A && git write-tree` into an index of its own.
//!
//! `cargo bench -p ralph-snapshot --bench trees` takes a tree of 200,000 files, `-- --files 20000` another.
//! `RALPH_BENCH_DIR` says where; the default is the directory for temporary files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ralph_snapshot::{Options, Vault};

const SMALL_TREE: usize = 30;
const ROUNDS: usize = 200;

fn main() {
    let flags: Vec<String> = std::env::args().collect();
    // Without it this is a test run of all targets, which is no time to measure.
    if !flags.iter().any(|flag| flag == "--bench") {
        return;
    }
    let files =
        flags.iter().position(|flag| flag == "--files").and_then(|at| flags.get(at + 1)?.parse().ok());
    let files = files.unwrap_or(200_000);
    let base = std::env::var_os("RALPH_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    small(&base);
    large(&base, files);
}

fn small(base: &Path) {
    let home = tempfile::tempdir_in(base).expect("a directory");
    let root = home.path().join("tree");
    fill(&root, SMALL_TREE);
    fs::write(root.join(".gitignore"), "target/\n*.log\n/node_modules\n").expect("a file");
    std::thread::sleep(std::time::Duration::from_millis(50));
    let vault = open(home.path(), &root);
    vault.take().expect("a snapshot");
    vault.take().expect("a snapshot");
    let mut unchanged = Vec::new();
    let mut changed = Vec::new();
    for round in 0..ROUNDS {
        unchanged.push(milliseconds(|| drop(vault.take().expect("a snapshot"))));
        fs::write(root.join("one"), format!("{round}")).expect("a file");
        changed.push(milliseconds(|| drop(vault.take().expect("a snapshot"))));
        vault.take().expect("a snapshot");
    }
    println!("| {SMALL_TREE} files | median ms | p95 ms |\n|---|---:|---:|");
    for (what, mut times) in [("unchanged", unchanged), ("one changed", changed)] {
        times.sort_by(f64::total_cmp);
        println!("| {what} | {:.2} | {:.2} |", times[ROUNDS / 2], times[ROUNDS * 95 / 100]);
    }
}

fn large(base: &Path, files: usize) {
    let home = tempfile::tempdir_in(base).expect("a directory");
    let root = home.path().join("tree");
    let bytes = fill(&root, files);
    std::thread::sleep(std::time::Duration::from_millis(50));
    let git = Git { root: root.clone(), directory: home.path().join("git") };
    git.init();
    let vault = open(home.path(), &root);
    let mut rows: Vec<(&str, [f64; 3])> = Vec::new();
    let mut row = |what| {
        let begun = processor_seconds();
        let ours = milliseconds(|| drop(vault.take().expect("a snapshot"))) / 1e3;
        let processor = processor_seconds() - begun;
        rows.push((what, [ours, processor, milliseconds(|| git.snapshot()) / 1e3]));
    };
    row("cold");
    row("unchanged");
    row("unchanged again");
    fs::write(root.join("d00/s00/f0.rs"), "changed").expect("a file");
    row("one changed");
    fs::write(root.join("d00/s00/f0.rs"), "changed again").expect("a file");
    row("one changed again");
    println!(
        "\n| {files} files, {:.0} MB | ralph s | of processor time | git s |\n|---|---:|---:|---:|",
        bytes as f64 / 1e6
    );
    for (what, [ours, processor, theirs]) in &rows {
        println!("| {what} | {ours:.2} | {processor:.2} | {theirs:.2} |");
    }
    let (ours, theirs) = (disk(&home.path().join("vault")), disk(&git.directory));
    println!("| store, MB on disk | {:.0} | | {:.0} |", ours / 1e6, theirs / 1e6);
}

fn open(home: &Path, root: &Path) -> Vault {
    Vault::open(&home.join("vault"), root, Options::default()).expect("a vault")
}

fn milliseconds(act: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    act();
    begun.elapsed().as_secs_f64() * 1e3
}

/// Of this process: what it would take on a machine of its own.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Source-like text, 20 files to a directory, each file different. Says how many bytes that is.
fn fill(root: &Path, files: usize) -> usize {
    let mut total = 0;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let words =
        ["fn", "let", "match", "self", "return", "value", "entry", "index", "=>", "{", "}", "(", ")", "\n"];
    for number in 0..files {
        let (top, sub) = (number / 1000, number / 20 % 50);
        let directory = root.join(format!("d{top:02}/s{sub:02}"));
        if number % 20 == 0 {
            fs::create_dir_all(&directory).expect("a directory");
        }
        let length = 500 + (next() % 4000) as usize;
        let mut text = format!("// {number}\n");
        while text.len() < length {
            let word = words[(next() % words.len() as u64) as usize];
            text += word;
            text += if next() % 4 == 0 { "_x1 " } else { " " };
        }
        total += text.len();
        fs::write(directory.join(format!("f{}.rs", number % 20)), text).expect("a file");
    }
    total
}

/// What a directory takes up on disk.
fn disk(directory: &Path) -> f64 {
    let out = Command::new("du").arg("-sk").arg(directory).output().expect("du");
    let text = String::from_utf8_lossy(&out.stdout);
    text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or_default() * 1024.0
}

/// A repository beside the tree, so that the tree itself is the same for both.
struct Git {
    root: PathBuf,
    directory: PathBuf,
}

impl Git {
    fn run(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(&self.directory).arg("--work-tree").arg(&self.root).args(arguments);
        git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").current_dir(&self.root);
        let out = git.output().expect("git");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }

    fn init(&self) {
        self.run(&["init", "--quiet"]);
    }

    fn snapshot(&self) {
        self.run(&["-c", "gc.auto=0", "add", "-A"]);
        self.run(&["write-tree"]);
    }
}
