//! The backlog that a command is about: which one, and which of its tasks.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use ralph_core::backlog::{Backlog, Filter, Order, Range, Wanted};
use ralph_core::id::TaskId;
use ralph_trackers::{Detected, Kind, Tracker, TrackerError, detect, open};

use crate::commands::here;
use crate::problem::{Place, Problem, Problems, Spot};
use crate::settings::project_root;

/// Where the backlog is.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct TrackerFlags {
    /// The kind of backlog; found by the files that are there by default
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

    pub(crate) fn is_given(&self) -> bool {
        self.tracker.is_some() || self.prd.is_some()
    }

    pub(crate) fn choose(&self) -> Result<Chosen, Problems> {
        let here = here()?;
        let root = project_root(&here)
            .map_err(|error| Problem::new(format!("cannot tell the project's directory: {error}")))?;
        // People name files from where they are.
        let file = self.prd.as_ref().map(|file| here.join(file));
        let search = std::env::var_os("PATH");
        let kind = self.tracker.map(TrackerKind::kind);
        let found = detect(&root, kind, file.as_deref(), search.as_deref());
        let Detected { place, others } = found.map_err(|error| tracker_problem(&error))?;
        Ok(Chosen { tracker: open(place), others })
    }
}

impl FilterFlags {
    /// Whether any but a label is given.
    pub(crate) fn chooses(&self) -> bool {
        !self.epic.is_empty() || self.task_range.is_some() || !self.task.is_empty()
    }

    /// What these flags want of the backlog. A name that it does not have is a slip, and not nothing to do.
    pub(crate) fn wanted(&self, backlog: &Backlog, order: Order) -> Result<Wanted, Problems> {
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
            Ok(Wanted { filter, order, ..Wanted::default() })
        } else {
            Err(Problems(unknown))
        }
    }
}

pub(crate) fn tracker_problem(error: &TrackerError) -> Problem {
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
