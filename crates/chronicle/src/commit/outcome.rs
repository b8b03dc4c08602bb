//! What came of a commit.

use std::fmt;
use std::path::PathBuf;

use crate::text::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// There is a commit.
    Made {
        id: String,
        /// What is in it, from the top of the work tree. A hook may have added to it.
        paths: Vec<PathBuf>,
        /// Whether the index could not be brought into line with what a hook changed.
        untidy: bool,
    },
    /// git sees no change in what the task changed: it was committed already, or is ignored.
    Nothing,
    /// Nothing was tried.
    Declined(Declined),
    /// git or a hook of the repository said no; files and index are as they were.
    Refused {
        /// What was printed.
        output: String,
        /// Hooks that may have said it.
        hooks: Vec<String>,
    },
    /// It took too long and was ended. A lock that it left is in the way of every git.
    Overdue { lock: Option<PathBuf> },
}

/// Why no commit was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declined {
    /// Files were changed before the run began.
    DirtyAtStart,
    NoGit {
        why: String,
    },
    NoRepository,
    Detached,
    /// Somebody is in the middle of something: `merge`, `rebase` and so on.
    InProgress {
        what: &'static str,
    },
    /// git does not know in whose name to commit.
    NoIdentity {
        output: String,
    },
    /// Somebody else is changing the index, or died doing it.
    Locked {
        path: PathBuf,
    },
    NoMessage,
    /// git could not say how things stand.
    Unclear {
        output: String,
    },
}

impl From<Declined> for Committed {
    fn from(why: Declined) -> Committed {
        Committed::Declined(why)
    }
}

impl fmt::Display for Committed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Committed::Made { id, paths, untidy } => {
                let short = id.get(..10).unwrap_or(id);
                write!(f, "committed {} files as {short}", paths.len())?;
                if *untidy {
                    f.write_str(
                        ", but the index still has what a hook changed; `git reset` brings it into line",
                    )?;
                }
                Ok(())
            }
            Committed::Nothing => {
                f.write_str("nothing to commit: git sees no change in what the task changed")
            }
            Committed::Declined(why) => write!(f, "no commit: {why}"),
            Committed::Refused { output, hooks } => {
                f.write_str("no commit: git refused it")?;
                if !hooks.is_empty() {
                    write!(f, " (hooks: {})", hooks.join(", "))?;
                }
                write!(f, ": {}", one_line(output, 500))
            }
            Committed::Overdue { lock } => {
                f.write_str("no commit: it took too long and was ended")?;
                lock.as_ref()
                    .map_or(Ok(()), |lock| write!(f, "; if no git is running, remove {}", lock.display()))
            }
        }
    }
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Declined::DirtyAtStart => f.write_str(
                "there were uncommitted changes when the run began; commit or stash them before, or allow it",
            ),
            Declined::NoGit { why } => write!(f, "git could not be started: {why}"),
            Declined::NoRepository => f.write_str("the project is in no git work tree"),
            Declined::Detached => f.write_str("HEAD is detached; check out a branch first"),
            Declined::InProgress { what } => write!(f, "a {what} is in progress; finish or abort it first"),
            Declined::NoIdentity { output } => {
                write!(
                    f,
                    "git does not know who you are; set user.name and user.email ({})",
                    one_line(output, 200)
                )
            }
            Declined::Locked { path } => {
                write!(f, "the index is locked; if no git is running, remove {}", path.display())
            }
            Declined::NoMessage => f.write_str("the message is empty; look at its template"),
            Declined::Unclear { output } => write!(f, "git says: {}", one_line(output, 300)),
        }
    }
}
