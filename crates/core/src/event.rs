//! The journal's lines. Every view of a run is a fold of these.

mod feed;
mod name;

pub use feed::{AgentKind, AgentTold, Line, Output, OutputKind, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::agenda::Source;
use crate::check::{CheckResult, Judgement};
use crate::choice::ChosenBy;
use crate::control::{Control, ControlNo};
use crate::id::{AgentName, RunId, SessionId, TaskId};
use crate::policy::{Cost, Limits};
use crate::put_back::{ForkedFrom, Why};
use crate::question::QuestionNo;
use crate::recollection::Recalled;
use crate::report::{AgentExit, Fault, Report, Usage};
use crate::sandbox::Sandbox;
use crate::stop::{RunState, StopReason};
use crate::verdict::Verdict;

/// The version of the journal's format; a reader refuses a newer one.
pub const FORMAT: u32 = 1;

/// One journalled event with its place in the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Counts from 1 within the run, without gaps.
    pub seq: u64,
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    RunStarted(Box<Started>),
    /// A dead or stopped run goes on.
    RunResumed {},
    IterationStarted {
        iteration: u32,
        max_iterations: Option<u32>,
        task: TaskId,
    },
    /// The intent to run the agent: written before it is started.
    AttemptStarted {
        iteration: u32,
        attempt: u32,
        agent: AgentName,
        #[serde(default)]
        model: Option<String>,
        #[serde(default)]
        effort: Option<String>,
        /// The exact content of the promise tag that this attempt must give.
        promise: String,
        brief_bytes: u64,
    },
    AgentSpawned {
        iteration: u32,
        attempt: u32,
        pid: u32,
        custody: Custody,
    },
    AttemptEnded {
        iteration: u32,
        attempt: u32,
        ending: Ending,
    },
    /// The tree was kept as it was.
    SnapshotTaken {
        iteration: u32,
        attempt: u32,
        occasion: Occasion,
        snapshot: String,
        /// How many things in the tree could not be kept, such as sockets.
        uncovered: u64,
        /// The first of them, each with the reason.
        #[serde(default)]
        left_out: Vec<String>,
        /// By how many bytes the store of snapshots grew.
        #[serde(default)]
        stored: u64,
        /// What git's HEAD pointed at.
        #[serde(default)]
        head: Option<String>,
    },
    /// An attempt changed something in the tree.
    FilesChanged {
        iteration: u32,
        attempt: u32,
        /// How many paths.
        changed: u64,
        /// The first of them.
        files: Vec<String>,
    },
    /// The tree was put back as it was.
    RolledBack {
        /// As it was when this iteration began; none: before the run, or as
        /// `why` says.
        iteration: Option<u32>,
        snapshot: String,
        /// The snapshot of the tree as it was before.
        undo: String,
        /// How many paths were changed.
        changed: u64,
        /// The first of them.
        files: Vec<String>,
        why: Why,
        /// What git's HEAD pointed at when the snapshot was taken.
        head_then: Option<String>,
        /// What it points at; it is left alone.
        head: Option<String>,
    },
    /// What the checks found before the first iteration.
    Baseline {
        checks: Vec<CheckResult>,
    },
    /// What the checks found after an attempt.
    Checked {
        iteration: u32,
        attempt: u32,
        checks: Vec<CheckResult>,
        judgement: Option<Judgement>,
        /// What the agent changed of what the checks consist of.
        tampering: Vec<String>,
    },
    /// An agent was asked to judge an attempt; written when that is over, whatever came of it.
    JudgeAsked {
        iteration: u32,
        attempt: u32,
        /// Counts from 1 within the attempt.
        asking: u32,
        agent: AgentName,
        model: Option<String>,
        judgement: Judgement,
        exit: AgentExit,
        /// Counts towards the limits of the run.
        usage: Usage,
        duration_ms: u64,
    },
    /// Whether an iteration that did not complete got anywhere.
    Progress {
        iteration: u32,
        /// How much fails now.
        failing: u64,
        /// How many files it changed.
        files: u64,
        /// Iterations in a row that left everything as it was.
        unchanged: u32,
        /// Iterations that tried what had failed before.
        repeats: u32,
        /// The earlier iteration that this one repeats.
        again: Option<u32>,
        /// How much of its changes was in that one too, in per cent.
        #[serde(default)]
        alike: Option<u8>,
    },
    /// What ralph concluded.
    Verdict {
        iteration: u32,
        attempt: u32,
        verdict: Verdict,
    },
    IterationEnded {
        iteration: u32,
        task: TaskId,
        complete: bool,
    },
    /// A task of a backlog is taken in hand.
    TaskStarted {
        task: TaskId,
        title: String,
        iteration: u32,
        /// Why this one.
        why: String,
    },
    TaskCompleted {
        task: TaskId,
        iteration: u32,
    },
    /// What is remembered was put into a brief.
    Recalled {
        iteration: u32,
        attempt: u32,
        #[serde(flatten)]
        recalled: Recalled,
    },
    /// An agent was asked what a completed task was worth knowing for; written when that is over, whatever came of it.
    MemoryAsked {
        task: TaskId,
        iteration: u32,
        agent: AgentName,
        model: Option<String>,
        /// How many notes there were in its answer.
        notes: u64,
        exit: AgentExit,
        /// Counts towards the limits of the run.
        usage: Usage,
        duration_ms: u64,
    },
    /// What a completed task has learned was taken over into the project's memory.
    Consolidated {
        task: TaskId,
        iteration: u32,
        promoted: u64,
        /// Notes that said what another one says already.
        deduplicated: u64,
        /// Notes that another one, which says otherwise, took the place of.
        conflicts_resolved: u64,
        /// Notes that were not worth keeping.
        dropped: u64,
        /// Symbols of the code graph that are new or not as they were.
        entities_updated: u64,
    },
    /// What a completed task changed was committed.
    TaskCommitted {
        task: TaskId,
        iteration: u32,
        /// The id of the commit.
        commit: String,
    },
    /// A task is given up and not tried again in this run.
    TaskSkipped {
        task: TaskId,
        iteration: u32,
        why: String,
    },
    ControlApplied {
        no: ControlNo,
        #[serde(flatten)]
        control: Control,
        /// Whether it changed anything: a second stop does not.
        changed: bool,
    },
    Waiting {
        until: Timestamp,
        why: String,
    },
    Paused {},
    Unpaused {},
    /// A loop that was started without a host is that host's from now on, which was the first to tell of its session.
    SessionPresented {
        session: SessionId,
        host: AgentName,
    },
    /// A loop inside a session goes on in another one.
    SessionReplaced {
        from: SessionId,
        to: SessionId,
    },
    /// A route or a person decided who is to work.
    AgentChosen {
        iteration: u32,
        agent: AgentName,
        model: Option<String>,
        effort: Option<String>,
        by: ChosenBy,
    },
    /// Another agent goes on.
    AgentChanged {
        from: AgentName,
        to: AgentName,
        why: String,
    },
    /// Every agent is at its limit; the run stands still until the first may go on.
    AllLimited {
        until: Timestamp,
    },
    /// The agent asked instead of working.
    QuestionAsked {
        question: QuestionNo,
        task: TaskId,
        iteration: u32,
        text: String,
        /// Until when an answer is waited for; without it the run goes on at once.
        until: Option<Timestamp>,
    },
    QuestionAnswered {
        question: QuestionNo,
        answer: String,
    },
    /// Nobody answered: the agent decides. Written again when it says what it took for granted.
    QuestionAssumed {
        question: QuestionNo,
        assumption: Option<String>,
    },
    /// A limit was reached; the run stops for it.
    Limit {
        reason: StopReason,
        evidence: String,
    },
    /// Something a person should know that changes nothing.
    Notice {
        text: String,
    },
    RunStopped {
        stop_reason: String,
        detail: StopReason,
        status: RunState,
        exit_code: u8,
        evidence: String,
    },
}

