//! `ralph inbox` and `ralph answer`: what agents asked, and what they are told.

use jiff::Timestamp;
use ralph_core::control::Control;
use ralph_core::id::RunId;
use ralph_core::question::{Fate, Question};
use ralph_core::run::Run;
use ralph_engine::output::printable;
use ralph_store::{SqliteStore, Store};
use serde::Serialize;

use super::Outcome;
use super::control::ask;
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, find_run, store_problem};
use crate::settings::Given;
use crate::words::{moment, print, print_json, since, span};

/// Show what agents asked and nobody has answered.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph inbox
  ralph inbox --all --json")]
pub(crate) struct InboxArgs {
    /// The run's id or the beginning of it; all unfinished runs of this directory by default
    run: Option<String>,
    /// Answered questions too, and those of finished runs
    #[arg(long)]
    all: bool,
    /// Print it as JSON (docs/schema/inbox.json)
    #[arg(long)]
    json: bool,
}

/// Answer what an agent asked: a run that waits for it goes on, and the next brief carries it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph answer \"use the port of the old server\"
  ralph answer --question 2 \"neither, ask the user at start-up\"")]
pub(crate) struct AnswerArgs {
    text: String,
    /// The question's number, as `ralph inbox` shows it; needed where several are open
    #[arg(long, value_name = "N")]
    question: Option<u32>,
    /// The run's id or the beginning of it; the one that asked by default
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
}

/// One question, as `inbox --json` prints it.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(crate) struct Asked {
    run: RunId,
    #[serde(flatten)]
    question: Question,
}

pub(crate) fn inbox(args: InboxArgs) -> Outcome {
    let project = Project::here(Given::default())?;
    let asked = block_on(async {
        let store = project.existing_store()?;
        let runs = match &args.run {
            Some(_) => vec![find_run(&store, &project.place, args.run.as_deref()).await?],
            None => all_runs(&store).await?,
        };
        questions(&store, runs, args.all).await
    })?;
    if args.json {
        print_json(&asked);
    } else if asked.is_empty() {
        print("no open questions\n");
    } else {
        print(&asked.iter().map(tell).collect::<String>());
    }
    Ok(0)
}

pub(crate) fn answer(args: AnswerArgs) -> Outcome {
    super::by_a_person("wait for the person who was asked")?;
    if args.text.trim().is_empty() {
        return Err(Problem::new("there is no answer").next("ralph answer \"TEXT\"").into());
    }
    let project = Project::here(Given::default())?;
    let asked = block_on(async {
        let store = project.existing_store()?;
        let runs = match &args.run {
            Some(_) => vec![find_run(&store, &project.place, args.run.as_deref()).await?],
            None => all_runs(&store).await?,
        };
        questions(&store, runs, false).await
    })?;
    let Asked { run, question } = the_one(asked, args.question)?;
    let text = redactor().text(&args.text).into_owned();
    let control = Control::Answer { question: question.no, text };
    ask(Some(run.to_string()), control, "takes the answer into its next brief")
}

async fn all_runs(store: &SqliteStore) -> Result<Vec<RunId>, Problems> {
    let runs = store.runs(usize::MAX).await.map_err(|error| store_problem(&error))?;
    Ok(runs.into_iter().map(|run| run.id).collect())
}

/// The questions of these runs that an answer can help, or all of them.
async fn questions(store: &SqliteStore, runs: Vec<RunId>, all: bool) -> Result<Vec<Asked>, Problems> {
    let mut asked = Vec::new();
    for id in runs {
        let run: Option<Run> = store.run(&id).await.map_err(|error| store_problem(&error))?;
        let Some(run) = run.filter(|run| all || run.is_unfinished()) else { continue };
        let of_run = run.inbox.questions().iter().filter(|question| all || question.is_unanswered());
        asked.extend(of_run.map(|question| Asked { run: id.clone(), question: question.clone() }));
    }
    Ok(asked)
}

fn the_one(mut asked: Vec<Asked>, number: Option<u32>) -> Result<Asked, Problem> {
    if let Some(number) = number {
        asked.retain(|asked| asked.question.no.0 == number);
    }
    match (asked.len(), number) {
        (1, _) => Ok(asked.remove(0)),
        (0, None) => {
            Err(Problem::new("nobody asks anything").next("`ralph inbox --all` shows earlier questions"))
        }
        (0, Some(number)) => {
            let problem = Problem::new(format!("there is no open question {number}"));
            Err(problem.next("`ralph inbox` shows those that are open"))
        }
        (_, _) => {
            let problem = Problem::new("several questions are open; which one is answered?");
            let lines = asked.iter().map(|asked| {
                let text = printable(asked.question.text.lines().next().unwrap_or_default()).into_owned();
                format!("--run {} --question {}: {text}", asked.run, asked.question.no)
            });
            Err(lines.fold(problem, Problem::next))
        }
    }
}

fn tell(asked: &Asked) -> String {
    let Asked { run, question } = asked;
    let ago = span(since(question.asked_at, Timestamp::now()));
    let mut text = format!(
        "question {}  run {run}, iteration {}, asked {ago} ago ({})\n",
        question.no,
        question.iteration,
        moment(question.asked_at)
    );
    for line in question.text.lines() {
        text += &format!("  {}\n", printable(line));
    }
    text += &match &question.fate {
        Fate::Open => "  open: `ralph answer \"TEXT\"`\n".to_owned(),
        Fate::Answered { answer } => format!("  answered: {}\n", printable(answer)),
        Fate::Assumed { assumption: None } => {
            "  not answered in time: the agent decides; an answer still helps\n".to_owned()
        }
        Fate::Assumed { assumption: Some(assumption) } => {
            format!("  not answered in time; assumed: {}\n", printable(assumption))
        }
    };
    text
}
