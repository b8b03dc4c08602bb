//! `cargo xtask crash`: kills ralph, its guard, and both, at every durable step and at every durable system call, and
//! proves that the run that is resumed reads like one that was never disturbed.

mod lab;
mod plan;
mod points;
mod table;
mod tracer;
mod trial;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, ensure};

use lab::Lab;
use table::Table;
use trial::Trial;

/// Kill ralph and its guard wherever something lasting is done, and resume.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Every system call instead of a sample
    #[arg(long)]
    full: bool,
    /// Which sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many system calls the sample has
    #[arg(long, default_value_t = 300)]
    points: usize,
    /// How many runs at a time
    #[arg(long, default_value_t = 4)]
    jobs: usize,
    /// Only trials whose name contains this
    #[arg(long)]
    only: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let start = Instant::now();
    let lab = Lab::set_up()?;
    println!("crash: {} fail-point passes, {} system calls undisturbed", lab.passes.len(), lab.calls.len());
    let mut trials = plan::trials(&lab, args);
    if let Some(only) = &args.only {
        trials.retain(|trial| trial.name().contains(only));
    }
    let (table, failures) = perform(&lab, &trials, args.jobs);
    println!(
        "\n{table}\n{} trials, {} failures, {:.0} s",
        trials.len(),
        failures.len(),
        start.elapsed().as_secs_f64()
    );
    for failure in &failures {
        println!("FAILED {failure}");
    }
    ensure!(failures.is_empty(), "{} of {} trials failed", failures.len(), trials.len());
    if args.full && args.only.is_none() {
        ensure!(table.tried() == lab.blows(), "tried {}, but there are {}", table.tried(), lab.blows());
        println!("every point was tried: {}", table.tried());
    }
    Ok(())
}

fn perform(lab: &Lab, trials: &[Trial], jobs: usize) -> (Table, Vec<String>) {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Table::default(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = trial.hold(lab);
                    let mut done = done.lock().expect("no worker panics while it counts");
                    if let Err(why) = &outcome {
                        println!("FAILED {}: {why}", trial.name());
                        done.1.push(format!("{}: {why}", trial.name()));
                    }
                    let count = done.0.add(trial, outcome.is_ok());
                    if count.is_multiple_of(50) {
                        println!("  {count} of {}", trials.len());
                    }
                }
            });
        }
    });
    done.into_inner().expect("no worker panics while it counts")
}
