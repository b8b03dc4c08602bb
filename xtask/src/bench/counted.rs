//! How often an iteration waits for the disk, counted by strace. Two runs of different lengths, so that what a run
//! costs once does not count.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use super::{Figure, Place};

const SHORT: u32 = 10;
const LONG: u32 = 60;
const FLUSHES: [&str; 4] = ["fsync", "fdatasync", "msync", "sync_file_range"];

pub(super) fn measure(ralph: &Path) -> anyhow::Result<Vec<Figure>> {
    let (short, long) = (trace(ralph, SHORT)?, trace(ralph, LONG)?);
    let each = |wanted: &dyn Fn(&str) -> bool| {
        let count = |calls: &[(String, u64)]| -> u64 {
            calls.iter().filter(|(call, _)| wanted(call)).map(|(_, count)| count).sum()
        };
        (count(&long) as f64 - count(&short) as f64) / f64::from(LONG - SHORT)
    };
    let mut figures = vec![
        Figure::new("flushes to disk an iteration", each(&|call| FLUSHES.contains(&call)), "calls")
            .at_most(6.0),
        Figure::new(
            "programs started an iteration, two of them the agent's",
            each(&|call| call.starts_with("execve")),
            "calls",
        ),
        Figure::new("system calls an iteration", each(&|_| true), "calls"),
    ];
    let mut names: Vec<(String, f64)> =
        long.iter().map(|(name, _)| (name.clone(), each(&|call| call == name))).collect();
    names.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (name, count) in names.into_iter().take(8) {
        figures.push(Figure::new(format!("— of these {name}"), count, "calls"));
    }
    Ok(figures)
}

/// Every system call of a run and all its processes, by name.
fn trace(ralph: &Path, iterations: u32) -> anyhow::Result<Vec<(String, u64)>> {
    let place = Place::new()?;
    let counts = place.path().join("counts");
    let mut strace = place.command(Path::new("strace"));
    strace.args(["-f", "-c", "-o"]).arg(&counts).arg(ralph).args(Place::run_args(iterations));
    let status = strace.status().context("cannot start strace")?;
    ensure!(status.code() == Some(3), "ralph run under strace ended with {status}, not with 3");
    let text = fs::read_to_string(&counts)?;
    // % time, seconds, usecs/call, calls, errors (or nothing), name
    let rows = text.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows = rows.filter_map(|row| Some(((*row.last()?).to_owned(), row.get(3)?.parse().ok()?)));
    Ok(rows.filter(|(name, _)| name != "total").collect())
}
