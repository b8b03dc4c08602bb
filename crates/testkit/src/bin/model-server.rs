//! Serves a script by hand: prints where it listens, then one line of JSON per request, until it is interrupted.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use ralph_testkit::models::{Script, Server};

/// A scripted model server on loopback.
#[derive(Parser)]
struct Args {
    /// The script, a .toml or .json file.
    #[arg(long)]
    script: PathBuf,
    /// The port to listen on; any free one by default.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let server = Server::start_on(args.port, Script::read(&args.script)?)?;
    println!("{}", server.url());
    let mut printed = 0;
    loop {
        server.wait_until(Duration::from_secs(3600), |seen| seen.len() > printed);
        for seen in &server.seen()[printed..] {
            println!("{}", serde_json::to_string(seen)?);
            printed += 1;
        }
    }
}
