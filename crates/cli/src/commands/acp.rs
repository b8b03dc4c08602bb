//! The hidden command by which the binary becomes the relay to an agent that speaks the Agent Client Protocol.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::time::Duration;

use ralph_agents::acp::{Line, Permissions, Task, relay};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{Outcome, here};
use crate::problem::Problem;
use crate::project::block_on;

pub(crate) const NAME: &str = "acp-relay";

/// What an agent may take for each answer before it has its prompt: some install themselves first.
const PATIENCE: Duration = Duration::from_secs(120);

/// The relay to an agent that speaks the Agent Client Protocol: the brief comes from standard input.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long)]
    permissions: Permissions,
    #[arg(long)]
    model: Option<String>,
    #[arg(long)]
    effort: Option<String>,
    #[arg(long)]
    resume: Option<String>,
    #[arg(last = true, required = true)]
    words: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let mut brief = String::new();
    let unreadable =
        |error: std::io::Error| Problem::new(format!("the brief cannot be read: {error}")).exit(1);
    std::io::stdin().read_to_string(&mut brief).map_err(unreadable)?;
    let Args { permissions, model, effort, resume, words } = args;
    let task = Task { words, brief, dir: here()?, model, effort, resume, permissions, patience: PATIENCE };
    block_on(async {
        let deaf = |error: std::io::Error| Problem::new(format!("cannot listen to signals: {error}")).exit(1);
        let mut interrupt = signal(SignalKind::interrupt()).map_err(deaf)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(deaf)?;
        Ok(relay(task, print, either(&mut interrupt, &mut terminate)).await)
    })
}

pub(super) async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

/// Whoever listens hears it now, not when a buffer is full.
fn print(line: Line) {
    let mut out = std::io::stdout().lock();
    // Nobody listens any more: then the guard is about to end all of this.
    let _unheard = out.write_all(line.text().as_bytes()).and_then(|()| out.flush());
}
