//! The prompt that an attempt sends.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::check::{Judge, Verification};
use crate::policy::Signal;
use crate::progress::Progress;
use crate::promise;
use crate::question::{ASSUMPTION, Fate};
use crate::recollection::Recollection;
use crate::run::{Run, Tried};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    pub text: String,
}

/// Composes the brief of an attempt without anything that is remembered.
pub fn compose(run: &Run, attempt: &Attempt) -> Brief {
    recalling(run, attempt, &Recollection::default())
}

/// Composes the brief of an attempt: where the run stands, what was found and tried, what a person said, what is
/// remembered, the task itself, and how to claim that it is done.
pub fn recalling(run: &Run, attempt: &Attempt, recollection: &Recollection) -> Brief {
    let mut text = String::new();
    paragraph(&mut text, &recollection.constitution);
    if run.tried.is_empty() {
        let _ = writeln!(text, "{}\n", standing(run, attempt));
    } else {
        let _ = writeln!(text, "{} The task is not complete yet.\n", standing(run, attempt));
        text.push_str("Review what is already there and go on from it; do not start over.\n\n");
        tried(&mut text, &run.tried);
        in_vain(&mut text, &run.progress);
    }
    handover(&mut text, run);
    questions(&mut text, run);
    steering(&mut text, &run.steering);
    paragraph(&mut text, &recollection.body());
    let _ = writeln!(text, "# Task\n\n{}\n", run.task.body.trim_end());
    checks(&mut text, &run.policy.verification);
    paragraph(&mut text, &recollection.writing);
    when_done(&mut text, run, attempt);
    Brief { text }
}

fn paragraph(text: &mut String, part: &str) {
    if !part.trim().is_empty() {
        let _ = writeln!(text, "{}\n", part.trim_end());
    }
}

/// What a template cannot compose by itself, empty where there is nothing to say: each under its heading, but for the
/// claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    pub in_vain: String,
    pub handover: String,
    pub questions: String,
    pub checks: String,
    /// How to say that it is done.
    pub claim: String,
}

pub fn parts(run: &Run, attempt: &Attempt) -> Parts {
    let part = |write: &dyn Fn(&mut String)| {
        let mut text = String::new();
        write(&mut text);
        text.trim_end().to_owned()
    };
    Parts {
        in_vain: part(&|text| in_vain(text, &run.progress)),
        handover: part(&|text| handover(text, run)),
        questions: part(&|text| questions(text, run)),
        checks: part(&|text| checks(text, &run.policy.verification)),
        claim: claim(run, attempt),
    }
}

/// What ralph runs itself, so that nobody need guess what counts.
fn checks(text: &mut String, verification: &Verification) {
    if !verification.gives_evidence() {
        return;
    }
    text.push_str("# How it is checked\n\n");
    if verification.asks_an_agent() {
        let also = if verification.judge == Judge::Both { " as well" } else { "" };
        let _ = writeln!(
            text,
            "After you end, another agent is shown what you changed and said, and decides{also}.\n"
        );
    }
    if verification.checks.is_empty() {
        return;
    }
    let weight =
        if verification.judge == Judge::Agent { "it is shown what they find" } else { "they decide" };
    let _ = writeln!(text, "After you end, these are run, and {weight}:\n");
    for check in &verification.checks {
        let _ = writeln!(text, "- {}: `{}`", check.name, check.command);
    }
    text.push_str("\nDo not change what they consist of: tests that vanish and edited checks are noticed.\n");
    if !verification.protect.is_empty() {
        let patterns = verification.protect.join("`, `");
        let _ = writeln!(text, "Nothing may be changed, removed or added in: `{patterns}`.");
    }
    text.push('\n');
}

fn when_done(text: &mut String, run: &Run, attempt: &Attempt) {
    let _ = writeln!(text, "# When it is done\n\n{}", claim(run, attempt));
}

