//! What people and programs ask a graph.

pub(crate) mod find;
pub(crate) mod impact;
pub(crate) mod map;
pub(crate) mod rank;
pub(crate) mod refs;
