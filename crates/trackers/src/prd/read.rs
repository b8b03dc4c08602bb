//! A prd.json as ralph-tui and snarktank's ralph have it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use ralph_core::backlog::{Item, Priority, Status};
use ralph_core::id::TaskId;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::fields::{Fields, Source};
use super::json::{self, Member};
use crate::error::TrackerError;
use crate::file;

/// More than this is not a backlog.
pub(super) const MOST_STORIES: usize = 200_000;

#[derive(Debug)]
pub(super) struct Document {
    pub(super) name: String,
    pub(super) description: String,
    /// The document that it was made of, as a path.
    pub(super) source: Option<String>,
    /// Where the time of the last change stands, if it is kept.
    pub(super) updated_at: Option<Range<usize>>,
    pub(super) stories: Vec<Story>,
}

/// A story and where those of its values stand that may change.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) item: Item,
    pub(super) begin: usize,
    pub(super) passes: Range<usize>,
    pub(super) completion_notes: Option<Range<usize>>,
    pub(super) members: Vec<Member>,
}

pub(super) fn read(source: Source<'_>) -> Result<Document, TrackerError> {
    let begin = checked(source)?;
    let mut root = Fields::read(source, &json::value(source.bytes, begin), "the document".to_owned())?;
    let flat = "this format has `userStories` at the top";
    if !root.has("userStories") {
        for key in ["prd", "tasks"] {
            root.refuse(key, flat)?;
        }
    }
    let stories = root.array("userStories", MOST_STORIES)?;
    let stories = root.needed("userStories", stories, "[ … ]")?;
    let name = match root.string("name")? {
        Some(name) => Some(name),
        None => root.string("project")?,
    };
    let description = root.string("description")?.unwrap_or_default();
    let (prd, updated_at) = match root.place("metadata") {
        None => (None, None),
        Some(range) => {
            let mut metadata = Fields::read(source, &range, "`metadata`".to_owned())?;
            let is_text = |range: &Range<usize>| source.bytes[range.start] == b'"';
            (metadata.string("sourcePrd")?, metadata.place("updatedAt").filter(is_text))
        }
    };
    let stories = stories.iter().enumerate().map(|(at, range)| story(source, at, range));
    let stories = stories.collect::<Result<Vec<Story>, _>>()?;
    refuse_duplicates(source, &stories)?;
    Ok(Document { name: name.unwrap_or_default(), description, source: prd, updated_at, stories })
}

/// Where the text begins, if it is JSON at all.
fn checked(source: Source<'_>) -> Result<usize, TrackerError> {
    let (text, begin) = file::text(source.path, source.bytes)?;
    if text.trim().is_empty() {
        return Err(source.error(begin, "this is empty", "write a backlog, or `ralph convert` another one"));
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes());
        let line = lines.take(error.line().saturating_sub(1)).last().map_or(0, |end| end + 1);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        let at = begin + line + error.column().saturating_sub(1);
        source.error(at, format!("this is not JSON: {message}"), "correct it")
    })?;
    Ok(begin)
}

fn story(source: Source<'_>, at: usize, range: &Range<usize>) -> Result<Story, TrackerError> {
    let mut fields = Fields::read(source, range, format!("story number {}", at + 1))?;
    let id = fields.string("id")?;
    let id = fields.needed("id", id, &format!("\"US-{:03}\"", at + 1))?;
    let id = source.id(&id, range.start)?;
    fields.of = format!("story {id}");
    let title = fields.string("title")?.filter(|title| !title.trim().is_empty());
    let title = fields.needed("title", title, "\"…\"")?;
    // They carry what would be lost on whoever reads `passes` alone.
    fields.refuse("status", "say it with \"passes\": true or false")?;
    fields.refuse("subtasks", "make a story of each, with `dependsOn`")?;
    let passes = fields.bool("passes")?;
    let (passes, place) = fields.needed("passes", passes, "false")?;
    let mut item = Item::new(id, title);
    item.status = if passes { Status::Completed } else { Status::Open };
    item.description = fields.string("description")?.unwrap_or_default();
    let texts = |texts: Vec<(String, usize)>| texts.into_iter().map(|(text, _)| text).collect();
    item.acceptance_criteria = texts(fields.strings("acceptanceCriteria")?);
    item.labels = texts(fields.strings("labels")?);
    item.depends_on = fields.ids("dependsOn")?;
    // 1 is the highest here, and there may be as many as there are stories.
    let priority = fields.integer("priority")?;
    item.priority =
        priority.map_or_else(Priority::default, |number| Priority::nearest(number.saturating_sub(1)));
    if let Some(number) = priority.filter(|number| !(1..=5).contains(number)) {
        item.metadata.insert(Item::PRIORITY.to_owned(), number.into());
    }
    let completion_notes = fields.place_or_null("completionNotes");
    if let Some(range) = &completion_notes
        && let Ok(text @ (Value::String(_) | Value::Object(_) | Value::Array(_))) =
            serde_json::from_slice::<Value>(&source.bytes[range.clone()])
    {
        item.metadata.insert("completionNotes".to_owned(), text);
    }
    let members = std::mem::take(&mut fields.members);
    item.metadata.extend(fields.rest()?);
    Ok(Story { item, begin: range.start, passes: place, completion_notes, members })
}

/// As many ids that are given twice as one error tells of.
const TOLD: usize = 8;

fn refuse_duplicates(source: Source<'_>, stories: &[Story]) -> Result<(), TrackerError> {
    let mut seen: HashMap<&TaskId, &Story> = HashMap::with_capacity(stories.len());
    let again: Vec<&Story> = stories
        .iter()
        .filter(|story| match seen.entry(&story.item.id) {
            Entry::Vacant(free) => {
                free.insert(story);
                false
            }
            Entry::Occupied(_) => true,
        })
        .collect();
    let Some(second) = again.first() else { return Ok(()) };
    let line = |story: &Story| memchr::memchr_iter(b'\n', &source.bytes[..story.begin]).count() + 1;
    let id = &second.item.id;
    let mut what = format!("two stories are called {id}: the first is on line {}", line(seen[id]));
    for story in again.iter().skip(1).take(TOLD) {
        what += &format!(
            "; and {} on line {}, first on line {}",
            story.item.id,
            line(story),
            line(seen[&story.item.id])
        );
    }
    if again.len() > TOLD + 1 {
        what += &format!("; and {} more", again.len() - TOLD - 1);
    }
    Err(source.error(second.begin, what, "give each an id of its own"))
}
