//! `ralph tasks edit`.

use jiff::Timestamp;
use ralph_core::backlog::{Kind, Priority, Status};
use ralph_core::id::TaskId;
use ralph_store::{By, TaskEdit, Tasks};

use super::text::{kept, line, priority};
use crate::backlog::TrackerFlags;
use crate::commands::Outcome;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::print;

/// Change a task of the backlog that ralph keeps itself: what is not said stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks edit T-3 --priority 0 --label urgent
  ralph tasks edit T-3 --depends-on T-1 --no-depends-on T-2
  ralph tasks edit T-3 --clear-criteria --criteria \"make check passes\"
  ralph tasks edit T-3 --status cancelled --reason \"nobody needs it\"")]
pub(crate) struct EditArgs {
    /// The task
    #[arg(value_parser = TaskId::of_backlog)]
    id: TaskId,
    /// What is to be done, in a few words
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// What there is to know about it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Take all criteria away, before those of --criteria are added
    #[arg(long)]
    clear_criteria: bool,
    /// One thing more that must hold when it is done; may be given several times
    #[arg(long, value_name = "TEXT")]
    criteria: Vec<String>,
    /// Put a label on it; may be given several times
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// Take a label off; may be given several times
    #[arg(long, value_name = "LABEL")]
    no_label: Vec<String>,
    /// From 0, critical, to 4
    #[arg(long, value_name = "NUMBER", value_parser = priority)]
    priority: Option<Priority>,
    /// What must be done before; several with commas between, or the option several times
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = TaskId::of_backlog)]
    depends_on: Vec<TaskId>,
    /// What it need not wait for any more
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = TaskId::of_backlog)]
    no_depends_on: Vec<TaskId>,
    /// What must wait for it
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = TaskId::of_backlog)]
    blocks: Vec<TaskId>,
    /// What need not wait for it any more
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = TaskId::of_backlog)]
    no_blocks: Vec<TaskId>,
    /// The task that it is a part of
    #[arg(long, value_name = "ID", value_parser = TaskId::of_backlog)]
    parent: Option<TaskId>,
    /// It is a part of nothing
    #[arg(long, conflicts_with = "parent")]
    no_parent: bool,
    /// Whether it is worked on itself
    #[arg(long, value_enum)]
    kind: Option<KindName>,
    /// How it stands
    #[arg(long, value_enum)]
    status: Option<StatusName>,
    /// Why it stands so
    #[arg(long, value_name = "TEXT", requires = "status")]
    reason: Option<String>,
    #[command(flatten)]
    tracker: TrackerFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum KindName {
    /// Something to do
    Work,
    /// It only holds other tasks together, as an epic does
    Container,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum StatusName {
    Open,
    InProgress,
    Blocked,
    Completed,
    Cancelled,
}

impl StatusName {
    fn status(self) -> Status {
        match self {
            StatusName::Open => Status::Open,
            StatusName::InProgress => Status::InProgress,
            StatusName::Blocked => Status::Blocked,
            StatusName::Completed => Status::Completed,
            StatusName::Cancelled => Status::Cancelled,
        }
    }
}

pub(crate) fn run(args: &EditArgs) -> Outcome {
    let edits = args.edits()?;
    if edits.is_empty() {
        let next = format!("`ralph tasks edit {} --help` lists what can be", args.id);
        return Err(Problem::new("nothing is to be changed").next(next).into());
    }
    let own = args.tracker.own("edit tasks of")?;
    let edited = block_on(own.store.edit_task(&args.id, edits, Timestamp::now(), By::Person));
    let edited = edited.map_err(|error| store_problem(&error))?;
    let told = if edited.has_changed { "changed" } else { "nothing has changed, it was so already:" };
    print(&format!("{told} {}\n{}", args.id, own.note()));
    Ok(0)
}

impl EditArgs {
    fn edits(&self) -> Result<Vec<TaskEdit>, Problems> {
        let mut edits = Vec::new();
        if let Some(title) = &self.title {
            edits.push(TaskEdit::Title(line("the title", title)?));
        }
        edits.extend(self.description.as_deref().map(|text| TaskEdit::Description(kept(text))));
        edits.extend(self.clear_criteria.then_some(TaskEdit::ClearCriteria));
        for text in &self.criteria {
            edits.push(TaskEdit::AddCriterion(line("a criterion", text)?));
        }
        edits.extend(self.no_label.iter().cloned().map(TaskEdit::RemoveLabel));
        for text in &self.label {
            edits.push(TaskEdit::AddLabel(line("a label", text)?));
        }
        edits.extend(self.priority.map(TaskEdit::Priority));
        edits.extend(self.no_depends_on.iter().cloned().map(TaskEdit::RemoveDependency));
        edits.extend(self.depends_on.iter().cloned().map(TaskEdit::AddDependency));
        edits.extend(self.no_blocks.iter().cloned().map(TaskEdit::RemoveBlocked));
        edits.extend(self.blocks.iter().cloned().map(TaskEdit::AddBlocked));
        edits.extend(self.no_parent.then_some(TaskEdit::Parent(None)));
        edits.extend(self.parent.clone().map(|parent| TaskEdit::Parent(Some(parent))));
        edits.extend(self.kind.map(|kind| match kind {
            KindName::Work => TaskEdit::Kind(Kind::Work),
            KindName::Container => TaskEdit::Kind(Kind::Container),
        }));
        let reason = self.reason.as_deref().map(kept);
        edits.extend(self.status.map(|status| TaskEdit::Status(status.status(), reason)));
        Ok(edits)
    }
}
