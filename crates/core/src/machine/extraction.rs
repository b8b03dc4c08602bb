//! An agent is asked what a completed task was worth knowing for: whether it may be, and what of that lasts.

use crate::attempt::Attempt;
use crate::event::Event;
use crate::id::AgentName;
use crate::moment::Moment;
use crate::note::Draft;
use crate::recollection::Extracted;
use crate::report::{AgentExit, Usage};
use crate::run::{Pace, Run};

/// What the asking came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    pub agent: AgentName,
    pub model: Option<String>,
    /// What counts of its answer.
    pub drafts: Vec<Draft>,
    pub exit: AgentExit,
    pub usage: Usage,
    pub duration_ms: u64,
}

impl Run {
    /// Once for a task, while nobody wants an end and nothing is used up. A host is not kept waiting.
    pub fn may_extract(&self, attempt: &Attempt, now: Moment) -> bool {
        let goes_on = match self.pace {
            Pace::Going | Pace::Pausing => true,
            Pace::Stopping | Pace::Aborting => false,
        };
        let was_asked = self.extracted.as_ref().is_some_and(|known| known.iteration == attempt.iteration);
        goes_on && !was_asked && self.in_session.is_none() && self.used_up(now).is_none()
    }

    /// The agent was asked. What it used up counts, answer or not.
    pub fn after_extraction(&mut self, attempt: &Attempt, extraction: Extraction, now: Moment) {
        let Extraction { agent, model, drafts, exit, usage, duration_ms } = extraction;
        self.tally.usage = self.tally.usage.plus(usage);
        let (task, iteration) = (attempt.task.clone(), attempt.iteration);
        let notes = drafts.len() as u64;
        self.extracted = Some(Extracted { iteration, drafts });
        let event = Event::MemoryAsked { task, iteration, agent, model, notes, exit, usage, duration_ms };
        self.note(now.at, event);
    }
}
