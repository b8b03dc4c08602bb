//! `ralph tasks add`.

use std::path::PathBuf;

use jiff::Timestamp;
use ralph_core::backlog::{Kind, Priority};
use ralph_core::id::TaskId;
use ralph_store::{By, NewTask, Tasks};

use super::text::{kept, line, priority, titled};
use crate::backlog::TrackerFlags;
use crate::commands::Outcome;
use crate::problem::Problems;
use crate::project::{block_on, store_problem};
use crate::render::inert;
use crate::words::print;

/// Add a task to the backlog that ralph keeps itself.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks add \"Log in with a passkey\" --criteria \"cargo test login passes\" --priority 1
  ralph tasks add \"Log out\" --depends-on T-1 --label ui
  ralph tasks add \"Accounts\" --epic-container --id accounts
  ralph tasks add --file - < task.txt          the first line is the title")]
pub(crate) struct AddArgs {
    /// What is to be done, in a few words
    #[arg(required_unless_present = "file")]
    title: Option<String>,
    /// Read it from a file, `-` for standard input: the first line is the title, the rest the description
    #[arg(long, value_name = "FILE", conflicts_with_all = ["title", "description"])]
    file: Option<PathBuf>,
    /// What there is to know about it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// What must hold when it is done; may be given several times
    #[arg(long, value_name = "TEXT")]
    criteria: Vec<String>,
    /// A label; may be given several times
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// From 0, critical, to 4; 2 by default
    #[arg(long, value_name = "NUMBER", value_parser = priority)]
    priority: Option<Priority>,
    /// What must be done before; several with commas between, or the option several times
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = TaskId::of_backlog)]
    depends_on: Vec<TaskId>,
    /// What must wait for it; several as above
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = TaskId::of_backlog)]
    blocks: Vec<TaskId>,
    /// The task that it is a part of
    #[arg(long, value_name = "ID", value_parser = TaskId::of_backlog)]
    parent: Option<TaskId>,
    /// What it is called; the next number, as T-3, by default
    #[arg(long, value_name = "ID", value_parser = TaskId::of_backlog)]
    id: Option<TaskId>,
    /// It only holds other tasks together, as an epic does, and is not worked on itself
    #[arg(long)]
    epic_container: bool,
    #[command(flatten)]
    tracker: TrackerFlags,
}

pub(crate) fn run(args: &AddArgs) -> Outcome {
    let task = args.task()?;
    let title = task.title.clone();
    let own = args.tracker.own("add tasks to")?;
    let added = block_on(own.store.add_tasks(vec![task], Timestamp::now(), By::Person));
    let added = added.map_err(|error| store_problem(&error))?;
    let id = added.first().expect("one was added");
    print(&format!("added {id}  {}\n{}", inert(&title), own.note()));
    Ok(0)
}

impl AddArgs {
    fn task(&self) -> Result<NewTask, Problems> {
        let (title, description) = match (&self.file, &self.title) {
            (Some(file), _) => titled(file)?,
            (None, title) => {
                let title = line("the title", title.as_deref().unwrap_or_default())?;
                (title, kept(self.description.as_deref().unwrap_or_default()))
            }
        };
        let lines = |what: &str, texts: &[String]| -> Result<Vec<String>, Problems> {
            texts.iter().map(|text| line(what, text)).collect()
        };
        Ok(NewTask {
            id: self.id.clone(),
            description,
            acceptance_criteria: lines("a criterion", &self.criteria)?,
            labels: lines("a label", &self.label)?,
            priority: self.priority.unwrap_or_default(),
            depends_on: self.depends_on.clone(),
            blocks: self.blocks.clone(),
            parent: self.parent.clone(),
            kind: if self.epic_container { Kind::Container } else { Kind::Work },
            ..NewTask::titled(title)
        })
    }
}
