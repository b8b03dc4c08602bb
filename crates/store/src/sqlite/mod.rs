//! The store in one SQLite file.

mod connection;
mod controls;
mod desk;
mod draft;
mod failure;
mod handle;
mod journal;
mod loops;
mod memory;
mod outbox;
mod peek;
mod presence;
mod runs;
mod schema;
mod seal;
mod sessions;
mod tasks;
mod trust;

pub use desk::Stats;
pub use handle::SqliteStore;

pub(crate) use desk::{Desk, Missing};
pub(crate) use failure::{Failure, io};
pub(crate) use schema::{Migration, Schema};
