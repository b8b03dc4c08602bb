//! A command that failed and works after another one: that other one is what it needed.

use ralph_core::check::{CheckExit, CheckResult};
use ralph_core::note::{Citation, Draft, Kind, Observation, Origin};

use super::text::clipped;
use super::{Ran, Witnessed};

const MOST: usize = 2;
const COMMAND: usize = 300;

/// Words of commands that put something in place. Others between a failure and a success, such as a search or an edit,
/// are not what made the difference.
const PREPARES: [&str; 32] = [
    "install",
    "ci",
    "sync",
    "migrate",
    "migrations",
    "up",
    "start",
    "build",
    "generate",
    "codegen",
    "init",
    "bootstrap",
    "setup",
    "seed",
    "fetch",
    "pull",
    "restore",
    "prepare",
    "configure",
    "createdb",
    "mkdir",
    "chmod",
    "link",
    "download",
    "provision",
    "deps",
    "db",
    "submodule",
    "vendor",
    "bundle",
    "login",
    "unlock",
];

/// Only where both exit codes were seen. What the checks ran counts as run before and after everything else.
pub(super) fn that_worked(seen: &Witnessed<'_>) -> Vec<Draft> {
    let all: Vec<Ran> = seen
        .before
        .iter()
        .map(ran)
        .chain(seen.ran.iter().cloned())
        .chain(seen.checks.iter().map(ran))
        .collect();
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, worked) in all.iter().enumerate().filter(|(_, one)| one.exit_code == Some(0)) {
        let Some((from, failed)) = last_failure(&all[..at], &worked.command) else { continue };
        let between = all[from + 1..at].iter().rev();
        let Some(needed) = between.into_iter().find(|one| prepares(one, worked)) else { continue };
        let draft = draft(seen, needed, worked, failed);
        if drafts.len() < MOST && drafts.iter().all(|other| other.content != draft.content) {
            drafts.push(draft);
        }
    }
    drafts
}

fn ran(check: &CheckResult) -> Ran {
    let exit_code = match check.exit {
        // A check may fail by what it printed.
        CheckExit::Code { code: 0 } if !check.passed => None,
        CheckExit::Code { code } => Some(code),
        CheckExit::Signal { .. } | CheckExit::Timeout | CheckExit::NotStarted { .. } => None,
    };
    Ran { command: check.command.clone(), exit_code }
}

/// Where the command failed just before: a success in between is the end of it.
fn last_failure<'a>(before: &'a [Ran], command: &str) -> Option<(usize, i32)> {
    let same = |one: &&'a Ran| one.command.trim() == command.trim();
    let at = before.iter().rposition(|one| same(&one))?;
    before[at].exit_code.filter(|code| *code != 0).map(|code| (at, code))
}

fn prepares(one: &Ran, worked: &Ran) -> bool {
    let mut words = one.command.split(|c: char| !c.is_ascii_alphanumeric());
    one.exit_code == Some(0)
        && one.command.trim() != worked.command.trim()
        && one.command.lines().count() == 1
        && words.any(|word| PREPARES.contains(&word))
}

/// A program with a few arguments: no comment, no second command, no sentence.
fn is_plain(command: &str) -> bool {
    const MOST_WORDS: usize = 8;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_=@+-".contains(c);
    let begins = command.trim().starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '/');
    begins && command.chars().all(is_plain) && command.split_whitespace().count() <= MOST_WORDS
}

fn draft(seen: &Witnessed<'_>, needed: &Ran, worked: &Ran, code: i32) -> Draft {
    let [first, then] = [needed, worked].map(|one| clipped(&one.command, COMMAND));
    let content = format!("`{then}` failed with exit code {code} and worked after `{first}`.");
    let mut draft = Draft::new(Kind::Observation(Observation::Command { command: first.clone() }), content);
    draft.title = format!("Run `{first}` before `{then}`");
    let is_seen =
        seen.checks.iter().any(|check| check.command == worked.command) && is_plain(&needed.command);
    // Only ralph's own checks are its own witness, and only a plain command says nothing beside itself.
    draft.origin = if is_seen { Origin::Rule } else { Origin::Agent };
    draft.tags = vec![super::WORKED.to_owned()];
    let (iteration, run) = (seen.iteration, seen.run);
    draft.citations =
        vec![Citation::Other { text: format!("exit codes of iteration {iteration} of run {run}") }];
    draft
}
