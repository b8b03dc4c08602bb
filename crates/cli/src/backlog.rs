//! The backlog that a command is about: which one, and which of its tasks.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use ralph_core::backlog::{Backlog, Filter, Order, Range, Wanted};
use ralph_core::id::TaskId;
use ralph_store::{SqliteStore, Store, StoreError, settle};
use ralph_trackers::{
    Accounts, Detected, Kind, Place as Found, Surroundings, Tracker, TrackerError, detect, open,
};

use crate::commands::here;
use crate::problem::{Place, Problem, Problems, Spot};
use crate::project::{Project, block_on, store_problem};
use crate::render::{FAINT, paint};
use crate::settings::tracker::{is_remote, reaches_out};
use crate::settings::trust::{executable_digest, untrusted};
use crate::settings::{Given, project_root};

/// Where the backlog is.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct TrackerFlags {
    /// The kind of backlog; by default that of the configuration, or found by the files that are there
    #[arg(long, value_enum)]
    tracker: Option<TrackerKind>,
    /// The file that it is in: a prd.json, or a Markdown file with checklists
    #[arg(long, value_name = "FILE")]
    prd: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrackerKind {
    /// A prd.json, as ralph-tui and snarktank's ralph have it
    Prd,
    /// Checklists in a Markdown file
    Markdown,
    /// Issues of `br` or `bd`
    Beads,
    /// The same, by how much waits for each, as `bv` ranks them
    BeadsBv,
    /// Issues on GitHub, through `gh`
    Github,
    /// Issues of a team in Linear, with the key in LINEAR_API_KEY
    Linear,
    /// Issues of a project in Jira, with the token in JIRA_API_TOKEN
    Jira,
    /// Tasks that ralph keeps itself: `ralph tasks add`
    Native,
}

/// Which of its tasks are meant.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FilterFlags {
    /// Only what is below this task, at any depth; may be given several times
    #[arg(long, value_name = "ID", value_parser = TaskId::parse)]
    epic: Vec<TaskId>,
    /// Only tasks with this label, or the label of a prompt, for routes; may be given several times
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Vec<String>,
    /// Only tasks at these places in the backlog: 3, 1-5, 3-, -10 or 1-2,5
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    task_range: Option<Range>,
    /// Only this task; may be given several times
    #[arg(long, value_name = "ID", value_parser = TaskId::parse)]
    task: Vec<TaskId>,
}

impl TrackerKind {
    fn kind(self) -> Kind {
        match self {
            TrackerKind::Prd => Kind::Prd,
            TrackerKind::Markdown => Kind::Markdown,
            TrackerKind::Beads => Kind::Beads,
            TrackerKind::BeadsBv => Kind::BeadsBv,
            TrackerKind::Github => Kind::Github,
            TrackerKind::Linear => Kind::Linear,
            TrackerKind::Jira => Kind::Jira,
            TrackerKind::Native => Kind::Native,
        }
    }
}

/// A tracker, with what else there was to choose from.
pub(crate) struct Chosen {
    pub(crate) tracker: Box<dyn Tracker>,
    pub(crate) others: Vec<PathBuf>,
}

impl TrackerFlags {
    /// The backlog in a file; its name tells which kind it is.
    pub(crate) fn of_file(file: &Path) -> TrackerFlags {
        TrackerFlags { tracker: None, prd: Some(file.to_owned()) }
    }

    /// The backlog that ralph keeps itself.
    pub(crate) fn native() -> TrackerFlags {
        TrackerFlags { tracker: Some(TrackerKind::Native), prd: None }
    }

    /// The issues of `br` or `bd`.
    pub(crate) fn beads() -> TrackerFlags {
        TrackerFlags { tracker: Some(TrackerKind::Beads), prd: None }
    }

    /// The same for another directory.
    pub(crate) fn moved(&mut self, to: impl FnOnce(PathBuf) -> PathBuf) {
        self.prd = self.prd.take().map(to);
    }

    pub(crate) fn is_given(&self) -> bool {
        self.tracker.is_some() || self.prd.is_some()
    }

    pub(crate) fn choose(&self) -> Result<Chosen, Problems> {
        self.choose_as(Consent::AsGranted)
    }

