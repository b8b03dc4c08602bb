//! `ralph memory add`.

use jiff::Timestamp;
use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{Citation, Draft, Kind, Observation, Origin, Scope};
use ralph_memory::note_down;
use serde::Serialize;

use super::KindArg;
use super::opened::memory;
use crate::commands::Outcome;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{block_on, store_problem};
use crate::words::{print, print_json};

/// Put something down for this project. Secrets are taken out of it first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory add \"Run `make db` before the tests\" --kind skill
  ralph memory add \"Two servers cannot share a port\" --kind gotcha --trigger \"tests in parallel\"
  ralph memory add \"SQLite, not Postgres\" --kind decision --because \"one file to back up\"")]
pub(crate) struct AddArgs {
    /// What there is to know
    content: String,
    /// A few words for it
    #[arg(long, value_name = "TEXT", default_value = "")]
    title: String,
    /// What kind of note it is
    #[arg(long, value_enum, default_value = "discovery")]
    kind: KindArg,
    /// A file that it is about; may be given several times
    #[arg(long, value_name = "FILE")]
    file: Vec<String>,
    /// A symbol that it is about; may be given several times
    #[arg(long, value_name = "NAME")]
    symbol: Vec<String>,
    /// A tag; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// What it rests on; may be given several times
    #[arg(long, value_name = "TEXT")]
    cite: Vec<String>,
    /// Why it was decided; for a decision
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// When it happens; for a gotcha, may be given several times
    #[arg(long, value_name = "TEXT")]
    trigger: Vec<String>,
    /// Only for this task, until it is promoted
    #[arg(long, value_name = "ID", value_parser = TaskId::parse)]
    task: Option<TaskId>,
    /// A note that this one takes the place of; may be given several times
    #[arg(long, value_name = "ID", value_parser = NoteId::parse)]
    supersedes: Vec<NoteId>,
    /// Print its id as JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Added {
    id: NoteId,
}

pub(crate) fn run(args: &AddArgs) -> Outcome {
    let draft = args.draft()?;
    let store = memory()?;
    let added = block_on(note_down(&store, draft, &redactor(), Timestamp::now(), ralph_engine::entropy()));
    let id = added.map_err(|error| store_problem(&error))?;
    if args.json {
        print_json(&Added { id });
    } else {
        print(&format!("remembered as {id}\n"));
    }
    Ok(0)
}

impl AddArgs {
    fn draft(&self) -> Result<Draft, Problems> {
        if self.content.trim().is_empty() {
            return Err(Problem::new("there is nothing to remember")
                .next("say what there is to know")
                .into());
        }
        let mut draft = Draft::new(self.kind(), self.content.trim());
        draft.origin = Origin::Person;
        draft.title = self.title.trim().to_owned();
        draft.files.clone_from(&self.file);
        draft.symbols.clone_from(&self.symbol);
        draft.tags.clone_from(&self.tag);
        draft.citations = self.cite.iter().map(|text| Citation::Other { text: text.clone() }).collect();
        draft.supersedes.clone_from(&self.supersedes);
        draft.source.task.clone_from(&self.task);
        if let Some(task) = &self.task {
            draft.scope = Scope::Task { task: task.clone() };
        }
        Ok(draft)
    }

    fn kind(&self) -> Kind {
        let content = || self.content.trim().to_owned();
        match self.kind {
            KindArg::Discovery => Kind::Observation(Observation::Discovery),
            KindArg::Decision => Kind::Observation(Observation::Decision {
                rationale: self.because.clone().unwrap_or_default(),
            }),
            KindArg::Command => Kind::Observation(Observation::Command { command: content() }),
            KindArg::ToolUse => Kind::Observation(Observation::ToolUse { tool: String::new() }),
            KindArg::Skill => Kind::Skill,
            KindArg::Pattern => Kind::Pattern,
            KindArg::Gotcha => Kind::Gotcha { triggers: self.trigger.clone(), terminal: None },
            KindArg::Failure => Kind::Failure { approach: content(), diff: None, errors: Vec::new() },
        }
    }
}
