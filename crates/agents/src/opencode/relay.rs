//! The relay between the engine and an OpenCode server: opens it, sends the prompt, follows the turn, and leaves nothing
//! behind.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;

use super::address::Address;
use super::client::Client;
use super::follow::{Follow, Followed};
use super::left;
use super::line::{End, Failed, Line};
use super::server::{Given, Place, Server};
use super::session::{self, Begin, Ready, failed};
use super::tool::McpServer;
use super::turn::{Ended, How, TASK_COMPLETE, is_worked_off};
use super::version;
use crate::acp::Permissions;

/// What the server has to abort a session. The guard that interrupts the relay waits 1.2 s before it does more.
const LAST_WORD: Duration = Duration::from_millis(700);

/// What the relay has to do.
#[derive(Debug, Clone)]
pub struct Task {
    pub place: Place,
    pub brief: String,
    /// Where the agent is to work, as an absolute path.
    pub dir: PathBuf,
    /// What a new session is called.
    pub title: String,
    /// The run, by which its sessions are known.
    pub run: String,
    pub begin: Begin,
    /// `provider/model`.
    pub model: Option<String>,
    pub effort: Option<String>,
    pub files: Vec<PathBuf>,
    pub permissions: Permissions,
    /// It is to change nothing.
    pub is_looking: bool,
    /// The agent is to have the tool by which it says that it is done.
    pub with_tool: bool,
    /// ralph's own tools, which a server that is started gives to its agents.
    pub tools: Option<McpServer>,
    pub patience: Patience,
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until a started server listens.
    pub start: Duration,
    /// Until a prompt that was taken is worked on.
    pub begin: Duration,
    /// Until a turn that nobody works on any more is whole after all.
    pub settle: Duration,
    /// The same once an error was told.
    pub settle_after_error: Duration,
    /// Until a server that is gone is back.
    pub back: Duration,
    /// Between two looks at a session that tells nothing.
    pub look: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            start: Duration::from_secs(120),
            begin: Duration::from_secs(120),
            settle: Duration::from_secs(10),
            settle_after_error: Duration::from_secs(3),
            back: Duration::from_secs(30),
            look: Duration::from_secs(10),
        }
    }
}

/// The session at work, for whoever has to abort it.
type AtWork = Option<(Client, String)>;

/// Does the task and answers with the exit code that the relay ends with. `tell` takes what is to be printed, in order;
/// `stop` asks for an early end.
pub async fn relay<T, S>(task: Task, tell: T, stop: S) -> u8
where
    T: Fn(Line) + Send + Sync,
    S: Future<Output = ()> + Send,
{
    let mut stop = std::pin::pin!(stop);
    let given = Given { with_tool: task.with_tool, tools: task.tools.as_ref() };
    let opening = Server::open(task.place.clone(), given, task.patience.start);
    let opened = tokio::select! {
        () = &mut stop => return 130,
        opened = opening => opened,
    };
    let mut server = match opened {
        Ok(server) => server,
        Err(failed) => return conclude(Err(failed), &tell),
    };
    let (at_work, working) = watch::channel(None);
    let address = server.address.clone();
    let adopted = server.is_adopted();
    let outcome = tokio::select! {
        () = &mut stop => None,
        outcome = work(&task, (&address, adopted), &tell, &at_work) => Some(outcome),
        what = server.gone() => Some(Err(Failed::named("ServerGone", &what))),
    };
    let is_through = matches!(&outcome, Some(Ok(_)));
    if !is_through {
        abort(&working).await;
    }
    server.end().await;
    match outcome {
        Some(outcome) => conclude(outcome, &tell),
        None => 130,
    }
}

/// The session stops, and what its tools have started ends with it.
async fn abort(working: &watch::Receiver<AtWork>) {
    let at_work = working.borrow().clone();
    if let Some((client, session)) = at_work {
        let _no_answer = tokio::time::timeout(LAST_WORD, client.abort(&session)).await;
    }
}

async fn work<T: Fn(Line)>(
    task: &Task,
    (address, adopted): (&Address, bool),
    tell: &T,
    at_work: &watch::Sender<AtWork>,
) -> Result<End, Failed> {
    let client =
        Client::new(address, &task.dir.to_string_lossy()).map_err(|error| failed(error, "the server"))?;
    let health =
        client.health().await.map_err(|error| failed(error, "the server's own account of itself"))?;
    if let Some(why) = version::refusal(&health.version) {
        return Err(Failed::named("ServerTooOld", &why));
    }
    tell(Line::Server { version: health.version, adopted });
    if task.with_tool && adopted {
        has_tool(&client).await?;
    }
    if adopted {
        end_left(&client, &task.run, tell).await?;
    }
    let ready = session::ready(task, &client, tell).await?;
    at_work.send_replace(Some((client.clone(), ready.session.clone())));
    let followed = Follow::new(&client, &ready, task, tell).finish().await;
    let end = match followed {
        Followed::Over(ended) => concluded(&client, &ready, *ended).await,
        Followed::Failed(failed) => Err(failed),
    };
    if end.is_ok() {
        at_work.send_replace(None);
    }
    end
}

/// A turn of this run that nobody follows any more: of an attempt that was killed, or lost the server.
async fn end_left<T: Fn(Line)>(client: &Client, run: &str, tell: &T) -> Result<(), Failed> {
    let left = left::end(client, run).await.map_err(|error| failed(error, "a turn of this run"))?;
    left.ended.into_iter().for_each(|session| tell(Line::Left { session }));
    let Some(session) = left.at_work.first() else { return Ok(()) };
    let what = format!(
        "an earlier turn of this run still goes on in session {session} of the OpenCode server and does not end: \
         abort or delete it there"
    );
    Err(Failed::named("TurnLeft", &what))
}

async fn has_tool(client: &Client) -> Result<(), Failed> {
    let tools = client.tools().await.map_err(|error| failed(error, "the list of the server's tools"))?;
    if tools.iter().any(|tool| tool == TASK_COMPLETE) {
        return Ok(());
    }
    Err(Failed::named("NoTool", &format!("the OpenCode server has no tool {TASK_COMPLETE}")))
}

async fn concluded(client: &Client, ready: &Ready, ended: Ended) -> Result<End, Failed> {
    let Ended { how, text, tokens, cost, called_complete, wrote_list } = ended;
    let because = |error| Failed { error, tokens: Some(Box::new(tokens)), cost: Some(cost) };
    match how {
        How::Finished(reason) => {
            // A list that cannot be read shows nothing; the turn is over all the same.
            let list = client.todos(&ready.session).await.unwrap_or_default();
            let is_of_this_turn = wrote_list || ready.todos.as_ref().is_some_and(|before| *before != list);
            let todo = is_of_this_turn && is_worked_off(&list);
            Ok(End { reason, text, tokens, cost, tool: called_complete, todo })
        }
        How::Failed(error) => Err(because(error)),
        How::Aborted => Err(because(Failed::named("Aborted", "somebody aborted the turn in OpenCode").error)),
    }
}

fn conclude(outcome: Result<End, Failed>, tell: &impl Fn(Line)) -> u8 {
    match outcome {
        Ok(end) => {
            tell(Line::End(Box::new(end)));
            0
        }
        Err(failed) => {
            tell(Line::Error(failed));
            1
        }
    }
}
