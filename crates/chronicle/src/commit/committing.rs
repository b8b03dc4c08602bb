//! The way to a commit, command by command.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{Command, Ended, Next, Plan, pathspecs};
use super::outcome::{Committed, Declined};
use super::status::{self, Changed, Kind, Status};
use super::survey::{prefix_in, printed, whereabouts};
use super::touched::{Touched, above};
use crate::own;

/// Longer than this no message is; it is an argument of git.
const LONGEST_MESSAGE: usize = 32 << 10;
/// The end of what was printed is what tells.
const OUTPUT: usize = 4_000;

const FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// What is in the way of a commit, by the file that tells of it.
const IN_PROGRESS: [(&str, &str); 6] = [
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
];

const HOOKS: [&str; 4] = ["pre-commit", "prepare-commit-msg", "commit-msg", "reference-transaction"];

/// What is to be committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub root: PathBuf,
    /// Everything that the task added, changed or removed, from the root. What git does not see as changed is left out.
    pub paths: Vec<PathBuf>,
    /// What is ralph's own beside [`crate::OWN`], from the root: the tracker's file.
    pub own: Vec<PathBuf>,
    pub message: String,
    pub dirty_at_start: bool,
    pub allow_dirty: bool,
    /// For git with all its hooks.
    pub timeout: Duration,
}

/// Commits what a task changed and nothing else: what a person has staged stays staged and is not in it.
#[derive(Debug)]
pub struct Committing {
    request: Request,
    stage: Stage,
    prefix: Vec<u8>,
    git_dir: PathBuf,
    /// HEAD before.
    before: Option<Vec<u8>>,
    /// From the top of the work tree: what is committed, and what of it git did not know.
    ours: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
    /// Files that became directories, and files of directories that became something else: to announce what is new
    /// takes them out of the index.
    displaced: Vec<Vec<u8>>,
    id: String,
    committed: Vec<Vec<u8>>,
    failure: Option<Committed>,
}

/// The command whose end is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Whereabouts,
    GitDir,
    Author,
    Committer,
    Before,
    Status,
    Announce,
    Commit,
    After,
    Hooks,
    Retract,
    Replace,
    Listed,
    Staged,
    Tidy,
}

impl Committing {
    pub fn new(request: Request) -> Committing {
        Committing {
            request,
            stage: Stage::Whereabouts,
            prefix: Vec::new(),
            git_dir: PathBuf::new(),
            before: None,
            ours: Vec::new(),
            new: Vec::new(),
            displaced: Vec::new(),
            id: String::new(),
            committed: Vec::new(),
            failure: None,
        }
    }

    /// The next command, or how it all ended.
    fn advance(&mut self, ended: Ended) -> Result<Command, Committed> {
        match self.stage {
            Stage::Whereabouts => {
                self.prefix = prefix_in(ended)?;
                Ok(self.look(Stage::GitDir, &["rev-parse", "--absolute-git-dir"]))
            }
            Stage::GitDir => {
                self.git_dir = OsString::from_vec(line(printed(ended)?)).into();
                self.free_to_commit()?;
                Ok(self.look(Stage::Author, &["var", "GIT_AUTHOR_IDENT"]))
            }
            Stage::Author => {
                identity(ended)?;
                Ok(self.look(Stage::Committer, &["var", "GIT_COMMITTER_IDENT"]))
            }
            Stage::Committer => {
                identity(ended)?;
                Ok(self.look(Stage::Before, &["rev-parse", "--verify", "--quiet", "HEAD"]))
            }
            Stage::Before => {
                self.before = head(ended)?;
                Ok(self.look(Stage::Status, &status::ARGS))
            }
            Stage::Status => self.choose(&Status::parse(&printed(ended)?)),
            Stage::Announce => match refusal(ended) {
                None => Ok(self.commit()),
                Some(failure) => self.fail(failure),
            },
            Stage::Commit => {
                self.failure = refusal(ended);
                Ok(self.look(Stage::After, &["rev-parse", "--verify", "--quiet", "HEAD"]))
            }
            Stage::After => self.made_or_not(head(ended)?),
            Stage::Hooks => self.name_hooks(ended),
            Stage::Retract => self.retracted(&ended),
            Stage::Replace => Err(self.put_back(&ended)),
            Stage::Listed => {
                self.committed = paths_in(printed(ended).unwrap_or_default());
                let id = self.id.clone();
                let args = ["diff-index", "--cached", "-z", "--name-only", "--no-renames", &id, "--"];
                Ok(self.look(Stage::Staged, &args))
            }
            Stage::Staged => self.tidy(paths_in(printed(ended).unwrap_or_default())),
            Stage::Tidy => Err(self.made(refusal(ended).is_some())),
        }
    }

