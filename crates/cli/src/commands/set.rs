//! `ralph set`: what a run is held to or worked on by, from its next iteration on.

use ralph_core::control::{Change, Control};
use ralph_core::id::AgentName;
use ralph_core::run::Run;

use super::Outcome;
use super::control::ask_after;
use crate::crew;
use crate::perform::{redactor, staff};
use crate::problem::{Problem, Problems};
use crate::project::Project;

const FROM_THEN: &str = "takes that up from the next iteration on";

/// Change a run while it is on.
///
/// It counts from the next iteration on. A stopped run takes it up when it is resumed, and one that stands still because
/// every agent is at its limit takes up another agent at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph set iterations +5
  ralph set agent codex        another agent goes on, and is told that it takes over
  ralph set model opus")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Setting,
}

#[derive(Debug, clap::Subcommand)]
enum Setting {
    /// How many iterations the run may have: `20`, or `+5`, `-2`
    Iterations {
        #[arg(allow_hyphen_values = true)]
        change: String,
        /// The run's id or the beginning of it; the latest by default
        run: Option<String>,
    },
    /// Which agent works, with the model and effort that the run has for it; routes no longer choose
    Agent {
        /// As `ralph agents` names it
        name: String,
        /// The run's id or the beginning of it; the latest by default
        run: Option<String>,
    },
    /// Which model the agent uses
    Model {
        /// As the agent calls it
        name: String,
        /// The run's id or the beginning of it; the latest by default
        run: Option<String>,
    },
    /// How hard the agent thinks
    Effort {
        /// In the agent's own words
        value: String,
        /// The run's id or the beginning of it; the latest by default
        run: Option<String>,
    },
}

pub(crate) fn run(args: Args) -> Outcome {
    super::by_a_person("work within the limits that the run has, or ask the person who started it")?;
    match args.what {
        Setting::Iterations { change, run } => {
            let control = Control::SetIterations { change: parse_change(&change)? };
            ask_after(run, control, FROM_THEN, |_, _| Ok(()))
        }
        Setting::Agent { name, run } => {
            let agent = AgentName::parse(&name)
                .map_err(|error| Problem::new(error.to_string()).next("`ralph agents` lists the agents"))?;
            ask_after(run, Control::SetAgent { agent }, FROM_THEN, usable)
        }
        Setting::Model { name, run } => {
            let model = said(&name, "model")?;
            ask_after(run, Control::SetModel { model }, FROM_THEN, usable)
        }
        Setting::Effort { value, run } => {
            let effort = said(&value, "effort")?;
            ask_after(run, Control::SetEffort { effort }, FROM_THEN, usable)
        }
    }
}

/// It is stored with the run, so neither nothing nor a secret.
fn said(text: &str, what: &str) -> Result<String, Problems> {
    if text.trim().is_empty() {
        return Err(Problem::new(format!("no {what} is given"))
            .next(format!("ralph set {what} NAME"))
            .into());
    }
    if redactor().text(text) != text {
        return Err(
            Problem::new(format!("that looks like a secret and not like the name of a {what}")).into()
        );
    }
    Ok(text.to_owned())
}

/// What cannot work is refused before it is asked for.
fn usable(project: &Project, run: &Run) -> Result<(), Problems> {
    let staff = staff(&project.loaded, &project.place.root)?;
    crew::check(&run.crew, &staff, &run.policy.limits, &run.policy.completion.require)
}

fn parse_change(given: &str) -> Result<Change, Problems> {
    let wrong = || {
        Problem::new(format!("`{given}` is not a number of iterations"))
            .next("write a number from 1 to 1000000, or a change such as +5 or -2")
    };
    let change = if given.starts_with(['+', '-']) {
        Change::By(given.parse().map_err(|_| wrong())?)
    } else {
        Change::To(given.parse().map_err(|_| wrong())?)
    };
    match change {
        Change::To(0) | Change::By(0) => Err(wrong().into()),
        Change::To(n) if n > 1_000_000 => Err(wrong().into()),
        Change::By(by) if by.unsigned_abs() > 1_000_000 => Err(wrong().into()),
        Change::To(_) | Change::By(_) => Ok(change),
    }
}
