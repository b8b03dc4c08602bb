//! `ralph logs`.

use ralph_core::event::{Event, Line};

use super::Outcome;
use crate::follow::{Followed, Walk};
use crate::project::{Project, block_on, find_run};
use crate::screen::{Screen, Show};
use crate::settings::Given;
use crate::words::print;

/// Show what happened in a run and what the agent printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph logs                     the latest run
  ralph logs --follow            as it comes, until the run stops
  ralph logs --iteration 3 --json")]
pub(crate) struct Args {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// Go on until the run stops
    #[arg(long, short)]
    follow: bool,
    /// Only this iteration
    #[arg(long, value_name = "N")]
    iteration: Option<u32>,
    /// Print one JSON object per line (docs/events.md)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = project.existing_store()?;
        let id = find_run(&store, &project.place, args.run.as_deref()).await?;
        let how = if args.json { Show::Json } else { Show::People { output: true } };
        let mut screen = Screen::new(how);
        let mut take = |line: Line| {
            if args.iteration.is_none_or(|wanted| iteration_of(&line) == Some(wanted)) {
                screen.take(&line);
            }
        };
        let mut walk = Walk::new(&store, &project.place, id);
        let followed = if args.follow {
            walk.follow(&mut take).await?
        } else {
            walk.advance(&mut take).await?;
            Followed::ToItsEnd
        };
        screen.close();
        if followed == Followed::ToACrash && !args.json {
            print("no process is driving this run any more; `ralph resume` goes on with it\n");
        }
        Ok(0)
    })
}

fn iteration_of(line: &Line) -> Option<u32> {
    match line {
        Line::Output(output) => Some(output.iteration),
        Line::Agent(told) => Some(told.iteration),
        Line::Journal(entry) => match &entry.event {
            Event::IterationStarted { iteration, .. }
            | Event::AttemptStarted { iteration, .. }
            | Event::AgentSpawned { iteration, .. }
            | Event::AttemptEnded { iteration, .. }
            | Event::Verdict { iteration, .. }
            | Event::Checked { iteration, .. }
            | Event::Progress { iteration, .. }
            | Event::IterationEnded { iteration, .. }
            | Event::TaskCompleted { iteration, .. }
            | Event::QuestionAsked { iteration, .. }
            | Event::TaskSkipped { iteration, .. }
            | Event::AgentChosen { iteration, .. } => Some(*iteration),
            Event::RunStarted(_)
            | Event::RunResumed {}
            | Event::Baseline { .. }
            | Event::ControlApplied { .. }
            | Event::Waiting { .. }
            | Event::Paused {}
            | Event::Unpaused {}
            | Event::AgentChanged { .. }
            | Event::AllLimited { .. }
            | Event::QuestionAnswered { .. }
            | Event::QuestionAssumed { .. }
            | Event::Limit { .. }
            | Event::Notice { .. }
            | Event::RunStopped { .. } => None,
        },
    }
}
