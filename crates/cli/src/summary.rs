//! What became of each task of a backlog, as people are told.

use ralph_core::event::{Entry, Event};
use ralph_core::id::RunId;
use ralph_core::ledger::{Dealt, Outcome, ledger};

use crate::render::{self, BAD, CALM, FAINT, GOOD, paint, printable};
use crate::words::{counted, cut, since, span};

/// As much of a title as a line shows, in characters.
const TITLE: usize = 48;

/// A line for each task that the run had in hand, and one for all of them; none for a prompt.
pub(crate) fn table(journal: &[Entry]) -> Option<String> {
    let tasks = ledger(journal);
    if tasks.is_empty() {
        return None;
    }
    let width = tasks.iter().map(|dealt| dealt.task.as_str().len()).max().unwrap_or_default();
    let mut text = tasks.iter().map(|dealt| line(dealt, width)).collect::<String>();
    let completed = tasks.iter().filter(|dealt| dealt.outcome == Outcome::Completed).count();
    let open = journal.first().and_then(|entry| match &entry.event {
        Event::RunStarted(started) => started.backlog.as_ref().map(|backlog| backlog.open as usize),
        _ => None,
    });
    let all = open.unwrap_or_default().max(tasks.len());
    text += &format!("  {completed} of {} completed", counted(all as u64, "task"));
    let untouched = all - tasks.len();
    if untouched > 0 {
        text += &format!(", {untouched} not begun; `ralph tasks` shows what is left");
    }
    Some(text + "\n")
}

fn line(dealt: &Dealt, width: usize) -> String {
    let (style, mark, more) = match &dealt.outcome {
        Outcome::Completed => (GOOD, '✔', String::new()),
        Outcome::Skipped { why } => (BAD, '✘', format!("\n  {:width$}    {}", "", cut(why, 2 * TITLE))),
        Outcome::Open => (CALM, '·', String::new()),
    };
    let id = paint(style, &format!("{mark} {:<width$}", dealt.task.as_str()));
    let title = printable(&cut(&dealt.title, TITLE));
    format!("  {id}  {title:<TITLE$}  {}{}\n", paint(FAINT, &took(dealt)), paint(FAINT, &printable(&more)))
}

fn took(dealt: &Dealt) -> String {
    let mut words = vec![counted(dealt.iterations.len() as u64, "iteration")];
    if let Some(ended) = dealt.ended_at {
        words.push(span(since(dealt.started_at, ended)));
    }
    words.extend(render::usage(&dealt.usage));
    words.join(", ")
}

/// One task, with what its end rests on.
pub(crate) fn task(run: &RunId, dealt: &Dealt) -> String {
    let how = match &dealt.outcome {
        Outcome::Completed => paint(GOOD, "✔ completed"),
        Outcome::Skipped { why } => paint(BAD, &printable(&format!("✘ skipped: {why}"))),
        Outcome::Open => paint(CALM, "· open"),
    };
    let mut text = format!("{how}\n  {}  {}\n", dealt.task, printable(&dealt.title));
    text += &format!("  {}, {}\n", took(dealt), counted(dealt.attempts.into(), "attempt"));
    for check in &dealt.checks {
        text += &format!("  check  {}\n", printable(&check.summary()));
    }
    if let Some(commit) = &dealt.commit {
        text += &format!("  commit {}\n", printable(commit));
    }
    for finding in &dealt.findings {
        text += &format!("  {}\n", printable(finding));
    }
    for stretch in stretches(&dealt.iterations) {
        text += &format!("next: ralph diff {run} {stretch}\n      {}\n", render::faint("what it did"));
    }
    text
}

/// Iterations in a row, as `ralph diff` takes them: others may have been worked on in between.
fn stretches(iterations: &[u32]) -> impl Iterator<Item = String> + '_ {
    let stretches = iterations.chunk_by(|one, other| one + 1 == *other);
    stretches.map(|stretch| match stretch {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}..{last}"),
        [] => String::new(),
    })
}
