//! The memory's tables.

mod around;
mod handle;
mod log;
mod notes;
mod postings;
mod state;
mod summed;
mod vectors;
mod words;

pub(super) use log::append;
