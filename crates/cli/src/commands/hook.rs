//! The hidden command by which a host's plugin tells what happened in a session.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ralph_agents::limit::{Evidence, Reset};
use ralph_agents::trouble;
use ralph_core::id::{AgentName, RunId, SessionId};
use ralph_core::policy::Signal;
use ralph_core::report::AgentExit;
use ralph_core::run::Run;
use ralph_engine::loops::{Living, Loops};
use ralph_engine::session::{Provide, Waiting};
use ralph_engine::sessions::{Told, observe};
use ralph_engine::{Place, boxed, chain};
use ralph_hosts::opencode::{self, Event};
use ralph_hosts::wire::{Action, Answer, Fault, VERSION};
use ralph_hosts::{Happening, Manner, Original, answer, let_go};
use ralph_store::{Seat, SqliteStore, StoreError};

use super::Outcome;
use crate::announced::{Lifecycle, Own};
use crate::inside::{Inside, in_a_line};
use crate::leash::Leash;
use crate::perform::{redactor, signals};
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;

/// What an agent says in one turn is smaller than this.
const LONGEST_EVENT: u64 = 64 << 20;
/// How much of what happened in driven agents' sessions is kept for a run.
const LONGEST_RECORD: u64 = 1 << 20;

/// What this command is called.
pub(crate) const NAME: &str = "hook";
/// How long an event may take that leads to nothing which has a deadline of its own.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a host's plugin calls: an event on standard input, what to do on standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph hook opencode < event.json             what OpenCode's plugin starts (docs/schema/hook-event.json)
  ralph hook claude --within 60 < event.json   what is put into the settings of a host that starts commands

`ralph install` writes these down where the host finds them; nobody types them.")]
pub(crate) struct Args {
    /// The host
    host: String,
    /// Hosts may add what they like
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

/// A host waits for this at every event, and to describe all commands to a parser would take a tenth of that time. Whatever
/// is not plainly an event is left to the parser, and what it says.
pub(crate) fn told_apart() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != NAME {
        return None;
    }
    let words: Option<Vec<String>> = words.map(|word| word.into_string().ok()).collect();
    let mut words = words?.into_iter();
    let host = words.next().filter(|host| !host.starts_with('-'))?;
    let rest: Vec<String> = words.collect();
    let asks = |word: &String| matches!(word.as_str(), "-h" | "--help" | "-V" | "--version");
    (!rest.iter().any(asks)).then(|| ExitCode::from(heard(&Args { host, rest })))
}

pub(crate) fn run(args: &Args) -> Outcome {
    Ok(heard(args))
}

/// A hook never harms its host: whatever happens here, it goes on, and it is never told to stop (exit 2).
fn heard(args: &Args) -> u8 {
    let leash = Leash::of(PATIENCE);
    let told = catch_unwind(AssertUnwindSafe(|| hear(args, leash.clone())));
    match told {
        Ok(Ok(())) => 0,
        Ok(Err(why)) => {
            eprintln!("ralph: {}", printable(&why));
            leash.code()
        }
        Err(_) => leash.code(),
    }
}

/// What an event says may be anything, and a person reads it in a terminal.
pub(super) fn printable(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' => ' ',
        c if c.is_control() => '?',
        c => c,
    };
    text.chars().map(plain).take(1_000).collect()
}

fn hear(args: &Args, leash: Leash) -> Result<(), String> {
    let dialect = ralph_hosts::hooked::of(&args.host);
    if args.host != opencode::NAME && dialect.is_none() {
        return Err(format!("`{}` is not a host that ralph knows; `ralph hosts` lists them", args.host));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST_EVENT).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read the event: {error}"))?;
    if let Some(dialect) = dialect {
        return super::hooked::hear(dialect, &args.rest, &bytes, leash);
    }
    let mut event = opencode::read(&bytes).map_err(|error| chain(&error))?;
    let project = Project::at(&event.directory, Given::default()).map_err(|problems| in_a_line(&problems))?;
    if let Ok(run) = std::env::var("RALPH_RUN") {
        record(&project.place, &run, &event.session, &bytes);
        return Ok(());
    }
    if !project.loaded.answers_opencode() {
        return Ok(());
    }
    let Some(store) = store(&project, &event)? else { return Ok(()) };
    let hooked = !project.loaded.merged.hooks.is_empty();
    if let Some(exit) = event.fault.as_ref().and_then(|fault| meaning(&project, fault)) {
        event.mean(exit);
    }
    let lifecycle = event.observed.as_ref().and_then(|what| Lifecycle::of(what, None));
    let lifecycle = lifecycle.filter(|lifecycle| lifecycle.is_wanted(&project));
    block_on(boxed(|| unless_signalled(tell(event, Arc::new(store), leash, lifecycle, hooked))))
}

pub(super) async fn unless_signalled(told: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    tokio::select! {
        biased;
        why = signalled() => Err(why),
        told = told => told,
    }
}

/// A signal to a hook is about the host: the loop stays where it is, and the next event goes on from there. What runs
/// under a guard ends with this process.
async fn signalled() -> String {
    let Ok(mut signals) = signals() else { return std::future::pending().await };
    let heard = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
    first_of(heard.collect()).await;
    "a signal ended this; the next event of the session goes on from there".to_owned()
}

