//! How the work tree stands when a run begins.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::command::{Command, Ended, Next, Plan};
use super::outcome::Declined;
use super::status::{self, Status};
use crate::own;

/// How many paths are named.
const NAMED: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Clean,
    Dirty {
        /// The first of them, from the project's root.
        paths: Vec<PathBuf>,
        count: usize,
    },
    /// No commit could be made here.
    Unfit(Declined),
}

/// Looks whether anything is uncommitted below the project's root, but for what is ralph's own.
#[derive(Debug)]
pub struct Survey {
    root: PathBuf,
    own: Vec<PathBuf>,
    /// From the top of the work tree to the root, once it is known.
    prefix: Option<Vec<u8>>,
}

impl Survey {
    /// `own`: what else is ralph's, such as the tracker's file, from the root.
    pub fn new(root: &Path, own: Vec<PathBuf>) -> Survey {
        Survey { root: root.to_owned(), own, prefix: None }
    }
}

impl Plan for Survey {
    type Outcome = Standing;

    fn begin(&mut self) -> Next<Standing> {
        Next::Perform(whereabouts(&self.root))
    }

    fn after(&mut self, ended: Ended) -> Next<Standing> {
        let Some(prefix) = &self.prefix else {
            return match prefix_in(ended) {
                Err(why) => Next::Over(Standing::Unfit(why)),
                Ok(prefix) => {
                    self.prefix = Some(prefix);
                    Next::Perform(Command::look(&self.root, &status::ARGS))
                }
            };
        };
        Next::Over(match printed(ended) {
            Err(why) => Standing::Unfit(why),
            Ok(printed) => standing(&Status::parse(&printed), prefix, &self.own),
        })
    }
}

fn standing(status: &Status, prefix: &[u8], own: &[PathBuf]) -> Standing {
    let below = status.changed.iter().filter_map(|changed| changed.path.strip_prefix(prefix));
    let paths = below.map(|path| Path::new(OsStr::from_bytes(path)));
    let foreign: Vec<&Path> = paths.filter(|path| !own::is_own(path, own)).collect();
    if foreign.is_empty() {
        return Standing::Clean;
    }
    let paths = foreign.iter().take(NAMED).map(|path| (*path).to_owned()).collect();
    Standing::Dirty { paths, count: foreign.len() }
}

/// Asks where in a work tree the root is.
pub(crate) fn whereabouts(root: &Path) -> Command {
    Command::look(root, &["rev-parse", "--is-inside-work-tree", "--show-prefix"])
}

/// The way from the top of the work tree to the root.
pub(crate) fn prefix_in(ended: Ended) -> Result<Vec<u8>, Declined> {
    let printed = match printed(ended) {
        Err(Declined::Unclear { output }) if output.contains("not a git repository") => {
            return Err(Declined::NoRepository);
        }
        other => other?,
    };
    // A directory's name may have a line break in it, so the rest is the prefix.
    let prefix = printed.strip_prefix(b"true\n").ok_or(Declined::NoRepository)?;
    Ok(prefix.strip_suffix(b"\n").unwrap_or(prefix).to_owned())
}

/// What a command that looked has printed.
pub(crate) fn printed(ended: Ended) -> Result<Vec<u8>, Declined> {
    match ended {
        Ended::Exit { success: true, stdout, .. } => Ok(stdout),
        Ended::Exit { success: false, stderr, .. } => {
            Err(Declined::Unclear { output: String::from_utf8_lossy(&stderr).trim().to_owned() })
        }
        Ended::Overdue => Err(Declined::Unclear { output: "it took too long".to_owned() }),
        Ended::TooMuch => Err(Declined::Unclear { output: "it printed too much".to_owned() }),
        Ended::NotStarted { why } => Err(Declined::NoGit { why }),
    }
}
