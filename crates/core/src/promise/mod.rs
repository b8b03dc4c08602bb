//! Whether an agent's final message gives its promise, `<promise>WORD</promise>`, or only talks about it.
//!
//! Nothing here reads a file or a clock. In doubt a tag does not count: a false refusal costs one iteration,
//! and the next brief explains it; a false completion costs the trust in every other one.

mod blocks;
mod claim;
mod echo;
mod emphasis;
mod html;
mod instruction;
mod lines;
mod marks;
mod objection;
mod open_tag;
mod reader;
mod scanner;
mod sentence;
mod tag;
mod verdict;
mod word;

pub use claim::{Claim, Refusal};
pub use instruction::instruction;
pub use scanner::{Scanner, detect};
pub use tag::contains_literal_tag;
pub use word::{Word, WordError};
