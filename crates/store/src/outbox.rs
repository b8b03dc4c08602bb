//! Calls of hooks that are still to be made: written with the event that causes them, so that no crash loses one.

use ralph_core::event::Entry;
use ralph_core::id::RunId;

/// A call of a hook for one of the events of the same commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    /// Which of `run.fresh`, from 0.
    pub event: usize,
    pub hook: String,
}

/// A call that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub run: RunId,
    pub entry: Entry,
    pub hook: String,
    /// Calls that failed before.
    pub attempts: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId(pub(crate) i64);
