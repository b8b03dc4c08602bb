//! `ralph loop`: loops inside the sessions of a host, for programs that drive one.

use std::sync::Arc;

use jiff::Timestamp;
use ralph_core::id::{AgentName, SessionId};
use ralph_core::in_session::{Strategy, named as named_place};
use ralph_core::nearest::nearest;
use ralph_core::view::RunView;
use ralph_engine::loops::{LoopError, LoopOptions, Loops};
use ralph_hosts::arguments::Start;
use ralph_hosts::{hooked, opencode};
use ralph_store::{Register, SqliteStore, StoreError, settle};

use super::{Outcome, here};
use crate::announced::Own;
use crate::inside::{Inside, flags, within_reach};
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;
use crate::words::{print, print_json};

const START_EXAMPLES: &str = "\
Examples:
  ralph loop start --session ses_12 -- \"fix the failing tests\"
  ralph loop start --session ses_12 --host claude --criteria tests --max-iterations 10 -- \"fix them\"
  ralph loop start --session ses_12 --replace --json -- \"begin with the parser\"";
const CANCEL_EXAMPLES: &str = "\
Examples:
  ralph loop cancel --session ses_12
  ralph loop cancel --session ses_12 --host claude --json";
const STATUS_EXAMPLES: &str = "\
Examples:
  ralph loop status                           the newest that goes on
  ralph loop status --session ses_12 --json   that of one session";

/// Start, cancel or look at a loop inside a session of a host, which that host's events drive.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph loop start --session ses_12 --max-iterations 10 -- \"fix the failing tests\"
  ralph loop status --session ses_12 --json
  ralph loop cancel --session ses_12

Nothing is started by this: the agent works in the session of its host, and `ralph install` puts there what tells
ralph of each turn. Without --host, a loop is that host's which first tells of its session.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    #[command(after_help = START_EXAMPLES)]
    Start(StartArgs),
    /// End the loop of a session; a turn that is under way ends by itself
    #[command(after_help = CANCEL_EXAMPLES)]
    Cancel(SeatArgs),
    #[command(after_help = STATUS_EXAMPLES)]
    Status(StatusArgs),
}

/// Record a loop in a session; one that goes on there is left alone unless it is to be replaced.
#[derive(Debug, clap::Args)]
struct StartArgs {
    #[command(flatten)]
    seat: SeatArgs,
    /// Stop after this many iterations
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    max_iterations: Option<String>,
    /// What must hold, checked by ralph itself, as for `ralph run`; may be repeated
    #[arg(long, value_name = "CRITERION")]
    criteria: Vec<String>,
    /// What becomes of the conversation between iterations: continue, reset, compact
    #[arg(long, value_name = "STRATEGY", default_value = "continue", value_parser = strategy)]
    strategy: Strategy,
    /// The word the agent must give inside <promise></promise> when it is done
    #[arg(long, value_name = "WORD", alias = "promise")]
    completion_promise: Option<String>,
    /// Take the bare word, without a suffix of its own for each attempt
    #[arg(long)]
    no_nonce: bool,
    /// A line for people; the prompt's first line by default
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// End a loop that goes on in this session, and start this one
    #[arg(long)]
    replace: bool,
    /// What the agent is to do
    #[arg(last = true, required = true)]
    prompt: Vec<String>,
}

