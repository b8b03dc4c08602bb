//! What is to be done, in which order, and why: the entries of a tracker, what depends on what, and what comes next.
//!
//! Everything here is linear in tasks and dependencies, but for sorting, and nothing recurses: a chain of a hundred
//! thousand tasks is as harmless as a hundred thousand tasks beside each other.

mod arrows;
mod filter;
mod graph;
mod hold;
mod item;
mod plan;
mod rank;
mod review;
mod sound;
mod tree;
mod waits;

pub use filter::{Filter, Range, RangeError};
pub use graph::{Backlog, DuplicateId, UnknownDependency};
pub use hold::{Held, Hold, Wait};
pub use item::{Item, Kind, Priority, Status};
pub use plan::{Order, Plan, Turn, Wanted};
pub use review::{About, Finding, Severity, review};
pub use sound::Unsound;

/// What the name of a file begins with that is written beside a backlog's before it takes its place. It is there for an
/// instant, or was left by a crash, and no part of anybody's work.
pub const TEMPORARY: &str = ".ralph-tmp.";
