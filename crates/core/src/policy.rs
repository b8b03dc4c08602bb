//! What a run may use up and what counts as done: fixed at the start, stored with the run.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Verification;
use crate::promise::Word;
use crate::sandbox::Sandbox;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub limits: Limits,
    pub completion: Completion,
    #[serde(default)]
    pub verification: Verification,
    pub deadlines: Deadlines,
    pub retry: Retry,
    #[serde(default)]
    pub patience: Patience,
    #[serde(default)]
    pub sandbox: Sandbox,
    #[serde(default)]
    pub on_failure: OnFailure,
}

/// What becomes of the tree when a run ends unsuccessfully.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    #[default]
    Keep,
    /// As it was before the run.
    Restore,
}

/// Every limit of a run. They are checked in one place: `Run::limit_reached`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// `None` only for a run that was asked to be `--unlimited`, which then has one of the three below it.
    pub max_iterations: Option<NonZeroU32>,
    pub max_duration: Option<Duration>,
    pub max_tokens: Option<NonZeroU64>,
    pub max_cost: Option<Cost>,
    pub max_iterations_per_task: Option<NonZeroU32>,
    pub max_no_progress: Option<NonZeroU32>,
    /// How often what failed before may be tried again; needs evidence.
    #[serde(default)]
    pub max_circular: Option<NonZeroU32>,
    pub max_consecutive_failures: NonZeroU32,
    pub iteration_delay: Duration,
}

/// An amount of money in millionths of a US dollar, so that sums are exact.
///
/// In JSON it is a number of dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Cost(pub u64);

impl From<f64> for Cost {
    fn from(dollars: f64) -> Cost {
        // A negative, infinite or absurd number saturates; six digits of a float this size are exact.
        Cost((dollars * 1e6).round() as u64)
    }
}

impl From<Cost> for f64 {
    fn from(cost: Cost) -> f64 {
        cost.0 as f64 / 1e6
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            // Less than a cent is not nothing.
            1..10_000 => write!(f, "$0.{:04}", (self.0 / 100).max(1)),
            _ => write!(f, "${}.{:02}", self.0 / 1_000_000, self.0 % 1_000_000 / 10_000),
        }
    }
}

/// Which kind of work a run does; the defaults of its limits follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Prompt,
    PromptWithCriteria,
    /// The product of open tasks and iterations per task bounds a backlog.
    Backlog {
        open_tasks: NonZeroU32,
        criteria: bool,
    },
    InSession {
        criteria: bool,
    },
}

impl Limits {
    /// Whether anything ends a run that is held to these.
    pub fn are_bounding(&self) -> bool {
        self.max_iterations.is_some()
            || self.max_duration.is_some()
            || self.max_tokens.is_some()
            || self.max_cost.is_some()
    }

    /// The same with another bound for each task of a backlog, and for all of them together.
    pub fn with_iterations_per_task(self, kind: Kind, per_task: NonZeroU32) -> Limits {
        let Kind::Backlog { open_tasks, .. } = kind else { return self };
        Limits {
            max_iterations: Some(open_tasks.saturating_mul(per_task)),
            max_iterations_per_task: Some(per_task),
            ..self
        }
    }

    pub fn defaults(kind: Kind) -> Limits {
        let hours = |n: u64| Some(Duration::from_secs(n * 3600));
        let base = Limits {
            max_iterations: NonZeroU32::new(100),
            max_duration: hours(8),
            max_tokens: None,
            max_cost: None,
            max_iterations_per_task: None,
            max_no_progress: None,
            max_circular: None,
            max_consecutive_failures: NonZeroU32::new(5).expect("five is not zero"),
            iteration_delay: Duration::ZERO,
        };
        let two = NonZeroU32::new(2);
        let three = NonZeroU32::new(3);
        match kind {
            Kind::Prompt => base,
            Kind::PromptWithCriteria => Limits {
                max_iterations: NonZeroU32::new(10),
                max_duration: Some(Duration::from_secs(30 * 60)),
                max_no_progress: three,
                max_circular: two,
                ..base
            },
            Kind::Backlog { open_tasks, criteria } => Limits {
                max_iterations: three.map(|per_task| open_tasks.saturating_mul(per_task)),
                max_iterations_per_task: three,
                max_no_progress: three.filter(|_| criteria),
                max_circular: two.filter(|_| criteria),
                iteration_delay: Duration::from_secs(1),
                ..base
            },
            Kind::InSession { criteria } => Limits {
                max_no_progress: three.filter(|_| criteria),
                max_circular: two.filter(|_| criteria),
                iteration_delay: Duration::from_millis(500),
                ..base
            },
        }
    }
}

/// What may show that a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    Promise,
    Criteria,
    Tool,
    Todo,
    Tracker,
}

impl Signal {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Signal::Promise => "promise",
            Signal::Criteria => "criteria",
            Signal::Tool => "tool",
            Signal::Todo => "todo",
            Signal::Tracker => "tracker",
        }
    }
}

/// All of these must hold in the same iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    pub require: BTreeSet<Signal>,
    pub promise: Promise,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    pub word: Word,
    /// Whether each attempt's word carries its own nonce.
    pub nonce: bool,
}

