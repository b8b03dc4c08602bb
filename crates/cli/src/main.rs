//! Enough of `ralph` to try its settings.
#![cfg_attr(not(test), expect(dead_code, reason = "the run command reads the rest of the settings"))]

mod commands;
mod problem;
mod settings;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use problem::Problems;

#[derive(Debug, Parser)]
#[command(name = "ralph", version)]
enum Ralph {
    Config(commands::config::ConfigArgs),
    Init(commands::init::InitArgs),
}

fn main() -> ExitCode {
    match ralph() {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(problems) => {
            anstream::eprintln!("{problems:#}");
            ExitCode::from(problems.exit())
        }
    }
}

fn ralph() -> Result<String, Problems> {
    let ralph = Ralph::parse();
    let here = std::env::current_dir()
        .map_err(|e| problem::Problem::new(format!("cannot tell the current directory: {e}")))?;
    match ralph {
        Ralph::Config(args) => args.run(&here),
        Ralph::Init(args) => Ok(args.run(&here)?),
    }
}
