//! When a task is done: an agent is asked what it was worth knowing for, where a person wants that. Whatever it says is one
//! more note of the task, and whatever goes wrong is a notice: the task is done all the same.

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::Member;
use ralph_core::event::Event;
use ralph_core::judge::Judging;
use ralph_core::machine::Extraction;
use ralph_core::note::{Anchor, Draft};
use ralph_memory::{Completed, extracted, extraction_brief, staged, take_down};
use ralph_store::Store;

use super::recollect::nonce;
use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::onlooker::{Question, Said, Scene};
use crate::settle::Settled;
use crate::urgency::Urgency;

/// Who is asked, and how much of a question and of an answer there may be.
#[derive(Debug, Clone)]
pub struct Extracting {
    pub by: Judging,
    pub tokens: u32,
}

impl<S: Store + 'static> Drive<S> {
    /// Asks, unless somebody wants an end or was asked already, and puts down what was said.
    pub(super) async fn extract(&mut self, attempt: &Attempt) -> Result<Settled, EngineError> {
        let wish = self.parts.memory.as_ref().and_then(|memory| memory.extracting.clone());
        if let Some(wish) = wish.filter(|_| self.may_extract(attempt)) {
            // What was proven is durable before this takes its time.
            if self.commit().await? == Settled::Rewound {
                return Ok(Settled::Rewound);
            }
            if self.may_extract(attempt) {
                self.ask_what_it_was_worth(attempt, &wish).await?;
            }
        }
        self.take_extracted(attempt).await;
        Ok(Settled::Stands)
    }

    fn may_extract(&self, attempt: &Attempt) -> bool {
        *self.parts.urgency.borrow() == Urgency::None && self.run.may_extract(attempt, self.now())
    }

    async fn ask_what_it_was_worth(
        &mut self,
        attempt: &Attempt,
        wish: &Extracting,
    ) -> Result<(), EngineError> {
        let before = self.scene().await;
        let Some(before) = self.unless_unseen(before)? else { return Ok(()) };
        if !before.is_seen() {
            self.tell_once(
                "what an agent changes would not be seen, so none is asked what a task was worth knowing for",
            );
            return Ok(());
        }
        let notes = staged(&**self.notes(), &self.remembered_task()).await;
        let Some(notes) = self.forgetful(notes) else { return Ok(()) };
        let nonce = nonce(self.run.seed, attempt, b"extraction");
        let text = extraction_brief(&self.run.task.title, &notes, wish.tokens, &nonce);
        let (folder, brief, timeout) = ("memory".to_owned(), Brief { text }, wish.by.timeout);
        let member = self.run.crew.judge(&wish.by);
        crash_point("extract.before");
        let said = self.ask_onlooker(&member, &Question { attempt, folder, brief, timeout }).await?;
        crash_point("extract.inside");
        let changed = self.changed_while(&said, &before).await?;
        let drafts = match self.worth(&said, &changed, wish.tokens) {
            Ok(drafts) => drafts,
            Err(why) => {
                self.tell_unanswered(&member, attempt, &why);
                Vec::new()
            }
        };
        let (Member { agent, model, .. }, Said { exit, usage, duration_ms, .. }) = (member, said);
        let extraction = Extraction { agent, model, drafts, exit, usage, duration_ms };
        self.run.after_extraction(attempt, extraction, self.now());
        self.commit().await?;
        crash_point("extract.after");
        Ok(())
    }

    /// Where nothing was said that could count, nobody who wants an end waits for a look at the tree.
    async fn changed_while(&mut self, said: &Said, before: &Scene) -> Result<Vec<String>, EngineError> {
        if said.fault.is_some() {
            return Ok(Vec::new());
        }
        let changed = self.changed_since(before).await;
        let unseen = || vec!["nobody could see what changed".to_owned()];
        Ok(self.unless_unseen(changed)?.unwrap_or_else(unseen))
    }

    /// What counts of an answer, or why nothing does.
    fn worth(&self, said: &Said, changed: &[String], tokens: u32) -> Result<Vec<Draft>, String> {
        if let Some(fault) = said.fault {
            return Err(fault.to_string());
        }
        if !changed.is_empty() {
            return Err(format!("meanwhile, {}; it is there to look", changed.join(" and ")));
        }
        if !said.exit.is_clean() {
            return Err(said.exit.to_string());
        }
        let drafts = extracted(&said.message, tokens, &self.parts.redactor);
        if drafts.is_empty() { Err("its answer has no notes".to_owned()) } else { Ok(drafts) }
    }

    fn tell_unanswered(&mut self, member: &Member, attempt: &Attempt, why: &str) {
        let (agent, task) = (&member.agent, &attempt.task);
        let text =
            format!("{agent} was asked what {task} was worth knowing for, and nothing came of it: {why}");
        let text = self.parts.redactor.text(&text).into_owned();
        self.run.note(self.now().at, Event::Notice { text });
    }

    /// A vault that fails is no reason to lose what was proven, nor is one that gave up for a signal, which is obeyed at the
    /// next commit.
    fn unless_unseen<T>(&mut self, looked: Result<T, EngineError>) -> Result<Option<T>, EngineError> {
        match looked {
            Err(error @ EngineError::Snapshot(_)) => {
                if !error.is_given_up() {
                    self.tell_once(&format!("the tree cannot be looked at: {}", chain(&error)));
                }
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    async fn take_extracted(&mut self, attempt: &Attempt) {
        let known = self.run.extracted.clone().filter(|known| known.iteration == attempt.iteration);
        let Some(known) = known.filter(|known| !known.drafts.is_empty()) else { return };
        let (task, at) = (self.remembered_task(), self.now().at);
        let anchors: Vec<Anchor> = self.touched.values().cloned().collect();
        let (run, iteration) = (&self.run.id, attempt.iteration);
        let of = Completed { run, task: &task, iteration, anchors: &anchors };
        let taken = take_down(&**self.notes(), &of, known.drafts, &self.parts.redactor, at).await;
        self.forgetful(taken);
        crash_point("extract.taken");
    }
}
