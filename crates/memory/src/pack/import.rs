//! A file of notes, taken up: understood as a whole before anything is written.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Confidence, Draft, Evidence, MemoryEvent, Origin, Scope};
use ralph_core::redact::Redactor;
use ralph_store::{Notes, StoreError};

use super::{NAME, PackLine, Shelf, VERSION};
use crate::remember::remember;

/// A file that makes sense from its first line to its last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    events: Vec<(Timestamp, Shelf, MemoryEvent)>,
}

/// The line that makes none, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Malformed {
    pub line: usize,
    pub what: String,
}

/// On what terms a file is taken up.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Its notes are as good as they were there.
    pub is_trusted: bool,
    /// What is for all projects is taken up, too.
    pub with_global: bool,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    pub notes: u64,
    /// How many were there already, or had been and were forgotten: they are left as they are.
    pub known: u64,
}

impl Import {
    pub fn read(text: &str) -> Result<Import, Malformed> {
        let mut events = Vec::new();
        let mut observed: BTreeSet<(Shelf, NoteId)> = BTreeSet::new();
        let mut has_head = false;
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: String| Malformed { line: at + 1, what };
            let line = parsed(line).map_err(wrong)?;
            match line {
                PackLine::Head { format, version } => head(&format, version, has_head).map_err(wrong)?,
                PackLine::Event { .. } if !has_head => {
                    return Err(wrong(
                        "the first line does not say which version of the format this is".to_owned(),
                    ));
                }
                PackLine::Event { at, shelf, entry } => {
                    let note = (shelf, entry.note().clone());
                    follows(&entry, observed.contains(&note)).map_err(wrong)?;
                    observed.insert(note);
                    events.push((at, shelf, entry));
                }
            }
            has_head = true;
        }
        if has_head {
            Ok(Import { events })
        } else {
            Err(Malformed { line: 1, what: "it is empty".to_owned() })
        }
    }

    /// How many notes there are in it for a shelf.
    pub fn notes(&self, shelf: Shelf) -> u64 {
        let is_note = |event: &MemoryEvent| matches!(event, MemoryEvent::Observed { .. });
        self.events.iter().filter(|(_, of, event)| *of == shelf && is_note(event)).count() as u64
    }

    /// Puts down what of one shelf is not there yet, all or nothing. Unless it is trusted, a note counts as a tool's words: nothing of what
    /// others held of it counts here, and what it cites is a part of what it says.
    pub async fn take(
        &self,
        store: &impl Notes,
        shelf: Shelf,
        terms: Terms,
        redactor: &Redactor,
        at: Timestamp,
    ) -> Result<Imported, StoreError> {
        let mut imported = Imported::default();
        let mut known = BTreeSet::new();
        let mut events = Vec::new();
        for (no, (was, of, event)) in self.events.iter().enumerate() {
            if *of != shelf {
                continue;
            }
            let id = event.note();
            if matches!(event, MemoryEvent::Observed { .. }) {
                let is_known = store.memory_history(id).await?.iter().any(|line| line.name == "OBSERVED");
                *(if is_known { &mut imported.known } else { &mut imported.notes }) += 1;
                known.extend(is_known.then(|| id.clone()));
            }
            if let MemoryEvent::Superseded { by, .. } = event
                && !terms.is_trusted
                && (self.stands_again(no) || !self.will_be_there(by, store, shelf, terms).await?)
            {
                continue;
            }
            if !known.contains(id) && !self.only_says_global(event, shelf, terms) {
                events.extend(taken(event, shelf, (*was, at), terms.is_trusted));
            }
        }
        if !events.is_empty() {
            remember(store, events, redactor, at).await?;
        }
        Ok(imported)
    }

    /// Whether a person said later in the file that what was superseded there holds all the same. That nobody here hides it
    /// needs no trust.
    fn stands_again(&self, no: usize) -> bool {
        let (_, shelf, event) = &self.events[no];
        self.events[no + 1..].iter().any(|(_, of, later)| {
            let is_approval = matches!(later, MemoryEvent::Confirmed { evidence: Evidence::Approved, .. });
            of == shelf && is_approval && later.note() == event.note()
        })
    }

    /// Whether there will be such a note, so that nothing gives way to one that nobody can look at.
    async fn will_be_there(
        &self,
        id: &NoteId,
        store: &impl Notes,
        shelf: Shelf,
        terms: Terms,
    ) -> Result<bool, StoreError> {
        let history = store.memory_history(id).await?;
        if !history.is_empty() {
            return Ok(history.iter().all(|line| line.name != "FORGOTTEN"));
        }
        let is_taken = |of: Shelf| of == shelf || (of == Shelf::Global && terms.with_global);
        let is_it = |event: &MemoryEvent| matches!(event, MemoryEvent::Observed { note, .. } if note == id);
        Ok(self.events.iter().any(|(_, of, event)| is_taken(*of) && is_it(event)))
    }

    /// Whether a note of the project would be said to be for all, where nothing for all is taken up.
    fn only_says_global(&self, event: &MemoryEvent, shelf: Shelf, terms: Terms) -> bool {
        let MemoryEvent::Promoted { note, to: Scope::Global } = event else { return false };
        let is_copy = |(_, of, other): &(Timestamp, Shelf, MemoryEvent)| {
            *of == Shelf::Global && matches!(other, MemoryEvent::Observed { note: id, .. } if id == note)
        };
        shelf == Shelf::Project && !(terms.with_global && self.events.iter().any(is_copy))
    }
}

