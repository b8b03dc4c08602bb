//! A note as it stands in a brief.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use ralph_core::note::{Citation, Confidence, Kind, Note, Observation, Origin, Scope, TerminalSnapshot};

use super::worded::LABELS;
use crate::fence::disarmed;
use crate::tokens::tokens;

/// Of longer texts the beginning has to do; who wants the rest has the id.
const LONGEST: usize = 1200;
/// For what goes with it.
const LONGEST_ASIDE: usize = 400;
/// The end of what a terminal showed says why.
const LAST_LINES: usize = 8;
/// Files, citations, triggers, errors.
const MOST: usize = 5;

/// What a note takes up in a brief, whatever is known of it then.
pub(crate) fn counted(note: &Note) -> u32 {
    tokens(&item(note, note.said.confidence, Label::Hypothesis))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Known,
    Hypothesis,
}

/// One entry of a list: what there is to know, what belongs to its kind, what it is about, and where it comes from.
pub(super) fn item(note: &Note, confidence: Confidence, label: Label) -> String {
    let said = &note.said;
    let label = match label {
        Label::Known => "",
        Label::Hypothesis => "[HYPOTHESIS] ",
    };
    let mut text = format!("- [{}] {label}", note.id);
    let begin = if said.title.trim().is_empty() { "" } else { &*said.title };
    let content = cut(&said.content, LONGEST);
    if begin.is_empty() || begin.trim() == content.trim() {
        text.push_str(content.trim());
    } else {
        let _ = write!(text, "{}\n{}", one_line(begin), content.trim());
    }
    kind(&mut text, note);
    aside(&mut text, "files", &said.files.iter().map(String::as_str).collect::<Vec<_>>(), ", ");
    let cited: Vec<String> = said.citations.iter().map(cited).collect();
    aside(&mut text, "rests on", &cited.iter().map(String::as_str).collect::<Vec<_>>(), "; ");
    let verified = if note.verified { ", verified" } else { "" };
    let _ = write!(text, "\nconfidence {confidence}{verified}; {}", provenance(note));
    // Nothing of it stands where a line of ralph's own could.
    disarmed(&text, &LABELS).trim_end().replace('\n', "\n  ") + "\n"
}

fn kind(text: &mut String, note: &Note) {
    let said = &note.said;
    let mut tell = |name: &str, told: &str| {
        if !told.trim().is_empty() && told.trim() != said.content.trim() {
            let _ = write!(text, "\n{name}: {}", one_line(&cut(told, LONGEST_ASIDE)));
        }
    };
    match &said.kind {
        Kind::Observation(Observation::Discovery) | Kind::Skill | Kind::Pattern => {}
        Kind::Observation(Observation::Decision { rationale }) => tell("because", rationale),
        Kind::Observation(Observation::Command { command }) => tell("command", command),
        Kind::Observation(Observation::ToolUse { tool }) => tell("tool", tool),
        Kind::Gotcha { triggers, terminal } => {
            aside(text, "happens when", &triggers.iter().map(String::as_str).collect::<Vec<_>>(), "; ");
            terminal.iter().for_each(|shown| terminal_shown(text, shown));
        }
        Kind::Failure { approach, errors, .. } => {
            tell("tried", approach);
            // A fingerprint tells failures apart and says nothing to a reader.
            let errors: Vec<&str> =
                errors.iter().map(String::as_str).filter(|error| !is_fingerprint(error)).collect();
            aside(text, "failed with", &errors, "; ");
        }
    }
}

fn terminal_shown(text: &mut String, shown: &TerminalSnapshot) {
    let exit = shown.exit_code.map_or_else(String::new, |code| format!(" (exit code {code})"));
    let _ = write!(text, "\n`{}`{exit} ended with:", one_line(&cut(&shown.command, LONGEST_ASIDE)));
    let lines: Vec<&str> = shown.text.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in lines.iter().skip(lines.len().saturating_sub(LAST_LINES)) {
        let _ = write!(text, "\n  {}", one_line(&cut(line, LONGEST_ASIDE / 2)));
    }
}

fn aside(text: &mut String, name: &str, all: &[&str], between: &str) {
    if all.is_empty() {
        return;
    }
    let told: Vec<String> = all.iter().take(MOST).map(|one| one_line(&cut(one, LONGEST_ASIDE / 2))).collect();
    let more =
        if all.len() > MOST { format!("{between}and {} more", all.len() - MOST) } else { String::new() };
    let _ = write!(text, "\n{name}: {}{more}", told.join(between));
}

fn cited(citation: &Citation) -> String {
    match citation {
        Citation::File { path, line: Some(line) } => format!("{path}:{line}"),
        Citation::File { path, line: None } => path.clone(),
        Citation::Commit { hash } => format!("commit {hash}"),
        Citation::Note { note } => format!("note {note}"),
        Citation::Other { text } => text.clone(),
    }
}

fn provenance(note: &Note) -> String {
    let said = &note.said;
    let mut text = match said.origin {
        Origin::Person => "put down by a person",
        Origin::Rule => "seen by ralph",
        Origin::Agent => "said by an agent",
        Origin::Tool => "printed by a tool",
    }
    .to_owned();
    let source = &said.source;
    let parts = [
        source.task.as_ref().map(|task| format!("task {task}")),
        source.run.as_ref().map(|run| format!("run {run}")),
        source.iteration.map(|iteration| format!("iteration {iteration}")),
        (said.scope == Scope::Global).then(|| "for all projects".to_owned()),
    ];
    parts.iter().flatten().for_each(|part| text.push_str(&format!(", {part}")));
    let day = note.valid_from().to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string();
    text + ", " + &day
}

fn is_fingerprint(error: &str) -> bool {
    error.len() >= 8 && error.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
