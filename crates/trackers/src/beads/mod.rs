//! Backlogs that `br` and `bd` keep, reached through these programs alone: what they store, and where, is their own.

mod answer;
mod issue;
mod write;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ralph_core::backlog::{Backlog, Order, Status, Wanted};
use ralph_core::id::TaskId;
use serde_json::Value;

use crate::detect::Viewer;
use crate::error::TrackerError;
use crate::program::Program;
use crate::tracker::{Context, Kept, Kind, Tracker, told};
use issue::Issue;
pub use write::{Written, WrittenIssue};

/// How many issues are asked for at once; more may be too long for a command line.
const AT_ONCE: usize = 200;

#[derive(Debug)]
pub struct Beads {
    root: PathBuf,
    program: Program,
    viewer: Viewer,
    /// Why the viewer's order does not count, although it is asked.
    remark: Option<String>,
}

impl Beads {
    pub fn new(root: PathBuf, program: PathBuf, viewer: Viewer) -> Beads {
        Beads { program: Program::new(program, root.clone()), root, viewer, remark: None }
    }

    fn issues(&self) -> Result<Vec<Issue>, TrackerError> {
        let (answer, asked) = self.program.ask(&["list", "--json", "--all", "--limit", "0"])?;
        if answer.get("has_more").and_then(Value::as_bool) == Some(true) {
            return Err(asked.failed("answered with a part of its issues only", "try it by hand"));
        }
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
        match self.program.try_to_ask(&["show", id.as_str(), "--json"]) {
            Ok((answer, asked)) => {
                let shown: Vec<Issue> = self.program.understood(&asked, answer::list(answer, "issues"))?;
                let found = shown.into_iter().find(|issue| issue.id == *id);
                Ok(found.map(|issue| issue.status(Timestamp::now())))
            }
            Err(refusal) if refusal.says_that_there_is_no(id.as_str()) => Ok(None),
            Err(refusal) => Err(refusal.error),
        }
    }

    fn load_items(&self) -> Result<Vec<ralph_core::backlog::Item>, TrackerError> {
        let now = Timestamp::now();
        Ok(self.issues()?.into_iter().map(|issue| issue.into_item(now)).collect())
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
        let reason = reason.map(|reason| format!("--reason={}", told(reason)));
        let mut args = vec!["close", id.as_str()];
        args.extend(reason.as_deref());
        args.push("--json");
        let (answer, asked) = match self.program.try_to_ask(&args) {
            Ok(answered) => answered,
            // As much as an empty answer.
            Err(refusal) if refusal.says_that_nothing_was_done() => {
                (Value::Array(Vec::new()), self.program.asked(&args))
            }
            Err(refusal) => return Err(refusal.error),
        };
        let closed = self.program.understood(&asked, answer::ids(&answer, "closed"))?;
        // An answer of success can still say that it was left out.
        if closed.contains(id) {
            return Ok(());
        }
        let skipped = answer.get("skipped").filter(|skipped| skipped.get(0).is_some());
        let why = skipped.map_or_else(|| self.why_not(id), |skipped| Ok(skipped.to_string()))?;
        let why: String = why.chars().take(500).collect();
        Err(asked
            .failed(format!("did not close {id}: {why}"), "close what it depends on first, or look at it"))
    }

    fn update(&self, id: &TaskId, change: &str) -> Result<(), TrackerError> {
        let (answer, asked) = self.program.ask(&["update", id.as_str(), change, "--json"])?;
        let updated = self.program.understood(&asked, answer::ids(&answer, "updated"))?;
        if updated.contains(id) {
            return Ok(());
        }
        let why: String = answer.to_string().chars().take(500).collect();
        Err(asked.failed(format!("did not update {id}: {why}"), "look at the issue with it"))
    }

    /// Why an issue cannot be closed, where the program does not say it.
    fn why_not(&self, id: &TaskId) -> Result<String, TrackerError> {
        let backlog = self.backlog()?;
        let plan = backlog.plan(&Wanted::default());
        let waits = plan.turns.iter().find(|turn| turn.item.id == *id && !turn.is_ready());
        let waits = waits.map(|turn| {
            let after: Vec<&str> = turn.after.iter().map(|id| id.as_str()).collect();
            format!("it waits for {}", after.join(", "))
        });
        let held = || plan.held.iter().find(|held| held.item.id == *id).map(ToString::to_string);
        Ok(waits.or_else(held).unwrap_or_else(|| "it does not say why".to_owned()))
    }

    fn backlog(&self) -> Result<Backlog, TrackerError> {
        Backlog::new(self.load_items()?).map_err(|error| {
            let asked = self.program.asked(&["list", "--json", "--all", "--limit", "0"]);
            asked.failed(format!("answered with a contradiction: {error}"), "look at the issues with it")
        })
    }

    fn scores(&self, viewer: &Path) -> Result<BTreeMap<TaskId, f64>, TrackerError> {
        let viewer = Program::new(viewer.to_owned(), self.root.clone());
        let (answer, asked) = viewer.ask(&["--robot-triage"])?;
        viewer.understood(&asked, answer::scores(&answer))
    }
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
        self.backlog()
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
        self.update(id, &format!("--status={word}")).map(|()| Kept::ByTracker)
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
        let (order, remark) = match &self.viewer {
            Viewer::NotAsked => (Order::Priority, None),
            Viewer::Asked(None) => (Order::Graph, None),
            Viewer::Asked(Some(viewer)) => match self.scores(viewer) {
                Ok(scores) if !scores.is_empty() => (Order::Scores(scores), None),
                Ok(_) => (Order::Graph, None),
                Err(error) => (Order::Graph, Some(format!("{error}; ralph ranks the graph itself"))),
            },
        };
        self.remark = remark;
        order
    }

    fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }
}
