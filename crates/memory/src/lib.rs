//! What is remembered, and how it is found again.
//!
//! To remember is to append events to the store's log ([`remember()`], [`note_down`]). Notes are made of them when they
//! are next looked for ([`catch_up()`], which [`recall()`] does by itself), together with the words that find them.
//!
//! [`recall()`] is the one way to search: the command, the briefs, the tools that agents have and the measurements all
//! go through it. Every result says what its score is made of ([`Contribution`]).
//!
//! ```text
//! Query ──words── postings ──BM25── candidates ──neighbours, thread── files, symbols, graph, vectors ──recency, confidence── Recalled
//! ```
//!
//! What texts mean is asked of a [`Measure`], where somebody brings one: [`understand()`] makes the vectors of notes that have
//! none yet, and recall compares them with the question's.
//!
//! Nothing here knows where notes are kept: the store is a [`ralph_store::Notes`]. Nothing here reads the clock or a
//! random source: both are arguments.

mod alike;
mod analysis;
mod anchors;
mod block;
mod capture;
mod catch_up;
mod committed;
mod consolidate;
mod contradict;
mod contradictions;
mod credit;
mod derive;
mod extraction;
mod factor;
mod fence;
mod headline;
mod hydrate;
mod learn;
mod likeness;
mod listed;
mod meaning;
mod pack;
mod promote;
mod query;
mod quota;
mod ranking;
mod rebuild;
mod recall;
mod remember;
mod repeated;
mod rot;
mod shelves;
mod staged;
mod stated;
mod sufficiency;
mod tokens;
mod uplift;
mod words;

pub use alike::alike;
pub use analysis::{ANALYSIS, index};
pub use capture::{Ran, Witnessed, captured};
pub use catch_up::catch_up;
pub use committed::{Commit, Commits, committed};
pub use consolidate::{Consolidation, Done, consolidate, consolidated_since};
pub use contradict::{Conflict, Ground, contradict};
pub use contradictions::{Contradiction, contradictions, disputed};
pub use credit::credit;
pub use extraction::{Completed, extracted, extraction_brief, take_down};
pub use factor::{Contribution, Factor};
pub use fence::fenced;
pub use headline::headline;
pub use hydrate::{Allowance, Holdout, Hydration, LeftOut, Need, Omission, Section, Taken, Worded, hydrate};
pub use learn::learn;
pub use meaning::{
    Answer, Fault, Later, Meaning, Measure, MeasureError, Pace, Understood, Vector, understand,
};
pub use pack::{Import, Imported, Malformed, PackLine, Shelf, Terms, Wanted, pack};
pub use promote::{PromoteError, promote, promote_to_all};
pub use query::{Context, Except, Intent, Query, Reported, Visible};
pub use ranking::Ranking;
pub use rebuild::{Comparison, compare, rebuild};
pub use recall::{Recalled, recall};
pub use remember::{Refusal, Staged, note_down, remember, stage};
pub use repeated::{failed_like, repeated};
pub use rot::{is_outdated, rot};
pub use shelves::{Shelves, recall_all};
pub use staged::staged;
pub use stated::{instruction, stated, stated_before, without_notes};
pub use sufficiency::{
    Knows, Mention, MentionKind, Missing, Recommendation, Resolved, Searched, Standing, Sufficiency, expand,
    mentions, sufficiency,
};
pub use tokens::tokens;
pub use uplift::{Finding, ForAll, NoteUplift, Tally, TaskTally, Uplift, uplift};
pub use words::plain_words;
