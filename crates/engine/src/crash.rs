//! Where a test may kill the process in the loop. The points of the store and of the loop are armed alike.

pub(crate) use ralph_store::crash::{point as crash_point, remember_guard};
