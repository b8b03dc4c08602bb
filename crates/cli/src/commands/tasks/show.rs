//! `ralph tasks show`.

use ralph_core::backlog::{Backlog, Hold, Item, Kind, Turn};
use ralph_core::id::TaskId;
use ralph_store::{TaskChange, TaskRecord, Tasks as _};
use serde::Serialize;
use serde_json::Value;

use crate::backlog::{Chosen, TrackerFlags, tracker_problem};
use crate::commands::Outcome;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::render::{FAINT, HEAD, inert, paint};
use crate::words::{cut, moment, print, print_json};

/// Show all that is known of a task: what it says, whether it can be worked on, and what has become of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks show T-3
  ralph tasks show US-7 --prd prd.json --json | jq .task.acceptance_criteria")]
pub(crate) struct ShowArgs {
    /// The task
    #[arg(value_parser = TaskId::of_backlog)]
    id: TaskId,
    /// Print it as JSON (docs/schema/task.json)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerFlags,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Shown {
    /// prd, markdown, beads, beads-bv, github, linear, jira or native.
    tracker: String,
    /// The file, or the program and its directory.
    source: String,
    task: Item,
    /// Whether it could be worked on now.
    ready: bool,
    /// Why it is where it is in the order, or why it is not in it.
    why: String,
    /// Tasks that wait for it.
    dependents: Vec<TaskId>,
    /// Tasks that are parts of it.
    children: Vec<TaskId>,
    /// What only ralph's own backlog keeps.
    record: Option<Record>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Record {
    /// Why it was completed, cancelled or blocked.
    reason: Option<String>,
    created_at: ralph_core::Timestamp,
    updated_at: ralph_core::Timestamp,
    /// When it was completed or cancelled.
    closed_at: Option<ralph_core::Timestamp>,
    /// The oldest first.
    history: Vec<TaskChange>,
}

/// As much of a value as a line of the history shows, in characters.
const VALUE: usize = 60;

pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let shown = args.shown()?;
    if args.json {
        print_json(&shown);
    } else {
        print(&told(&shown));
    }
    Ok(0)
}

impl ShowArgs {
    fn shown(&self) -> Result<Shown, Problems> {
        let Chosen { mut tracker, .. } = self.tracker.choose()?;
        let backlog = tracker.load().map_err(|error| tracker_problem(&error))?;
        let item = backlog.item(&self.id).ok_or_else(|| {
            Problem::new(format!("there is no task {} in {}", self.id, tracker.source()))
                .next("`ralph tasks --why` lists those that are there")
        })?;
        let record = match tracker.kind() {
            ralph_trackers::Kind::Native => Some(self.record()?),
            ralph_trackers::Kind::Prd
            | ralph_trackers::Kind::Markdown
            | ralph_trackers::Kind::Beads
            | ralph_trackers::Kind::BeadsBv
            | ralph_trackers::Kind::Github
            | ralph_trackers::Kind::Linear
            | ralph_trackers::Kind::Jira => None,
        };
        let order = tracker.order();
        let wanted = ralph_core::backlog::Wanted { order, ..Default::default() };
        let plan = backlog.plan(&wanted);
        let is_it = |one: &Item| one.id == self.id;
        let why = plan.turns.iter().find(|turn| is_it(turn.item)).map(Turn::to_string);
        let held = || plan.held.iter().find(|held| is_it(held.item)).map(|held| Hold::to_string(&held.why));
        Ok(Shown {
            tracker: tracker.kind().name().to_owned(),
            source: tracker.source(),
            ready: backlog.is_ready(&self.id),
            why: why.or_else(held).unwrap_or_default(),
            dependents: backlog.dependents(&self.id).map(|one| one.id.clone()).collect(),
            children: children(&backlog, &self.id),
            task: item.clone(),
            record,
        })
    }

    fn record(&self) -> Result<Record, Problems> {
        let own = self.tracker.own("look at tasks of")?;
        let found = block_on(async {
            let history = own.store.task_history(&self.id).await?;
            Ok((own.store.task(&self.id).await?, history))
        });
        let (record, history) = found.map_err(|error| store_problem(&error))?;
        let record = record.ok_or_else(|| Problem::new(format!("there is no task {}", self.id)))?;
        let TaskRecord { reason, created_at, updated_at, closed_at, .. } = record;
        Ok(Record { reason, created_at, updated_at, closed_at, history })
    }
}

fn children(backlog: &Backlog, id: &TaskId) -> Vec<TaskId> {
    let is_child = |item: &&Item| item.parent.as_ref() == Some(id);
    backlog.items().iter().filter(is_child).map(|item| item.id.clone()).collect()
}

fn told(shown: &Shown) -> String {
    let task = &shown.task;
    let ids = |ids: &[TaskId]| ids.iter().map(TaskId::as_str).collect::<Vec<_>>().join(", ");
    let mut text = format!("{}\n", paint(HEAD, &format!("{}  {}", task.id, inert(&task.title))));
    let kind = if task.kind == Kind::Container { ", holds other tasks" } else { "" };
    text += &format!("{}, priority {}{kind}\n", task.status.name().replace('_', " "), task.priority);
    text += &paint(FAINT, &format!("{}\n", inert(&shown.why)));
    let lines = [
        ("labels", inert(&task.labels.join(", "))),
        ("depends on", ids(&task.depends_on)),
        ("wait for it", ids(&shown.dependents)),
        ("part of", task.parent.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("parts", ids(&shown.children)),
        (
            "reason",
            shown.record.as_ref().and_then(|one| one.reason.as_deref()).map(inert).unwrap_or_default(),
        ),
    ];
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        text += &format!("{name}: {value}\n");
    }
    if !task.description.trim().is_empty() {
        let lines = task.description.trim().lines().map(|line| format!("{}\n", inert(line)));
        text += &format!("\n{}", lines.collect::<String>());
    }
    if !task.acceptance_criteria.is_empty() {
        let lines = task.acceptance_criteria.iter().map(|line| format!("- {}\n", inert(line)));
        text += &format!("\nacceptance criteria:\n{}", lines.collect::<String>());
    }
    let is_told = |key: &str| shown.record.is_some() && key == "completionNotes";
    for (key, value) in task.metadata.iter().filter(|(key, _)| !is_told(key)) {
        text += &paint(FAINT, &format!("{}: {}\n", inert(key), inert(&cut(&plain(value), VALUE))));
    }
    match &shown.record {
        Some(record) => text + "\n" + &record.history.iter().map(happened).collect::<String>(),
        None => text,
    }
}

fn happened(change: &TaskChange) -> String {
    let by = match change.by {
        ralph_store::By::Person => "",
        ralph_store::By::Run => " by a run",
    };
    let what = if change.no == 1 {
        "added".to_owned()
    } else {
        let is_told = |(key, value): &(&String, &Value)| *key != "closed_at" && !value.is_null();
        let told = change.fields.iter().filter(is_told);
        let told =
            told.map(|(key, value)| format!("{} {}", key.replace('_', " "), cut(&plain(value), VALUE)));
        told.collect::<Vec<_>>().join("; ")
    };
    paint(FAINT, &format!("{}  {}{by}\n", moment(change.at), inert(&what)))
}

/// A text as itself, everything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