    pub(crate) fn choose_as(&self, consent: Consent) -> Result<Chosen, Problems> {
        let Detected { place, others } = self.detect_as(consent)?.map_err(|error| tracker_problem(&error))?;
        Ok(Chosen { tracker: open(place), others })
    }

    /// What is found from here, or why nothing is.
    pub(crate) fn detect(&self) -> Result<Result<Detected, TrackerError>, Problems> {
        self.detect_as(Consent::AsGranted)
    }

    fn detect_as(&self, consent: Consent) -> Result<Result<Detected, TrackerError>, Problems> {
        let here = here()?;
        let root = project_root(&here)
            .map_err(|error| Problem::new(format!("cannot tell the project's directory: {error}")))?;
        let project = match (Project::here(Given::default()), self.tracker) {
            (Ok(project), _) => Some(project),
            (Err(problems), Some(TrackerKind::Native | TrackerKind::Linear | TrackerKind::Jira)) => {
                return Err(problems);
            }
            // Whoever has no place for ralph's state has no tasks in it.
            (Err(_), _) => None,
        };
        let kind = self.kind(project.as_ref());
        let accounts = match &project {
            Some(project) if kind.is_some_and(is_remote) => accounts(project, consent)?,
            Some(_) | None => Accounts::default(),
        };
        // People name files from where they are.
        let file = self.prd.as_ref().map(|file| here.join(file));
        let search = std::env::var_os("PATH");
        let state = project.as_ref().map(|project| project.place.common());
        let state = state.as_deref();
        let around = Surroundings { root: &root, state, search: search.as_deref(), accounts: &accounts };
        Ok(detect(&around, kind, file.as_deref()))
    }

    /// A file says by its name what it is, whatever is configured.
    fn kind(&self, project: Option<&Project>) -> Option<Kind> {
        let named = self.tracker.map(TrackerKind::kind);
        let configured = || Some(project?.loaded.merged.tracker.kind.as_ref()?.value);
        if self.prd.is_some() { named } else { named.or_else(configured) }
    }

    /// The store of the project, if its backlog is ralph's own or there is none yet. `doing` is what cannot be done
    /// with another: `add tasks to`.
    pub(crate) fn own(&self, doing: &str) -> Result<Own, Problems> {
        match self.detect()? {
            Ok(Detected { place: Found::Native { .. }, .. }) | Err(TrackerError::NoBacklog { .. }) => {}
            Ok(Detected { place, .. }) => return Err(not_own(&*open(place), doing).into()),
            Err(error) => return Err(tracker_problem(&error).into()),
        }
        Own::open(self.tracker)
    }
}

/// Whether a person has allowed for this once what a project's file asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Given,
    AsGranted,
}

impl Consent {
    /// By the word of `--yes`.
    pub(crate) fn by(yes: bool) -> Consent {
        if yes { Consent::Given } else { Consent::AsGranted }
    }
}

/// Whether people elsewhere work on it as well.
pub(crate) fn is_shared(kind: Kind) -> bool {
    matches!(kind, Kind::Github | Kind::Linear | Kind::Jira)
}

/// How servers are reached. No token is sent anywhere by the word of a project that is not trusted.
pub(crate) fn accounts(project: &Project, consent: Consent) -> Result<Accounts, Problems> {
    let loaded = &project.loaded;
    if !loaded.problems.is_empty() {
        return Err(Problems(loaded.problems.clone()));
    }
    if consent == Consent::AsGranted
        && reaches_out(&loaded.project.partial)
        && let Some(digest) = executable_digest(&loaded.project)
    {
        let path = loaded.project.path.to_string_lossy();
        let granted = match SqliteStore::open_existing(&project.place.state) {
            Ok(store) => apart(|| block_on(store.is_trusted(&path, &digest.hash)))
                .map_err(|error| store_problem(&error))?,
            Err(StoreError::NoDatabase { .. }) => false,
            Err(error) => return Err(store_problem(&error).into()),
        };
        if !granted {
            return Err(untrusted(&loaded.project, &digest).into());
        }
    }
    Ok(loaded.accounts())
}

