//! `ralph prd new`: a backlog that an agent drafts, and ralph checks and writes.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use ralph_core::backlog::{Finding, Severity};
use ralph_store::settle;
use ralph_trackers::Overwrite;
use serde::Serialize;

use super::check::listed;
use crate::commands::run::from_here;
use crate::commands::tasks::{added_to_own, into_own};
use crate::commands::{Outcome, here};
use crate::conversation::{Conversation, Description, described};
use crate::crew::crew;
use crate::drafting::{Desk, Draft};
use crate::format::{Format, write_file};
use crate::perform::{inherited, redactor, staff};
use crate::problem::{Place, Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::prompt;
use crate::settings::Given;
use crate::settings::flags::AskFlags;
use crate::words::{counted, print, print_json};

/// Draft a backlog with an agent: it asks, you answer, and ralph checks what it answers and writes it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph prd new --agent claude               say what is wanted, and answer what the agent asks
  ralph prd new --from idea.md               nobody is asked; the agent decides what is left open
  ralph prd new --from - --to markdown --out TASKS.md < idea.md

The agent is started without what lets it work unasked, and writes nothing itself. Its draft is checked
as `ralph prd check` does, and it is told what was found up to three times.

Exit codes: 1 if the agent failed, or its draft is still wrong; then nothing is written.")]
pub(crate) struct Args {
    /// What is wanted, in a file, or `-` for all of standard input; asked for by default
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Where to write it; prd.json or TASKS.md here by default
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The format to write
    #[arg(long, value_enum, default_value = "prd")]
    to: To,
    /// Write over a file that is there, of which a copy is kept beside it
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    who: AskFlags,
    /// How many seconds it may take for each answer
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    patience: u32,
    /// Allow what the project's configuration asks to run, without `ralph trust`
    #[arg(long)]
    yes: bool,
    /// Print what was written as JSON (docs/schema/prd-new.json)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum To {
    /// A prd.json, as ralph-tui and snarktank's ralph have it
    Prd,
    /// A checklist
    Markdown,
    /// The backlog that ralph keeps itself
    Native,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Drafted {
    /// The file that was written; null for ralph's own backlog.
    path: Option<PathBuf>,
    /// What was there before, where it was kept.
    copy: Option<PathBuf>,
    format: To,
    tasks: usize,
    /// How often the agent was asked.
    askings: u32,
    /// How many questions of its own were put.
    questions: usize,
    /// What `ralph prd check` still says.
    findings: Vec<Finding>,
}

pub(super) fn run(args: &Args) -> Outcome {
    let target = args.target()?;
    let mut given = Given::default();
    args.who.add_to(&mut given);
    let project = Project::here(given)?;
    let redactor = redactor();
    let desk = args.desk(project, &redactor)?;
    let description = match &args.from {
        Some(file) => Description::Whole(read(file)?),
        None => Description::Told(described(std::io::stdin().is_terminal())?),
    };
    let mut conversation = Conversation::new(description, &redactor);
    let draft = desk.draft(&mut conversation)?;
    write(args, target.as_deref(), &desk, &draft, &conversation)
}

impl Args {
    /// Refused before anybody is asked anything.
    fn target(&self) -> Result<Option<PathBuf>, Problems> {
        let format = match (self.to, &self.out) {
            (To::Native, Some(_)) => {
                let what = "ralph's own backlog is not written to a file";
                return Err(Problem::new(what).next("leave out --out").into());
            }
            (To::Native, None) => return Ok(None),
            (To::Prd, _) => Format::Prd,
            (To::Markdown, _) => Format::Markdown,
        };
        let path = here()?.join(self.out.clone().unwrap_or_else(|| format.file_name().into()));
        if !self.force && path.symlink_metadata().is_ok() {
            return Err(Problem::new("this file is there already")
                .at(Place::from(path))
                .next("name another with --out, or --force, which keeps a copy")
                .into());
        }
        Ok(Some(path))
    }

    fn desk(&self, project: Project, redactor: &ralph_core::redact::Redactor) -> Result<Desk, Problems> {
        settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
        let store = project.store()?;
        let typed = project.loaded.command_is_typed();
        let staff = staff(&project.loaded, &project.place.root)?;
        let (place, _, mut settings) = block_on(project.settings(&store, self.yes))?;
        if typed {
            let words = settings.agent.command.take();
            let here = here()?;
            settings.agent.command = words.map(|words| from_here(words, &here));
        }
        let crew = crew(&settings, &staff, redactor)?;
        let patience = Duration::from_secs(self.patience.into());
        Desk::open(&place, &staff, &crew, inherited(&settings), patience)
    }
}

fn read(file: &Path) -> Result<String, Problems> {
    let (text, _) = match file.to_str() {
        Some("-") => prompt::read("-", &[])?,
        _ => (prompt::file(file)?, Vec::new()),
    };
    Ok(text)
}

fn write(
    args: &Args,
    target: Option<&Path>,
    desk: &Desk,
    draft: &Draft,
    conversation: &Conversation<'_>,
) -> Outcome {
    let mut drafted = Drafted {
        path: target.map(Path::to_owned),
        copy: None,
        format: args.to,
        tasks: draft.items.len(),
        askings: conversation.askings(),
        questions: conversation.turns().len(),
        findings: draft.findings.clone(),
    };
    let Some(target) = target else {
        let file = desk.keep(&Format::Prd.write(&draft.context, &draft.items))?;
        if !args.json {
            return into_own(&file, None);
        }
        added_to_own(&file)?;
        print_json(&drafted);
        return Ok(0);
    };
    let format = if args.to == To::Markdown { Format::Markdown } else { Format::Prd };
    let mut overwrite = Overwrite::Never;
    if args.force && target.symlink_metadata().is_ok() {
        drafted.copy = Some(copy_beside(target)?);
        overwrite = Overwrite::Allowed;
    }
    write_file(target, &format.write(&draft.context, &draft.items), overwrite, None)?;
    if args.json {
        print_json(&drafted);
        return Ok(0);
    }
    print(&listed(&drafted.findings));
    if let Some(copy) = &drafted.copy {
        print(&format!("what was there is in {}\n", copy.display()));
    }
    print(&format!("wrote {} to {}\n", counted(drafted.tasks as u64, "task"), target.display()));
    print("next: read it, then `ralph tasks` and `ralph run`\n");
    let errors = drafted.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    Ok(u8::from(errors > 0))
}

/// The file as it is, under a name that nothing had.
fn copy_beside(target: &Path) -> Result<PathBuf, Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(format!("cannot keep a copy of this file: {error}"))
            .at(Place::from(target.to_owned()))
            .exit(1)
    };
    for number in 1..=1_000 {
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let copy = PathBuf::from(name);
        match std::fs::hard_link(target, &copy) {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(std::io::Error::other("there are a thousand copies already")))
}
