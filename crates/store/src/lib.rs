//! What lasts: runs and their journal, what people asked of them, hooks still to be called, trust, which session a
//! loop belongs to, the tasks of projects that keep theirs here, and what is remembered.
//!
//! The [`Store`] speaks of runs, [`Tasks`] of a backlog, [`Sessions`] of what was seen in hosts, [`Notes`] of what is
//! remembered, [`Vectors`] of what that means, none of them of SQL. There is one implementation, [`SqliteStore`]; a second has to
//! pass the same `conformance` suite (feature `testing`).
//!
//! Every operation is durable when it returns. A future that is dropped half-way may or may not have happened,
//! but never in part.

#[cfg(feature = "testing")]
pub mod conformance;
#[doc(hidden)]
pub mod crash;
mod error;
mod foreign;
mod notes;
mod origin;
mod outbox;
mod posting;
mod project;
mod register;
mod session;
mod sessions;
mod sqlite;
mod store;
mod sum;
mod summary;
mod task;
mod tasks;
mod trust;
mod vectors;

pub use error::{Fence, StoreError};
pub use foreign::{Foreign, ForeignError};
pub use notes::{Batch, Indexed, MemoryState, Notes, Placed, Word, WordNo};
pub use origin::Origin;
pub use outbox::{Delivery, DeliveryId, NewDelivery};
pub use posting::{Posting, PostingList, trigrams};
pub use project::{ProjectMoved, global_dir, project_dir, settle};
pub use register::{Register, Registered};
pub use session::{Berth, Seat};
pub use sessions::{Noted, Observation, Sessions};
pub use sqlite::{SqliteStore, Stats};
pub use store::{Commit, Store, Unfinished};
pub use sum::IndexSum;
pub use summary::RunSummary;
pub use task::{By, Edited, NewTask, TaskChange, TaskEdit, TaskRecord, TaskRefused};
pub use tasks::Tasks;
pub use trust::Trusted;
pub use vectors::{Measured, NoteVector, VectorBatch, VectorTable, Vectors};
