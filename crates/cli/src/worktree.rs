//! A run in a work tree of its own: made beside the project on a new branch, entered, and taken away again where the run
//! cannot start.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_chronicle::worktree::{add, ask_head, done, forget, head_in, remove, way_from_top, whereabouts_of};
use ralph_chronicle::{Declined, Standing, Survey};
use ralph_core::id::RunId;
use ralph_engine::Place;
use ralph_store::{Origin, SqliteStore, Store, StoreError, project_dir, settle};

use crate::advice::{Advice, lines};
use crate::commands::{here, trust};
use crate::git::Git;
use crate::own;
use crate::problem::{self, Problem, Problems};
use crate::project::{Project, store_problem};
use crate::settings::Given;
use crate::settings::trust::{executable_digest, untrusted};
use crate::words::counted;

/// How many of the files are named that do not come along.
const NAMED: usize = 5;
/// What a project's runs are told by; a work tree has it only if it is committed.
const CONFIG: &str = ".ralph/config.toml";

/// A work tree that was just made. It is taken away again unless somebody says that it is used.
#[derive(Debug)]
pub(crate) struct Worktree {
    origin: Origin,
    /// Of the work tree that it was asked for in.
    top: PathBuf,
    git: Git,
    /// The state of what is to be run in it, if there was none before.
    state: Option<PathBuf>,
    /// What a person is to know of it.
    pub(crate) notices: Vec<String>,
    is_used: Cell<bool>,
}

impl Worktree {
    /// Makes one for a run of this project, at a path or beside the project.
    pub(crate) async fn make(
        project: &Project,
        wanted: Option<&Path>,
        run: &RunId,
        yes: bool,
    ) -> Result<Worktree, Problems> {
        let root = &project.place.root;
        let grants = grants(&project.place)?;
        if !yes {
            trusted(project, grants.as_ref()).await?;
        }
        let unfit = |why: Declined| unfit(&why, root);
        let git = Git::default();
        let way = way_from_top(git.perform(&whereabouts_of(root))).map_err(unfit)?;
        let top = root.ancestors().nth(way.components().count()).unwrap_or(root).to_owned();
        let commit = head_in(git.perform(&ask_head(root))).map_err(unfit)?;
        let commit = commit.ok_or_else(|| nothing_committed(&top))?;
        let directory = directory(wanted, &top, run)?;
        let git = Git::around(root).map_err(unfit)?;
        let standing = git.follow(Survey::new(root, own::paths(&project.place)));
        let branch = format!("ralph/{run}");
        let origin = Origin { root: root.clone(), common: project.place.common(), directory, branch, commit };
        let mut made =
            Worktree { origin, top, git, state: None, notices: Vec::new(), is_used: Cell::new(false) };
        made.add()?;
        made.tell(&standing, &way);
        made.settle(project, &way, grants.as_ref()).await?;
        Ok(made)
    }

    fn add(&self) -> Result<(), Problem> {
        let Origin { directory, branch, commit, .. } = &self.origin;
        done(self.git.perform(&add(&self.top, directory, branch, commit))).map_err(|why| {
            Problem::new(format!("git could not make a work tree: {why}"))
                .at(problem::Place::from(directory.clone()))
                .next("mend that, or name another place: --worktree=DIRECTORY")
        })
    }

    fn tell(&mut self, standing: &Standing, way: &Path) {
        let Origin { root, directory, branch, commit, .. } = &self.origin;
        let at = commit.get(..10).unwrap_or(commit);
        self.notices.push(format!("works in {}, on the new branch {branch} at {at}", directory.display()));
        if let Standing::Dirty { paths, count } = standing {
            self.notices.push(left_behind(root, paths, *count));
        }
        if root.join(CONFIG).exists() && !directory.join(way).join(CONFIG).exists() {
            self.notices.push(format!("{CONFIG} is not committed: the run goes on without it"));
        }
        let filters = self.git.filters();
        if !filters.is_empty() {
            let names = filters.join(", ");
            self.notices.push(format!(
                "files are as they are committed: filters of the repository's own configuration are not run ({names})"
            ));
        }
    }

    /// Makes it a project of its own, with what the other one knows and was allowed.
    async fn settle(
        &mut self,
        project: &Project,
        way: &Path,
        grants: Option<&SqliteStore>,
    ) -> Result<(), Problems> {
        let root = self.origin.directory.join(way);
        if !way.as_os_str().is_empty() {
            // Without it the whole work tree would be the project.
            std::fs::create_dir_all(root.join(".ralph"))
                .map_err(|error| Problem::new(format!("cannot make {}/.ralph: {error}", root.display())))?;
        }
        let told = |error: StoreError| store_problem(&error);
        settle(&project.state_dir, &project.place.root).map_err(told)?;
        let state = project_dir(&project.state_dir, &root).map_err(told)?;
        self.state = Some(state.clone()).filter(|state| !state.exists());
        settle(&project.state_dir, &root).map_err(told)?;
        self.origin.write(&state).map_err(told)?;
        match grants {
            Some(grants) => self.hand_over(&Project::at(&root, Given::default())?, grants).await,
            None => Ok(()),
        }
    }

    /// What was allowed in the other tree is allowed here, if it is the very same.
    async fn hand_over(&self, here: &Project, grants: &SqliteStore) -> Result<(), Problems> {
        let (from, to) = (self.top.to_string_lossy(), self.origin.directory.to_string_lossy());
        let store = here.store()?;
        for asked in trust::asked_by_files(here) {
            let Some(below) = asked.key.strip_prefix(&*to) else { continue };
            let key = format!("{from}{below}");
            let is_granted = grants.is_trusted(&key, &asked.hash).await;
            if is_granted.map_err(|error| store_problem(&error))? {
                let granted = store.grant(&asked.key, &asked.hash, Timestamp::now()).await;
                granted.map_err(|error| store_problem(&error))?;
            }
        }
        Ok(())
    }

