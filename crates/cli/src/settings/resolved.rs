//! The settings as the rest of ralph sees them: complete, checked, and without a trace of where they came from.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_agents::acp::Permissions;
use ralph_agents::opencode::Address;
use ralph_core::agenda::Commits;
use ralph_core::agent_event::Detail;
use ralph_core::check::{Check, Verification};
use ralph_core::crew::{Protocol, Sessions};
use ralph_core::id::AgentName;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, Patience, Policy, Promise, Retry, Signal};
use ralph_core::promise::Word;
use ralph_core::route::Route;
use ralph_core::sandbox::Sandbox;
use ralph_engine::loops::LoopOptions;
use schemars::JsonSchema;

use super::check::{CheckSet, Wanted};
use super::commit::CommitPart;
use super::hook::Hook;
use super::limits::LimitsSet;
use super::memory::{Memory, MemoryPart};
use super::opencode::OpencodePart;
use super::origin::{Layer, Set};
use super::output::OutputPart;
use super::partial::{AgentPart, LimitsPart, Partial, PromisePart};
use super::sandbox::SandboxPart;
use super::snapshots::{Snapshots, SnapshotsPart};
use super::sources::base_dir;
use super::vectors::Vectors;
use super::verify::VerifyPart;
use crate::problem::Problem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) state_dir: PathBuf,
    pub(crate) wording: Wording,
    pub(crate) agent: Agent,
    pub(crate) opencode: Opencode,
    pub(crate) output: Kept,
    pub(crate) routes: Vec<Route>,
    /// How much of an agent's work is shown, where somebody said so.
    pub(crate) detail: Option<Detail>,
    pub(crate) sandbox: SandboxWish,
    pub(crate) memory: Memory,
    pub(crate) vectors: Option<Vectors>,
    pub(crate) snapshots: Snapshots,
    /// How completed tasks are committed, where that is wanted.
    pub(crate) commits: Option<Commits>,
    pub(crate) hooks: Vec<Hook>,
    limits: LimitsSet,
    /// The checks of the configuration.
    pub(crate) checks: Vec<Check>,
    pub(crate) criteria: Vec<Wanted>,
    /// Whether they were given on the command line.
    pub(crate) typed_criteria: bool,
    pub(crate) check_timeout: Duration,
    verification: Verification,
    /// What must hold, where somebody said so.
    require: Option<BTreeSet<Signal>>,
    promise: Promise,
    deadlines: Deadlines,
    retry: Retry,
    patience: Patience,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) name: Option<AgentName>,
    /// A program and its arguments; never empty.
    pub(crate) command: Option<Vec<String>>,
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) fallback: Vec<AgentName>,
    pub(crate) session: Sessions,
    pub(crate) protocol: Protocol,
    pub(crate) env_exclude: Vec<String>,
    pub(crate) custody: CustodyChoice,
}

/// How an OpenCode server is worked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opencode {
    /// The server to adopt.
    pub(crate) attach: Option<Address>,
    pub(crate) session_mode: Option<Sessions>,
}

/// Where the templates of briefs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    /// The file that was named.
    pub(crate) template: Option<PathBuf>,
    /// Whether it was the project that named it.
    pub(crate) is_of_project: bool,
    /// The directory of the user's `config.toml`.
    pub(crate) user_dir: Option<PathBuf>,
}

/// What to keep an agent's processes together with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
pub(crate) enum CustodyChoice {
    Auto,
    Subreaper,
}

/// What is asked to keep an agent inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
pub(crate) enum SandboxChoice {
    Off,
    Auto,
    Landlock,
    Bubblewrap,
}

impl SandboxChoice {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SandboxChoice::Off => "off",
            SandboxChoice::Auto => "auto",
            SandboxChoice::Landlock => "landlock",
            SandboxChoice::Bubblewrap => "bubblewrap",
        }
    }
}

/// The sandbox that is asked for; what there is decides what it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SandboxWish {
    pub(crate) choice: SandboxChoice,
    pub(crate) network: bool,
    pub(crate) write: Vec<String>,
}

/// How many bytes of an attempt's output are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

impl Settings {
    /// What a run with these checks is held to, over so many tasks if it has a backlog. Where nobody says what must hold, the checks decide if there are any,
    /// or the agent that judges.
    pub(crate) fn policy(&self, checks: Vec<Check>, open_tasks: Option<NonZeroU32>) -> Policy {
        let verification = Verification { checks, ..self.verification.clone() };
        let criteria = verification.gives_evidence();
        let decides = if criteria { Signal::Criteria } else { Signal::Promise };
        let kind = match open_tasks {
            Some(open_tasks) => Kind::Backlog { open_tasks, criteria },
            None if criteria => Kind::PromptWithCriteria,
            None => Kind::Prompt,
        };
        let require = self.require.clone().unwrap_or_else(|| BTreeSet::from([decides]));
        Policy {
            limits: self.limits(kind),
            completion: Completion { require, promise: self.promise.clone() },
            verification,
            deadlines: self.deadlines,
            retry: self.retry,
            patience: self.patience,
            sandbox: Sandbox::default(),
            on_failure: self.snapshots.on_failure,
        }
    }

