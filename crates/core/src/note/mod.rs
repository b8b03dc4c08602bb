//! What is remembered: notes, how far they are relied on, and the events that they are made of.
//!
//! A note is never written as such. What is written are [events](MemoryEvent); a [`Note`] is a fold of those that
//! concern it, so that it can be made again from the log, and so that what was held true at a given time can be told.

mod confidence;
mod draft;
mod event;
mod fold;
mod kind;
mod scope;
mod used;

pub use confidence::{Confidence, Evidence};
pub use draft::{Anchor, Citation, Draft, Origin, Source};
pub use event::{MemoryEvent, Recorded, Use};
pub use fold::{Note, Status, Uses, fold};
pub use kind::{Kind, KindName, Observation, TerminalSnapshot};
pub use scope::Scope;

pub use crate::id::NoteId;
pub use used::{MOST as MOST_USED, Used};
