//! Commands that a person wants run when something happens.

use std::collections::BTreeSet;
use std::time::Duration;

use ralph_core::nearest::{nearest, shortened};
use schemars::JsonSchema;

use super::catalogue::{CommandValue, DurationText, EventName};
use super::origin::Set;
use super::raw::{GivenTable, Raw};
use super::reader::Reader;
use super::value::{Refused, command, duration::deadline, plain};
use crate::problem::Problem;

/// The names of the journal's events, as `Event::name` gives them, then what is asked before a commit, then what hosts
/// tell of their sessions.
pub(crate) const EVENTS: [&str; 43] = [
    "run_started",
    "run_resumed",
    "iteration_started",
    "attempt_started",
    "agent_spawned",
    "attempt_ended",
    "snapshot_taken",
    "files_changed",
    "rolled_back",
    "baseline",
    "checked",
    "judge_asked",
    "progress",
    "verdict",
    "iteration_ended",
    "task_started",
    "task_completed",
    "task_committed",
    "recalled",
    "memory_asked",
    "consolidated",
    "task_skipped",
    "control_applied",
    "waiting",
    "paused",
    "unpaused",
    "session_presented",
    "session_replaced",
    "agent_chosen",
    "agent_changed",
    "all_limited",
    "question_asked",
    "question_answered",
    "question_assumed",
    "limit",
    "notice",
    "run_stopped",
    COMMIT,
    "session_start",
    "user_prompt_submit",
    "post_tool_use",
    "stop",
    "session_end",
];
const COMMIT: &str = "commit";

/// The events that stand before something that can still be left undone.
const VETOED: [&str; 3] = ["iteration_started", "verdict", COMMIT];

const LONGEST: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hook {
    pub(crate) name: String,
    /// Names of events.
    pub(crate) on: BTreeSet<&'static str>,
    pub(crate) action: Action,
    pub(crate) timeout: Duration,
    pub(crate) veto: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Handed to `sh -c`.
    Shell(String),
    /// Run as it is.
    Program(Vec<String>),
}

impl Action {
    /// The words to execute.
    pub(crate) fn words(&self) -> Vec<String> {
        match self {
            Action::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
            Action::Program(words) => words.clone(),
        }
    }
}

/// A command to run when something happens in a run; the event comes as JSON on standard input.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct HookKeys {
    /// What the hook is called; a hook of the same name in a higher layer replaces it.
    #[schemars(extend("examples" = ["notify"]))]
    name: String,
    /// The events it runs on.
    #[schemars(length(min = 1), extend("examples" = [["run_stopped"]]))]
    on: Vec<EventName>,
    /// What to run: a string is handed to `sh -c`, an array is run without a shell.
    #[schemars(extend("examples" = ["notify-send ralph"]))]
    command: CommandValue,
    /// How long it may take.
    #[schemars(extend("default" = "30s"))]
    timeout: Option<DurationText>,
    /// Whether it may veto what the event announces; only on iteration_started, verdict and commit.
    #[schemars(extend("default" = false))]
    veto: Option<bool>,
}

pub(crate) fn read_hooks(given: Vec<GivenTable>, problems: &mut Vec<Problem>) -> Vec<Set<Hook>> {
    let mut hooks: Vec<Set<Hook>> = Vec::new();
    for one in given {
        let at = one.at.clone();
        let Some(hook) = read(one, problems) else { continue };
        if hooks.iter().any(|other| other.value.name == hook.name) {
            let what = format!("two hooks are called `{}`", shortened(&hook.name));
            problems.push(Problem::new(what).at(at.place()).next("give each hook a name of its own"));
        }
        hooks.push(Set { value: hook, origin: at });
    }
    hooks
}

fn read(given: GivenTable, problems: &mut Vec<Problem>) -> Option<Hook> {
    let already = problems.len();
    let present = |key: &str| given.items.iter().any(|item| item.key == key);
    let missing: Vec<&str> = ["name", "on", "command"].into_iter().filter(|key| !present(key)).collect();
    if !missing.is_empty() {
        let what = format!("the hook has no {}", missing.join(", no "));
        problems.push(Problem::new(what).at(given.at.place()).next("a hook needs name, on and command"));
    }
    let mut from = Reader::new(given.items, problems);
    let name = from.take("hook", "name", |r| plain::text(r, "a name").map(str::to_owned));
    let on = from.take("hook", "on", events);
    let action = from.take("hook", "command", action);
    let timeout = from.take("hook", "timeout", |r| deadline(r, LONGEST));
    let veto = from.take("hook", "veto", plain::boolean);
    from.finish();
    let mut hook = Hook {
        name: name?.value,
        on: on?.value,
        action: action?.value,
        timeout: timeout.map_or(Duration::from_secs(30), |set| set.value),
        veto: veto.as_ref().is_some_and(|set| set.value),
    };
    // Whoever cannot object to a commit is told of it once it is made.
    if !hook.veto && hook.on.remove(COMMIT) {
        hook.on.insert("task_committed");
    }
    if let (Some(set), Some(event)) = (veto, beyond_veto(&hook)) {
        let what = format!("hook.veto: `{event}` tells of something that has happened and cannot be vetoed");
        let next = format!("veto = true goes with {} only", VETOED.join(", "));
        problems.push(Problem::new(what).at(set.origin.place()).next(next));
    }
    (problems.len() == already).then_some(hook)
}

fn beyond_veto(hook: &Hook) -> Option<&'static str> {
    hook.on.iter().find(|event| hook.veto && !VETOED.contains(event)).copied()
}

fn action(raw: &Raw) -> Result<Action, Refused> {
    match raw {
        Raw::Text(line) if line.trim().is_empty() => {
            Err(Refused::new("the command is empty", "write a command line"))
        }
        Raw::Text(line) if line.contains('\0') => {
            Err(Refused::new("the command has a NUL byte", "remove it"))
        }
        Raw::Text(line) => Ok(Action::Shell(line.clone())),
        other => command::words(other).map(Action::Program),
    }
}

fn events(raw: &Raw) -> Result<BTreeSet<&'static str>, Refused> {
    let names = plain::texts(raw, "an array of events such as [\"run_stopped\"]")?;
    if names.is_empty() {
        return Err(Refused::new("the hook would never run", format!("events: {}", EVENTS.join(", "))));
    }
    names.iter().map(|name| event(name)).collect()
}

fn event(name: &str) -> Result<&'static str, Refused> {
    if let Some(known) = EVENTS.into_iter().find(|known| *known == name) {
        return Ok(known);
    }
    let list = format!("events: {}", EVENTS.join(", "));
    let what = format!("`{}` is not an event", shortened(name));
    Err(match nearest(name, EVENTS) {
        Some(near) => Refused::new(what, format!("did you mean `{near}`?")).hint(list),
        None => Refused::new(what, list),
    })
}
