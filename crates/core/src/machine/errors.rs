//! What becomes of an attempt that ended in error.

use crate::attempt::Attempt;
use crate::event::Event;
use crate::id::TaskId;
use crate::moment::Moment;
use crate::policy::{Error, Remedy};
use crate::run::{Run, Skipped, Step};
use crate::stop::StopReason;
use crate::task::Task;

impl Run {
    /// Tries again after a delay that grows, or gives the task up. What a person asked for and the run's limits come
    /// first, the one on failures in a row among them.
    pub(super) fn after_error(&mut self, attempt: &Attempt, error: Error, why: &str, now: Moment) {
        self.tally.failures += 1;
        self.tally.errors += 1;
        let next = Step::Think(self.next_attempt());
        let tries = self.tally.errors;
        match self.policy.retry.remedy(tries, error) {
            Remedy::Again(delay) => {
                let failed =
                    format!("attempt {} failed, {} in a row", self.tally.attempts, self.tally.failures);
                self.proceed_after(delay, &failed, next, now);
            }
            remedy @ (Remedy::Skip | Remedy::Abort) => {
                self.proceed(next.clone(), now);
                if self.step == next {
                    let ended =
                        if tries == 1 { "an attempt".to_owned() } else { format!("{tries} attempts") };
                    self.give_up(attempt, format!("{ended} ended in error, the last: {why}"), remedy, now);
                }
            }
        }
    }

    /// The task goes to the skipped ones. A prompt is its own only task, so nothing is left to do then.
    fn give_up(&mut self, attempt: &Attempt, why: String, remedy: Remedy, now: Moment) {
        let (task, iteration) = (attempt.task.clone(), attempt.iteration);
        self.mid_iteration = false;
        self.note(now.at, Event::IterationEnded { iteration, task: task.clone(), complete: false });
        self.skip_task(task, why, now);
        if remedy == Remedy::Abort || !self.has_backlog() {
            return self.halt(StopReason::TasksUndone, &self.undone(), now);
        }
        let delay = self.policy.limits.iteration_delay;
        self.proceed_after(delay, "iteration delay", Step::Select, now);
    }

    pub fn is_skipped(&self, task: &Task) -> bool {
        self.is_given_up(&task.id)
    }

    pub(super) fn is_given_up(&self, task: &TaskId) -> bool {
        self.skipped.iter().any(|skipped| skipped.task == *task)
    }

    /// Every skipped task with the reason.
    pub(super) fn undone(&self) -> String {
        let told = |skipped: &Skipped| format!("task `{}` {}", skipped.task, skipped.told());
        self.skipped.iter().map(told).collect::<Vec<_>>().join("; ")
    }
}
