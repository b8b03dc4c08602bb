//! The hidden command by which the binary becomes the relay to an OpenCode server.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

use ralph_agents::acp::Permissions;
use ralph_agents::opencode::{Address, Begin, Line, McpServer, Patience, Place, Task, relay};
use ralph_engine::custody::RUN_MARK;
use ralph_engine::mailbox;
use tokio::signal::unix::{SignalKind, signal};

use super::acp::either;
use super::{Outcome, here};
use crate::perform::{login, own_program};
use crate::problem::Problem;
use crate::project::block_on;

pub(crate) const NAME: &str = "opencode-relay";

/// The relay to an OpenCode server: the brief comes from standard input.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long)]
    permissions: Permissions,
    #[arg(long)]
    model: Option<String>,
    #[arg(long)]
    effort: Option<String>,
    /// The session to go on with.
    #[arg(long = "continue", conflicts_with = "compact")]
    resume: Option<String>,
    /// The session whose summary is to be gone on with.
    #[arg(long)]
    compact: Option<String>,
    /// It is to change nothing.
    #[arg(long)]
    look: bool,
    #[arg(long = "file")]
    files: Vec<PathBuf>,
    /// Give its agents ralph's own tools.
    #[arg(long)]
    tools: bool,
    /// The server that runs already.
    #[arg(long, required_unless_present = "words")]
    attach: Option<String>,
    #[arg(last = true)]
    words: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let mut brief = String::new();
    let unreadable =
        |error: std::io::Error| Problem::new(format!("the brief cannot be read: {error}")).exit(1);
    std::io::stdin().read_to_string(&mut brief).map_err(unreadable)?;
    let Args { permissions, model, effort, resume, compact, look, files, tools, attach, words } = args;
    let begin = match (resume, compact) {
        (Some(session), _) => Begin::Continue(session),
        (None, Some(session)) => Begin::Compact(session),
        (None, None) => Begin::Fresh,
    };
    let task = Task {
        place: attach.map_or(Place::Started(words), |url| Place::Adopted(Address { url, login: login() })),
        brief,
        dir: here()?,
        title: title(),
        run: told(RUN_MARK),
        begin,
        model,
        effort,
        files,
        permissions,
        is_looking: look,
        with_tool: told("RALPH_REQUIRE").split(',').any(|signal| signal == "tool"),
        tools: if tools { Some(own_tools()?) } else { None },
        patience: Patience::default(),
    };
    block_on(async {
        let deaf = |error: std::io::Error| Problem::new(format!("cannot listen to signals: {error}")).exit(1);
        let mut interrupt = signal(SignalKind::interrupt()).map_err(deaf)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(deaf)?;
        Ok(relay(task, print, either(&mut interrupt, &mut terminate)).await)
    })
}

/// As this attempt's: the server is started for it, and ends with it.
fn own_tools() -> Result<McpServer, Problem> {
    let program = own_program()?.to_string_lossy().into_owned();
    let environment = [RUN_MARK, mailbox::VARIABLE].map(|name| (name.to_owned(), told(name))).into();
    Ok(McpServer { command: vec![program, "mcp".to_owned()], environment })
}

/// What the attempt was told of itself.
fn told(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn title() -> String {
    let parts = [told("RALPH_TASK"), told("RALPH_TASK_TITLE")];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "ralph".to_owned() } else { parts.join(": ") }
}

/// Whoever listens hears it now, not when a buffer is full.
fn print(line: Line) {
    let mut out = std::io::stdout().lock();
    // Nobody listens any more: then the guard is about to end all of this.
    let _unheard = out.write_all(line.text().as_bytes()).and_then(|()| out.flush());
}
