//! What a check found: which commands a project has of its own, and what test runners, compilers and linters print.
//!
//! Nothing here starts a process. [`discover()`] reads files of the project's directory, a bounded amount of each;
//! everything else takes bytes and gives values.

pub mod diff;
pub mod discover;
mod findings;
mod fingerprint;
mod normal;
mod read;
mod text;
mod tool;

pub use discover::{Criterion, Proposal, discover};
pub use findings::{Counts, Exit, Failure, Findings, Location};
pub use fingerprint::{Fingerprint, NotAFingerprint};
pub use normal::Root;
pub use read::{Output, read};
pub use tool::Tool;
