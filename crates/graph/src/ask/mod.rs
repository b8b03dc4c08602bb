//! What people and programs ask a graph.

pub(crate) mod definitions;
pub(crate) mod find;
pub(crate) mod impact;
pub(crate) mod map;
mod near;
pub(crate) mod rank;
pub(crate) mod refs;
pub(crate) mod scope;
