//! Why an agent could not go on: its limit, its servers, the network, its login, its settings.
//!
//! Only what an agent says as itself is looked at: the fields of its error events, its exit code, and its own messages on
//! the channel where it prints them. What it says about the project, what its tools print and what it was asked never
//! reach this module, so a project about rate limits cannot look like one.

mod class;
mod pattern;
mod reset;
mod rule;
mod times;

pub use class::Class;
pub use pattern::Pattern;
pub use reset::Reset;
pub use rule::{Evidence, Found, Rule, recognise};
