//! The agent's sandbox: it writes in the tree, in temporary directories and in its own state, and reaches nothing of
//! ralph's.
//!
//! Landlock holds for the process that asks for it and all that it starts, so ralph is executed once more between guard
//! and agent: [`confine_main`] shuts itself in and becomes the agent. Bubblewrap is a program of its own that is put in
//! front. Either way a sandbox that cannot be had is an error, never a run without one.

mod bounds;
mod bubblewrap;
mod confine;
mod landlock;
mod means;

pub(crate) use bounds::temporary;
pub use bounds::{Bounds, expand};
pub use confine::confine_main;
pub(crate) use means::enclosed;
pub use means::{Confiner, Unavailable, check, probe};
