//! `ralph mcp`: ralph's own tools, for agents and for operators.

use std::path::PathBuf;
use std::sync::Arc;

use ralph_core::id::{AgentName, TaskId};
use ralph_core::in_session::Strategy;
use ralph_engine::mailbox::{self, Mailbox};
use ralph_hosts::arguments::Start;
use ralph_mcp::{Answer, Asked, LoopStart, Operator, Post, agent, operator, serve};
use serde_json::{Value, json};

use super::loops::{self, Wanted};
use super::{Outcome, control, resume, status};
use crate::inside::in_a_line;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on};
use crate::room::Here;
use crate::settings::Given;

const FOR_AGENTS: &str = "You work on a task of ralph. `task` shows it, `task_complete` says that it is done, `ask` puts a \
                          question to the people who gave it to you. `memory_search`, `memory_timeline` and `memory_get` show what \
                          is remembered, `remember` puts something down for those who come after you, and the tools of the graph \
                          show what the code is.";
const FOR_OPERATORS: &str = "Loops inside the sessions of a host, and the runs of this directory: how they stand, and how they go on.";

/// Serve ralph's tools over the Model Context Protocol, on standard input and output.
///
/// An agent that ralph drives, or in whose session a loop lives, reads its task, says that it is done, asks questions, searches what is remembered, adds to
/// it, and asks what the code is. An operator starts and cancels
/// loops, looks at runs and controls them; that role is never given to an agent that ralph drives.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph run \"fix the tests\" --agent claude --require tool,criteria   gives it to the agent by itself
  claude mcp add ralph -- ralph mcp                                   for the agent of loops in your own sessions
  claude mcp add ralph-operator -- ralph mcp --operator               for a person's own session

The tools are described in docs/mcp.md.")]
pub(crate) struct Args {
    /// Serve the tools of an operator
    #[arg(long)]
    operator: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let (tools, instructions) = match args.operator {
        true => (operator(Arc::new(Desk::open()?)), FOR_OPERATORS),
        false => (agent(post()), FOR_AGENTS),
    };
    let served = block_on(serve(tools, env!("CARGO_PKG_VERSION"), instructions));
    served.map_err(|error| Problem::new(ralph_engine::chain(&error)).exit(1))?;
    Ok(0)
}

/// What the one who started this told it of its task.
fn post() -> Post {
    let told = std::env::var_os(mailbox::VARIABLE).filter(|dir| !dir.is_empty());
    let mailbox = told.map(|dir| Mailbox::at(PathBuf::from(dir)));
    // An agent that ralph drives asks ralph; any other sees what its person sees.
    Post { mailbox, room: Arc::new(Here::default()), redactor: redactor() }
}

/// An operator in the directory where this was started.
struct Desk;

impl Desk {
    fn open() -> Result<Desk, Problems> {
        super::by_a_person("`ralph mcp` serves the tools of an agent")?;
        Ok(Desk)
    }
}

impl Operator for Desk {
    fn perform(&self, asked: Asked) -> Result<Answer, String> {
        performed(asked).map_err(|problems| in_a_line(&problems))
    }
}

fn performed(asked: Asked) -> Result<Answer, Problems> {
    match asked {
        Asked::LoopStart(start) => started(start).map(Answer::Data),
        Asked::LoopCancel(seat) => {
            let cancelled = block_on(loops::end(&seat.session, host(seat.host)?))?;
            Ok(Answer::Data(json!({ "cancelled": cancelled })))
        }
        Asked::LoopState { session, host: named } => {
            let view = block_on(loops::state(session.as_deref(), host(named)?))?;
            Ok(Answer::Data(json!({ "loop": view })))
        }
        Asked::LoopIsActive(seat) => {
            let active = block_on(loops::is_active(&seat.session, host(seat.host)?))?;
            Ok(Answer::Data(json!({ "active": active })))
        }
        Asked::Runs => Ok(Answer::Data(json!({ "runs": status::all_or_none(&here()?)? }))),
        Asked::Status { run } => {
            let (status, _) = status::of(&here()?, run.as_deref())?;
            Ok(Answer::Data(serde_json::to_value(status).expect("a status is JSON")))
        }
        Asked::Stop { run, now } => control::stopping(run, now).map(Answer::Words),
        Asked::Pause { run } => control::pausing(run).map(Answer::Words),
        Asked::Resume { run } => match resume::let_go_on(run.as_deref())? {
            Some(told) => Ok(Answer::Words(told)),
            None => {
                let problem = Problem::new("no process drives this run");
                Err(problem.next("`ralph resume` in a terminal goes on with it").into())
            }
        },
        Asked::Steer { run, text } => control::steering(run, &text).map(Answer::Words),
        Asked::Skip { run, task } => {
            let task = task.as_deref().map(TaskId::parse).transpose();
            let task = task.map_err(|error| Problem::new(error.to_string()))?;
            control::skipping(run, task).map(Answer::Words)
        }
    }
}

fn here() -> Result<Project, Problems> {
    Project::here(Given::default())
}

/// None where whichever host is meant that has the session.
fn host(named: Option<String>) -> Result<Option<AgentName>, Problem> {
    let named = named.as_deref().map(AgentName::parse).transpose();
    named.map_err(|error| Problem::new(error.to_string()).next("`ralph hosts` lists the hosts"))
}

fn started(start: LoopStart) -> Result<Value, Problems> {
    let strategy = start.strategy.as_deref().map(|given| {
        Strategy::parse(given).ok_or_else(|| {
            Problem::new(format!("`{given}` is no strategy")).next("continue, reset or compact")
        })
    });
    let wanted = Wanted {
        asked: Start {
            prompt: start.prompt,
            criteria: start.criteria,
            max_iterations: start.max_iterations.map(|most| most.to_string()),
            strategy: strategy.transpose()?,
            promise: start.completion_promise,
            bare_word: start.no_nonce,
            replace: start.replace,
        },
        description: start.description,
    };
    let (started, view) = block_on(loops::begin(&start.session, host(start.host)?, wanted))?;
    Ok(json!({ "started": started, "loop": view }))
}