    fn look(&mut self, stage: Stage, args: &[&str]) -> Command {
        self.stage = stage;
        Command::look(&self.request.root, args)
    }

    fn change(&mut self, stage: Stage, args: &[&str], paths: &[Vec<u8>]) -> Command {
        self.stage = stage;
        let args: Vec<&str> = args.iter().chain(&FROM_STDIN).copied().collect();
        Command::change(&self.request.root, &args, pathspecs(paths.iter().map(Vec::as_slice)))
    }

    fn free_to_commit(&self) -> Result<(), Declined> {
        let found = IN_PROGRESS.iter().find(|(name, _)| self.git_dir.join(name).exists());
        if let Some((_, what)) = found {
            return Err(Declined::InProgress { what });
        }
        self.lock().map_or(Ok(()), |path| Err(Declined::Locked { path }))
    }

    fn lock(&self) -> Option<PathBuf> {
        Some(self.git_dir.join("index.lock")).filter(|lock| lock.exists())
    }

    /// What of the task's paths git sees as changed.
    fn choose(&mut self, status: &Status) -> Result<Command, Committed> {
        if status.is_detached {
            return Err(Declined::Detached.into());
        }
        if status.changed.iter().any(|changed| changed.kind == Kind::Unmerged) {
            return Err(Declined::InProgress { what: "merge" }.into());
        }
        let (root, own) = (&self.prefix, &self.request.own);
        let touched = Touched::new(self.request.paths.iter().map(|path| path.as_os_str().as_bytes()));
        let is_ours = |changed: &&Changed| {
            let below = changed.path.strip_prefix(root.as_slice());
            below.is_some_and(|path| {
                !own::is_own(Path::new(OsStr::from_bytes(path)), own) && touched.has(path, changed.kind)
            })
        };
        let ours: Vec<&Changed> = status.changed.iter().filter(is_ours).collect();
        let new = ours.iter().filter(|one| one.kind == Kind::Untracked);
        self.new = new.map(|one| one.path.clone()).collect();
        self.ours = ours.iter().map(|one| one.path.clone()).collect();
        if self.ours.is_empty() {
            return Err(Committed::Nothing);
        }
        self.displace();
        if self.new.is_empty() {
            return Ok(self.commit());
        }
        let new = self.new.clone();
        Ok(self.change(Stage::Announce, &["add", "--intent-to-add"], &new))
    }

    fn displace(&mut self) {
        let new = Touched::new(self.new.iter().map(Vec::as_slice));
        let old = self.ours.iter().filter(|path| !new.paths.contains(path.as_slice()));
        let (became_directories, others): (Vec<_>, Vec<_>) =
            old.partition(|path| new.above.contains(path.as_slice()));
        let within = others.into_iter().filter(|path| above(path).any(|above| new.paths.contains(above)));
        self.displaced = became_directories.iter().copied().chain(within).cloned().collect();
        // git takes the name of what became a directory for the directory, and removes the file by itself.
        let became_directories: HashSet<Vec<u8>> = became_directories.into_iter().cloned().collect();
        self.ours.retain(|path| !became_directories.contains(path));
    }

    fn commit(&mut self) -> Command {
        let message = message(&self.request.message);
        let ours = self.ours.clone();
        let args = ["commit", "--quiet", "--only", "--cleanup=whitespace", &format!("--message={message}")];
        let mut command = self.change(Stage::Commit, &args, &ours);
        command.timeout = self.request.timeout;
        command
    }

    /// A hook that runs afterwards may have failed or hung, and the commit is there all the same.
    fn made_or_not(&mut self, now: Option<Vec<u8>>) -> Result<Command, Committed> {
        match (now.filter(|now| Some(now) != self.before.as_ref()), self.failure.take()) {
            (Some(id), _) => {
                self.id = String::from_utf8_lossy(&id).into_owned();
                let id = self.id.clone();
                let args =
                    ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames", &id];
                Ok(self.look(Stage::Listed, &args))
            }
            (None, Some(failure)) => self.fail(failure),
            (None, None) => {
                self.fail(Committed::Refused { output: "HEAD is where it was".to_owned(), hooks: Vec::new() })
            }
        }
    }

    /// Puts the index back before it is over.
    fn fail(&mut self, failure: Committed) -> Result<Command, Committed> {
        let failure = match (failure, self.lock()) {
            (Committed::Refused { .. }, Some(path)) => Declined::Locked { path }.into(),
            (Committed::Overdue { .. }, lock) => Committed::Overdue { lock },
            (failure, _) => failure,
        };
        self.failure = Some(failure);
        Ok(self.look(Stage::Hooks, &["rev-parse", "--git-path", "hooks"]))
    }