impl Completion {
    pub fn by_promise(promise: Promise) -> Completion {
        Completion { require: BTreeSet::from([Signal::Promise]), promise }
    }
}

/// How long an attempt may take to begin, to say something, and to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deadlines {
    /// Until the first output.
    pub start: Option<Duration>,
    /// Between two outputs.
    pub silence: Option<Duration>,
    pub total: Option<Duration>,
}

/// How long a question waits for its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Patience {
    /// Half an hour while somebody is there, not at all otherwise.
    #[default]
    WhileAttended,
    For(Duration),
}

impl Patience {
    pub fn of(self, attended: bool) -> Duration {
        match self {
            Patience::For(time) => time,
            Patience::WhileAttended if attended => Duration::from_secs(30 * 60),
            Patience::WhileAttended => Duration::ZERO,
        }
    }
}

/// What becomes of a failed attempt. It is tried again after `base`, doubled with every further failure of the task, up
/// to `longest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    pub base: Duration,
    pub longest: Duration,
    #[serde(default)]
    pub on_error: OnError,
    /// How often a task is tried again before it is given up.
    #[serde(default = "three")]
    pub max_retries: NonZeroU32,
}

/// What an error of the agent comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Try the task again, then skip it.
    #[default]
    Retry,
    /// Skip the task.
    Skip,
    /// End the run.
    Abort,
}

/// Whose error it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The agent's own.
    Own,
    /// Of its servers, of the network or of the machine: tried again whatever the strategy.
    Passing,
}

/// What is done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    Again(Duration),
    Skip,
    Abort,
}

fn three() -> NonZeroU32 {
    NonZeroU32::new(3).expect("three is not zero")
}

impl Default for Retry {
    fn default() -> Retry {
        Retry {
            base: Duration::from_secs(2),
            longest: Duration::from_secs(300),
            on_error: OnError::Retry,
            max_retries: three(),
        }
    }
}

impl Retry {
    pub fn delay(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(20);
        self.base.saturating_mul(1 << doublings).min(self.longest)
    }

    /// What is done after so many errors of one task, the last of them this one.
    pub fn remedy(&self, errors: u32, last: Error) -> Remedy {
        match (last, self.on_error) {
            // Nobody's fault: only the limit on failures in a row gives that up.
            (Error::Passing, _) => Remedy::Again(self.delay(errors)),
            (Error::Own, OnError::Retry) if errors <= self.max_retries.get() => {
                Remedy::Again(self.delay(errors))
            }
            (Error::Own, OnError::Retry | OnError::Skip) => Remedy::Skip,
            (Error::Own, OnError::Abort) => Remedy::Abort,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, Error, Kind, Limits, OnError, Remedy, Retry};
    use std::num::NonZeroU32;
    use std::time::Duration;

    #[test]
    fn every_kind_of_run_is_bounded_by_default() {
        let open_tasks = NonZeroU32::MAX;
        let kinds = [
            Kind::Prompt,
            Kind::PromptWithCriteria,
            Kind::Backlog { open_tasks, criteria: true },
            Kind::InSession { criteria: true },
        ];
        for kind in kinds {
            let limits = Limits::defaults(kind);
            assert!(limits.max_iterations.is_some() && limits.max_duration.is_some(), "{kind:?}");
        }
    }

    #[test]
    fn a_cost_survives_being_written_as_dollars() {
        for micro in [0, 1, 10_000, 123_456_789, 1_000_000_000_001] {
            let written = serde_json::to_string(&Cost(micro)).unwrap();
            assert_eq!(serde_json::from_str::<Cost>(&written).unwrap(), Cost(micro), "{written}");
        }
        assert_eq!(serde_json::to_string(&Cost(1_500_000)).unwrap(), "1.5");
    }

    #[test]
    fn each_strategy_has_its_remedy_and_what_passes_is_always_tried_again() {
        let tries = |on_error, error| {
            let retry = Retry { on_error, ..Retry::default() };
            (1..=5).map(|errors| retry.remedy(errors, error)).collect::<Vec<_>>()
        };
        let again = |seconds| Remedy::Again(Duration::from_secs(seconds));
        let thrice = |last| vec![again(2), again(4), again(8), last, last];
        assert_eq!(tries(OnError::Retry, Error::Own), thrice(Remedy::Skip));
        assert_eq!(tries(OnError::Skip, Error::Own), [Remedy::Skip; 5]);
        assert_eq!(tries(OnError::Abort, Error::Own), [Remedy::Abort; 5]);
        for on_error in [OnError::Retry, OnError::Skip, OnError::Abort] {
            assert_eq!(tries(on_error, Error::Passing), [2, 4, 8, 16, 32].map(again));
        }
    }

    #[test]
    fn the_delay_doubles_and_never_exceeds_the_longest() {
        let retry = Retry::default();
        let seconds: Vec<u64> = (1..=9).map(|n| retry.delay(n).as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 64, 128, 256, 300]);
        assert_eq!(retry.delay(u32::MAX), Duration::from_secs(300));
    }
}
