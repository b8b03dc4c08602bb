//! What templates are, where they are found, and what they come to.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod compatible;
mod documented;
mod lookup;
mod rendering;
mod strict;
mod support;
