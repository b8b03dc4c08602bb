//! Who words the briefs of a run: a template, or ralph's own plain words.

use ralph_core::attempt::Attempt;
use ralph_core::brief::{self, Brief};
use ralph_core::recollection::Recollection;
use ralph_core::run::Run;
use ralph_core::stop::StopReason;
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::EngineError;

/// Words a brief, or says why it cannot. It may read, and that may take its time.
pub trait Briefing: Send + std::fmt::Debug {
    fn brief(&mut self, run: &Run, attempt: &Attempt, recollection: &Recollection) -> Result<Brief, String>;
}

impl<S: Store + 'static> Drive<S> {
    /// None where a template cannot be filled in, and then the run has stopped.
    pub(crate) async fn worded(
        &mut self,
        attempt: &Attempt,
        recollection: Recollection,
    ) -> Result<Option<Brief>, EngineError> {
        let Some(mut briefing) = self.parts.briefing.take() else {
            return Ok(Some(brief::recalling(&self.run, attempt, &recollection)));
        };
        let (run, asked) = (self.run.clone(), attempt.clone());
        let (briefing, worded) = self
            .beside(move || {
                let worded = briefing.brief(&run, &asked, &recollection);
                (briefing, worded)
            })
            .await?;
        self.parts.briefing = Some(briefing);
        Ok(match worded {
            Ok(brief) => Some(Brief { text: self.parts.redactor.text(&brief.text).into_owned() }),
            Err(why) => {
                let why = self.parts.redactor.text(&why).into_owned();
                self.run.fail(StopReason::Configuration, &why, self.stopwatch.now());
                None
            }
        })
    }
}
