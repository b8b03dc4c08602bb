//! `ralph replay`.

use std::time::Duration;

use ralph_core::Timestamp;
use ralph_core::agent_event::Detail;
use ralph_core::event::Line;

use super::Outcome;
use super::logs::LookFlags;
use crate::follow::{Found, Walk};
use crate::problem::Problem;
use crate::project::{Project, block_on, run_to_look_at};
use crate::screen::{Screen, Show};
use crate::settings::Given;
use crate::words::since;

/// No pause of a replay is longer: a night's wait is not worth sitting through again.
const LONGEST: Duration = Duration::from_secs(3);

/// Show a run again, from its first event to its last.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph replay                          the latest run, at once
  ralph replay 1k7zq0m8xw3f --speed 10  ten times as fast as it was")]
pub(crate) struct Args {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// Keep the time between events, divided by this
    #[arg(long, value_name = "FACTOR")]
    speed: Option<f64>,
    /// Leave out what the agent said and did: `--detail off`
    #[arg(long, short, conflicts_with_all = ["detail", "raw"])]
    quiet: bool,
    #[command(flatten)]
    show: LookFlags,
}

pub(crate) fn run(args: Args) -> Outcome {
    if args.speed.is_some_and(|speed| !(speed > 0.0 && speed.is_finite())) {
        return Err(Problem::new("--speed is a number above 0")
            .next("--speed 10 is ten times as fast")
            .into());
    }
    let project = Project::here(Given::default())?;
    block_on(async {
        let store = project.existing_store()?;
        let id = run_to_look_at(&store, &project.place, args.run.as_deref()).await?;
        let (how, reading) = args.show.how(&project.loaded)?;
        let how = match how {
            Show::People { .. } if args.quiet => Show::People { detail: Detail::Off },
            how => how,
        };
        let mut screen = Screen::new(how);
        let mut last = None;
        let mut take = |found: Found<'_>| {
            pace(&mut last, at(&found), args.speed);
            screen.show(&found);
        };
        Walk::new(&store, &project.place, id, reading).advance(&mut take).await?;
        screen.close();
        Ok(0)
    })
}

/// Nothing else goes on while a replay waits.
fn pace(last: &mut Option<Timestamp>, at: Timestamp, speed: Option<f64>) {
    if let (Some(earlier), Some(speed)) = (*last, speed) {
        std::thread::sleep(since(earlier, at).div_f64(speed).min(LONGEST));
    }
    *last = Some(at);
}

fn at(found: &Found<'_>) -> Timestamp {
    match found {
        Found::Bytes { at, .. } => *at,
        Found::Line(line) => match &**line {
            Line::Journal(entry) => entry.at,
            Line::Output(output) => output.at,
            Line::Agent(told) => told.at,
        },
    }
}
