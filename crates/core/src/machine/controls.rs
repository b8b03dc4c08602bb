//! How a run takes up what a person asks of it.

use crate::control::{Change, Control, ControlNo};
use crate::event::Event;
use crate::moment::Moment;
use crate::run::{Fresh, Pace, Run, Step, Until};

impl Run {
    /// Takes up a control. Twice the same is harmless; on a stopped run nothing happens.
    pub fn apply(&mut self, no: ControlNo, control: &Control, now: Moment) {
        if no <= self.controls_seen {
            return;
        }
        self.controls_seen = no;
        let seen = |run: &Run| {
            let limits = run.policy.limits.clone();
            let pace = (run.pace, run.is_leaving());
            (run.step.clone(), pace, limits, run.steering.len(), run.inbox.clone(), run.skipped.len())
        };
        let before = seen(self);
        let at = self.fresh.len();
        let asked = self.crew.asked().cloned();
        if self.stop().is_none() || (self.is_unfinished() && control.waits_for_resume()) {
            self.obey(control, now);
        }
        let changed = before != seen(self) || asked.as_ref() != self.crew.asked();
        // The cause stands in the journal before what it led to.
        let event = Event::ControlApplied { no, control: control.clone(), changed };
        self.fresh.insert(at, Fresh { at: now.at, event });
    }

    fn obey(&mut self, control: &Control, now: Moment) {
        match control {
            Control::Pause if self.pace == Pace::Going && !self.is_paused() => self.pace = Pace::Pausing,
            Control::Resume if self.pace == Pace::Pausing => self.pace = Pace::Going,
            Control::Resume if self.is_paused() => return self.unpause(now),
            Control::Stop if self.pace != Pace::Aborting => self.pace = Pace::Stopping,
            Control::Abort => self.pace = Pace::Aborting,
            Control::Skip { task } => self.skip(task.as_ref(), now),
            Control::SetIterations { change } => self.set_iterations(*change),
            Control::SetAgent { .. } | Control::SetModel { .. } | Control::SetEffort { .. } => {
                self.crew.ask(control);
                self.choose_in_standstill(now);
            }
            Control::Steer { text } => self.steering.push(text.clone()),
            Control::Answer { question, text } => self.answer(*question, text, now),
            Control::Pause | Control::Resume | Control::Stop => return,
        }
        self.reconsider(now);
    }

    /// Nothing is under way at these steps, so a new pace or limit takes effect at once. A wait is cut short only
    /// by a new pace.
    fn reconsider(&mut self, now: Moment) {
        match self.step.clone() {
            Step::Select | Step::Think(_) => self.proceed(self.step.clone(), now),
            Step::Wait(_, then) if self.pace != Pace::Going => self.proceed(*then, now),
            Step::Wait(Until::Told, _) => self.leave_while_paused(now),
            Step::Wait(_, then) if self.is_leaving() => self.proceed(*then, now),
            Step::Wait(..)
            | Step::Baseline
            | Step::Code(..)
            | Step::Verify(..)
            | Step::Consolidate(..)
            | Step::Abandon(..)
            | Step::Stop(_) => {}
        }
    }

    fn unpause(&mut self, now: Moment) {
        if let Step::Wait(Until::Told, then) = self.step.clone() {
            self.note(now.at, Event::Unpaused {});
            self.proceed(*then, now);
        }
    }

    /// A run that was asked to be unlimited stays so: it is bounded by time, tokens or cost.
    fn set_iterations(&mut self, change: Change) {
        let max = &mut self.policy.limits.max_iterations;
        *max = max.map(|max| change.applied(max));
    }
}
