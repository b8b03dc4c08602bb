//! What texts mean: vectors, by a measure that somebody else brings. Nothing here knows what a measure asks, or whom.
//!
//! Vectors are made where somebody searches, never where something is put down. Whatever goes wrong with a measure, what
//! is looked for is found without it.

mod follow;
mod vector;

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

use crate::catch_up::catch_up;
use crate::shelves::Shelves;
pub use vector::Vector;

pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, MeasureError>> + Send + 'a>>;

/// Says what texts mean: those that mean alike have vectors of a like direction.
pub trait Measure: fmt::Debug + Send + Sync {
    /// What it is known by, once it can be asked: another one for everything that would give other vectors.
    fn identity(&self) -> Later<'_, String>;

    /// A vector for each text, in their order, all of the same dimensions, within a time.
    fn measure<'a>(&'a self, texts: &'a [String], within: Duration) -> Later<'a, Answer>;

    fn pace(&self) -> Pace;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub vectors: Vec<Vector>,
    /// Nobody here has a clock.
    pub took: Duration,
}

/// How much of a measure a search takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long it waits for what the question means.
    pub question: Duration,
    /// How long it is at notes that have no vector yet; the others are left to the next search.
    pub notes: Duration,
    /// How many notes are measured at once.
    pub batch: usize,
}

/// Why a measure does not say what something means.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {next}")]
pub struct MeasureError {
    pub what: String,
    /// What a person can do.
    pub next: String,
    pub fault: Fault,
}

/// Whether fewer texts at once may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It cannot be asked at all.
    Measure,
    TooSlow,
    /// It was asked, and does not take these.
    Texts,
}

impl MeasureError {
    pub fn new(what: impl Into<String>, next: impl Into<String>) -> MeasureError {
        MeasureError { what: what.into(), next: next.into(), fault: Fault::Measure }
    }

    #[must_use]
    pub fn by(self, fault: Fault) -> MeasureError {
        MeasureError { fault, ..self }
    }
}

/// What a question means, and by which measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    pub(crate) identity: String,
    pub(crate) vector: Vector,
}

/// What a measure says of a question. Both can be there: then some notes are without a vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Understood {
    pub meaning: Option<Meaning>,
    pub trouble: Option<MeasureError>,
}

/// More of a text does not make clearer what it is about, and models take no more.
const LONGEST: usize = 2_000;

/// What a question means, with vectors for the notes that it goes to, as far as there is time. What is measured leaves
/// this process, so it is redacted first.
pub async fn understand(
    shelves: &Shelves<'_, impl Notes>,
    measure: &dyn Measure,
    text: &str,
    redactor: &Redactor,
) -> Result<Understood, StoreError> {
    if text.trim().is_empty() {
        return Ok(Understood::default());
    }
    let meaning = match asked(measure, text, redactor).await {
        Ok(meaning) => meaning,
        Err(trouble) => return Ok(Understood { meaning: None, trouble: Some(trouble) }),
    };
    let mut left = measure.pace().notes;
    let mut trouble = None;
    for store in std::iter::once(shelves.project).chain(shelves.global) {
        catch_up(store).await?;
        match follow::follow(store, measure, &meaning, redactor, left).await? {
            Ok(more) => left = more,
            // Where the notes of one shelf cannot be measured, those of the other cannot, either.
            Err(error) => {
                trouble = Some(error);
                break;
            }
        }
    }
    Ok(Understood { meaning: Some(meaning), trouble })
}

async fn asked(measure: &dyn Measure, text: &str, redactor: &Redactor) -> Result<Meaning, MeasureError> {
    let identity = measure.identity().await?;
    let texts = [shortened(text, redactor)];
    let answer = measure.measure(&texts, measure.pace().question).await?;
    let vector = answer.vectors.into_iter().next().ok_or_else(|| {
        MeasureError::new("the measure answered with nothing", "see what the endpoint answers")
    })?;
    Ok(Meaning { identity, vector })
}

fn shortened(text: &str, redactor: &Redactor) -> String {
    redactor.text(text).chars().take(LONGEST).collect()
}
