//! The settings as the rest of ralph sees them: complete, checked, and without a trace of where they came from.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_agents::acp::Permissions;
use ralph_core::crew::Protocol;
use ralph_core::id::AgentName;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, Policy, Promise, Retry, Signal};
use ralph_core::promise::Word;
use schemars::JsonSchema;

use super::hook::Hook;
use super::limits::LimitsSet;
use super::origin::Set;
use super::partial::{AgentPart, CompletionPart, LimitsPart, OutputPart, Partial, PromisePart};
use super::sources::base_dir;
use crate::problem::Problem;

const KEPT: u64 = 32 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) state_dir: PathBuf,
    pub(crate) agent: Agent,
    pub(crate) output: Kept,
    pub(crate) hooks: Vec<Hook>,
    limits: LimitsSet,
    completion: Completion,
    deadlines: Deadlines,
    retry: Retry,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) name: Option<AgentName>,
    /// A program and its arguments; never empty.
    pub(crate) command: Option<Vec<String>>,
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) fallback: Vec<AgentName>,
    pub(crate) protocol: Protocol,
    pub(crate) env_exclude: Vec<String>,
    pub(crate) custody: CustodyChoice,
}

/// What to keep an agent's processes together with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
pub(crate) enum CustodyChoice {
    Auto,
    Subreaper,
}

/// How many bytes of an attempt's output are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

impl Settings {
    /// What a run of this kind is held to.
    pub(crate) fn policy(&self, kind: Kind) -> Policy {
        Policy {
            limits: self.limits(kind),
            completion: self.completion.clone(),
            deadlines: self.deadlines,
            retry: self.retry,
        }
    }

    pub(crate) fn limits(&self, kind: Kind) -> Limits {
        self.limits.of(kind)
    }

    pub(crate) fn resolve(merged: &Partial, env: &BTreeMap<OsString, OsString>) -> Result<Settings, Problem> {
        let agent = &merged.agent;
        let base = certain(&agent.retry_delay);
        Ok(Settings {
            state_dir: state_dir(merged.state_dir.as_ref(), env)?,
            agent: Agent {
                name: agent.name.as_ref().map(|set| set.value.clone()),
                command: agent.command.as_ref().map(|set| set.value.clone()),
                model: agent.model.as_ref().map(|set| set.value.clone()),
                effort: agent.effort.as_ref().map(|set| set.value.clone()),
                fallback: agent.fallback.as_ref().map(|set| set.value.clone()).unwrap_or_default(),
                protocol: certain(&agent.protocol),
                env_exclude: certain(&agent.env_exclude),
                custody: certain(&agent.custody),
            },
            output: Kept { head: certain(&merged.output.keep_head), tail: certain(&merged.output.keep_tail) },
            hooks: merged.hooks.iter().map(|set| set.value.clone()).collect(),
            limits: LimitsSet::resolve(&merged.limits)?,
            completion: completion(merged),
            deadlines: deadlines(agent),
            retry: Retry { base, longest: Retry::default().longest.max(base) },
        })
    }
}

fn certain<T: Clone>(set: &Option<Set<T>>) -> T {
    set.as_ref().expect("the lowest layer sets it").value.clone()
}

fn completion(merged: &Partial) -> Completion {
    let promise = Promise { word: certain(&merged.promise.word), nonce: certain(&merged.promise.nonce) };
    Completion { require: certain(&merged.completion.require), promise }
}

fn deadlines(agent: &AgentPart) -> Deadlines {
    let set = |set: &Option<Set<Duration>>| set.as_ref().map(|set| set.value);
    Deadlines {
        start: set(&agent.start_timeout),
        silence: set(&agent.silence_timeout),
        total: set(&agent.total_timeout),
    }
}

pub(crate) fn state_dir(
    set: Option<&Set<PathBuf>>,
    env: &BTreeMap<OsString, OsString>,
) -> Result<PathBuf, Problem> {
    let Some(set) = set else {
        let problem = Problem::new("there is no place for ralph's state: HOME is not set");
        return Err(problem.next("set HOME, or state_dir in the configuration"));
    };
    let Ok(below_home) = set.value.strip_prefix("~") else { return Ok(set.value.clone()) };
    match env.get(OsStr::new("HOME")).map(Path::new).filter(|home| home.is_absolute()) {
        Some(home) => Ok(home.join(below_home)),
        None => {
            let problem = Problem::new("state_dir begins with ~ and HOME is not set").at(set.origin.place());
            Err(problem.next("set HOME, or write an absolute path"))
        }
    }
}

fn default_word() -> Word {
    Word::parse("DONE").expect("DONE is a word")
}

/// The lowest layer. Most limits are missing: their defaults depend on the kind of run.
pub(crate) fn defaults(env: &BTreeMap<OsString, OsString>) -> Partial {
    Partial {
        state_dir: base_dir(env, "XDG_STATE_HOME", ".local/state").and_then(Set::default),
        limits: LimitsPart { unlimited: Set::default(false), ..LimitsPart::default() },
        agent: AgentPart {
            protocol: Set::default(Protocol::Own),
            permissions: Set::default(Permissions::Allow),
            silence_timeout: Set::default(Duration::from_secs(30 * 60)),
            retry_delay: Set::default(Retry::default().base),
            env_exclude: Set::default(Vec::new()),
            custody: Set::default(CustodyChoice::Auto),
            ..AgentPart::default()
        },
        promise: PromisePart { word: Set::default(default_word()), nonce: Set::default(true) },
        completion: CompletionPart { require: Set::default(BTreeSet::from([Signal::Promise])) },
        output: OutputPart { keep_head: Set::default(KEPT), keep_tail: Set::default(KEPT) },
        ..Partial::default()
    }
}
