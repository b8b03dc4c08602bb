//! From what was set to a run's limits. Whatever was set, the result bounds the run.

use std::num::NonZeroU32;
use std::time::Duration;

use ralph_core::policy::{Cost, Kind, Limits};

use super::origin::Set;
use super::partial::{DAY, LimitsPart};
use super::reader::Reader;
use super::value::cost::cost;
use super::value::count::{count, count_u32};
use super::value::duration::{delay, limit};
use super::value::plain;
use crate::problem::Problem;

pub(crate) const MOST_ITERATIONS: u32 = 1_000_000;
pub(crate) const MOST_TOKENS: u64 = 1_000_000_000_000;
pub(crate) const MOST_FAILURES: u32 = 1000;

/// The limits that were set; the others follow from the kind of run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LimitsSet {
    iterations: Iterations,
    max_duration: Option<Duration>,
    max_tokens: Option<std::num::NonZeroU64>,
    max_cost: Option<Cost>,
    max_consecutive_failures: Option<NonZeroU32>,
    max_no_progress: Option<NonZeroU32>,
    max_circular: Option<NonZeroU32>,
    max_iterations_per_task: Option<NonZeroU32>,
    iteration_delay: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Iterations {
    Default,
    AtMost(NonZeroU32),
    /// Only where time, tokens or cost were set.
    Unlimited,
}

impl LimitsSet {
    pub(crate) fn resolve(part: &LimitsPart) -> Result<LimitsSet, Problem> {
        Ok(LimitsSet {
            iterations: iterations(part)?,
            max_duration: value(&part.max_duration),
            max_tokens: value(&part.max_tokens),
            max_cost: value(&part.max_cost_usd),
            max_consecutive_failures: value(&part.max_consecutive_failures),
            max_no_progress: value(&part.max_no_progress),
            max_circular: value(&part.max_circular),
            max_iterations_per_task: value(&part.max_iterations_per_task),
            iteration_delay: value(&part.iteration_delay),
        })
    }

    /// The limits of one run: what was set, completed with the defaults of its kind.
    pub(crate) fn of(&self, kind: Kind) -> Limits {
        let defaults = match self.max_iterations_per_task {
            Some(per_task) => Limits::defaults(kind).with_iterations_per_task(kind, per_task),
            None => Limits::defaults(kind),
        };
        let (max_iterations, default_duration) = match self.iterations {
            Iterations::Default => (defaults.max_iterations, defaults.max_duration),
            Iterations::AtMost(most) => (Some(most), defaults.max_duration),
            Iterations::Unlimited if self.max_tokens.is_some() || self.max_cost.is_some() => (None, None),
            Iterations::Unlimited => (None, defaults.max_duration),
        };
        Limits {
            max_iterations,
            max_duration: self.max_duration.or(default_duration),
            max_tokens: self.max_tokens.or(defaults.max_tokens),
            max_cost: self.max_cost.or(defaults.max_cost),
            max_consecutive_failures: self
                .max_consecutive_failures
                .unwrap_or(defaults.max_consecutive_failures),
            max_no_progress: self.max_no_progress.or(defaults.max_no_progress),
            max_circular: self.max_circular.or(defaults.max_circular),
            iteration_delay: self.iteration_delay.unwrap_or(defaults.iteration_delay),
            ..defaults
        }
    }
}

fn value<T: Copy>(set: &Option<Set<T>>) -> Option<T> {
    set.as_ref().map(|set| set.value)
}

fn iterations(part: &LimitsPart) -> Result<Iterations, Problem> {
    let Some(unlimited) = part.unlimited.as_ref().filter(|set| set.value) else {
        return Ok(value(&part.max_iterations).map_or(Iterations::Default, Iterations::AtMost));
    };
    if let Some(most) = &part.max_iterations
        && most.origin.layer() >= unlimited.origin.layer()
    {
        let (most, unlimited) = (&most.origin, unlimited.origin.subject("limits", "unlimited"));
        let what = format!("{} contradicts {unlimited}", most.subject("limits", "max_iterations"));
        return Err(Problem::new(what).at(most.place()).next("keep one of the two"));
    }
    if part.max_duration.is_none() && part.max_tokens.is_none() && part.max_cost_usd.is_none() {
        let what = format!("{} needs another limit", unlimited.origin.subject("limits", "unlimited"));
        let next = "add one of --max-duration, --max-tokens, --max-cost-usd (or its key in [limits])";
        return Err(Problem::new(what).at(unlimited.origin.place()).next(next));
    }
    Ok(Iterations::Unlimited)
}

impl LimitsPart {
    pub(super) fn take(from: &mut Reader<'_>) -> LimitsPart {
        LimitsPart {
            max_iterations: from.take("limits", "max_iterations", |r| count_u32(r, MOST_ITERATIONS)),
            max_duration: from.take("limits", "max_duration", |r| limit(r, 30 * DAY)),
            max_tokens: from.take("limits", "max_tokens", |r| count(r, MOST_TOKENS)),
            max_cost_usd: from.take("limits", "max_cost_usd", cost),
            max_consecutive_failures: from
                .take("limits", "max_consecutive_failures", |r| count_u32(r, MOST_FAILURES)),
            max_no_progress: from.take("limits", "max_no_progress", |r| count_u32(r, MOST_FAILURES)),
            max_iterations_per_task: from
                .take("limits", "max_iterations_per_task", |r| count_u32(r, MOST_ITERATIONS)),
            max_circular: from.take("limits", "max_circular", |r| count_u32(r, MOST_FAILURES)),
            iteration_delay: from.take("limits", "iteration_delay", |r| delay(r, DAY)),
            unlimited: from.take("limits", "unlimited", plain::boolean),
        }
    }

    pub(super) fn over(self, lower: LimitsPart) -> LimitsPart {
        LimitsPart {
            max_iterations: self.max_iterations.or(lower.max_iterations),
            max_duration: self.max_duration.or(lower.max_duration),
            max_tokens: self.max_tokens.or(lower.max_tokens),
            max_cost_usd: self.max_cost_usd.or(lower.max_cost_usd),
            max_consecutive_failures: self.max_consecutive_failures.or(lower.max_consecutive_failures),
            max_no_progress: self.max_no_progress.or(lower.max_no_progress),
            max_iterations_per_task: self.max_iterations_per_task.or(lower.max_iterations_per_task),
            max_circular: self.max_circular.or(lower.max_circular),
            iteration_delay: self.iteration_delay.or(lower.iteration_delay),
            unlimited: self.unlimited.or(lower.unlimited),
        }
    }
}
