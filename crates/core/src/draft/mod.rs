//! A backlog that an agent drafts from a description: what it is told, and what counts as its answer.

mod answer;
mod brief;

pub use answer::{Reply, Unreadable, read};
pub use brief::{Drafting, Turn, compose};

/// How often an agent is told what is wrong with its draft.
pub const CORRECTIONS: u32 = 3;

/// How often an agent may ask before it has to decide by itself.
pub const MOST_TURNS: usize = 5;
