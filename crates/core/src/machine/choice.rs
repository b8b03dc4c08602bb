//! Who works: taken up when an iteration begins, when a run is resumed, and when it stands still for want of anybody.

use crate::choice::ChosenBy;
use crate::crew::Member;
use crate::event::Event;
use crate::moment::Moment;
use crate::route::{Situation, Trouble};
use crate::run::{Handover, Run, Step, Until};
use crate::stop::Stop;
use crate::task::Task;

impl Run {
    /// Puts the one to work whom a person, a route or the settings want, and says so where that is news.
    pub(super) fn put_to_work(&mut self, iteration: u32, now: Moment) {
        let (wanted, by) = self.crew.wanted(self.situation(&self.task, iteration));
        let (lead, before) = (self.crew.lead().clone(), self.crew.at_work().agent.clone());
        self.crew.choose(wanted.clone(), now.at);
        if !lead.is_same_choice(&wanted) || matches!(by, ChosenBy::Route { .. }) {
            let Member { agent, model, effort, .. } = wanted;
            self.note(
                now.at,
                Event::AgentChosen { iteration: self.tally.iterations, agent, model, effort, by: by.clone() },
            );
        }
        let is_begun = self.tally.on_task > 1 || self.tally.attempts > 0;
        self.changed_hands(before, &by.to_string(), is_begun, now);
    }

    /// Whoever takes over is told, unless nobody has worked on the task yet.
    fn changed_hands(&mut self, from: crate::id::AgentName, why: &str, is_begun: bool, now: Moment) {
        let to = self.crew.at_work().agent.clone();
        if from != to && is_begun {
            self.handover = Some(Handover { from: from.clone(), why: why.to_owned() });
            self.note(now.at, Event::AgentChanged { from, to, why: why.to_owned() });
        }
    }

    /// A person's choice counts at once for a run that is resumed: what it was stopped for may be the agent.
    pub(super) fn take_up_choice(&mut self, now: Moment) {
        if self.crew.asked().is_some() {
            self.put_to_work(self.tally.on_task, now);
            self.step = self.reassigned(self.step.clone());
        }
    }

    /// An attempt that has not begun is the agent's that is at work now.
    fn reassigned(&self, step: Step) -> Step {
        match step {
            Step::Think(_) => Step::Think(self.next_attempt()),
            Step::Wait(until, then) => Step::Wait(until, Box::new(self.reassigned(*then))),
            other @ (Step::Baseline
            | Step::Select
            | Step::Code(..)
            | Step::Verify(..)
            | Step::Consolidate(..)
            | Step::Abandon(..)
            | Step::Stop(_)) => other,
        }
    }

    /// With every agent limited there is nothing to wait for once a person names another.
    pub(super) fn choose_in_standstill(&mut self, now: Moment) {
        if let Step::Wait(Until::Reset { .. }, then) = self.step.clone()
            && matches!(*then, Step::Think(_))
        {
            self.put_to_work(self.tally.on_task, now);
            if self.crew.at_work().is_free(now.at) {
                self.note(now.at, Event::Unpaused {});
                self.proceed(Step::Think(self.next_attempt()), now);
            }
        }
    }

    /// Whom to ask before the next iteration on this task, because another stands in for it.
    pub fn to_probe(&self, task: &Task, now: Moment) -> Option<Member> {
        let (wanted, _) = self.crew.wanted(self.upcoming(task));
        self.crew.to_probe(&wanted, now.at).cloned()
    }

    /// What the probe came to.
    pub fn after_probe(&mut self, task: &Task, answered: bool, now: Moment) {
        let (wanted, _) = self.crew.wanted(self.upcoming(task));
        let from = self.crew.at_work().agent.clone();
        if self.crew.probed(&wanted, answered, now.at) {
            let why = format!("{} answers again", self.crew.at_work().agent);
            self.changed_hands(from, &why, self.iterations_on(task) > 0, now);
        }
    }

    fn upcoming<'t>(&'t self, task: &'t Task) -> Situation<'t> {
        self.situation(task, self.iterations_on(task) + 1)
    }

    fn situation<'t>(&'t self, task: &'t Task, iteration: u32) -> Situation<'t> {
        let troubles = if task.id == self.task.id { self.troubles.as_slice() } else { &[] };
        Situation { task, iteration, troubles }
    }

    /// A run that gets nowhere goes on where a route has something else for it, once for each trouble of a task.
    pub(super) fn changes_one_thing(&mut self, stop: &Stop, next: &Step, now: Moment) -> bool {
        let trouble = Trouble::ALL.into_iter().find(|trouble| trouble.stop() == stop.reason);
        let Some(trouble) = trouble.filter(|trouble| !self.troubles.contains(trouble)) else { return false };
        if !matches!(next, Step::Select) {
            return false;
        }
        self.troubles.push(trouble);
        let (wanted, by) = self.crew.wanted(self.upcoming(&self.task));
        if self.crew.lead().is_same_choice(&wanted) {
            self.troubles.pop();
            return false;
        }
        self.progress.forgive();
        self.note(now.at, Event::Notice { text: format!("{}; something is changed by {by}", stop.evidence) });
        true
    }

    /// How many iterations this task has had.
    pub(super) fn iterations_on(&self, task: &Task) -> u32 {
        match &self.agenda {
            Some(agenda) => agenda.iterations_on(&task.id),
            None if task.id == self.task.id => self.tally.on_task,
            None => 0,
        }
    }
}