async fn first_of<F: Future + Unpin>(mut all: Vec<F>) {
    std::future::poll_fn(|context| {
        let ready = all.iter_mut().any(|one| Pin::new(one).poll(context).is_ready());
        if ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// What an error of the agent's provider means, by the same rules as for an agent that ralph drives.
fn meaning(project: &Project, fault: &Fault) -> Option<AgentExit> {
    let (catalogue, _) = project.loaded.agents().ok()?;
    let named = |text: &'_ str| !text.is_empty();
    let evidence = Evidence {
        status: fault.status,
        kind: Some(fault.name.as_str()).filter(|name| named(name)),
        message: Some(fault.message.as_str()).filter(|message| named(message)),
        ..Evidence::default()
    };
    let reset = fault.retry_after_ms.map(|ms| Reset::After(Duration::from_millis(ms)));
    let manners = &catalogue.get(opencode::NAME)?.manners;
    trouble(manners, &evidence, reset, Timestamp::now(), &TimeZone::system())
}

/// Only what begins a loop makes a store.
fn store(project: &Project, event: &Event) -> Result<Option<SqliteStore>, String> {
    let begins = match &event.happening {
        Happening::Command(_) => true,
        Happening::Message { first, .. } => *first && begins_by_itself(event),
        _ => false,
    };
    let opened = match begins {
        true => ralph_store::settle(&project.state_dir, &project.place.root)
            .and_then(|_| SqliteStore::open(&project.place.state)),
        false => SqliteStore::open_existing(&project.place.state),
    };
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error).what),
    }
}

fn begins_by_itself(event: &Event) -> bool {
    let own = event.options.as_ref().and_then(Original::of);
    own.is_some() || Inside::configured(&event.directory).is_some()
}

async fn tell(
    event: Event,
    store: Arc<SqliteStore>,
    leash: Leash,
    lifecycle: Option<Lifecycle>,
    hooked: bool,
) -> Result<(), String> {
    let Event { session, directory, happening, options, observed, .. } = event;
    let host = AgentName::parse(opencode::NAME).expect("a host has a name");
    let seat = Seat { host: host.clone(), session: session.clone() };
    if let Some(what) = observed {
        let told = Told::new(seat.clone(), &directory, what);
        let kept = observe(&*store, &redactor(), told, Timestamp::now()).await;
        // The host's business goes on without it.
        if let Err(error) = kept {
            eprintln!("ralph: the session is not remembered: {}", chain(&error));
        }
    }
    let loops = Loops::new(store.clone(), host, redactor());
    // The event may end it; where nobody wants to be told of that, it costs no look.
    let seen = match hooked {
        true => loops.look(&session).await.map_err(|error| chain(&error))?,
        false => Living::default(),
    };
    let may_begin = matches!(happening, Happening::Command(_) | Happening::Message { .. });
    let is_concerned = seen.here.is_some() || seen.unpresented.is_some() || may_begin;
    let own = if hooked && is_concerned { boxed(|| Own::at(&directory, &store)).await } else { None };
    let loops = loops.with_hooks(own.as_ref().map(|own| own.hooks.clone()).unwrap_or_default());
    let (waiting, leash) = (Waiting::AsksAgain, Some(leash));
    let manner = Manner::default();
    let inside = Inside { directory, store, options, manner, waiting, until: None, leash };
    let told = reply(&session, happening, &loops, &inside).await;
    if let Some(lifecycle) = lifecycle {
        inside.expect(PATIENCE);
        let run = match seen.unpresented {
            Some(_) => loops.look(&session).await.map_err(|error| chain(&error))?.here,
            None => seen.here,
        };
        boxed(|| lifecycle.announce(&inside.directory, &inside.store, &seat, run, PATIENCE)).await;
    }
    if let Some(own) = own {
        inside.expect(PATIENCE);
        boxed(|| own.deliver(inside.store.clone(), PATIENCE)).await;
    }
    told
}

async fn reply(
    session: &SessionId,
    happening: Happening,
    loops: &Loops<SqliteStore>,
    inside: &Inside,
) -> Result<(), String> {
    match answer(session, happening, loops, inside).await {
        Ok(actions) => {
            let is_of_here = actions.iter().any(|action| action.session.is_none());
            let tool = is_of_here && shows_tool(loops, session).await?;
            if let Err(error) = say(actions, tool) {
                loops.untold(session).await.map_err(|error| chain(&error))?;
                return Err(format!("nobody took the answer: {error}"));
            }
            inside.answered();
            Ok(())
        }
        Err(error) => {
            let tool = shows_tool(loops, session).await.unwrap_or(false);
            let _journal_has_it = say(let_go(&error), tool);
            Err(chain(&error))
        }
    }
}

async fn shows_tool(loops: &Loops<SqliteStore>, session: &SessionId) -> Result<bool, String> {
    let run = loops.run_of(session).await.map_err(|error| chain(&error))?;
    let wants = |run: Run| run.stop().is_none() && run.policy.completion.require.contains(&Signal::Tool);
    Ok(run.is_some_and(wants))
}

fn say(actions: Vec<Action>, tool: bool) -> std::io::Result<()> {
    if actions.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_vec(&Answer { v: VERSION, actions, tool }).expect("an answer is JSON");
    let mut out = std::io::stdout().lock();
    out.write_all(&text).and_then(|()| out.flush())
}

/// The agent is driven from outside: what happened is kept beside what it printed, and the one who drives it decides.
fn record(place: &Place, run: &str, session: &SessionId, event: &[u8]) {
    let Ok(run) = RunId::parse(run) else { return };
    let kept = append(&place.state.join("output").join(run.as_str()), session, event);
    if let Err(error) = kept {
        eprintln!("ralph: an event of session {session} was not kept: {error}");
    }
}

fn append(folder: &Path, session: &SessionId, event: &[u8]) -> std::io::Result<()> {
    let path = folder.join("host-events.jsonl");
    let told: serde_json::Value = serde_json::from_slice(event)?;
    let line = serde_json::json!({ "at": Timestamp::now(), "session": session, "event": told["event"] });
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata()?.len() < LONGEST_RECORD {
        file.write_all(format!("{line}\n").as_bytes())?;
    }
    Ok(())
}
