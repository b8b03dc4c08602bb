//! `ralph memory add`.

use jiff::Timestamp;
use ralph_core::id::{NoteId, TaskId};
use ralph_core::note::{Citation, Draft, Kind, KindName, Observation, Origin, Scope};
use ralph_engine::anchors;
use ralph_memory::{Shelf, note_down};
use serde::Serialize;

use super::KindArg;
use super::code::graph_of;
use super::opened::{Opened, memory, opened};
use crate::commands::Outcome;
use crate::paths::files_below_root;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;
use crate::words::{print, print_json};

/// Put something down for this project. Secrets are taken out of it first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory add 'Run `make db` before the tests' --kind skill
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
    /// Why it was decided; for a decision only
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// When it happens; for a gotcha only, may be given several times
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
    let project = Project::here(Given::default())?;
    let draft = args.draft(&project)?;
    if !args.supersedes.is_empty() {
        let opened = opened()?;
        args.supersedes.iter().try_for_each(|id| block_on(in_this_project(&opened, id)))?;
    }
    let store = memory(&project)?;
    let added = block_on(note_down(&store, draft, &redactor(), Timestamp::now(), ralph_engine::entropy()));
    let id = added.map_err(|error| store_problem(&error))?;
    if args.json {
        print_json(&Added { id });
    } else {
        print(&format!("remembered as {id}\n"));
    }
    Ok(0)
}

/// A note of this project's has no say in others.
async fn in_this_project(opened: &Opened, id: &NoteId) -> Result<(), Problems> {
    let stands = opened.active(id).await?;
    if stands.iter().any(|(held, _)| held.shelf == Shelf::Project) {
        return Ok(());
    }
    let problem =
        Problem::new(format!("note {id} holds in all projects, and this one would hold here alone"));
    Err(problem
        .next(format!("add it without --supersedes, then `ralph memory promote ID --global` and `ralph memory forget {id}`"))
        .into())
}

impl AddArgs {
    fn draft(&self, project: &Project) -> Result<Draft, Problems> {
        if self.content.trim().is_empty() {
            return Err(Problem::new("there is nothing to remember")
                .next("say what there is to know")
                .into());
        }
        self.fits()?;
        let mut draft = Draft::new(self.kind(), self.content.trim());
        draft.origin = Origin::Person;
        draft.title = self.title.trim().to_owned();
        draft.files = files_below_root(&project.place.root, &self.file)?;
        draft.symbols.clone_from(&self.symbol);
        draft.tags.clone_from(&self.tag);
        draft.citations = self.cite.iter().map(|text| Citation::Other { text: text.clone() }).collect();
        draft.supersedes.clone_from(&self.supersedes);
        draft.source.task.clone_from(&self.task);
        if let Some(task) = &self.task {
            draft.scope = Scope::Task { task: task.clone() };
        }
        self.anchor(&mut draft, project);
        Ok(draft)
    }

    /// What has no place in its kind would be lost.
    fn fits(&self) -> Result<(), Problems> {
        let (option, of) = if self.because.is_some() && self.kind != KindArg::Decision {
            ("--because", "decision")
        } else if !self.trigger.is_empty() && self.kind != KindArg::Gotcha {
            ("--trigger", "gotcha")
        } else {
            return Ok(());
        };
        let kind = KindName::from(self.kind).as_str().replace('_', " ");
        Err(Problem::new(format!("`{option}` is for a {of}, and this is a {kind}"))
            .next(format!("say `--kind {of}`, or put it into the text of the note"))
            .into())
    }

    /// What it is about is looked up in the code, so that a change there is noticed; what is not there yet may come.
    fn anchor(&self, draft: &mut Draft, project: &Project) {
        for path in draft.files.iter().filter(|path| !project.place.root.join(path).exists()) {
            eprintln!("ralph: there is no file {path} here; the note names it all the same");
        }
        let graph = if self.symbol.is_empty() { None } else { graph_of(project) };
        let Some(graph) = graph else { return };
        draft.anchors = anchors(&graph, draft);
        for name in self.symbol.iter().filter(|name| graph.named(name).is_empty()) {
            eprintln!("ralph: the code has no symbol {name}; the note names it all the same");
        }
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