/// The session.
#[derive(Debug, clap::Args)]
struct SeatArgs {
    /// The session, as its host calls it
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    session: String,
    /// The host, as `ralph hosts` names it; whichever has the session by default
    #[arg(long, value_name = "NAME", value_parser = AgentName::parse)]
    host: Option<AgentName>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// How a loop stands: that of a session, or else the newest that goes on.
#[derive(Debug, clap::Args)]
struct StatusArgs {
    /// The session, as its host calls it; that of the newest loop that goes on by default
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    session: Option<String>,
    /// The host, as `ralph hosts` names it; whichever has the session by default
    #[arg(long, value_name = "NAME", value_parser = AgentName::parse)]
    host: Option<AgentName>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

fn strategy(given: &str) -> Result<Strategy, String> {
    Strategy::parse(given).ok_or_else(|| "it is one of continue, reset, compact".to_owned())
}

pub(crate) fn run(args: Args) -> Outcome {
    let instead = "`ralph loop status` shows how a loop stands";
    match args.action {
        Action::Start(args) => super::by_a_person(instead).and_then(|()| block_on(start(args))),
        Action::Cancel(seat) => super::by_a_person(instead).and_then(|()| block_on(cancel(seat))),
        Action::Status(args) => block_on(status(args)),
    }
}

pub(crate) fn loop_problem(error: &LoopError) -> Problem {
    match error {
        LoopError::Store(error) => store_problem(error),
        LoopError::LetGo { .. } => Problem::new(error.to_string()).exit(1),
        LoopError::Session(_) | LoopError::Promise(_) | LoopError::EmptyPrompt | LoopError::Unbounded => {
            Problem::new(error.to_string())
        }
    }
}

async fn start(args: StartArgs) -> Outcome {
    let (json, session) = (args.seat.json, args.seat.session.clone());
    let wanted = Wanted {
        asked: Start {
            prompt: args.prompt.join(" "),
            criteria: args.criteria,
            max_iterations: args.max_iterations,
            strategy: Some(args.strategy),
            promise: args.completion_promise,
            bare_word: args.no_nonce,
            replace: args.replace,
        },
        description: args.description,
    };
    let (started, view) = begin(&session, args.seat.host, wanted).await?;
    if !started {
        let what = format!("a loop is at iteration {} in this session: {}", view.iteration, view.run);
        return Err(Problem::new(what)
            .next(format!("end it: `ralph loop cancel --session {session}`; or start over: --replace"))
            .into());
    }
    if json {
        print_json(&view);
    } else {
        print(&format!("loop {} is started in session {session}\n", view.run));
    }
    Ok(0)
}

/// A loop that a person asks for.
pub(super) struct Wanted {
    pub(super) asked: Start,
    /// A line for people.
    pub(super) description: Option<String>,
}

/// Whether a loop was started in the session, and the one that is there now.
pub(super) async fn begin(
    session: &str,
    host: Option<AgentName>,
    wanted: Wanted,
) -> Result<(bool, RunView), Problems> {
    // Nothing is made for a session that cannot be one, or of a host that would never tell of it.
    let session = named(session)?;
    host.as_ref().map_or(Ok(()), known)?;
    let strategy = wanted.asked.strategy.unwrap_or_default();
    let is_hooked = host.as_ref().is_some_and(|host| hooked::of(host.as_str()).is_some());
    let project = Project::here(Given::default())?;
    settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    let store = Arc::new(project.store()?);
    let inside = Inside::unheard(here()?, store.clone());
    let Wanted { asked, description } = wanted;
    let held_to = inside.held_to(flags(&asked)).await?;
    if is_hooked {
        within_reach(strategy, &held_to)?;
    }
    let options = LoopOptions { strategy, replace: asked.replace, description, ..held_to };
    let own = Own::at(&inside.directory, &store).await;
    let told = own.as_ref().map(|own| own.hooks.clone()).unwrap_or_default();
    let loops = Loops::new(store.clone(), host, redactor()).with_hooks(told);
    let started = loops.start_loop(session.as_str(), &asked.prompt, options).await;
    let started = started.map_err(|error| loop_problem(&error))?;
    // What is in the way may be a loop that waits for its host.
    let there = if started { loops } else { Loops::new(store.clone(), None, redactor()) };
    let Some(view) = view(&there, Some(&session)).await? else {
        return Err(Problem::new("the loop that was just started is not there").exit(1).into());
    };
    if started {
        let register = Register::open(&project.state_dir).map_err(|error| store_problem(&error))?;
        let registered = register.record(&view.run, &project.place.root, Timestamp::now()).await;
        registered.map_err(|error| store_problem(&error))?;
    }
    if let Some(own) = own {
        own.deliver(store, Own::PATIENCE).await;
    }
    Ok((started, view))
}

fn known(host: &AgentName) -> Result<(), Problem> {
    let mut names = vec![opencode::NAME];
    names.extend(hooked::ALL.into_iter().map(|dialect| dialect.name));
    if names.contains(&host.as_str()) {
        return Ok(());
    }
    let problem = Problem::new(format!("`{host}` is not a host that ralph knows"));
    let problem = match nearest(host.as_str(), names.iter().copied()) {
        Some(near) => problem.next(format!("did you mean `{near}`?")),
        None => problem,
    };
    Err(problem.next(format!("it is one of {}; `ralph hosts` says what each can do", names.join(", "))))
}

async fn view(loops: &Loops<SqliteStore>, session: Option<&SessionId>) -> Result<Option<RunView>, Problems> {
    loops.state(session.map(SessionId::as_str)).await.map_err(|error| loop_problem(&error).into())
}

/// What the project's loops are in; none where nothing was ever done in it.
fn existing() -> Result<Option<Arc<SqliteStore>>, Problems> {
    let project = Project::here(Given::default())?;
    match SqliteStore::open_existing(&project.place.state) {
        Ok(store) => Ok(Some(Arc::new(store))),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error).into()),
    }
}

