//! Trees on a real file system, kept and put back.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod basics;
mod dice;
mod place;
mod random;
mod world;
