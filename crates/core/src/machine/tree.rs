//! When a tree is put back by the run itself: before an attempt that was cut short is made again, before the first
//! attempt of a fork, and after the end of a run that failed, where that is wanted.

use crate::agenda::Stint;
use crate::attempt::Attempt;
use crate::event::{Ending, Event};
use crate::id::TaskId;
use crate::moment::Moment;
use crate::policy::OnFailure;
use crate::put_back::{Extent, PutBack, Restored, Why};
use crate::report::Fault;
use crate::run::{Run, Step};
use crate::stop::{RunState, StopReason};

impl Run {
    /// What is to be put back now. Nothing while an agent or a check is at work, and between ordinary iterations.
    pub fn to_put_back(&self) -> Option<&PutBack> {
        let owed = self.owed.as_ref()?;
        let is_due = match &self.step {
            Step::Baseline | Step::Select | Step::Think(_) => owed.why != Why::Failed,
            Step::Stop(_) => matches!(owed.why, Why::Failed | Why::GivenUp),
            Step::Code(..)
            | Step::Verify(..)
            | Step::Consolidate(..)
            | Step::Wait(..)
            | Step::Abandon(..) => false,
        };
        is_due.then_some(owed)
    }

    /// It was put back; nothing was restored where the tree was like that already.
    pub fn after_put_back(&mut self, restored: Option<Restored>, now: Moment) {
        let Some(done) = self.owed.take() else { return };
        if let Some(restored) = restored {
            // A person who forks has a tree of their own before that, and it is what the run is taken back to.
            if done.why == Why::Forked {
                self.origin = Some(restored.undo.clone());
                self.origin_head.clone_from(&restored.head);
            }
            self.put_back(done, restored, now);
        }
    }

    /// A person has put the tree back; nothing is told where it was like that already.
    pub fn rolled_back(&mut self, extent: Extent, done: Option<(PutBack, Restored)>, now: Moment) {
        self.disown(extent, now);
        if let Some((done, restored)) = done {
            self.put_back(done, restored, now);
        }
    }

    /// A restore that was cut short is finished, whoever began it: the run's own is paid with that, and another one has
    /// seen to the tree since. A fork still begins with the tree that it is forked from.
    pub fn restore_finished(
        &mut self,
        snapshot: &str,
        extent: Extent,
        restored: Option<Restored>,
        now: Moment,
    ) {
        match &self.owed {
            Some(owed) if owed.snapshot == snapshot && extent == Extent::Whole => {
                self.after_put_back(restored, now);
            }
            Some(owed) if owed.why == Why::Forked => {}
            Some(_) | None => self.disown(extent, now),
        }
    }

    /// What a person has taken back is judged no more, and once all of it is, nothing overrules that: what was being
    /// done is done again, from the tree as it is.
    pub fn disown(&mut self, extent: Extent, now: Moment) {
        match (&self.step, extent) {
            (Step::Code(attempt, _), Extent::Whole) => {
                let (iteration, attempt) = (attempt.iteration, attempt.number);
                let ending = Ending::Lost(Fault::Interrupted);
                self.note(now.at, Event::AttemptEnded { iteration, attempt, ending });
                self.step = Step::Think(self.next_attempt());
            }
            (Step::Verify(..) | Step::Consolidate(..), _) => self.step = Step::Think(self.next_attempt()),
            (Step::Code(..), Extent::Part)
            | (
                Step::Baseline
                | Step::Select
                | Step::Think(_)
                | Step::Wait(..)
                | Step::Abandon(..)
                | Step::Stop(_),
                _,
            ) => {}
        }
        if let Some((attempt, _)) = self.unsettled.take().map(|unsettled| *unsettled) {
            // It is no longer proven, and its tracker says that it is done.
            if let Some(agenda) = &mut self.agenda {
                agenda.showing.insert(attempt.task);
            }
        }
        if extent == Extent::Whole {
            self.owed = None;
            self.begun_from = None;
        }
    }

    fn put_back(&mut self, done: PutBack, restored: Restored, now: Moment) {
        let PutBack { snapshot, iteration, why, head: head_then } = done;
        let Restored { undo, changed, files, head } = restored;
        self.note(
            now.at,
            Event::RolledBack { iteration, snapshot, undo, changed, files, why, head_then, head },
        );
    }

    /// The snapshots without which the run could not go on, or be taken back.
    pub fn needed_snapshots(&self) -> impl Iterator<Item = &str> {
        let owed = self.owed.as_ref().map(|owed| owed.snapshot.as_str());
        let stints = self.agenda.iter().flat_map(|agenda| &agenda.stints);
        let of_tasks = stints.flat_map(|stint| [Some(stint.from.as_str()), stint.to.as_deref()]);
        [self.origin.as_deref(), self.begun_from.as_deref(), owed].into_iter().chain(of_tasks).flatten()
    }

    /// A person wants to go on with the tree as it is. What becomes of it at the end is another matter.
    pub fn leave_tree(&mut self) {
        self.owed = self.owed.take().filter(|owed| owed.why == Why::Failed);
    }

    /// The attempt was cut short in the middle of its work: what it left is no state that anybody meant.
    pub(super) fn tear(&mut self, attempt: &Attempt) {
        // What an agent leaves in a session that a person sees is that person's to judge.
        if let Some(snapshot) = self.begun_from.clone().filter(|_| self.in_session.is_none()) {
            let (iteration, head) = (Some(attempt.iteration), self.begun_head.clone());
            self.owed = Some(PutBack { snapshot, iteration, why: Why::Torn, head });
        }
    }

    /// What tasks of a backlog were completed with stays, however the run ends.
    pub(super) fn settle_tree(&mut self, reason: StopReason) {
        let is_lost = reason.state() == RunState::Failed && !reason.is_resumable();
        if !is_lost || self.policy.on_failure != OnFailure::Restore {
            return;
        }
        if let Some(agenda) = &self.agenda {
            if let Some(task) = agenda.at_hand.clone() {
                self.take_task_back(&task, Why::Failed);
            }
            return;
        }
        let head = self.origin_head.clone();
        self.owed =
            self.origin.clone().map(|snapshot| PutBack { snapshot, iteration: None, why: Why::Failed, head });
    }

    /// A task is given up: what was done for it since another one was worked on goes with it, where that is wanted.
    pub(super) fn take_task_back(&mut self, task: &TaskId, why: Why) {
        if self.policy.on_failure != OnFailure::Restore {
            return;
        }
        let stint = self.agenda.as_ref().and_then(|agenda| agenda.last_stint(task));
        let Some(Stint { from, iteration, head, .. }) = stint.cloned() else { return };
        self.owed = Some(PutBack { snapshot: from, iteration: Some(iteration), why, head });
    }
}
