//! What a task names that neither the code nor the memory knows.

use std::collections::BTreeSet;
use std::fmt::Write;

use ralph_core::Timestamp;
use ralph_core::attempt::Attempt;
use ralph_core::note::Note;
use ralph_memory::{Knows, Mention, MentionKind, Recommendation, Searched, Sufficiency, expand, sufficiency};
use ralph_store::Store;

use super::sought::nowhere;
use crate::drive::Drive;
use crate::error::EngineError;
use crate::urgency::{Urgency, pressed};

/// More are not named.
const NAMED: usize = 8;

pub(super) struct Known<'a>(pub(super) &'a BTreeSet<String>);

impl Knows for Known<'_> {
    fn knows(&self, mention: &Mention) -> bool {
        self.0.contains(&mention.text)
    }
}

impl<S: Store + 'static> Drive<S> {
    /// What is named and known, with a wider search for what seems not to be.
    pub(super) async fn suffices(
        &mut self,
        text: &str,
        known: &BTreeSet<String>,
        mut notes: Vec<Note>,
        now: Timestamp,
    ) -> Result<Sufficiency, EngineError> {
        let nearby = sufficiency(text, &Known(known), &notes, Searched::Nearby);
        if nearby.recommendation != Some(Recommendation::ExpandSearch) {
            return Ok(nearby);
        }
        let found = expand(&self.shelves(), &nearby.missing, now).await;
        notes.extend(self.forgetful(found).unwrap_or_default());
        let mut known = known.clone();
        known.extend(self.written_somewhere(&nearby).await?);
        Ok(sufficiency(text, &Known(&known), &notes, Searched::Widely))
    }

    /// Of what is missing, what stands in some file all the same: a value, a key, a language that nobody parses.
    async fn written_somewhere(&mut self, nearby: &Sufficiency) -> Result<BTreeSet<String>, EngineError> {
        let words = words_missing(nearby);
        if words.is_empty() {
            return Ok(words);
        }
        if let Some((task, known)) = &self.written
            && *task == self.run.task.id
        {
            return Ok(known.clone());
        }
        let (root, sought) = (self.parts.place.root.clone(), words.clone());
        let mut urgency = self.parts.urgency.clone();
        let mut looking = tokio::task::spawn_blocking(move || nowhere(&root, sought));
        let nowhere = tokio::select! {
            biased;
            nowhere = &mut looking => nowhere.expect("such a look does not panic and is not cancelled"),
            // Whoever wants an end is asked nothing.
            _ = pressed(&mut urgency, Urgency::None) => return Ok(words),
        };
        let known: BTreeSet<String> = words.difference(&nowhere).cloned().collect();
        self.written = Some((self.run.task.id.clone(), known.clone()));
        Ok(known)
    }

    /// Whether a person is to be asked: once for a task, before its first attempt.
    pub(super) fn is_to_be_asked(&self, attempt: &Attempt, sufficiency: &Sufficiency) -> bool {
        let asks = self.parts.memory.as_ref().is_some_and(|memory| memory.asks);
        let is_first = self.run.tally.on_task == 1 && attempt.number == 1 && self.run.in_session.is_none();
        let was_asked = || self.run.inbox.questions().iter().any(|question| question.task == attempt.task);
        asks && is_first && sufficiency.recommendation == Some(Recommendation::RequestHuman) && !was_asked()
    }
}

/// What is missing and might stand in some file: files themselves do not.
pub(super) fn words_missing(nearby: &Sufficiency) -> BTreeSet<String> {
    let named = nearby.missing.iter().filter(|missing| missing.mention.kind != MentionKind::File);
    named.map(|missing| missing.mention.text.clone()).collect()
}

/// In the brief.
pub(super) fn worded(sufficiency: &Sufficiency) -> String {
    if sufficiency.missing.is_empty() {
        return String::new();
    }
    let mut text = String::from("The task names these, and neither the code nor the memory knows them:\n\n");
    for missing in sufficiency.missing.iter().take(NAMED) {
        let _ =
            writeln!(text, "- {}: `{}`", missing.mention.kind.name(), missing.mention.text.replace('`', "'"));
    }
    let more = sufficiency.missing.len().saturating_sub(NAMED);
    if more > 0 {
        let _ = writeln!(text, "- and {more} more");
    }
    text.push_str(
        "\nFind out what is meant before you rely on one; what you take for granted is a [HYPOTHESIS].\n",
    );
    text
}
