//! What texts mean: a rim that asks an endpoint for vectors ([`Endpoint`]), or takes them from a table of words
//! ([`Table`]). Both are a [`Measure`](ralph_memory::Measure), which is all that recall knows of them.
//!
//! Texts go to no address that a person has not configured, in the clear only to this machine, and nowhere else by
//! the word of whoever answers.

mod address;
mod answer;
mod endpoint;
mod table;

pub use address::{Address, AddressError, Key};
pub use endpoint::{Endpoint, Model};
pub use table::Table;
