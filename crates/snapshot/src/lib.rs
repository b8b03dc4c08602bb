//! The time machine: what a directory held, kept by content, outside that directory.
//!
//! A [`Vault`] keeps snapshots of one project's tree. A snapshot holds every file, symlink, named pipe and directory
//! that git's rules do not ignore: bytes, link targets and all twelve bits of the mode. It does not
//! hold owners, extended attributes, times (what is restored has a fresh time, so that build tools look at it again)
//! or which names are hard links to one another (each is restored with equal content). Sockets and devices cannot be
//! kept and are listed as uncovered, as is what cannot be read. The top `.git` is never touched and, apart from
//! what leads to `info/exclude`, never read; that of a nested repository is kept like any other directory, whatever the
//! rules say, so that the repository can be put back whole.
//!
//! A file that matches a pattern is ignored even where git tracks it: git's index is git's.
//!
//! Nothing here knows of runs, and nothing needs git. `docs/snapshots.md` describes the files of a vault.

mod beneath;
mod cache;
mod crash;
mod diff;
mod digest;
mod error;
mod escape;
mod exclusions;
mod manifest;
mod outer;
mod pack;
mod recipe;
mod record;
mod restore;
mod rules;
mod sweep;
mod take;
mod text;
mod union;
mod vault;
mod walk;

pub use diff::{Change, ChangeKind, State};
pub use digest::{Digest, NotADigest, SnapshotId, TreeHash};
pub use error::SnapshotError;
pub use exclusions::{Exclusions, NotBeneath};
pub use manifest::Kind;
pub use outer::{Repository, repository_around};
pub use restore::{NotedRestore, Problem, Report, Restore};
pub use sweep::{Keep, Swept};
pub use take::Snapshot;
pub use text::{Body, TextLimits};
pub use vault::{Kept, Limits, Options, Vault};
pub use walk::{Reason, Uncovered};
