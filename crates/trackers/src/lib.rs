//! Where work comes from: a rim that translates backlogs, kept in files, by other programs, on servers or in the
//! project's own store, into items of the core.
//!
//! A tracker's own format is never rewritten. A file is edited by ranges of bytes, so that everything that is not
//! the edited value stays as it was, keys that nobody here knows and the way it is indented included; and it is
//! replaced whole or not at all. What a format cannot say is not written into it.

mod beads;
mod body;
mod credentials;
mod detect;
mod error;
mod file;
mod github;
mod http;
mod jira;
mod linear;
mod markdown;
mod native;
mod prd;
mod program;
mod temporary;
mod tracker;
mod words;

pub use beads::{Beads, Written, WrittenIssue};
pub use credentials::{Address, Secret};
pub use detect::{Accounts, Detected, Place, Surroundings, Viewer, detect};
pub use error::{Spot, TrackerError};
pub use file::{Overwrite, create, read};
pub use github::Github;
pub use jira::{Jira, JiraAccount, JiraSettings};
pub use linear::{Linear, LinearAccount, LinearSettings};
pub use markdown::{Markdown, to_markdown};
pub use native::{Native, from_lines, to_lines};
pub use prd::{Prd, to_prd};
pub use temporary::is_temporary;
pub use tracker::{Changes, Context, Kept, Kind, Tracker, open};
