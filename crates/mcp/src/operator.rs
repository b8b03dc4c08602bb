//! The tools of whoever operates ralph for a person: loops, runs, controls. Never given to an agent that is driven.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::{Answer, Tool};

/// Who does what an operator asks for, as the commands of the same names do it.
pub trait Operator: Send + Sync + 'static {
    /// An error is what a person would be told.
    fn perform(&self, asked: Asked) -> Result<Answer, String>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    LoopStart(LoopStart),
    LoopCancel(Seat),
    /// Without a session, the newest loop of the host.
    LoopState {
        session: Option<String>,
        host: Option<String>,
    },
    LoopIsActive(Seat),
    Runs,
    Status {
        run: Option<String>,
    },
    Stop {
        run: Option<String>,
        now: bool,
    },
    Pause {
        run: Option<String>,
    },
    Resume {
        run: Option<String>,
    },
    Steer {
        run: Option<String>,
        text: String,
    },
    Skip {
        run: Option<String>,
        task: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopStart {
    /// The session, as its host calls it
    pub session: String,
    /// The host, as `ralph hosts` names it; whichever first tells of the session by default
    pub host: Option<String>,
    /// What the agent is to do
    pub prompt: String,
    /// Stop after this many iterations
    pub max_iterations: Option<u32>,
    /// What must hold, checked by ralph itself, as for `ralph run --criteria`
    #[serde(default)]
    pub criteria: Vec<String>,
    /// What becomes of the conversation between iterations: continue, reset or compact
    pub strategy: Option<String>,
    /// The word the agent must give inside <promise></promise> when it is done
    pub completion_promise: Option<String>,
    /// Take the bare word, without a suffix of its own for each attempt
    #[serde(default)]
    pub no_nonce: bool,
    /// A line for people; the prompt's first line by default
    pub description: Option<String>,
    /// End a loop that goes on in this session, and start this one
    #[serde(default)]
    pub replace: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The session, as its host calls it
    pub session: String,
    /// The host, as `ralph hosts` names it; whichever has the session by default
    pub host: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Session {
    /// The session, as its host calls it; that of the newest loop by default
    session: Option<String>,
    /// The host, as `ralph hosts` names it; whichever has the session by default
    host: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Stop {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// End the agent now instead of waiting for the iteration
    #[serde(default)]
    now: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Steer {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// The sentence for the next brief
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Skip {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// A task of the backlog; the one at hand by default
    task: Option<String>,
}

/// The table of this role.
pub fn operator(operator: Arc<dyn Operator>) -> Vec<Tool> {
    let mut tools = of_loops(&operator);
    tools.extend(of_runs(&operator));
    tools
}

/// A tool that asks the operator for something.
fn asking<A: serde::de::DeserializeOwned + JsonSchema>(
    operator: &Arc<dyn Operator>,
    name: &'static str,
    about: &'static str,
    asked: impl Fn(A) -> Asked + Send + Sync + 'static,
) -> Tool {
    let operator = operator.clone();
    Tool::new(name, about, move |arguments| operator.perform(asked(arguments)))
}

fn of_loops(operator: &Arc<dyn Operator>) -> Vec<Tool> {
    vec![
        asking(
            operator,
            "loop_start",
            "Record a loop inside a session of a host. Nothing is spawned: the host's events drive it. `started` is false \
             where a loop goes on in that session already.",
            Asked::LoopStart,
        ),
        asking(
            operator,
            "loop_cancel",
            "End the loop of a session. `cancelled` is false where none goes on in it.",
            Asked::LoopCancel,
        ),
        asking(
            operator,
            "loop_state",
            "Where the loop of a session stands, finished or not; `loop` is null where none was started in it.",
            |Session { session, host }| Asked::LoopState { session, host },
        )
        .that_only_looks(),
        asking(operator, "loop_is_active", "Whether a loop goes on in a session.", Asked::LoopIsActive)
            .that_only_looks(),
    ]
}

fn of_runs(operator: &Arc<dyn Operator>) -> Vec<Tool> {
    let runs = |Nothing {}| Asked::Runs;
    let status = |Named { run }| Asked::Status { run };
    vec![
        asking(operator, "runs", "The runs of this directory, the newest first.", runs).that_only_looks(),
        asking(
            operator,
            "status",
            "How a run stands: the latest of this directory, or one by its id.",
            status,
        )
        .that_only_looks(),
        asking(operator, "stop", "Stop a run after this iteration, or now.", |Stop { run, now }| {
            Asked::Stop { run, now }
        }),
        asking(
            operator,
            "pause",
            "Pause a run before its next attempt; `resume` goes on.",
            |Named { run }| Asked::Pause { run },
        ),
        asking(
            operator,
            "resume",
            "Un-pause a run that a process drives or that lives in a session. One that was stopped or interrupted is gone \
             on with by `ralph resume` in a terminal; a loop in a session that was stopped has ended.",
            |Named { run }| Asked::Resume { run },
        ),
        asking(operator, "steer", "Put a sentence into the next brief of a run.", |Steer { run, text }| {
            Asked::Steer { run, text }
        }),
        asking(operator, "skip", "Go on with a backlog without one of its tasks.", |Skip { run, task }| {
            Asked::Skip { run, task }
        }),
    ]
}
