//! Who words the briefs of a run: a template, or ralph's own plain words.

use ralph_core::attempt::Attempt;
use ralph_core::brief::{self, Brief};
use ralph_core::run::Run;
use ralph_core::stop::StopReason;
use ralph_store::Store;

use crate::drive::Drive;

/// Words a brief, or says why it cannot. It may read, and it never waits for anybody.
pub trait Briefing: Send + std::fmt::Debug {
    fn brief(&mut self, run: &Run, attempt: &Attempt) -> Result<Brief, String>;
}

impl<S: Store + 'static> Drive<S> {
    /// None where a template cannot be filled in, and then the run has stopped.
    pub(crate) fn worded(&mut self, attempt: &Attempt) -> Option<Brief> {
        let Some(briefing) = &mut self.parts.briefing else {
            return Some(brief::compose(&self.run, attempt));
        };
        match briefing.brief(&self.run, attempt) {
            Ok(brief) => Some(Brief { text: self.parts.redactor.text(&brief.text).into_owned() }),
            Err(why) => {
                let why = self.parts.redactor.text(&why).into_owned();
                self.run.fail(StopReason::Configuration, &why, self.stopwatch.now());
                None
            }
        }
    }
}
