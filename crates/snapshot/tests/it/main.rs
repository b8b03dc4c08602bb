//! Trees on a real file system, kept and put back.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod basics;
mod crash;
mod dice;
mod ignored;
mod place;
mod races;
mod random;
mod sweeps;
mod unprivileged;
mod world;
mod written;
