//! What an iteration was decided from, in words.

use std::time::Duration;

use ralph_core::account::{Account, Compared, Moved, Pass};
use ralph_core::check::{CheckExit, Counts, Failure, Opinion};
use ralph_core::event::LimitsShown;
use ralph_core::promise::Claim;
use ralph_core::verdict::Verdict;

use crate::render::{BAD, CALM, FAINT, GOOD, HEAD, paint, printable};
use crate::words::{counted, cut, span};

/// How many failures of a kind are named.
const NAMED: usize = 8;
/// Lines are cut so that they fit a terminal of 80.
const WIDTH: usize = 78;

pub(crate) fn tell(account: &Account, pass: &Pass) -> String {
    let of = account.limits.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
    let agent = pass.agent.as_ref().map_or(String::new(), |agent| format!(" · {agent}"));
    let attempts = if pass.attempts > 1 { format!(" · {} attempts", pass.attempts) } else { String::new() };
    let mut text = paint(HEAD, &format!("iteration {}{of}{agent}{attempts}", pass.iteration)) + "\n";
    text += &said(pass);
    for check in &pass.checks {
        text += &checked(check);
    }
    for what in &pass.tampering {
        text += &paint(BAD, &format!("  ! {}\n", printable(what)));
    }
    if let Some(judgement) = &pass.judgement {
        let opinion = match judgement.opinion {
            Opinion::Success => "is satisfied",
            Opinion::Failure => "is not satisfied",
            Opinion::Unsure => "gave no answer that could be read",
        };
        text += &format!("  the judge {opinion}: {}\n", printable(&judgement.reason));
    }
    text += &pass.movement.as_ref().map_or(String::new(), |moved| movement(moved, &account.limits));
    text + &verdict(pass)
}

fn said(pass: &Pass) -> String {
    let ending = pass.ending.as_deref().unwrap_or("still at work");
    let claim = match &pass.claim {
        Some(Claim::Made { line }) => format!(", and it says it is done (line {line} of its message)"),
        Some(Claim::Refused { line, why }) => {
            format!(", and what it promises on line {line} does not count: {why}")
        }
        Some(Claim::None) => ", and it does not say that it is done".to_owned(),
        None => String::new(),
    };
    format!("  the agent: {}{}\n", printable(ending), printable(&claim))
}

fn checked(check: &Compared) -> String {
    let (mark, style) = if check.passed { ("✔", GOOD) } else { ("✘", BAD) };
    let exit = match &check.exit {
        CheckExit::Code { code } => format!("exit code {code}"),
        CheckExit::Signal { signal } => format!("ended by signal {signal}"),
        CheckExit::Timeout => "took too long".to_owned(),
        CheckExit::NotStarted { why } => format!("could not be started: {why}"),
    };
    let took = span(Duration::from_millis(check.duration_ms));
    let mut text =
        format!("  {} {}: {}\n", paint(style, mark), printable(&check.name), printable(&check.command));
    text += &format!("      {} after {took}{}\n", printable(&exit), numbers(check));
    text += &failures(BAD, "+ new   ", &check.came);
    text += &failures(CALM, "= still ", &check.stayed);
    text += &failures(GOOD, "- gone  ", &check.went);
    let named = (check.came.len() + check.stayed.len()) as u64;
    if named > 0 && check.failing > named {
        text += &format!("      and {} more than could be named\n", check.failing - named);
    }
    if !check.passed && named == 0 {
        let lines: Vec<&str> = check.tail.lines().filter(|line| !line.trim().is_empty()).collect();
        for line in lines.iter().skip(lines.len().saturating_sub(5)) {
            text += &paint(FAINT, &cut(&format!("      │ {}", printable(line)), WIDTH));
            text += "\n";
        }
    }
    text
}

/// What was counted, and what it was before.
fn numbers(check: &Compared) -> String {
    let arrow = |before: Option<u64>, now: u64| match before {
        Some(before) => format!("{before} → {now}"),
        None => now.to_string(),
    };
    match (check.counts, check.counts_before) {
        (Some(Counts { passed, failed, .. }), before) => format!(
            " · passed {}, failed {}",
            arrow(before.map(|counts| counts.passed), passed),
            arrow(before.map(|counts| counts.failed), failed)
        ),
        (None, _) if check.failing > 0 => format!(" · found {}", arrow(check.failing_before, check.failing)),
        (None, _) => String::new(),
    }
}

fn failures(style: anstyle::Style, mark: &str, failures: &[Failure]) -> String {
    let mut text = String::new();
    for failure in failures.iter().take(NAMED) {
        let message = failure.message.lines().next().unwrap_or_default();
        let words =
            if message.is_empty() { failure.title.clone() } else { format!("{}: {message}", failure.title) };
        let line = cut(&format!("      {mark}{}", printable(&words)), WIDTH);
        text += &(paint(style, &line) + "\n");
    }
    if failures.len() > NAMED {
        text += &format!("      {mark}and {} more\n", failures.len() - NAMED);
    }
    text
}

fn movement(moved: &Moved, limits: &LimitsShown) -> String {
    let of = |max: Option<u32>| max.map_or(String::new(), |max| format!(", the run stops at {max}"));
    let words = match (moved.unchanged, moved.again) {
        (0, None) => format!("something moved: {} changed", counted(moved.files, "file")),
        (0, Some(again)) => {
            let alike =
                moved.alike.map_or(String::new(), |alike| format!(", {alike} % of the changes alike"));
            let repeats = counted(moved.repeats.into(), "repetition");
            format!(
                "in circles: as iteration {again}{alike}, with the same failures ({repeats}{})",
                of(limits.max_circular)
            )
        }
        (unchanged, _) => format!(
            "no progress: files, commits and failures are as before ({} in a row{})",
            counted(unchanged.into(), "iteration"),
            of(limits.max_no_progress)
        ),
    };
    let style = if moved.unchanged > 0 || moved.again.is_some() { CALM } else { FAINT };
    paint(style, &format!("  {words}\n"))
}

fn verdict(pass: &Pass) -> String {
    match &pass.verdict {
        Some(Verdict::Complete { evidence }) => {
            paint(GOOD, &format!("  ✓ complete: {}\n", printable(evidence)))
        }
        Some(Verdict::Incomplete { findings }) => {
            let head = if pass.said_done() { "not complete, whatever it says" } else { "not complete" };
            // What the checks found stands above.
            let only = match findings.as_slice() {
                [only] if pass.checks.is_empty() => format!(": {}", printable(only)),
                [..] => String::new(),
            };
            paint(BAD, &format!("  ✗ {head}{only}\n"))
        }
        None => paint(CALM, "  no verdict\n"),
    }
}
