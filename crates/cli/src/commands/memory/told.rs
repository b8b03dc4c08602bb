//! Notes as people read them.

use jiff::Timestamp;
use ralph_core::note::{Note, Scope};

use crate::render::{CALM, FAINT, HEAD, inert, paint};
use crate::words::cut;

/// As much of a note as a list shows, in characters.
const LINE: usize = 100;

/// One line, with what it is and how far it is relied on below.
pub(super) fn brief(note: &Note, now: Timestamp) -> String {
    let head = paint(HEAD, &inert(&cut(note.headline(), LINE))) + &mark(note);
    format!("{}  {head}\n{}", note.id, paint(FAINT, &format!("{:18}{}\n", "", facts(note, now))))
}

/// As a brief marks it: it has to be checked before anybody relies on it.
pub(super) fn mark(note: &Note) -> String {
    if note.is_active() && note.is_hypothesis() { paint(CALM, " [HYPOTHESIS]") } else { String::new() }
}

/// What is known of a note apart from what it says.
pub(super) fn facts(note: &Note, now: Timestamp) -> String {
    let said = &note.said;
    let scope = match &said.scope {
        Scope::Task { task } => format!("task {task}"),
        Scope::Project | Scope::Global => said.scope.name().to_owned(),
    };
    let mut facts = vec![
        said.kind.name().as_str().replace('_', " "),
        scope,
        format!("confidence {}", note.confidence_at(now)),
    ];
    if note.verified {
        facts.push("verified".to_owned());
    }
    if note.stale {
        facts.push("its code has changed since".to_owned());
    }
    if !note.is_active() {
        facts.push("superseded".to_owned());
    }
    facts.extend(said.files.iter().map(|file| inert(file)));
    facts.join(", ")
}
