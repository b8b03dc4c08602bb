//! Vectors from a table of words, as fastText (`.vec`) and GloVe publish them: a text means what its words mean, those that
//! are rarer the more. Nothing leaves the machine.

mod index;
mod line;
mod lines;
mod refused;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ralph_memory::{Answer, Later, Measure, MeasureError, Pace, Vector, plain_words};

use index::{Index, Word};

/// Changes whenever the same table would give another vector for the same text.
const WEIGHTING: u32 = 1;
/// What is more frequent than this counts for less than half (Arora et al., "A simple but tough-to-beat baseline").
const FREQUENT: f64 = 1e-3;

/// A measure that looks words up.
#[derive(Debug, Clone)]
pub struct Table {
    place: Arc<Place>,
    pace: Pace,
    /// How long somebody waits for an index that is being made; for good where it is not said.
    patience: Option<Duration>,
}

#[derive(Debug)]
struct Place {
    table: PathBuf,
    /// Where its index is kept.
    dir: PathBuf,
    /// Told before an index is made, which takes a while with a large table.
    announce: fn(&Path),
    /// Held while the index is made, so that a process makes one.
    index: Mutex<Option<Arc<Index>>>,
}

impl Table {
    /// Nothing is read before something is asked. Indexes are kept in `dir`.
    pub fn new(table: PathBuf, dir: PathBuf, pace: Pace, announce: fn(&Path)) -> Table {
        Table {
            place: Arc::new(Place { table, dir, announce, index: Mutex::new(None) }),
            pace,
            patience: None,
        }
    }

    /// For somebody who does without rather than wait for longer. The table goes on being read, and is there later.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Table {
        Table { patience: Some(patience), ..self }
    }

    /// Files are waited for on another thread.
    async fn with_index<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Index) -> Result<T, MeasureError> + Send + 'static,
    ) -> Result<T, MeasureError> {
        let place = Arc::clone(&self.place);
        let working = tokio::task::spawn_blocking(move || work(&*place.opened()?));
        let worked = match self.patience {
            None => working.await,
            Some(patience) => match tokio::time::timeout(patience, working).await {
                Ok(worked) => worked,
                Err(_) => return Err(self.late()),
            },
        };
        worked.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(MeasureError::new("the table was not waited for", "search again")),
        })
    }
}

impl Table {
    fn late(&self) -> MeasureError {
        let what = format!("the table {} is still being read", self.place.table.display());
        MeasureError::new(what, "a later search has it; `ralph memory search` waits for it")
    }
}

impl Place {
    fn opened(&self) -> Result<Arc<Index>, MeasureError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*index {
            return Ok(Arc::clone(index));
        }
        let opened = Arc::new(Index::open(&self.table, &self.dir, self.announce)?);
        *index = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

impl Measure for Table {
    fn identity(&self) -> Later<'_, String> {
        Box::pin(self.with_index(|index| Ok(format!("table {WEIGHTING} {}", index.content()))))
    }

    /// Its time is a few reads for each word; only the first use of a large table takes longer.
    fn measure<'a>(&'a self, texts: &'a [String], _within: Duration) -> Later<'a, Answer> {
        let texts = texts.to_vec();
        Box::pin(self.with_index(move |index| {
            let begun = Instant::now();
            let vectors = texts.iter().map(|text| meaning(index, text)).collect::<Result<_, _>>()?;
            Ok(Answer { vectors, took: begun.elapsed() })
        }))
    }

    fn pace(&self) -> Pace {
        self.pace
    }
}

fn meaning(index: &Index, text: &str) -> Result<Vector, MeasureError> {
    let mut sum = vec![0.0f32; index.dimensions()];
    for text in plain_words(text) {
        let Some(Word { row, vector }) = index.find(&text)? else { continue };
        let weight = weight(row, index.words()) as f32;
        sum.iter_mut().zip(vector).for_each(|(sum, component)| *sum += weight * component);
    }
    Ok(Vector::of(&sum).unwrap_or_else(|| Vector::nowhere(index.dimensions())))
}

/// Tables begin with the most frequent word, and a word's frequency goes down with its place (Zipf).
fn weight(row: u64, words: u64) -> f64 {
    let harmonic = (words.max(1) as f64).ln() + 0.577;
    let frequency = 1.0 / ((row + 1) as f64 * harmonic);
    FREQUENT / (FREQUENT + frequency)
}

#[cfg(test)]
mod tests {
    use super::weight;

    #[test]
    fn the_rarer_a_word_the_more_it_counts() {
        let [first, middle, last] = [0, 1_000, 399_999].map(|row| weight(row, 400_000));
        assert!(first < 0.02 && middle > 0.9 && last > middle && last < 1.0, "{first} {middle} {last}");
    }
}
