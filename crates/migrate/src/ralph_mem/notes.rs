//! The notes of ralph-mem: what it saw in sessions, and what it made of each. They are the words of tools, and count as such.

use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use ralph_core::id::SessionId;
use ralph_core::note::{Confidence, Draft, Kind, Observation, Origin, Source};
use ralph_store::{Foreign, ForeignError};

use crate::fault::Fault;
use crate::found_note::FoundNote;

/// More than a person's sessions ever held.
const MOST: usize = 200_000;
const TAG: &str = "ralph-mem";

pub(super) fn read(path: &Path) -> Result<Vec<FoundNote>, Fault> {
    let foreign = Foreign::open(path).map_err(|error| fault(path, &error))?;
    let columns = [
        "id",
        "session_id",
        "type",
        "tool_name",
        "content",
        "content_compressed",
        "importance",
        "created_at",
    ];
    let observed = foreign.rows("observations", &columns, MOST).map_err(|error| fault(path, &error))?;
    let columns = ["id", "summary", "started_at", "ended_at"];
    let sessions = foreign.rows("sessions", &columns, MOST).map_err(|error| fault(path, &error))?;
    let notes = observed.into_iter().filter_map(observation);
    Ok(notes.chain(sessions.into_iter().filter_map(summary)).collect())
}

fn observation(row: Vec<Option<String>>) -> Option<FoundNote> {
    let [id, session, kind, tool, content, compressed, importance, at] = <[_; 8]>::try_from(row).ok()?;
    let content = [content, compressed].into_iter().flatten().find(|text| !text.trim().is_empty())?;
    let kind = kind.unwrap_or_default();
    let tool = tool.filter(|tool| !tool.is_empty());
    let sort = match (&*kind, tool.clone()) {
        ("bash", _) => Observation::Command { command: content.trim().to_owned() },
        ("tool_use", Some(tool)) => Observation::ToolUse { tool },
        _ => Observation::Discovery,
    };
    let mut draft = Draft::new(Kind::Observation(sort), content.trim());
    let importance =
        importance.and_then(|text| text.parse().ok()).map_or_else(Confidence::default, Confidence::nearest);
    draft.confidence = importance.min(Confidence::default());
    draft.tags = [Some(TAG.to_owned()), Some(kind), tool]
        .into_iter()
        .flatten()
        .filter(|tag| !tag.is_empty())
        .collect();
    Some(found(&id?, session, at, draft))
}

fn summary(row: Vec<Option<String>>) -> Option<FoundNote> {
    let [id, summary, started, ended] = <[_; 4]>::try_from(row).ok()?;
    let summary = summary.filter(|text| !text.trim().is_empty())?;
    let mut draft = Draft::new(Kind::Observation(Observation::Discovery), summary.trim());
    draft.tags = vec![TAG.to_owned(), "summary".to_owned()];
    let id = id?;
    Some(found(&format!("summary of {id}"), Some(id), ended.or(started), draft))
}

fn found(key: &str, session: Option<String>, at: Option<String>, mut draft: Draft) -> FoundNote {
    let at = at.and_then(|text| time(&text)).unwrap_or(Timestamp::UNIX_EPOCH);
    draft.origin = Origin::Tool;
    draft.source = Source { session: session.and_then(|id| SessionId::parse(&id).ok()), ..Source::default() };
    draft.valid_from = Some(at);
    FoundNote { key: format!("{TAG} {key}"), at, draft }
}

/// As JavaScript writes it, or as SQLite does, which is UTC as well.
fn time(text: &str) -> Option<Timestamp> {
    let written: Option<Timestamp> = text.parse().ok();
    written.or_else(|| Some(text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp()))
}

fn fault(path: &Path, error: &ForeignError) -> Fault {
    let next = match error {
        ForeignError::Unsettled { .. } => "end its sessions, and run this again",
        ForeignError::Unreadable { .. } => "put it back from a backup, or move it away; it was left as it is",
        ForeignError::Unknown { .. } => "it is of a version that is not known, and was left as it is",
    };
    Fault::new(path, format!("the notes in this file are not taken over: {error}"), next)
}
