//! Changes to a prd.json that keep all the rest of it, and new ones.

use jiff::Timestamp;
use ralph_core::backlog::{Item, Status};
use serde::Serialize;

use super::json::Member;
use super::read::{Document, Story};
use crate::file::Edit;
use crate::tracker::Context;

/// What has to change so that a story passes or does not, with a note on how it came to.
pub(super) fn edits(
    bytes: &[u8],
    document: &Document,
    story: &Story,
    passes: bool,
    note: Option<&str>,
    now: Timestamp,
) -> Vec<Edit> {
    let mut edits = vec![Edit { range: story.passes.clone(), text: passes.to_string() }];
    if let Some(note) = note {
        let note = quoted(note);
        edits.push(match &story.completion_notes {
            Some(range) => Edit { range: range.clone(), text: note },
            None => added(bytes, story, "completionNotes", &note),
        });
    }
    if let Some(range) = &document.updated_at {
        edits.push(Edit { range: range.clone(), text: quoted(&format!("{now:.3}")) });
    }
    edits
}

/// A new member behind the last, spaced and broken as the last one is. A null in the same place is not replaced but
/// was never there: it is found by its key.
fn added(bytes: &[u8], story: &Story, key: &str, value: &str) -> Edit {
    let quoted_key = quoted(key);
    if let Some(null) =
        story.members.iter().find(|member| &bytes[member.key.clone()] == quoted_key.as_bytes())
    {
        return Edit { range: null.value.clone(), text: value.to_owned() };
    }
    let last = story.members.last().expect("a story has an id");
    let between = |from: usize, to: usize| String::from_utf8_lossy(&bytes[from..to]).into_owned();
    let before = match story.members.iter().rev().nth(1) {
        Some(Member { value, .. }) => between(value.end, last.key.start),
        None => format!(",{}", between(story.begin + 1, last.key.start)),
    };
    let colon = between(last.key.end, last.value.start);
    Edit { range: last.value.end..last.value.end, text: format!("{before}{quoted_key}{colon}{value}") }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewDocument<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    user_stories: Vec<NewStory<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewStory<'a> {
    id: &'a str,
    title: &'a str,
    description: &'a str,
    acceptance_criteria: &'a [String],
    priority: u8,
    passes: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_notes: Option<&'a str>,
}

/// A prd.json that ralph-tui and snarktank's ralph take. It cannot say more of a status than whether a story passes.
pub fn to_prd(context: &Context, items: &[Item]) -> String {
    let text = |item: &'_ Item, key: &str| {
        item.metadata.get(key).and_then(|value| value.as_str()).map(str::to_owned)
    };
    let notes: Vec<_> =
        items.iter().map(|item| (text(item, "notes"), text(item, "completionNotes"))).collect();
    let stories = items.iter().zip(&notes).map(|(item, (notes, completion_notes))| NewStory {
        id: item.id.as_str(),
        title: &item.title,
        description: &item.description,
        acceptance_criteria: &item.acceptance_criteria,
        priority: item.priority.get() + 1,
        passes: item.status == Status::Completed,
        labels: item.labels.iter().map(String::as_str).collect(),
        depends_on: item.depends_on.iter().map(|id| id.as_str()).collect(),
        notes: notes.as_deref(),
        completion_notes: completion_notes.as_deref(),
    });
    let document = NewDocument {
        name: if context.name.is_empty() { "Backlog" } else { &context.name },
        description: &context.description,
        user_stories: stories.collect(),
    };
    serde_json::to_string_pretty(&document).expect("a backlog is JSON") + "\n"
}