    /// What a loop inside a session is held to, with these checks.
    pub(crate) fn in_session(&self, checks: Vec<Check>) -> LoopOptions {
        let criteria = Verification { checks, ..self.verification.clone() };
        LoopOptions {
            limits: Some(self.limits(Kind::InSession { criteria: criteria.gives_evidence() })),
            promise: Some(self.promise.word.to_string()),
            bare_word: !self.promise.nonce,
            require: self.require.clone(),
            criteria,
            patience: match self.patience {
                Patience::For(time) => Some(time),
                Patience::WhileAttended => None,
            },
            ..LoopOptions::default()
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
            wording: Wording {
                template: merged.template.as_ref().map(|set| set.value.clone()),
                is_of_project: merged
                    .template
                    .as_ref()
                    .is_some_and(|set| set.origin.layer() == Layer::Project),
                user_dir: base_dir(env, "XDG_CONFIG_HOME", ".config"),
            },
            agent: Agent {
                name: agent.name.as_ref().map(|set| set.value.clone()),
                command: agent.command.as_ref().map(|set| set.value.clone()),
                model: agent.model.as_ref().map(|set| set.value.clone()),
                effort: agent.effort.as_ref().map(|set| set.value.clone()),
                fallback: agent.fallback.as_ref().map(|set| set.value.clone()).unwrap_or_default(),
                session: certain(&agent.session),
                protocol: certain(&agent.protocol),
                env_exclude: certain(&agent.env_exclude),
                custody: certain(&agent.custody),
            },
            opencode: Opencode {
                attach: merged.opencode.attach.as_ref().map(|set| set.value.clone()),
                session_mode: merged.opencode.session_mode.as_ref().map(|set| set.value),
            },
            output: Kept { head: certain(&merged.output.keep_head), tail: certain(&merged.output.keep_tail) },
            routes: merged.routes.iter().map(|set| set.value.clone()).collect(),
            detail: merged.output.detail.as_ref().map(|set| set.value),
            sandbox: SandboxWish {
                choice: certain(&merged.sandbox.mode),
                network: certain(&merged.sandbox.network),
                write: certain(&merged.sandbox.write),
            },
            memory: merged.memory.resolve(),
            vectors: merged.memory.vectors.resolve(env)?,
            snapshots: merged.snapshots.resolve()?,
            commits: certain(&merged.commit.auto_commit)
                .then(|| Commits::new(certain(&merged.commit.message), certain(&merged.commit.allow_dirty))),
            hooks: merged.hooks.iter().map(|set| set.value.clone()).collect(),
            limits: LimitsSet::resolve(&merged.limits)?,
            checks: checks(merged),
            criteria: certain(&merged.verify.criteria),
            typed_criteria: merged
                .verify
                .criteria
                .as_ref()
                .is_some_and(|set| set.origin.layer() == Layer::Flag),
            check_timeout: certain(&merged.verify.timeout),
            verification: merged.verify.verification(),
            require: merged.completion.require.as_ref().map(|set| set.value.clone()),
            promise: Promise { word: certain(&merged.promise.word), nonce: certain(&merged.promise.nonce) },
            deadlines: deadlines(agent),
            patience: agent
                .answer_deadline
                .as_ref()
                .map_or(Patience::default(), |set| Patience::For(set.value)),
            retry: Retry {
                base,
                longest: Retry::default().longest.max(base),
                on_error: certain(&agent.on_error),
                max_retries: certain(&agent.max_retries),
            },
        })
    }
}

fn certain<T: Clone>(set: &Option<Set<T>>) -> T {
    set.as_ref().expect("the lowest layer sets it").value.clone()
}

fn checks(merged: &Partial) -> Vec<Check> {
    let timeout = certain(&merged.verify.timeout);
    let check = |set: &Set<CheckSet>| {
        let CheckSet { check, timeout: own } = &set.value;
        Check { timeout: own.unwrap_or(timeout), ..check.clone() }
    };
    merged.checks.iter().map(check).collect()
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
            on_error: Set::default(Retry::default().on_error),
            max_retries: Set::default(Retry::default().max_retries),
            session: Set::default(Sessions::Fresh),
            retry_delay: Set::default(Retry::default().base),
            env_exclude: Set::default(Vec::new()),
            custody: Set::default(CustodyChoice::Auto),
            ..AgentPart::default()
        },
        promise: PromisePart { word: Set::default(default_word()), nonce: Set::default(true) },
        verify: VerifyPart::defaults(),
        commit: CommitPart::defaults(),
        memory: MemoryPart::defaults(),
        snapshots: SnapshotsPart::defaults(),
        output: OutputPart::defaults(),
        opencode: OpencodePart::defaults(),
        sandbox: SandboxPart {
            mode: Set::default(SandboxChoice::Off),
            network: Set::default(true),
            write: Set::default(Vec::new()),
        },
        ..Partial::default()
    }
}