/// When a snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// Before the agent is started.
    Begin,
    /// After it ended, before anything is checked.
    End,
}

/// What a run was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    pub format: u32,
    /// The version of ralph that started the run.
    pub ralph: String,
    pub run: RunId,
    pub task: TaskId,
    /// Where the backlog is that the run goes through; none where it has a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<Source>,
    pub description: String,
    pub prompt: String,
    pub agent: AgentName,
    pub model: Option<String>,
    /// The promise word before any nonce is added.
    pub promise: String,
    pub nonce: bool,
    /// The checks that decide, each with its command.
    #[serde(default)]
    pub criteria: Vec<String>,
    pub limits: LimitsShown,
    #[serde(default)]
    pub sandbox: Sandbox,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
    /// The host that it lives inside of, and the session there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<AgentName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// The limits of a run as plain numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LimitsShown {
    pub max_iterations: Option<u32>,
    pub max_duration_ms: Option<u64>,
    pub max_tokens: Option<u64>,
    pub max_cost_usd: Option<Cost>,
    pub max_consecutive_failures: u32,
    #[serde(default)]
    pub max_no_progress: Option<u32>,
    #[serde(default)]
    pub max_circular: Option<u32>,
    #[serde(default)]
    pub max_iterations_per_task: Option<u32>,
    pub iteration_delay_ms: u64,
}

impl From<&Limits> for LimitsShown {
    fn from(limits: &Limits) -> LimitsShown {
        let ms = |d: std::time::Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
        LimitsShown {
            max_iterations: limits.max_iterations.map(Into::into),
            max_duration_ms: limits.max_duration.map(ms),
            max_tokens: limits.max_tokens.map(Into::into),
            max_cost_usd: limits.max_cost,
            max_consecutive_failures: limits.max_consecutive_failures.into(),
            max_no_progress: limits.max_no_progress.map(Into::into),
            max_circular: limits.max_circular.map(Into::into),
            max_iterations_per_task: limits.max_iterations_per_task.map(Into::into),
            iteration_delay_ms: ms(limits.iteration_delay),
        }
    }
}

/// What keeps the agent's processes from escaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Custody {
    Cgroup,
    Subreaper,
}

/// An attempt ends with a report, or without one for a stated fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Reported(Box<Report>),
    Lost(Fault),
}