/// How the agent of an attempt is to show that it is done.
pub fn claim(run: &Run, attempt: &Attempt) -> String {
    let require = &run.policy.completion.require;
    let by_tool = require.contains(&Signal::Tool).then_some(
        "Call the tool `task_complete` once, when everything is done and checked, and never before.",
    );
    let by_list = require.contains(&Signal::Todo).then_some(
        "Keep a list of what is to do with your todo tool. Mark each entry as completed when it is done; the task is done \
         when all of them are.",
    );
    let last = if require.contains(&Signal::Promise) {
        promise::instruction(&attempt.promise)
    } else {
        "End with a short account of what you did. Whether it is done is decided as said above.".to_owned()
    };
    by_list.into_iter().chain(by_tool).chain([last.as_str()]).collect::<Vec<_>>().join("\n\n")
}

/// What failed the same way more than once.
fn in_vain(text: &mut String, progress: &Progress) {
    if progress.is_repeating() {
        text.push_str(
            "# You are going in circles\n\nThe last change had been tried before and failed the same way. ",
        );
        text.push_str("These did not help; take another approach:\n\n");
        for approach in progress.approaches() {
            let files = approach.sketch.files.join(", ");
            let _ = writeln!(
                text,
                "- iteration {}: changed {files}; {} failing",
                approach.iteration, approach.failing.count
            );
        }
        text.push('\n');
    } else if let Some(note) = progress.failure_remembered() {
        let _ = writeln!(
            text,
            "# This was tried before\n\nThe last change had been made in an earlier run and failed the same way (note {note}). \
             Take another approach.\n"
        );
    } else if progress.unchanged() > 0 {
        text.push_str(
            "# Nothing has changed\n\nThe last iteration left every file as it was. Make the change.\n\n",
        );
    }
}

fn standing(run: &Run, attempt: &Attempt) -> String {
    let of = run.policy.limits.max_iterations.map_or(String::new(), |max| format!(" of {max}"));
    let again = if attempt.number > 1 { format!(", attempt {}", attempt.number) } else { String::new() };
    format!("This is iteration {}{of}{again}.", attempt.iteration)
}

fn tried(text: &mut String, tried: &[Tried]) {
    text.push_str("# What was tried\n\n");
    for one in tried {
        let _ = writeln!(text, "- iteration {}, attempt {}: {}", one.iteration, one.attempt, one.outcome);
    }
    text.push('\n');
    let Some(last) = tried.last() else { return };
    if !last.findings.is_empty() {
        text.push_str("# What was found last time\n\n");
        for finding in &last.findings {
            let _ = writeln!(text, "- {finding}");
        }
        text.push('\n');
    }
    if !last.output_tail.trim().is_empty() {
        let fence = fence_for(&last.output_tail);
        let _ = writeln!(
            text,
            "The end of the last output:\n\n{fence}\n{}\n{fence}\n",
            last.output_tail.trim_end()
        );
    }
}

/// A fence longer than any in the text, so that what is quoted cannot close it.
pub fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// An agent that takes over knows nothing of what the other did but the tree.
fn handover(text: &mut String, run: &Run) {
    if let Some(handover) = &run.handover {
        let _ = writeln!(
            text,
            "# You take over\n\n{} worked on this before you and no longer does ({}). What it did is in the files; look \
             at them first.\n",
            handover.from, handover.why
        );
    }
}

/// What became of what was asked.
fn questions(text: &mut String, run: &Run) {
    for question in run.inbox.pending(&run.task.id) {
        text.push_str("# You asked\n\n");
        for line in question.text.trim().lines() {
            let _ = writeln!(text, "> {line}");
        }
        let _ = match &question.fate {
            Fate::Answered { answer } => writeln!(text, "\nThe answer: {answer}\n"),
            Fate::Open | Fate::Assumed { .. } => writeln!(
                text,
                "\nNobody is there to answer. Decide it yourself: take what is easiest to change later, go on with the \
                 work, and state in your final message, on a line of its own that begins with `{ASSUMPTION}`, what you \
                 took for granted.\n"
            ),
        };
    }
}

fn steering(text: &mut String, steering: &[String]) {
    if steering.is_empty() {
        return;
    }
    text.push_str("# A word from the person who started this\n\n");
    for sentence in steering {
        let _ = writeln!(text, "- {sentence}");
    }
    text.push('\n');
}