fn named(session: &str) -> Result<SessionId, Problems> {
    SessionId::parse(session).map_err(|error| Problem::new(error.to_string()).into())
}

/// Whether there was a loop to cancel.
pub(super) async fn end(session: &str, host: Option<AgentName>) -> Result<bool, Problems> {
    let session = named(session)?;
    host.as_ref().map_or(Ok(()), known)?;
    let Some(store) = existing()? else { return Ok(false) };
    let own = Own::at(&here()?, &store).await;
    let told = own.as_ref().map(|own| own.hooks.clone()).unwrap_or_default();
    let loops = Loops::new(store.clone(), host, redactor()).with_hooks(told);
    let cancelled = loops.cancel_loop(session.as_str()).await.map_err(|error| loop_problem(&error))?;
    if let Some(own) = own {
        own.deliver(store, Own::PATIENCE).await;
    }
    Ok(cancelled)
}

/// The loop of a session, or the newest of the host, or of all.
pub(super) async fn state(
    session: Option<&str>,
    host: Option<AgentName>,
) -> Result<Option<RunView>, Problems> {
    let session = session.map(named).transpose()?;
    host.as_ref().map_or(Ok(()), known)?;
    match existing()? {
        Some(store) => view(&Loops::new(store, host, redactor()), session.as_ref()).await,
        None => Ok(None),
    }
}

pub(super) async fn is_active(session: &str, host: Option<AgentName>) -> Result<bool, Problems> {
    let session = named(session)?;
    host.as_ref().map_or(Ok(()), known)?;
    let Some(store) = existing()? else { return Ok(false) };
    let loops = Loops::new(store, host, redactor());
    Ok(loops.is_active(session.as_str()).await.map_err(|error| loop_problem(&error))?)
}

async fn cancel(seat: SeatArgs) -> Outcome {
    let cancelled = end(&seat.session, seat.host).await?;
    let session = seat.session;
    if seat.json {
        print_json(&serde_json::json!({ "session": session, "cancelled": cancelled }));
    } else if cancelled {
        print(&format!("the loop in session {session} is cancelled\n"));
    } else {
        print(&format!("no loop goes on in session {session}\n"));
    }
    Ok(0)
}

async fn status(args: StatusArgs) -> Outcome {
    let found = state(args.session.as_deref(), args.host.clone()).await?;
    let (session, host) = (args.session, args.host);
    let Some(view) = found else {
        let problem = match &session {
            Some(session) => Problem::new(format!("no loop was started in session {session}")),
            None => {
                let of = host.map_or("any host".to_owned(), |host| host.to_string());
                Problem::new(format!("no loop goes on in a session of {of}"))
            }
        };
        return Err(problem.next("`ralph loop start --session ID -- PROMPT` starts one").exit(4).into());
    };
    if args.json {
        print_json(&view);
    } else {
        let place = view.host_session.as_ref().map(|session| named_place(session, view.host.as_ref()));
        let place = place.unwrap_or_else(|| "no session".to_owned());
        let of = view.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
        let how = view.stop_reason.as_deref().unwrap_or(view.status.name());
        let (run, iteration) = (&view.run, view.iteration);
        print(&format!("loop {run} in {place}: iteration {iteration}{of}, {how}\n"));
    }
    Ok(0)
}
