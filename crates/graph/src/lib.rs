//! What the code of a tree is: symbols, how they are tied together, and how much each matters.
//!
//! Files of thirteen languages are parsed into *outlines*: the *symbols* that they define, the names that they *mention*
//! and what they *import*. An outline follows from its file alone, so only files that changed are parsed again. What a
//! name means is found out when it is asked for, from all outlines together, and told with how sure it is. Nothing here
//! knows of runs or notes, and nothing reads the environment.

mod ask;
mod build;
mod error;
mod extract;
mod graph;
mod keep;
mod language;
mod names;
mod outline;
mod refresh;
mod resolve;
mod walk;
mod watch;

pub use ask::definitions::Definition;
pub use ask::find::Node;
pub use ask::impact::{Affected, Reach};
pub use ask::map::{Map, Ranked, map_head, map_line, tokens};
pub use ask::refs::{Reference, Use};
pub use ask::scope::Told;
pub use build::{Options, Progress, Report, examine, update};
pub use error::GraphError;
pub use extract::Skipped;
pub use graph::{FileId, Graph, SymbolId, SymbolView};
pub use keep::Unusable;
pub use language::Language;
pub use outline::{Digest, Kind, Relation};
pub use resolve::How;
pub use watch::{Unwatched, Watched};
