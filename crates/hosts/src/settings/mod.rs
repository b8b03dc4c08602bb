//! A host's own settings file, edited in place: JSON as people write it, with comments, commas after the last thing,
//! tabs and either kind of line end. Pure functions over text; what was put in is known again, and taken out to the byte.
//!
//! What lets a removal be exact without any record: what is put into a container that a person left empty begins right
//! behind its bracket, and a container that was made along with it has a line break there.

mod edit;
mod file;
mod hooks;
mod tree;

#[cfg(test)]
mod tests;

pub(crate) use file::{Found, read_file, remove_file, write_file};
pub(crate) use hooks::{Entry, Hooks, Stripped, commands_in};
pub use tree::BadSettings;
