//! The checks of a run: those of the configuration, and those found in the project for the criteria that are wanted.

use std::path::Path;

use ralph_checks::discover::{defined_by_line, defined_by_words, defined_in, scripts};
use ralph_checks::{Proposal, discover};
use ralph_core::check::{Check, Command, Criterion};
use ralph_core::redact::Redactor;
use ralph_engine::{definition, patterns_without_files};
use ralph_store::{SqliteStore, Store};

use crate::crew::no_secret;
use crate::problem::{Place, Problem, Problems, visible};
use crate::project::store_problem;
use crate::settings::Settings;
use crate::settings::check::Wanted;

/// What a run is to be checked with.
pub(crate) struct Chosen {
    pub(crate) checks: Vec<Check>,
    /// What was found in the project's own files, and from what; it needs trust.
    pub(crate) found: Vec<Proposal>,
}

pub(crate) fn choose(settings: &Settings, root: &Path) -> Result<Chosen, Problems> {
    let defined = |check: Check| Check {
        defined_in: definition_of(&check.command, root, check.dir.as_deref()),
        ..check
    };
    let mut checks: Vec<Check> = settings.checks.iter().cloned().map(defined).collect();
    let mut found = Vec::new();
    let proposals = if settings.criteria.is_empty() { Vec::new() } else { discover(root) };
    for wanted in &settings.criteria {
        if checks.iter().any(|check| check.criterion == wanted.criterion && wanted.command.is_none()) {
            continue;
        }
        let (command, defined_in) = match &wanted.command {
            Some(command) => {
                let command = Command::Shell(command.clone());
                let defined_in = definition_of(&command, root, None);
                (command, defined_in)
            }
            None => {
                let proposal =
                    first(&proposals, wanted.criterion).ok_or_else(|| nothing_for(wanted, root))?;
                found.push(proposal.clone());
                (Command::Program(proposal.command.clone()), defined_in(root, proposal))
            }
        };
        checks.push(Check {
            name: unique(wanted.criterion.name(), &checks),
            criterion: wanted.criterion,
            command,
            dir: None,
            env: std::collections::BTreeMap::new(),
            timeout: settings.check_timeout,
            defined_in,
        });
    }
    Ok(Chosen { checks, found })
}

/// The checks, once the project may have its own commands run.
pub(crate) async fn trusted_checks(
    settings: &Settings,
    root: &Path,
    store: &SqliteStore,
    yes: bool,
) -> Result<Vec<Check>, Problems> {
    let Chosen { checks, found } = choose(settings, root)?;
    if found.is_empty() || yes {
        return Ok(checks);
    }
    let Some((hash, listing)) = found_digest(root) else { return Ok(checks) };
    let granted = store.is_trusted(&key(root), &hash).await.map_err(|error| store_problem(&error))?;
    if granted {
        return Ok(checks);
    }
    let listing: String = listing.iter().map(|line| format!("\n  {}", visible(line))).collect();
    let problem = Problem::new(format!(
        "this project is not trusted, and its own files say what its checks run: it{listing}"
    ));
    Err(problem
        .at(Place::from(root.to_owned()))
        .next("read it, then allow it with `ralph trust`, or use --yes this once")
        .into())
}

/// Who types a pattern means files that are there.
pub(crate) fn protects_something(patterns: &[String], root: &Path) -> Result<(), Problem> {
    match patterns_without_files(root, patterns).first() {
        None => Ok(()),
        Some(pattern) => {
            Err(Problem::new(format!("--protect: no file is there that `{}` names", visible(pattern)))
                .at(Place::from(root.to_owned()))
                .next(
                    "patterns are as in a .gitignore, below this directory: `tests`, `tests/**`, `*.test.ts`",
                ))
        }
    }
}

/// What a check runs is stored with the run and told to the agent, so a secret in it is refused.
pub(crate) fn without_secrets(checks: &[Check], redactor: &Redactor) -> Result<(), Problem> {
    for check in checks {
        let set = check.env.iter().map(|(name, value)| format!("{name}={value}"));
        let texts: Vec<String> = check
            .command
            .words()
            .into_iter()
            .chain([check.command.to_string(), check.name.clone()])
            .chain(set)
            .chain(check.env.values().cloned())
            .collect();
        let name = visible(&redactor.text(&check.name));
        no_secret(&texts, redactor, &format!("the check {name}"), "it")?;
    }
    Ok(())
}

/// What a grant for the commands that a project defines is stored under.
pub(crate) fn key(root: &Path) -> String {
    format!("{}#checks", root.to_string_lossy())
}

fn first(proposals: &[Proposal], criterion: Criterion) -> Option<&Proposal> {
    proposals.iter().find(|proposal| of(proposal) == criterion)
}

fn of(proposal: &Proposal) -> Criterion {
    match proposal.criterion {
        ralph_checks::Criterion::TestPass => Criterion::TestPass,
        ralph_checks::Criterion::BuildSuccess => Criterion::BuildSuccess,
        ralph_checks::Criterion::LintClean => Criterion::LintClean,
        ralph_checks::Criterion::TypeCheck => Criterion::TypeCheck,
    }
}

fn unique(name: &str, checks: &[Check]) -> String {
    let taken = |name: &str| checks.iter().any(|check| check.name == name);
    let numbered = (2..).map(|n| format!("{name} {n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).expect("numbers do not end")
}

fn nothing_for(wanted: &Wanted, root: &Path) -> Problem {
    let name = wanted.criterion.name();
    Problem::new(format!("no command for {name} was found in this project"))
        .at(Place::from(root.to_owned()))
        .next(format!("give one: --criteria {name}='COMMAND', or a [[check]] in .ralph/config.toml"))
}

/// What a command that was given is defined in; `dir` is where it runs, below the root.
fn definition_of(command: &Command, root: &Path, dir: Option<&str>) -> Vec<String> {
    let dir = dir.unwrap_or_default();
    match command {
        Command::Shell(line) => defined_by_line(root, dir, line),
        Command::Program(words) => defined_by_words(root, dir, words),
    }
}

/// What trust in the commands that a project defines is keyed by: all of them, with what they are defined by.
pub(crate) fn found_digest(root: &Path) -> Option<(String, Vec<String>)> {
    let found = discover(root);
    let mut hash = blake3::Hasher::new();
    let mut listing = Vec::new();
    for proposal in &found {
        let name = of(proposal).name();
        let words = shell_words::join(&proposal.command);
        hash.update(name.as_bytes()).update(b"\0").update(words.as_bytes()).update(b"\0");
        for file in scripts(&proposal.command) {
            hash.update(definition(root, file).as_bytes());
        }
        listing.push(format!("has for {name}, where that is asked for: {words} ({})", proposal.why));
    }
    (!found.is_empty()).then(|| (hash.finalize().to_hex().to_string(), listing))
}