fn parsed(line: &str) -> Result<PackLine, String> {
    let value: serde_json::Value =
        serde_json::from_str(line).map_err(|error| format!("this is no JSON: {error}"))?;
    // What stands in the event is named; which of the two sorts of lines was meant cannot be told.
    let event = value.get("entry").map(|entry| serde_json::from_value::<MemoryEvent>(entry.clone()));
    let inside = match event {
        Some(Err(error)) => format!(": {error}"),
        Some(Ok(_)) | None => String::new(),
    };
    serde_json::from_value(value).map_err(|_| format!("this is no line of a file of notes{inside}"))
}

fn head(format: &str, version: u32, is_second: bool) -> Result<(), String> {
    match (is_second, format, version) {
        (true, ..) => Err("the file begins a second time here".to_owned()),
        (_, NAME, 1..=VERSION) => Ok(()),
        (_, NAME, _) => Err(format!("version {version} of the format is not known; {VERSION} is the newest")),
        _ => Err(format!("this is a file of `{format}`, not of `{NAME}`")),
    }
}

/// Nothing is said of a note before it is there, and a file takes no note away.
fn follows(event: &MemoryEvent, is_there: bool) -> Result<(), String> {
    let id = event.note();
    match event {
        MemoryEvent::Observed { .. } if is_there => Err(format!("note {id} is in this file twice")),
        MemoryEvent::Observed { .. } => Ok(()),
        MemoryEvent::Forgotten { .. } => {
            Err("a file takes no note away: `ralph memory forget` does".to_owned())
        }
        _ if !is_there => Err(format!("this is about note {id}, which is not in the file before it")),
        MemoryEvent::Confirmed { evidence, .. } if !evidence.speaks_for() => {
            Err(format!("what confirms note {id} speaks against it"))
        }
        MemoryEvent::Doubted { evidence, .. } if evidence.speaks_for() => {
            Err(format!("what puts note {id} in doubt speaks for it"))
        }
        _ => Ok(()),
    }
}

/// With the time that it was so, for it is put down now.
fn taken(
    event: &MemoryEvent,
    shelf: Shelf,
    (was, now): (Timestamp, Timestamp),
    is_trusted: bool,
) -> Option<MemoryEvent> {
    let mut event = event.clone();
    // Nothing was put down at a time that is yet to come.
    let was = was.min(now);
    match &mut event {
        MemoryEvent::Observed { draft, .. } => {
            draft.valid_from = Some(draft.valid_from.map_or(was, |from| since(from, now)));
            if shelf == Shelf::Project && draft.scope == Scope::Global {
                draft.scope = Scope::Project;
            }
            if !is_trusted {
                distrust(draft);
            }
        }
        MemoryEvent::Superseded { valid_to, .. } => *valid_to = valid_to.or(Some(was)),
        MemoryEvent::Confirmed { .. } | MemoryEvent::Used { .. } | MemoryEvent::Withheld { .. } => {
            return is_trusted.then_some(event);
        }
        MemoryEvent::Doubted { .. }
        | MemoryEvent::Anchored { .. }
        | MemoryEvent::Promoted { .. }
        | MemoryEvent::Forgotten { .. } => {}
    }
    Some(event)
}

/// Somebody whose clock was ahead of ours speaks of now; what is so from a later day on stays so.
fn since(from: Timestamp, now: Timestamp) -> Timestamp {
    let is_soon = from > now && from.duration_since(now) <= SignedDuration::from_hours(24);
    if is_soon { now } else { from }
}

/// What a stranger's note names as its ground is not known to be there, so it is no ground here.
fn distrust(draft: &mut Draft) {
    draft.origin = Origin::Tool;
    draft.confidence = draft.confidence.min(Confidence::default());
    let cited = std::mem::take(&mut draft.citations);
    draft.tags.extend(cited.iter().map(|citation| format!("cited:{citation}")));
}
