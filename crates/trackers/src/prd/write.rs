//! Changes to a prd.json that keep all the rest of it, and new ones.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use ralph_core::backlog::{Item, Status};
use ralph_core::id::TaskId;
use serde::Serialize;
use serde_json::Value;

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
    match (note, &story.completion_notes) {
        (Some(note), Some(range)) => edits.push(Edit { range: range.clone(), text: quoted(note) }),
        (Some(note), None) => edits.push(added(bytes, story, "completionNotes", &quoted(note))),
        // How it came to pass is no longer true.
        (None, Some(range)) if !passes && bytes[range.start] == b'"' => {
            edits.push(Edit { range: range.clone(), text: quoted("") });
        }
        (None, _) => {}
    }
    if let Some(range) = &document.updated_at {
        edits.push(Edit { range: range.clone(), text: quoted(&format!("{now:.3}")) });
    }
    edits
}

/// A new member behind the last, spaced and broken as the last one is.
fn added(bytes: &[u8], story: &Story, key: &str, value: &str) -> Edit {
    let quoted_key = quoted(key);
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
    priority: i64,
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
    // The format tells of a dependency from one end only.
    let mut held_up: HashMap<&TaskId, Vec<&TaskId>> = HashMap::new();
    for (by, held) in items.iter().flat_map(|item| item.blocks.iter().map(|held| (&item.id, held))) {
        held_up.entry(held).or_default().push(by);
    }
    let notes: Vec<_> =
        items.iter().map(|item| (text(item, "notes"), text(item, "completionNotes"))).collect();
    let stories = items.iter().zip(&notes).map(|(item, (notes, completion_notes))| NewStory {
        id: item.id.as_str(),
        title: &item.title,
        description: &item.description,
        acceptance_criteria: &item.acceptance_criteria,
        priority: priority(item),
        passes: item.status == Status::Completed,
        labels: item.labels.iter().map(String::as_str).collect(),
        depends_on: depends_on(item, &held_up),
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

/// Here 1 is the highest, and a number beyond the scale is the order of those at its end.
fn priority(item: &Item) -> i64 {
    let beyond = item.metadata.get(Item::PRIORITY).and_then(Value::as_i64);
    beyond.unwrap_or(i64::from(item.priority.get()) + 1)
}

/// What it is said to depend on by itself and by others, each once.
fn depends_on<'a>(item: &'a Item, held_up: &HashMap<&TaskId, Vec<&'a TaskId>>) -> Vec<&'a str> {
    let others = held_up.get(&item.id).into_iter().flatten().copied();
    let mut told = HashSet::new();
    item.depends_on.iter().chain(others).filter(|id| told.insert(*id)).map(TaskId::as_str).collect()
}
