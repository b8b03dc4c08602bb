//! What other loop tools left in a project, as files and loops of ralph's own.
//!
//! [`plan()`] reads what one of them left and says which files and loops come of it, what became of every key, and what could not
//! be taken over. It writes nothing: whoever asked for the plan does. A predecessor is a folder or a file of its own here.

mod claude_plugin;
mod fault;
mod fields;
mod found_loop;
mod found_note;
mod leaves;
mod oh_my_opencode;
mod plan;
mod predecessor;
mod ralph_mem;
mod ralph_tui;
mod shell;
mod source;
mod supercode;

pub use fault::{Fault, Spot};
pub use found_loop::FoundLoop;
pub use found_note::FoundNote;
pub use plan::{Fate, NewFile, Plan};
pub use predecessor::{Predecessor, Request, Scope, plan};
