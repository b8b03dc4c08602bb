//! The graph through its public functions, on real files.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod asked;
mod damaged;
mod fixtures;
mod hostile;
mod incremental;
mod project;
mod robust;
mod watched;
