//! `cargo xtask flood`: agents that print without end, at full size, under the release binary.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ralph_testkit::Project;

const PATIENCE: Duration = Duration::from_secs(600);
const MOST_MEMORY: u64 = 64 << 20;

/// Let agents print gigabytes; ralph keeps up and stays small.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Use this binary instead of building the release one
    #[arg(long)]
    binary: Option<PathBuf>,
}

struct Flood {
    name: &'static str,
    script: &'static str,
    bytes: u64,
}

const FLOODS: [Flood; 4] = [
    Flood {
        name: "2 GB of lines",
        script: "yes 'a line of some length, as a build prints it' | head -c 2000000000",
        bytes: 2_000_000_000,
    },
    Flood {
        name: "2 GB on stderr",
        script: "yes 'a line of some length, as a build prints it' | head -c 2000000000 >&2",
        bytes: 2_000_000_000,
    },
    Flood {
        name: "one line of 500 MB",
        script: "head -c 500000000 /dev/zero | tr '\\0' x",
        bytes: 500_000_000,
    },
    Flood {
        name: "500 MB that is no text",
        script: "openssl enc -aes-128-ctr -nosalt -k x -in /dev/zero 2>/dev/null | head -c 500000000",
        bytes: 500_000_000,
    },
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let binary = match &args.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => build()?,
    };
    println!(
        "{:<24} {:>8} {:>8} {:>12} {:>12} {:>10}",
        "printed", "s", "MB/s", "ralph peak", "guard peak", "on disk"
    );
    for flood in &FLOODS {
        stand(&binary, flood)?;
    }
    Ok(())
}

fn build() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "ralph-cli"])
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "the release binary does not build");
    Ok(std::path::absolute(target.join("release/ralph"))?)
}

fn stand(binary: &std::path::Path, flood: &Flood) -> Result<()> {
    let agent = format!("{}\necho; echo \"<promise>$RALPH_PROMISE</promise>\"", flood.script);
    let project = Project::new(binary).agent(&agent);
    let start = Instant::now();
    let (ran, peaks) = project.start(&["run", "flood", "--max-iterations", "1"]).end_and_peaks(PATIENCE);
    let took = start.elapsed().as_secs_f64();
    // Noise may open a quotation mark that nothing closes, and then no promise counts.
    ensure!(matches!(ran.code, Some(0 | 3)), "{}: {:?} {}", flood.name, ran.code, ran.err);
    let kept: u64 = size(&project.state());
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "{:<24} {took:>8.1} {:>8.0} {:>9.1} MB {:>9.1} MB {:>7.1} MB",
        flood.name,
        mb(flood.bytes) / took,
        mb(peaks.ralph),
        mb(peaks.guard),
        mb(kept)
    );
    ensure!(peaks.ralph <= MOST_MEMORY, "{}: ralph took {} bytes", flood.name, peaks.ralph);
    ensure!(peaks.guard <= MOST_MEMORY, "{}: the guard took {} bytes", flood.name, peaks.guard);
    Ok(())
}

fn size(path: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else {
        return path.metadata().map_or(0, |metadata| metadata.len());
    };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}
