//! Skills and patterns that follow from a task's notes by rule.

use ralph_core::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Citation, Draft, Kind, KindName, MemoryEvent, Note, Origin, Recorded, fold};

use super::Done;
use crate::capture::{BROKE, MENDED, WORKED};
use crate::derive::hash;

/// Of each sort.
const MOST: usize = 3;

/// What was made of notes, and which of them it says as well.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) notes: Vec<Note>,
    /// Each with the one that takes its place.
    pub(super) replaced: Vec<(NoteId, NoteId)>,
}

/// A command that another one was seen to need is a skill. What an attempt broke and a later one mended is a pattern, and how
/// it was mended is what there is to know of its failure.
pub(super) fn made_of(notes: &[Note], done: &Done<'_>, at: Timestamp) -> Made {
    let mut made = Made::default();
    let needed = notes.iter().filter(|note| is_needed_command(note) && (note.verified || done.verified));
    for note in needed.take(MOST) {
        let skill = placed(skill(note), note, "skill", done, at);
        made.replaced.extend(skill.iter().map(|skill| (note.id.clone(), skill.id.clone())));
        made.notes.extend(skill);
    }
    let mended = notes.iter().filter(|note| has(note, MENDED));
    let mut patterns = 0;
    for mended in mended {
        let failures = notes.iter().filter(|note| note.id != mended.id && is_failure_of(note, mended));
        for failure in failures {
            if made.replaced.iter().any(|(old, _)| *old == failure.id) {
                continue;
            }
            made.replaced.push((failure.id.clone(), mended.id.clone()));
            if has(failure, BROKE) && patterns < MOST {
                patterns += 1;
                made.notes.extend(placed(pattern(failure, mended), mended, "pattern", done, at));
            }
        }
    }
    made
}

fn is_needed_command(note: &Note) -> bool {
    let said = &note.said;
    has(note, WORKED) && said.kind.name() == KindName::Command && said.origin == Origin::Rule
}

fn has(note: &Note, tag: &str) -> bool {
    note.said.origin != Origin::Agent && note.said.tags.iter().any(|one| one == tag)
}

/// Whether a gotcha is about the failure that another says how it was mended.
fn is_failure_of(note: &Note, mended: &Note) -> bool {
    let (Kind::Gotcha { terminal: Some(_), .. }, Kind::Gotcha { triggers, .. }) =
        (&note.said.kind, &mended.said.kind)
    else {
        return false;
    };
    let Some(name) = failing(note) else { return false };
    !has(note, MENDED) && triggers.iter().any(|trigger| trigger.strip_suffix(" fails") == Some(name))
}

/// What fails, by the title of its gotcha.
fn failing(note: &Note) -> Option<&str> {
    note.said.title.split_once(": ").map(|(_, name)| name)
}

fn skill(note: &Note) -> Draft {
    let mut draft = Draft::new(Kind::Skill, format!("{}. {}", note.said.title, note.said.content));
    draft.title.clone_from(&note.said.title);
    draft.origin = Origin::Rule;
    draft
}

fn pattern(failure: &Note, mended: &Note) -> Draft {
    let name = failing(failure).unwrap_or_default();
    let files = failure.said.files.join(", ");
    let content = format!(
        "`{name}` holds for {files}: changes there broke it, and it was mended. Run it after changing them."
    );
    let mut draft = Draft::new(Kind::Pattern, content);
    draft.title = format!("`{name}` guards what it covers");
    draft.origin = Origin::Tool;
    draft.citations = vec![Citation::Note { note: failure.id.clone() }];
    draft.files.clone_from(&failure.said.files);
    draft.anchors.clone_from(&mended.said.anchors);
    draft
}

/// With what it was made of, and an id that follows from it.
fn placed(mut draft: Draft, of: &Note, what: &str, done: &Done<'_>, at: Timestamp) -> Option<Note> {
    let said = &of.said;
    draft.citations.extend(said.citations.iter().cloned());
    draft.citations.push(Citation::Note { note: of.id.clone() });
    draft.citations.extend(done.commit.map(|hash| Citation::Commit { hash: hash.to_owned() }));
    if draft.files.is_empty() {
        draft.files.clone_from(&said.files);
        draft.anchors.clone_from(&said.anchors);
    }
    draft.symbols.clone_from(&said.symbols);
    draft.scope = said.scope.clone();
    draft.source = said.source.clone();
    draft.source.run = draft.source.run.or_else(|| done.run.cloned());
    draft.source.commit = done.commit.map(str::to_owned).or(draft.source.commit);
    draft.confidence = said.confidence;
    let note = NoteId::made_of(&of.id, hash(&[what, &draft.content]));
    let name = "OBSERVED".to_owned();
    let event = Some(MemoryEvent::Observed { note: note.clone(), draft: Box::new(draft) });
    fold(None, &Recorded { seq: 0, at, note, name, event })
}
