//! The server that does the work: one that runs already, or one that is started for the attempt and ends with it.

use std::ffi::OsString;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::ChildStdout;
use tokio::task::JoinHandle;

use super::address::{Address, Login, PASSWORD_VARIABLE, USER_VARIABLE};
use super::line::Failed;
use super::tool::{McpServer, Settings, Tool};
use crate::process::Process;

/// What a server prints once it takes calls; one that connects earlier is never answered.
const LISTENING: &str = "listening on ";
const LONGEST_LINE: u64 = 4096;
/// It does nothing more once its session was aborted.
const LEAVE: Duration = Duration::ZERO;

/// Where the work is to be done.
#[derive(Debug, Clone)]
pub enum Place {
    Adopted(Address),
    /// Program and arguments that start a server on loopback.
    Started(Vec<OsString>),
}

/// What a started server's agents are given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    /// The tool by which an agent says that it is done.
    pub(super) with_tool: bool,
    pub(super) tools: Option<&'a McpServer>,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) address: Address,
    started: Option<Started>,
}

#[derive(Debug)]
struct Started {
    process: Process,
    /// Reads what else it prints, so that it is never held up.
    reader: JoinHandle<()>,
    _tool: Option<Tool>,
}

impl Server {
    /// Waits until it takes calls.
    pub(super) async fn open(place: Place, given: Given<'_>, within: Duration) -> Result<Server, Failed> {
        let words = match place {
            Place::Adopted(address) => return Ok(Server { address, started: None }),
            Place::Started(words) => words,
        };
        let not_started = |why: String| Failed::named("ServerNotStarted", &why);
        let login = Login { user: "opencode".to_owned(), password: password() };
        let mut env = vec![(USER_VARIABLE, login.user.clone()), (PASSWORD_VARIABLE, login.password.clone())];
        let tool = if given.with_tool {
            Some(Tool::write().map_err(|error| not_started(error.to_string()))?)
        } else {
            None
        };
        if tool.is_some() || given.tools.is_some() {
            let now = std::env::var(Settings::VARIABLE).ok();
            let mut settings = Settings::read(now.as_deref()).map_err(not_started)?;
            tool.iter().try_for_each(|tool| settings.plug_in(tool)).map_err(not_started)?;
            given.tools.iter().try_for_each(|server| settings.serve(server)).map_err(not_started)?;
            env.push((Settings::VARIABLE, settings.to_string()));
        }
        let (mut process, _stdin, stdout) = Process::start(&words, &env)
            .map_err(|error| not_started(format!("the OpenCode server cannot be started: {error}")))?;
        let mut lines = BufReader::new(stdout);
        let url = tokio::select! {
            url = tokio::time::timeout(within, listening(&mut lines)) => url.ok().flatten(),
            _status = process.ended() => None,
        };
        let Some(url) = url else {
            let _forced = process.end(LEAVE).await;
            let what = "the OpenCode server ended, or did not say in time where it listens; its words are in the log";
            return Err(not_started(what.to_owned()));
        };
        let reader = tokio::spawn(drain(lines));
        let started = Some(Started { process, reader, _tool: tool });
        Ok(Server { address: Address { url, login: Some(login) }, started })
    }

    /// Returns when a server that was started is no longer there, with what became of it.
    pub(super) async fn gone(&mut self) -> String {
        match &mut self.started {
            Some(started) => match started.process.ended().await {
                Ok(status) => format!("the OpenCode server ended ({status}) in the middle of the turn"),
                Err(error) => format!("the OpenCode server is lost: {error}"),
            },
            None => std::future::pending().await,
        }
    }

    pub(super) fn is_adopted(&self) -> bool {
        self.started.is_none()
    }

    /// Ends a server that was started.
    pub(super) async fn end(self) {
        if let Some(Started { process, reader, _tool }) = self.started {
            let _over = process.end(LEAVE).await;
            reader.abort();
            let _cancelled = reader.await;
        }
    }
}

/// The address that it prints.
async fn listening(lines: &mut BufReader<ChildStdout>) -> Option<String> {
    loop {
        let mut line = Vec::new();
        let read = (&mut *lines).take(LONGEST_LINE).read_until(b'\n', &mut line).await.ok()?;
        if read == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        if let Some((_, url)) = line.split_once(LISTENING) {
            return Some(url.trim().to_owned());
        }
    }
}

async fn drain(mut lines: BufReader<ChildStdout>) {
    let _ended = tokio::io::copy(&mut lines, &mut tokio::io::sink()).await;
}

/// For this server alone, from the kernel.
fn password() -> String {
    (0..4).map(|_| format!("{:016x}", ralph_engine::entropy())).collect()
}
