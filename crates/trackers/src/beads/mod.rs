//! Backlogs that `br` and `bd` keep, reached through these programs alone: what they store, and where, is their own.

mod answer;
mod issue;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ralph_core::backlog::{Backlog, Order, Status};
use ralph_core::id::TaskId;
use serde_json::Value;

use crate::detect::Viewer;
use crate::error::TrackerError;
use crate::program::Program;
use crate::tracker::{Context, Kept, Kind, Tracker};
use issue::Issue;

/// How many issues are asked for at once; more may be too long for a command line.
const AT_ONCE: usize = 200;

#[derive(Debug)]
pub struct Beads {
    root: PathBuf,
    program: Program,
    viewer: Viewer,
}

impl Beads {
    pub fn new(root: PathBuf, program: PathBuf, viewer: Viewer) -> Beads {
        Beads { program: Program::new(program, root.clone()), root, viewer }
    }

    fn issues(&self) -> Result<Vec<Issue>, TrackerError> {
        let (answer, asked) = self.program.ask(&["list", "--json", "--all", "--limit", "0"])?;
        let mut issues: Vec<Issue> = self.program.understood(&asked, answer::list(answer, "issues"))?;
        // A list may tell only how many dependencies there are; what they are is shown one by one.
        let places: Vec<usize> = (0..issues.len()).filter(|at| issues[*at].hides_dependencies()).collect();
        for places in places.chunks(AT_ONCE) {
            let ids: Vec<TaskId> = places.iter().map(|at| issues[*at].id.clone()).collect();
            let mut args = vec!["show"];
            args.extend(ids.iter().map(TaskId::as_str));
            args.push("--json");
            let (answer, asked) = self.program.ask(&args)?;
            let shown: Vec<Issue> = self.program.understood(&asked, answer::list(answer, "issues"))?;
            let mut shown: BTreeMap<TaskId, Issue> =
                shown.into_iter().map(|one| (one.id.clone(), one)).collect();
            for at in places {
                if let Some(full) = shown.remove(&issues[*at].id) {
                    issues[*at].learn(full);
                }
            }
        }
        Ok(issues)
    }

    /// The status as the program has it, if there is such an issue.
    fn status(&self, id: &TaskId) -> Result<Option<Status>, TrackerError> {
        match self.program.ask(&["show", id.as_str(), "--json"]) {
            Ok((answer, asked)) => {
                let shown: Vec<Issue> = self.program.understood(&asked, answer::list(answer, "issues"))?;
                Ok(shown.into_iter().find(|issue| issue.id == *id).map(|issue| issue.into_item().status))
            }
            Err(TrackerError::Program { what, .. }) if says_that_it_is_not_there(&what) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn load_items(&self) -> Result<Vec<ralph_core::backlog::Item>, TrackerError> {
        Ok(self.issues()?.into_iter().map(Issue::into_item).collect())
    }

    fn name(&self) -> String {
        format!("{} in {}", self.program.name(), self.root.display())
    }

    fn no_task(&self, id: &TaskId) -> TrackerError {
        TrackerError::NoTask { id: id.clone(), tracker: self.name() }
    }

    fn close(&self, id: &TaskId, reason: Option<&str>) -> Result<(), TrackerError> {
        match self.status(id)? {
            None => return Err(self.no_task(id)),
            Some(Status::Completed) => return Ok(()),
            Some(_) => {}
        }
        let reason = reason.map(|reason| format!("--reason={reason}"));
        let mut args = vec!["close", id.as_str()];
        args.extend(reason.as_deref());
        args.push("--json");
        let (answer, asked) = self.program.ask(&args)?;
        let closed = self.program.understood(&asked, answer::ids(&answer, "closed"))?;
        // An answer of success can still say that it was left out.
        if closed.contains(id) {
            return Ok(());
        }
        let why = answer.get("skipped").map(Value::to_string).unwrap_or_else(|| answer.to_string());
        let why: String = why.chars().take(500).collect();
        Err(asked
            .failed(format!("did not close {id}: {why}"), "close what it depends on first, or look at it"))
    }

    fn scores(&self, viewer: &Path) -> Result<BTreeMap<TaskId, f64>, TrackerError> {
        let viewer = Program::new(viewer.to_owned(), self.root.clone());
        let (answer, asked) = viewer.ask(&["--robot-triage"])?;
        viewer.understood(&asked, answer::scores(&answer))
    }
}

fn says_that_it_is_not_there(what: &str) -> bool {
    let what = what.to_lowercase();
    ["not found", "no issue found", "no issues found"].iter().any(|words| what.contains(words))
}

impl Tracker for Beads {
    fn kind(&self) -> Kind {
        match self.viewer {
            Viewer::NotAsked => Kind::Beads,
            Viewer::Asked(_) => Kind::BeadsBv,
        }
    }

    fn source(&self) -> String {
        self.name()
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        Backlog::new(self.load_items()?).map_err(|error| {
            let asked = self.program.asked(&["list", "--json", "--all", "--limit", "0"]);
            asked.failed(format!("answered with a contradiction: {error}"), "look at the issues with it")
        })
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        let word = match status {
            Status::Completed => return self.close(id, None).map(|()| Kept::ByTracker),
            Status::Open => "open",
            Status::InProgress => "in_progress",
            Status::Blocked => "blocked",
            Status::Cancelled => match self.status(id)? {
                Some(_) => return Ok(Kept::Nowhere),
                None => return Err(self.no_task(id)),
            },
        };
        match self.status(id)? {
            None => return Err(self.no_task(id)),
            Some(now) if now == status => return Ok(Kept::ByTracker),
            Some(_) => {}
        }
        let (answer, asked) = self.program.ask(&["update", id.as_str(), "--status", word, "--json"])?;
        let updated = self.program.understood(&asked, answer::ids(&answer, "updated"))?;
        if updated.contains(id) {
            return Ok(Kept::ByTracker);
        }
        let why: String = answer.to_string().chars().take(500).collect();
        Err(asked.failed(format!("did not update {id}: {why}"), "look at the issue with it"))
    }

    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        self.close(id, Some(reason))
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let name = self.root.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Context { name: name.unwrap_or_default(), ..Context::counted(&self.load()?) })
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.root.join(".beads")]
    }

    /// The viewer's scores where it can be asked; ralph's own ranks where it is not there or says nothing of use.
    fn order(&mut self) -> Order {
        match &self.viewer {
            Viewer::NotAsked => Order::Priority,
            Viewer::Asked(None) => Order::Graph,
            Viewer::Asked(Some(viewer)) => match self.scores(viewer) {
                Ok(scores) if !scores.is_empty() => Order::Scores(scores),
                Ok(_) | Err(_) => Order::Graph,
            },
        }
    }
}