    /// The same place in it, if it has that; its project otherwise.
    pub(crate) fn enter(&self) -> Result<(), Problems> {
        let here = here()?;
        let root = self.moved(&self.origin.root);
        let there = Some(self.moved(&here)).filter(|there| there.is_dir()).unwrap_or(root);
        std::env::set_current_dir(&there)
            .map_err(|error| Problem::new(format!("cannot go to {}: {error}", there.display())).into())
    }

    /// A path of the other tree, as it is called in this one.
    pub(crate) fn moved(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.top)
            .map_or_else(|_| path.to_owned(), |below| self.origin.directory.join(below))
    }

    /// A run has begun in it.
    pub(crate) fn keep(&self) {
        self.is_used.set(true);
    }

    /// What is wrong is to be mended in the other tree, if this one does not stay.
    pub(crate) fn told_at_home(&self, mut problems: Problems) -> Problems {
        if self.is_used.get() {
            return problems;
        }
        for place in problems.0.iter_mut().filter_map(|problem| problem.place.as_mut()) {
            if let Ok(below) = place.path.strip_prefix(&self.origin.directory) {
                place.path = self.top.join(below);
            }
        }
        if let Some(last) = problems.0.last_mut() {
            last.next
                .push("a work tree has what is committed, and nothing else; it was removed again".to_owned());
        }
        problems
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        if self.is_used.get() {
            return;
        }
        let _not_even_made = self.git.perform(&remove(&self.top, &self.origin.directory));
        let _not_even_made = self.git.perform(&forget(&self.top, &self.origin.branch));
        if let Some(state) = &self.state {
            let _nobody_looks_for_it = std::fs::remove_dir_all(state);
        }
    }
}

/// Where trust is kept; none where nothing was ever done in the project.
fn grants(place: &Place) -> Result<Option<SqliteStore>, Problem> {
    match SqliteStore::open_existing(&place.state) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(store_problem(&error)),
    }
}

/// Nothing is made for a project that may not do what it asks for.
async fn trusted(project: &Project, grants: Option<&SqliteStore>) -> Result<(), Problem> {
    let layer = &project.loaded.project;
    let Some(digest) = executable_digest(layer) else { return Ok(()) };
    let path = layer.path.to_string_lossy();
    let granted = match grants {
        Some(grants) => {
            grants.is_trusted(&path, &digest.hash).await.map_err(|error| store_problem(&error))?
        }
        None => false,
    };
    if granted { Ok(()) } else { Err(untrusted(layer, &digest)) }
}

/// A path that is not there yet, outside of the tree.
fn directory(wanted: Option<&Path>, top: &Path, run: &RunId) -> Result<PathBuf, Problems> {
    let beside = || {
        let name = top.file_name()?.to_string_lossy();
        Some(top.parent()?.join(format!("{name}-ralph-{run}")))
    };
    let path = match wanted {
        Some(path) => here()?.join(path),
        None => beside().ok_or_else(|| no_place("nothing is beside this directory", top))?,
    };
    if path.symlink_metadata().is_ok() {
        return Err(no_place("this is there already", &path).into());
    }
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    let (Some(parent), Some(name)) = (parent, path.file_name()) else {
        return Err(no_place("there is no directory for it to be in", &path).into());
    };
    if parent.starts_with(top) {
        return Err(no_place("a work tree inside the tree would be a part of it", &path).into());
    }
    Ok(parent.join(name))
}

fn no_place(what: &str, path: &Path) -> Problem {
    let problem = Problem::new(format!("no work tree can be made here: {what}"));
    problem
        .at(problem::Place::from(path.to_owned()))
        .next("name a path outside of the project that is not there yet: --worktree=DIRECTORY")
}

fn unfit(why: &Declined, root: &Path) -> Problem {
    let problem = Problem::new(format!("--worktree needs a git repository: {why}"));
    problem
        .at(problem::Place::from(root.to_owned()))
        .next("make one with `git init` and commit what is there, or leave --worktree out")
}

fn nothing_committed(top: &Path) -> Problem {
    Problem::new("--worktree needs a commit to begin with, and nothing is committed here")
        .at(problem::Place::from(top.to_owned()))
        .next("commit what is there: `git add -A && git commit`")
}

fn left_behind(root: &Path, paths: &[PathBuf], count: usize) -> String {
    let named: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = if count > named.len() { " and more" } else { "" };
    let files = counted(count as u64, "uncommitted file");
    format!("{files} of {} did not come along: {}{more}", root.display(), named.join(", "))
}

/// How what was done in a work tree of ralph's is taken over, and how it is removed; none for any other tree.
pub(crate) fn parting(place: &Place) -> Option<String> {
    let Origin { root, directory, branch, commit, .. } = Origin::of(&place.state)?;
    let quoted = |path: &Path| shell_words::quote(&path.to_string_lossy()).into_owned();
    let (home, there) = (quoted(&root), quoted(&directory));
    let is_as_begun = ralph_engine::head(&directory).as_deref() == Some(commit.as_str());
    let first = if is_as_begun {
        let command = format!("git -C {there} add -A && git -C {there} commit");
        Advice::new(command, "what was changed is not committed: it is in this directory alone")
    } else {
        Advice::new(format!("git -C {there} status"), "what of it is not committed")
    };
    let all = [
        first,
        Advice::new(format!("git -C {home} merge {branch}"), "take over what is committed"),
        Advice::new(format!("git -C {home} worktree remove {there}"), "remove it; the branch stays"),
    ];
    Some(format!("  in {}, on branch {branch}:\n{}", directory.display(), lines(&all, "    ")))
}
