//! The project's own tasks. `cargo xtask test` is the one test command.

mod bench;
mod beside;
mod bite;
mod br;
mod cargo;
mod crash;
mod flood;
mod prerequisites;
mod steps;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "The project's own tasks")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every test there is, and end with a table of what passed
    Test(test::Args),
    /// Measure what a loop costs, beside a plain shell loop in the same minutes
    Bench(bench::Args),
    /// Plant one bug after the other and see the tests catch each
    Bite(bite::Args),
    Crash(crash::Args),
    Flood(flood::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Test(args) => test::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Bite(args) => bite::run(&args),
        Task::Crash(args) => crash::run(&args),
        Task::Flood(args) => flood::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
