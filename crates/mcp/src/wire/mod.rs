//! Messages of the protocol on a pair of streams, a line each. Whatever has an id is answered with it, so that no client
//! waits for ever.

mod judged;
mod lines;
mod out;
#[cfg(test)]
mod tests;
mod transport;

pub(crate) use transport::Wire;