    fn name_hooks(&mut self, ended: Ended) -> Result<Command, Committed> {
        if let Some(Committed::Refused { hooks, .. }) = &mut self.failure {
            let directory =
                self.request.root.join(OsString::from_vec(line(printed(ended).unwrap_or_default())));
            let is_run = |hook: &&&str| {
                let metadata = std::fs::metadata(directory.join(hook));
                metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
            };
            *hooks = HOOKS.iter().filter(is_run).map(|hook| (*hook).to_owned()).collect();
        }
        if self.new.is_empty() {
            return Err(self.failed());
        }
        let new = self.new.clone();
        let args = ["rm", "--cached", "--force", "--quiet", "--ignore-unmatch"];
        Ok(self.change(Stage::Retract, &args, &new))
    }

    fn retracted(&mut self, ended: &Ended) -> Result<Command, Committed> {
        if self.displaced.is_empty() || self.before.is_none() {
            return Err(self.put_back(ended));
        }
        let displaced = self.displaced.clone();
        Ok(self.change(Stage::Replace, &["reset", "--quiet"], &displaced))
    }

    fn put_back(&mut self, ended: &Ended) -> Committed {
        let mut failure = self.failed();
        let is_done = matches!(ended, Ended::Exit { success: true, .. });
        if let (Committed::Refused { output, .. }, false) = (&mut failure, is_done) {
            output.push_str("\nthe index still announces the new files; `git reset` takes that back");
        }
        failure
    }

    fn failed(&mut self) -> Committed {
        self.failure.take().expect("it is taken once, when all is over")
    }

    /// A hook may have put other content into the commit than the index has now: left like that, the next commit
    /// would undo it.
    fn tidy(&mut self, staged: Vec<Vec<u8>>) -> Result<Command, Committed> {
        let committed: HashSet<&Vec<u8>> = self.committed.iter().collect();
        let untidy: Vec<Vec<u8>> = staged.into_iter().filter(|path| committed.contains(path)).collect();
        if untidy.is_empty() {
            return Err(self.made(false));
        }
        Ok(self.change(Stage::Tidy, &["reset", "--quiet"], &untidy))
    }

    fn made(&mut self, untidy: bool) -> Committed {
        let paths = std::mem::take(&mut self.committed).into_iter();
        let paths = paths.map(|path| OsString::from_vec(path).into()).collect();
        Committed::Made { id: std::mem::take(&mut self.id), paths, untidy }
    }
}

impl Plan for Committing {
    type Outcome = Committed;

    fn begin(&mut self) -> Next<Committed> {
        if self.request.dirty_at_start && !self.request.allow_dirty {
            return Next::Over(Declined::DirtyAtStart.into());
        }
        if message(&self.request.message).is_empty() {
            return Next::Over(Declined::NoMessage.into());
        }
        Next::Perform(whereabouts(&self.request.root))
    }

    fn after(&mut self, ended: Ended) -> Next<Committed> {
        match self.advance(ended) {
            Ok(command) => Next::Perform(command),
            Err(over) => Next::Over(over),
        }
    }
}

/// As an argument can have it.
fn message(given: &str) -> String {
    let given: String = given.trim().chars().filter(|c| *c != '\0').collect();
    let end = given
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .take_while(|end| *end <= LONGEST_MESSAGE)
        .last();
    given[..end.unwrap_or(0)].to_owned()
}

fn line(mut printed: Vec<u8>) -> Vec<u8> {
    if printed.last() == Some(&b'\n') {
        printed.pop();
    }
    printed
}

fn identity(ended: Ended) -> Result<(), Declined> {
    match printed(ended) {
        Ok(_) => Ok(()),
        Err(Declined::Unclear { output }) => Err(Declined::NoIdentity { output }),
        Err(other) => Err(other),
    }
}

/// None before the first commit.
fn head(ended: Ended) -> Result<Option<Vec<u8>>, Declined> {
    match ended {
        Ended::Exit { success: false, .. } => Ok(None),
        other => printed(other).map(|id| Some(line(id))),
    }
}

fn paths_in(printed: Vec<u8>) -> Vec<Vec<u8>> {
    printed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect()
}

/// None if the command did what it should.
fn refusal(ended: Ended) -> Option<Committed> {
    let output = match ended {
        Ended::Exit { success: true, .. } => return None,
        Ended::Exit { success: false, stdout, stderr } => [stdout, stderr].concat(),
        Ended::Overdue => return Some(Committed::Overdue { lock: None }),
        Ended::TooMuch => b"it printed too much".to_vec(),
        Ended::NotStarted { why } => why.into_bytes(),
    };
    let text = String::from_utf8_lossy(&output);
    let from = text.char_indices().rev().nth(OUTPUT).map_or(0, |(at, _)| at);
    Some(Committed::Refused { output: text[from..].trim().to_owned(), hooks: Vec::new() })
}
