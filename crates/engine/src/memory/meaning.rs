//! What a task means by a measure, where one is configured.

use std::sync::Arc;

use ralph_memory::{Meaning, understand};
use ralph_store::Store;

use crate::drive::Drive;
use crate::urgency::{Urgency, pressed};

impl<S: Store + 'static> Drive<S> {
    /// None where nobody says, or nobody can: the brief is made without, and a person is told why once.
    pub(super) async fn meaning(&mut self, text: &str) -> Option<Meaning> {
        let measure = Arc::clone(self.parts.memory.as_ref()?.measure.as_ref()?);
        let mut urgency = self.parts.urgency.clone();
        if *urgency.borrow() != Urgency::None {
            return None;
        }
        let shelves = self.shelves();
        let understood = tokio::select! {
            biased;
            understood = understand(&shelves, &*measure, text, &self.parts.redactor) => understood,
            // Whoever wants an end does not wait for it.
            _ = pressed(&mut urgency, Urgency::None) => return None,
        };
        let understood = self.forgetful(understood)?;
        if let Some(trouble) = understood.trouble {
            self.tell_once(&format!("notes are looked for without vectors, or with some alone: {trouble}"));
        }
        understood.meaning
    }
}
