//! What fails after an attempt is a gotcha to be: with what was changed, and what the terminal showed.

use ralph_core::check::{CheckExit, CheckResult, Criterion, Failure};
use ralph_core::note::{Draft, Kind, Origin, TerminalSnapshot};

use super::Witnessed;
use super::text::{clipped, ending, listed, named};

/// Of one attempt; the rest is seen again if it matters.
const MOST: usize = 3;
const MESSAGE: usize = 600;
const NAME: usize = 160;
const TAIL: usize = 2000;

/// The failures that this attempt brought about come first, those of tests before others.
pub(super) fn candidates(seen: &Witnessed<'_>) -> Vec<Draft> {
    let mut found: Vec<(bool, bool, Draft)> = Vec::new();
    for check in seen.checks.iter().filter(|check| !check.passed) {
        if check.failures.is_empty() {
            found.push((true, true, candidate(seen, check, &check.name, &ending(&check.tail, MESSAGE))));
        }
        for failure in &check.failures {
            let is_old = was_there(seen.before, check, failure);
            let is_other = check.criterion != Criterion::TestPass;
            let mut draft = candidate(seen, check, &named(check, failure), &failure.message);
            let was_checked = seen.before.iter().any(|earlier| earlier.name == check.name);
            draft.tags.extend((was_checked && !is_old).then(|| super::BROKE.to_owned()));
            found.push((is_old, is_other, draft));
        }
    }
    found.sort_by_key(|(is_old, is_other, _)| (*is_old, *is_other));
    let mut drafts: Vec<Draft> = Vec::new();
    for (_, _, draft) in found {
        if drafts.len() < MOST && drafts.iter().all(|other| other.title != draft.title) {
            drafts.push(draft);
        }
    }
    drafts
}

fn was_there(before: &[CheckResult], check: &CheckResult, failure: &Failure) -> bool {
    let same = before.iter().filter(|earlier| earlier.name == check.name);
    same.flat_map(|earlier| &earlier.failures).any(|earlier| earlier.fingerprint == failure.fingerprint)
}

fn candidate(seen: &Witnessed<'_>, check: &CheckResult, name: &str, message: &str) -> Draft {
    let message = clipped(message, MESSAGE);
    let mut triggers = vec![format!("check {}: {}", check.name, clipped(&check.command, NAME))];
    if !seen.sketch.files.is_empty() {
        triggers.push(format!("changes in {}", listed(&seen.sketch.files, 6)));
    }
    if let Some(line) = message.lines().map(str::trim).find(|line| !line.is_empty()) {
        triggers.push(format!("error: {}", clipped(line, NAME)));
    }
    let terminal = snapshot(check);
    let content = if message.is_empty() { check.summary() } else { message };
    let mut draft = Draft::new(Kind::Gotcha { triggers, terminal: Some(terminal) }, content);
    draft.title = format!("{}: {name}", label(check.criterion));
    draft.origin = Origin::Tool;
    draft.files = seen.files();
    draft.citations = vec![seen.cited(check)];
    draft
}

/// The end of what a check printed.
pub(super) fn snapshot(check: &CheckResult) -> TerminalSnapshot {
    let exit_code = match check.exit {
        CheckExit::Code { code } => Some(code),
        CheckExit::Signal { .. } | CheckExit::Timeout | CheckExit::NotStarted { .. } => None,
    };
    TerminalSnapshot { command: check.command.clone(), exit_code, text: ending(&check.tail, TAIL) }
}

fn label(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::TestPass => "Test failure",
        Criterion::BuildSuccess => "Build failure",
        Criterion::LintClean => "Lint finding",
        Criterion::TypeCheck => "Type error",
        Criterion::Custom => "Check failure",
    }
}
