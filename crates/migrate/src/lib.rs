//! What other loop tools left in a project, as files of ralph's own.
//!
//! [`plan()`] reads what one of them left and says which files come of it, what became of every key, and what could not be
//! taken over. It writes nothing: whoever asked for the plan does. A predecessor is a folder or a file of its own here.

mod fault;
mod leaves;
mod plan;
mod predecessor;
mod ralph_tui;
mod source;

pub use fault::{Fault, Spot};
pub use plan::{Fate, NewFile, Plan};
pub use predecessor::{Predecessor, Request, Scope, plan};
