//! The decisions of a run, at the grain of phases.
//!
//! Pure: what happened comes in, the next step goes out in `Run::step`, and what is to be journalled in
//! `Run::fresh`. `drive` in the engine performs the steps; hosts apply the same functions from their hooks.

mod agenda;
mod choice;
mod controls;
mod errors;
mod extraction;
mod gate;
mod limit;
mod questions;
mod resume;
mod session;
mod steps;
mod tree;
mod verify;

pub use extraction::Extraction;
pub use session::{Heard, Why};
pub use verify::Judged;
