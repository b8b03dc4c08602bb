//! From the end of a turn to the next brief, or to the end of the loop.

use std::time::Duration;

use ralph_core::brief;
use ralph_core::event::{Event, Occasion};
use ralph_core::in_session::Strategy;
use ralph_core::run::{Pace, Run, Step, Until};
use ralph_core::stop::Stop;
use ralph_store::Store;

use crate::drive::{Drive, Parts};
use crate::error::EngineError;
use crate::settle::Settled;
use crate::wait::remaining;

/// The longest that a host waits before it asks again: its clock and its timers have their own ends.
const LONGEST: Duration = Duration::from_secs(3600);

/// What follows what a host told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Onward {
    /// Nothing: the host goes on as it would.
    Silence,
    /// Nothing yet: the session is to be looked at again.
    Later {
        after: Duration,
    },
    /// Nothing yet: ralph is to be asked again when it is time, for a person may decide otherwise until then.
    Due {
        after: Duration,
        /// Why it is that long, where a person wants to know.
        why: Option<String>,
    },
    Next(Next),
    Ended(Ended),
}

/// How a host waits until an agent may be told something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// It asks again when it is time.
    AsksAgain,
    /// It does what it was told when it is time.
    HoldsBack,
}

/// The agent is to be told this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    pub brief: String,
    /// Only how to say that it is done, for an agent that knows its task.
    pub instruction: String,
    pub delay: Duration,
    pub strategy: Strategy,
    pub iteration: u32,
    pub attempt: u32,
    pub max_iterations: Option<u32>,
}

/// The loop is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub stop: Stop,
    pub iteration: u32,
}

impl Onward {
    /// What a run at rest comes to.
    pub(crate) fn of(run: &Run, delay: Duration) -> Onward {
        let iteration = run.tally.iterations;
        match &run.step {
            Step::Wait(Until::Time { from, to } | Until::Reset { from, to }, then) => {
                let failed = matches!(**then, Step::Think(_)).then(|| run.tried.last()).flatten();
                let why = failed.map(|tried| tried.outcome.clone());
                Onward::Due { after: remaining(*from, *to).min(LONGEST), why }
            }
            Step::Wait(Until::Answer { from, to, .. }, _) => {
                let why = "a question is open; `ralph inbox` shows it".to_owned();
                Onward::Due { after: remaining(*from, *to).min(LONGEST), why: Some(why) }
            }
            Step::Stop(stop) => Onward::Ended(Ended { stop: stop.clone(), iteration }),
            Step::Code(attempt, brief) => Onward::Next(Next {
                brief: brief.text.clone(),
                instruction: brief::claim(run, attempt),
                delay,
                strategy: run.in_session.as_ref().map_or(Strategy::Continue, |place| place.strategy),
                iteration,
                attempt: attempt.number,
                max_iterations: run.policy.limits.max_iterations.map(Into::into),
            }),
            Step::Baseline
            | Step::Select
            | Step::Think(_)
            | Step::Verify(..)
            | Step::Consolidate(..)
            | Step::Wait(Until::Told, _)
            | Step::Abandon(..) => Onward::Silence,
        }
    }
}

/// Performs a run until its agent is to be told something, it stands still, or it is over.
pub(crate) async fn go_on<S: Store + 'static>(
    parts: Parts<S>,
    run: Run,
    waiting: Waiting,
) -> Result<Onward, EngineError> {
    let mut drive = Drive::new(parts, run)?;
    let mut delay = Duration::ZERO;
    let outcome = drive.until_briefed(&mut delay, waiting).await;
    let run = drive.close(outcome).await?;
    Ok(match Onward::of(&run, delay) {
        Onward::Due { .. } if waiting == Waiting::HoldsBack => Onward::Silence,
        onward => onward,
    })
}

impl<S: Store + 'static> Drive<S> {
    async fn until_briefed(&mut self, delay: &mut Duration, waiting: Waiting) -> Result<(), EngineError> {
        loop {
            match self.run.step.clone() {
                Step::Stop(_) | Step::Wait(Until::Told, _) => {
                    if self.commit().await? == Settled::Stands {
                        return Ok(());
                    }
                }
                // Waiting is the host's part: no process lives that long.
                Step::Wait(
                    Until::Time { from, to } | Until::Reset { from, to } | Until::Answer { from, to, .. },
                    then,
                ) if remaining(from, to).is_zero() => {
                    self.run.after_wait(*then, self.now());
                }
                Step::Wait(Until::Time { from, to }, then) if waiting == Waiting::HoldsBack => {
                    *delay = remaining(from, to);
                    self.run.after_wait(*then, self.now());
                }
                Step::Wait(Until::Time { .. } | Until::Reset { .. } | Until::Answer { .. }, _) => {
                    if self.commit().await? == Settled::Stands {
                        return Ok(());
                    }
                }
                // Whoever was asked to pause or stop tells its agent nothing more.
                Step::Code(..) if self.run.pace != Pace::Going => {
                    self.run.after_wait(self.run.step.clone(), self.now());
                }
                Step::Code(attempt, _) => {
                    self.keep((attempt.iteration, attempt.number), Occasion::Begin).await?;
                    self.sweep_now_and_then().await;
                    let now = self.now();
                    self.run.briefed(now);
                    if self.run.fresh.is_empty() {
                        let text = "the agent is given its brief".to_owned();
                        self.run.note(now.at, Event::Notice { text });
                    }
                    if self.commit().await? == Settled::Rewound {
                        continue;
                    }
                    if self.run.pace == Pace::Going && self.run.cut_short_by().is_none() {
                        return Ok(());
                    }
                    self.run.untold();
                    self.run.after_wait(self.run.step.clone(), self.now());
                }
                Step::Baseline
                | Step::Select
                | Step::Think(_)
                | Step::Verify(..)
                | Step::Consolidate(..)
                | Step::Abandon(..) => {
                    let done = self.step().await;
                    self.unless_given_up(done).await?;
                }
            }
        }
    }
}
