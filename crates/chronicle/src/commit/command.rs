//! What a plan asks to be done, and what it is told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A command for whoever performs a plan. Its output is wanted whole; there is nobody to answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub program: &'static str,
    pub args: Vec<OsString>,
    /// On top of the environment that a person's own `git` would have.
    pub env: Vec<(&'static str, &'static str)>,
    /// What must not be in it: ralph may itself have been started by git.
    pub without: &'static [&'static str],
    pub dir: PathBuf,
    pub stdin: Vec<u8>,
    pub timeout: Duration,
    /// Standard output that is longer than this is of no use; of standard error the end will do.
    pub most: usize,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exit {
        success: bool,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
    },
    /// It was ended at its deadline.
    Overdue,
    /// It printed more than it may.
    TooMuch,
    NotStarted {
        why: String,
    },
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next<O> {
    Perform(Command),
    Over(O),
}

/// Commands one after the other: perform what [`Plan::begin`] says, tell [`Plan::after`] how it ended, until it is over.
pub trait Plan {
    type Outcome;

    fn begin(&mut self) -> Next<Self::Outcome>;

    fn after(&mut self, ended: Ended) -> Next<Self::Outcome>;
}

/// Nobody is there to answer, and nothing is to go on behind git's back.
const ENVIRONMENT: [(&str, &str); 8] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_PAGER", "cat"),
    ("GIT_ASKPASS", "true"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
];

/// What would lead git to another repository or index, or change what a path means.
const FOREIGN: [&str; 20] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

const LOOK: Duration = Duration::from_secs(60);
const MOST: usize = 64 << 20;

/// No monitor of the file system, no housekeeping: both would leave a process behind.
const QUIET: [&str; 6] = ["-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"];

impl Command {
    /// One that only looks.
    pub(crate) fn look(root: &Path, args: &[&str]) -> Command {
        let mut command = Command::change(root, args, Vec::new());
        // Messages are compared here, and nobody else's lock is taken for a look.
        command.env.extend([("GIT_OPTIONAL_LOCKS", "0"), ("LC_ALL", "C")]);
        command
    }

    /// One that changes the repository, with paths on its standard input.
    pub(crate) fn change(root: &Path, args: &[&str], stdin: Vec<u8>) -> Command {
        Command {
            program: "git",
            args: QUIET.iter().chain(args).map(OsString::from).collect(),
            env: ENVIRONMENT.to_vec(),
            without: &FOREIGN,
            dir: root.to_owned(),
            stdin,
            timeout: LOOK,
            most: MOST,
        }
    }
}

/// Paths for a command that reads them from its standard input: each as it is, from the top of the work tree.
pub(super) fn pathspecs<'p>(paths: impl IntoIterator<Item = &'p [u8]>) -> Vec<u8> {
    let mut all = Vec::new();
    for path in paths {
        all.extend_from_slice(b":(top,literal)");
        all.extend_from_slice(path);
        all.push(0);
    }
    all
}
