//! How a session's loop stands, and what a host tells of it that ends nothing.

use ralph_core::assignment::Assignment;
use ralph_core::attempt::Attempt;
use ralph_core::event::Event;
use ralph_core::id::{RunId, SessionId, TaskId};
use ralph_core::run::{Run, Step};
use ralph_store::Store;

use crate::loops::{LoopError, Loops};

/// Whoever sits at a host is its own, and looks at no screen of ralph's.
const UNATTENDED: bool = false;

/// The loop that lives in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub run: RunId,
    /// As its notes know it.
    pub task: TaskId,
    pub description: String,
    /// The task as it was given.
    pub prompt: String,
    pub iteration: u32,
    pub attempt: u32,
    pub max_iterations: Option<u32>,
    /// Whether the agent has a brief, and the end of its turn was not heard of.
    pub is_briefed: bool,
    pub is_paused: bool,
    /// Whether the answer to a question is waited for.
    pub asks: bool,
    /// What it was told last.
    pub brief: Option<String>,
}

impl Standing {
    fn of(run: Run) -> Standing {
        Standing {
            is_paused: run.is_paused(),
            asks: run.asks().is_some(),
            iteration: run.tally.iterations,
            attempt: run.tally.attempts,
            max_iterations: run.policy.limits.max_iterations.map(Into::into),
            is_briefed: run.is_briefed(),
            brief: match run.step {
                Step::Code(_, brief) => Some(brief.text),
                _ => None,
            },
            task: run.task.remembered_as(),
            description: run.task.title.clone(),
            prompt: run.task.body,
            run: run.id,
        }
    }
}

impl<S: Store> Loops<S> {
    /// None where no loop lives in the session.
    pub async fn standing(&self, session: &SessionId) -> Result<Option<Standing>, LoopError> {
        match self.living(session).await? {
            Some(id) => self.standing_of(&id).await,
            None => Ok(None),
        }
    }

    /// The same, of a loop that was seen there.
    pub async fn standing_of(&self, id: &RunId) -> Result<Option<Standing>, LoopError> {
        Ok(self.store.run(id).await?.map(Standing::of))
    }

    /// The task of the agent that works in a session. None where no loop lives in it, or none has come to an attempt.
    pub async fn assignment(&self, session: &SessionId) -> Result<Option<Assignment>, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(None) };
        let run = self.store.run(&id).await?;
        Ok(run.and_then(|run| Some(Assignment::of(&run, at_hand(&run.step)?, UNATTENDED))))
    }

    /// The agent was kept from ending its turn: it is told its task again when the session goes on.
    pub async fn left(&self, session: &SessionId, why: &str) -> Result<(), LoopError> {
        let Some(standing) = self.standing(session).await? else { return Ok(()) };
        if standing.is_briefed {
            let text = format!("{why}; the agent is given its brief when the session goes on");
            self.amend(&standing.run, |run, now| {
                run.note(now.at, Event::Notice { text: text.clone() });
                run.untold();
            })
            .await?;
        }
        Ok(())
    }

    /// The host would not go on: the loop stands still until a person wants it to. None where there is none.
    pub async fn held_up(&self, session: &SessionId, why: &str) -> Result<Option<RunId>, LoopError> {
        let Some(id) = self.living(session).await? else { return Ok(None) };
        let why = self.redactor.text(why).into_owned();
        let text = format!("{why}; the loop is paused: `ralph resume {id}` lets it go on");
        self.amend(&id, |run, now| {
            run.untold();
            run.let_go(&text, now);
        })
        .await?;
        Ok(Some(id))
    }
}

/// The attempt that is under way or about to be.
fn at_hand(step: &Step) -> Option<&Attempt> {
    match step {
        Step::Think(attempt)
        | Step::Code(attempt, _)
        | Step::Verify(attempt, _)
        | Step::Consolidate(attempt, _)
        | Step::Abandon(attempt, _) => Some(attempt),
        Step::Wait(_, then) => at_hand(then),
        Step::Baseline | Step::Select | Step::Stop(_) => None,
    }
}
