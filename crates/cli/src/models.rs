//! Which models an agent program has, as it lists them itself.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_agents::Staff;
use ralph_agents::catalog::Entry;
use ralph_core::crew::Crew;
use ralph_core::nearest::nearest;
use ralph_engine::custody::{Launch, Status};
use ralph_engine::environment::Variables;
use ralph_engine::{capture, chain};
use serde::{Deserialize, Serialize};

use crate::perform::bare_guard;
use crate::problem::{Problem, Problems};

/// Programs load plugins and look at the network before they list anything.
const PATIENCE: Duration = Duration::from_secs(60);
const LONGEST: usize = 1 << 20;

/// What a program says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Nothing but names, one a line: whatever is not among them is no model.
    Names(Vec<String>),
    /// For people to read.
    Text(String),
}

impl Listing {
    fn read(printed: &str) -> Listing {
        let lines: Vec<&str> = printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() || lines.iter().any(|line| line.contains(char::is_whitespace)) {
            return Listing::Text(printed.to_owned());
        }
        Listing::Names(lines.into_iter().map(str::to_owned).collect())
    }
}

/// Where and as whom an agent program is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) staff: &'a Staff,
    pub(crate) root: &'a Path,
    pub(crate) environment: &'a Variables,
}

/// Asks the program.
pub(crate) async fn list(entry: &Entry, asking: Asking<'_>) -> Result<Listing, Problem> {
    let name = &entry.name;
    let Some(args) = &entry.models else {
        return Err(Problem::new(format!("{name} cannot list its models"))
            .next("its own documentation names them; give one with --model"));
    };
    let program = asking.staff.program(entry).map_err(|error| {
        Problem::new(format!("{name} is not there: {error}")).next("`ralph agents` shows what is installed")
    })?;
    let mut env = asking.environment.clone();
    env.extend(entry.environment.iter().map(|(name, value)| (name.into(), value.into())));
    env.push(("PWD".into(), asking.root.into()));
    let args = args.iter().map(Into::into).collect();
    let launch = Launch { program: program.clone(), args, env, dir: asking.root.to_owned() };
    let failed = |why: String| {
        Problem::new(format!("{name} did not list its models: {why}"))
            .next(format!(
                "try it by hand: {} {}",
                program.display(),
                entry.models.iter().flatten().cloned().collect::<Vec<_>>().join(" ")
            ))
            .exit(1)
    };
    let captured = capture(bare_guard("models")?, &launch, PATIENCE, LONGEST)
        .await
        .map_err(|error| failed(chain(&error)))?;
    let said = captured.err.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    match captured.status {
        Some(Status::Code(0)) => Ok(Listing::read(&captured.out)),
        Some(Status::Code(code)) => Err(failed(format!("exit code {code} {said}"))),
        Some(Status::Signal(signal)) => Err(failed(format!("ended by signal {signal}"))),
        None => Err(failed(format!("it took longer than {} s", PATIENCE.as_secs()))),
    }
}

/// Refuses a model that its agent does not have, where the agent can be asked. A name that was listed before is taken
/// without asking again: some programs take many seconds to answer.
pub(crate) async fn check(crew: &Crew, state_dir: &Path, asking: Asking<'_>) -> Result<(), Problems> {
    for member in &crew.candidates() {
        let (Some(model), Some(entry)) = (&member.model, asking.staff.entry(&member.agent)) else { continue };
        let known = Known::of(state_dir, entry, asking.staff);
        if entry.models.is_none() || !member.command.is_empty() || known.has(model) {
            continue;
        }
        // A program that does not answer says nothing about the model; the attempt will.
        let Ok(Listing::Names(names)) = list(entry, asking).await else { continue };
        known.remember(&names);
        if !names.contains(model) {
            return Err(unknown(entry, model, &names).into());
        }
    }
    Ok(())
}

fn unknown(entry: &Entry, model: &str, names: &[String]) -> Problem {
    let problem = Problem::new(format!("{} has no model `{model}`", entry.name));
    let problem = match nearest(model, names.iter().map(String::as_str)) {
        Some(near) => problem.next(format!("did you mean `{near}`?")),
        None => problem,
    };
    problem.next(format!("`ralph agents models {}` lists all {}", entry.name, names.len()))
}

/// The names that a program listed last.
struct Known {
    file: PathBuf,
    program: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    program: PathBuf,
    names: Vec<String>,
}

impl Known {
    fn of(state_dir: &Path, entry: &Entry, staff: &Staff) -> Known {
        let file = state_dir.join("models").join(format!("{}.json", entry.name));
        Known { file, program: staff.program(entry).unwrap_or_default() }
    }

    fn has(&self, model: &str) -> bool {
        let text = std::fs::read(&self.file).unwrap_or_default();
        let remembered = serde_json::from_slice::<Remembered>(&text);
        remembered
            .is_ok_and(|known| known.program == self.program && known.names.iter().any(|name| name == model))
    }

    /// Only saves time, so failing to costs nothing else.
    fn remember(&self, names: &[String]) {
        let remembered = Remembered { program: self.program.clone(), names: names.to_vec() };
        let write = || -> std::io::Result<()> {
            let dir = self.file.parent().expect("a file in a directory");
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&self.file)?;
            file.write_all(&serde_json::to_vec(&remembered)?)
        };
        let _only_slower = write();
    }
}

#[cfg(test)]
mod tests {
    use super::Listing;

    #[test]
    fn only_a_plain_list_of_names_is_taken_for_all_there_are() {
        let names = |names: &[&str]| Listing::Names(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(Listing::read("a/one\n\n  a/two\n"), names(&["a/one", "a/two"]));
        for text in ["", "\n", "Models:\n- one\n", "auto - the best one\n"] {
            assert_eq!(Listing::read(text), Listing::Text(text.to_owned()));
        }
    }
}
