//! Brings the vectors of a store's notes up to date with its log, as far as there is time.

use std::collections::HashSet;
use std::time::Duration;

use ralph_core::id::NoteId;
use ralph_core::note::{KindName, Note};
use ralph_core::redact::Redactor;
use ralph_store::{NoteVector, Notes, StoreError, VectorBatch};

use super::{Answer, Fault, Meaning, Measure, MeasureError, Vector, shortened};
use crate::derive::hash;
use crate::hydrate::telling;

/// Lines of the log that are looked at together.
const LINES: usize = 1_024;
/// What part of the time a request for several notes has, so that some is left for fewer.
const SHARE: u32 = 4;
/// A measure that takes nothing is broken, and no note is left without a vector for that.
const PASSED_OVER: usize = 8;

/// A note whose vector is missing, or was made of another text.
struct Wanting {
    note: NoteId,
    digest: u64,
    text: String,
}

/// What of the log comes next: notes for one request, and the line up to which nothing is missing once they are made.
struct Stretch {
    through: u64,
    wanting: Vec<Wanting>,
}

/// How much of the time is left.
pub(super) async fn follow(
    store: &impl Notes,
    measure: &dyn Measure,
    meaning: &Meaning,
    redactor: &Redactor,
    left: Duration,
) -> Result<Result<Duration, MeasureError>, StoreError> {
    let (dimensions, batch) = (meaning.vector.dimensions(), measure.pace().batch.max(1));
    let mut effort = Effort { measure, redactor, dimensions, batch, left, passed_over: 0 };
    loop {
        let state = store.memory_state().await?;
        let measured = store.measured(&meaning.identity).await?;
        if let Some(known) = measured.filter(|known| known.dimensions != dimensions) {
            return Ok(Err(other_dimensions(dimensions, known.dimensions)));
        }
        let from = measured.map_or(0, |measured| measured.through);
        if from >= state.through || effort.left.is_zero() {
            return Ok(Ok(effort.left));
        }
        let Stretch { through, wanting } =
            next(store, &meaning.identity, from, state.through, effort.batch).await?;
        let vectors = match effort.vectors(wanting).await {
            Ok(Some(vectors)) => vectors,
            Ok(None) => continue,
            Err(error) => return Ok(Err(error)),
        };
        let identity = meaning.identity.clone();
        // Whether it was written or somebody else was faster: the store says how far it is now.
        store.write_vectors(VectorBatch { identity, dimensions, from, through, vectors }).await?;
    }
}

/// What a search has left for notes without a vector.
struct Effort<'a> {
    measure: &'a dyn Measure,
    redactor: &'a Redactor,
    dimensions: usize,
    batch: usize,
    left: Duration,
    /// Notes that the measure does not take.
    passed_over: usize,
}

impl Effort<'_> {
    /// None where fewer are to be tried at once: one text that is too long, or slow, keeps no others waiting for ever.
    async fn vectors(&mut self, wanting: Vec<Wanting>) -> Result<Option<Vec<NoteVector>>, MeasureError> {
        if wanting.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let texts: Vec<String> = wanting.iter().map(|one| shortened(&one.text, self.redactor)).collect();
        let within = if texts.len() > 1 { self.left / SHARE } else { self.left };
        let made = match self.measure.measure(&texts, within).await {
            Ok(Answer { vectors, took }) => {
                self.left = self.left.saturating_sub(took);
                vectors
            }
            Err(error) => match error.fault {
                Fault::TooSlow | Fault::Texts if texts.len() > 1 => {
                    if error.fault == Fault::TooSlow {
                        self.left = self.left.saturating_sub(within);
                    }
                    self.batch = texts.len() / 2;
                    return Ok(None);
                }
                Fault::Texts if self.passed_over < PASSED_OVER => {
                    self.passed_over += 1;
                    vec![Vector::nowhere(self.dimensions)]
                }
                Fault::Measure | Fault::TooSlow | Fault::Texts => return Err(error),
            },
        };
        if let Some(other) = made.iter().find(|vector| vector.dimensions() != self.dimensions) {
            return Err(other_dimensions(other.dimensions(), self.dimensions));
        }
        let named = |(one, vector): (Wanting, Vector)| NoteVector {
            note: one.note,
            digest: one.digest,
            components: vector.into_components(),
        };
        Ok(Some(wanting.into_iter().zip(made).map(named).collect()))
    }
}

async fn next(
    store: &impl Notes,
    identity: &str,
    from: u64,
    last: u64,
    batch: usize,
) -> Result<Stretch, StoreError> {
    let mut lines = store.memory_log(from, LINES).await?;
    lines.retain(|line| line.seq <= last);
    let mut seen = HashSet::new();
    let mut stretch = Stretch { through: from, wanting: Vec::new() };
    for line in lines {
        if seen.insert(line.note.clone()) {
            let wanting = wanting(store, identity, &line.note).await?;
            if wanting.is_some() && stretch.wanting.len() == batch {
                break;
            }
            stretch.wanting.extend(wanting);
        }
        stretch.through = line.seq;
    }
    Ok(stretch)
}

async fn wanting(store: &impl Notes, identity: &str, id: &NoteId) -> Result<Option<Wanting>, StoreError> {
    let Some(note) = store.note(id).await?.filter(is_measured) else { return Ok(None) };
    let text = text(&note);
    let digest = hash(&[&text]);
    let known = store.vector_digests(identity, vec![id.clone()]).await?;
    let is_made = known.iter().any(|(_, made_of)| *made_of == digest);
    Ok((!is_made).then(|| Wanting { note: id.clone(), digest, text }))
}

/// Uses of tools are many, and their names and paths are found by their words.
fn is_measured(note: &Note) -> bool {
    note.is_active() && note.said.kind.name() != KindName::ToolUse
}

/// What is said; files and symbols have factors of their own, and what a terminal showed means everything.
fn text(note: &Note) -> String {
    let said = &note.said;
    let mut texts = vec![said.title.as_str(), said.content.as_str()];
    texts.extend(telling(&said.kind));
    texts.retain(|text| !text.trim().is_empty());
    texts.dedup();
    texts.join("\n")
}

fn other_dimensions(found: usize, known: usize) -> MeasureError {
    MeasureError::new(
        format!("the measure has {found} dimensions now, and {known} for the notes"),
        format!(
            "if the model is another one, set dimensions = {found} in [memory.vectors]: vectors are made anew"
        ),
    )
}
