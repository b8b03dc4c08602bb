//! Issues on GitHub, reached through `gh` alone. GitHub has no status between open and closed: labels of the repository
//! stand for those that are in progress or blocked, and where it has no such label, nothing is invented.

mod issue;

use std::path::PathBuf;

use ralph_core::backlog::{Backlog, Status};
use ralph_core::id::TaskId;
use serde::Deserialize;

use crate::error::TrackerError;
use crate::program::{Asked, Program};
use crate::tracker::{Context, Kept, Kind, Tracker};
use issue::{Issue, Label, number};

/// More issues than these are not fetched, and not left out either.
const MOST: usize = 10_000;
const FIELDS: &str = "number,title,body,state,stateReason,labels,milestone,url";

#[derive(Debug)]
pub struct Github {
    root: PathBuf,
    program: Program,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    name_with_owner: String,
    #[serde(default)]
    description: String,
}

impl Github {
    pub fn new(root: PathBuf, program: PathBuf) -> Github {
        Github { program: Program::new(program, root.clone()), root }
    }

    fn read<T: serde::de::DeserializeOwned>(&self, args: &[&str]) -> Result<(T, Asked), TrackerError> {
        let (answer, asked) = self.program.ask(args).map_err(newer)?;
        let read = serde_json::from_value::<T>(answer).map_err(|error| error.to_string());
        Ok((self.program.understood(&asked, read)?, asked))
    }

    fn issues(&self) -> Result<Vec<Issue>, TrackerError> {
        let limit = (MOST + 1).to_string();
        let args = ["issue", "list", "--state", "all", "--limit", &limit, "--json", FIELDS];
        let (mut issues, asked): (Vec<Issue>, _) = self.read(&args)?;
        if issues.len() > MOST {
            let what = format!("listed more than {MOST} issues");
            return Err(asked.failed(what, "keep the tasks that matter elsewhere: `ralph tasks import`"));
        }
        issues.sort_by_key(|issue| issue.number);
        Ok(issues)
    }

    /// The issue as it is now.
    fn issue(&self, id: &TaskId) -> Result<Issue, TrackerError> {
        let missing = || TrackerError::NoTask { id: id.clone(), tracker: self.source() };
        let number = number(id).ok_or_else(missing)?.to_string();
        match self.read::<Issue>(&["issue", "view", &number, "--json", FIELDS]) {
            // Pull requests share the numbers of issues.
            Ok((issue, _)) if issue.is_pull_request() => Err(missing()),
            Ok((issue, _)) => Ok(issue),
            Err(TrackerError::Program { what, .. })
                if what.to_lowercase().contains("could not resolve to") =>
            {
                Err(missing())
            }
            Err(error) => Err(error),
        }
    }

    /// The label that stands for a status in this repository.
    fn label(&self, status: Status) -> Result<Option<String>, TrackerError> {
        let (labels, _): (Vec<Label>, _) =
            self.read(&["label", "list", "--limit", "1000", "--json", "name"])?;
        Ok(labels.into_iter().find(|label| label.status() == Some(status)).map(|label| label.name))
    }

    fn close(&self, issue: &Issue, reason: &str, comment: Option<&str>) -> Result<(), TrackerError> {
        let number = issue.number.to_string();
        if issue.is_closed() {
            // One that is closed is not closed again for another reason.
            self.program.tell(&["issue", "reopen", &number])?;
        }
        let comment = comment.map(|comment| format!("--comment={comment}"));
        let mut args = vec!["issue", "close", &number, "--reason", reason];
        args.extend(comment.as_deref());
        self.program.tell(&args)?;
        self.relabel(issue, None)
    }

    /// Takes the labels off that stand for a status, and puts one on.
    fn relabel(&self, issue: &Issue, with: Option<&str>) -> Result<(), TrackerError> {
        let number = issue.number.to_string();
        let mut args = vec!["issue".to_owned(), "edit".to_owned(), number];
        args.extend(with.map(|label| format!("--add-label={}", quoted(label))));
        let stale = issue.labels.iter().filter(|label| label.status().is_some());
        let stale = stale.filter(|label| Some(label.name.as_str()) != with);
        args.extend(stale.map(|label| format!("--remove-label={}", quoted(&label.name))));
        if args.len() > 3 {
            self.program.tell(&args.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Changes the status, and looks whether it has: `gh` succeeds as well where it did nothing.
    fn change(&self, id: &TaskId, status: Status, comment: Option<&str>) -> Result<Kept, TrackerError> {
        let issue = self.issue(id)?;
        if issue.status() == status {
            return Ok(Kept::ByTracker);
        }
        let number = issue.number.to_string();
        match status {
            Status::Completed => self.close(&issue, "completed", comment)?,
            Status::Cancelled => self.close(&issue, "not planned", comment)?,
            Status::Open | Status::InProgress | Status::Blocked => {
                let label = if status == Status::Open { None } else { self.label(status)? };
                if label.is_none() && status != Status::Open {
                    return Ok(Kept::Nowhere);
                }
                if issue.is_closed() {
                    self.program.tell(&["issue", "reopen", &number])?;
                }
                self.relabel(&issue, label.as_deref())?;
            }
        }
        let now = self.issue(id)?.status();
        if now == status {
            return Ok(Kept::ByTracker);
        }
        let asked = self.program.asked(&["issue", "view", &number]);
        let what = format!("says that {id} is {} and not {}", now.name(), status.name());
        Err(asked.failed(what, "see whether you may change issues of this repository"))
    }
}

/// Old versions, 2.23 among them, do not tell why an issue was closed.
fn newer(error: TrackerError) -> TrackerError {
    match error {
        TrackerError::Program { command, what, .. } if what.contains("Unknown JSON field") => {
            TrackerError::Program { command, what, next: "install a newer gh".to_owned() }
        }
        other => other,
    }
}

/// `gh` splits at commas, as of a line of a table.
fn quoted(label: &str) -> String {
    if label.contains([',', '"']) { format!("\"{}\"", label.replace('"', "\"\"")) } else { label.to_owned() }
}

impl Tracker for Github {
    fn kind(&self) -> Kind {
        Kind::Github
    }

    fn source(&self) -> String {
        format!("issues on GitHub of {}", self.root.display())
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        Backlog::new(issue::items(self.issues()?)).map_err(|error| {
            let asked = self.program.asked(&["issue", "list"]);
            asked.failed(format!("answered with a contradiction: {error}"), "try it by hand")
        })
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        self.change(id, status, None)
    }

    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        self.change(id, Status::Completed, Some(reason)).map(|_| ())
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let args = ["repo", "view", "--json", "nameWithOwner,description"];
        let (Repository { name_with_owner: name, description }, _) = self.read(&args)?;
        Ok(Context { name, description, ..Context::counted(&self.load()?) })
    }

    /// None in the tree.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
