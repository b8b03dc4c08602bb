//! The project's own tasks.

mod crash;
mod flood;

use clap::Parser;

#[derive(Parser)]
enum Task {
    Crash(crash::Args),
    Flood(flood::Args),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Crash(args) => crash::run(&args),
        Task::Flood(args) => flood::run(&args),
    }
}