/// On another thread: whoever calls may be in a runtime already.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The backlog that ralph keeps itself.
pub(crate) struct Own {
    pub(crate) store: SqliteStore,
    /// What `ralph tasks` finds before it.
    hidden_by: Option<PathBuf>,
}

impl Own {
    fn open(named: Option<TrackerKind>) -> Result<Own, Problems> {
        let project = Project::here(Given::default())?;
        settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
        let store = project.common_store()?;
        let search = std::env::var_os("PATH");
        let (root, accounts) = (&project.place.root, Accounts::default());
        let around = Surroundings { root, state: None, search: search.as_deref(), accounts: &accounts };
        let hidden_by = match named.map(|_| detect(&around, None, None)) {
            Some(Ok(Detected { place: Found::Prd { file, .. } | Found::Markdown { file }, .. })) => {
                Some(file)
            }
            Some(Ok(Detected { place: Found::Beads { root, .. }, .. })) => Some(root.join(".beads")),
            Some(
                Ok(Detected {
                    place: Found::Github { .. } | Found::Linear(_) | Found::Jira(_) | Found::Native { .. },
                    ..
                })
                | Err(_),
            )
            | None => None,
        };
        Ok(Own { store, hidden_by })
    }

    /// For whoever adds to a backlog that others stand before.
    pub(crate) fn note(&self) -> String {
        match &self.hidden_by {
            None => String::new(),
            Some(other) => paint(
                FAINT,
                &format!("note: {} comes first here; name this one with --tracker native\n", other.display()),
            ),
        }
    }
}

fn not_own(tracker: &dyn Tracker, doing: &str) -> Problem {
    let by_hand = match tracker.kind() {
        Kind::Prd | Kind::Markdown => "write to that file yourself",
        Kind::Beads | Kind::BeadsBv => "use `br` or `bd`",
        Kind::Github => "use `gh issue`",
        Kind::Linear => "make them in Linear",
        Kind::Jira => "make them in Jira",
        Kind::Native => "use `ralph tasks`",
    };
    Problem::new(format!("ralph does not {doing} {}", tracker.source())).next(by_hand).next(
        "or keep a backlog with ralph itself: --tracker native; `ralph tasks import FILE` copies one there",
    )
}

impl FilterFlags {
    /// Whether any but a label is given.
    pub(crate) fn chooses(&self) -> bool {
        !self.epic.is_empty() || self.task_range.is_some() || !self.task.is_empty()
    }

    /// What these flags want of the backlog. A name that it does not have is a slip, and not nothing to do.
    pub(crate) fn wanted(
        &self,
        backlog: &Backlog,
        order: Order,
        is_shared: bool,
    ) -> Result<Wanted, Problems> {
        let filter = Filter {
            epics: self.epic.clone(),
            labels: self.label.clone(),
            range: self.task_range.clone(),
            tasks: self.task.clone(),
        };
        let unknown: Vec<Problem> = filter
            .unknown(backlog)
            .map(|id| {
                Problem::new(format!("there is no task {id}"))
                    .next("`ralph tasks` lists those that are there")
            })
            .collect();
        if unknown.is_empty() {
            let taken = backlog.taken(|id| !is_shared || self.task.contains(id)).cloned().collect();
            Ok(Wanted { filter, order, taken, ..Wanted::default() })
        } else {
            Err(Problems(unknown))
        }
    }
}

pub(crate) fn tracker_problem(error: &TrackerError) -> Problem {
    if let TrackerError::Store(error) = error {
        return store_problem(error);
    }
    let TrackerError::Malformed { path, spot, what, next } = error else {
        return Problem::new(error.to_string()).next(error.hint());
    };
    let (what, spot) = match spot {
        None => (what.clone(), None),
        Some(spot) => match &spot.text {
            // A line that is too long to show is told by its number.
            None => (format!("{what} (line {}, column {})", spot.line, spot.column), None),
            Some(text) => {
                let place = Spot { line: spot.line, column: spot.column, text: text.clone(), width: 1 };
                (what.clone(), Some(place))
            }
        },
    };
    Problem::new(what).at(Place { path: path.clone(), spot }).next(next)
}
