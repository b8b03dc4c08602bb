//! A prd.json as ralph-tui and snarktank's ralph have it.

use std::collections::HashMap;
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
    let stories = root.array("userStories")?;
    let stories = root.needed("userStories", stories, "[ … ]")?;
    if stories.len() > MOST_STORIES {
        let what = format!("there are {} stories; {MOST_STORIES} is the most", stories.len());
        return Err(source.error(stories[MOST_STORIES].start, what, "split the file"));
    }
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
    let completion_notes = fields.place("completionNotes");
    if let Some(range) = &completion_notes
        && let Ok(text) = serde_json::from_slice::<Value>(&source.bytes[range.clone()])
    {
        item.metadata.insert("completionNotes".to_owned(), text);
    }
    let members = std::mem::take(&mut fields.members);
    item.metadata.extend(fields.rest()?);
    Ok(Story { item, begin: range.start, passes: place, completion_notes, members })
}

fn refuse_duplicates(source: Source<'_>, stories: &[Story]) -> Result<(), TrackerError> {
    let mut seen: HashMap<&TaskId, &Story> = HashMap::with_capacity(stories.len());
    for story in stories {
        if let Some(first) = seen.insert(&story.item.id, story) {
            let line = memchr::memchr_iter(b'\n', &source.bytes[..first.begin]).count() + 1;
            let what = format!("two stories are called {}: the first is on line {line}", story.item.id);
            return Err(source.error(story.begin, what, "give one of them another id"));
        }
    }
    Ok(())
}
