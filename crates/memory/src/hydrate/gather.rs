//! What is looked at for each section.

use jiff::SignedDuration;
use ralph_core::Timestamp;
use ralph_core::note::KindName;
use ralph_store::{Notes, StoreError};

use super::hydration::Section;
use super::need::{Allowance, Need};
use crate::query::{Intent, Query, Visible};
use crate::ranking::Ranking;
use crate::recall::Recalled;
use crate::shelves::{Shelves, recall_all};

/// What was seen longer ago has either become a note of another kind or is not worth reading.
const LATELY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// So many times what may be taken is looked at, for some of it will be alike.
const WIDER: usize = 3;
/// At least; what was left out is worth knowing even where little may be taken.
const LEAST: usize = 8;

/// The best first, or of what was seen lately, the newest.
pub(super) async fn candidates(
    shelves: &Shelves<'_, impl Notes>,
    need: &Need,
    allowance: &Allowance,
    section: Section,
    now: Timestamp,
) -> Result<Vec<Recalled>, StoreError> {
    let query = Query {
        limit: LEAST.max(section.most(allowance) * WIDER),
        visible: Visible::Task(need.task.clone()),
        context: need.context(),
        ..Query::new(&need.text)
    };
    let query = match section {
        Section::Skills => Query {
            intent: Some(Intent::HowTo),
            // Patterns have their own section.
            kinds: vec![KindName::Skill, KindName::Command],
            ..query
        },
        Section::Patterns => Query { kinds: vec![KindName::Pattern], ..query },
        Section::Gotchas => Query { kinds: vec![KindName::Gotcha], ..query },
        Section::Failures => Query { kinds: vec![KindName::Failure], ..query },
        Section::Observations => return lately(shelves, need, query, now).await,
    };
    recall_all(shelves, &query, &Ranking::default(), now).await
}

/// Of this project alone: files of others may have the same names.
async fn lately(
    shelves: &Shelves<'_, impl Notes>,
    need: &Need,
    query: Query,
    now: Timestamp,
) -> Result<Vec<Recalled>, StoreError> {
    if need.files.is_empty() {
        return Ok(Vec::new());
    }
    let query = Query {
        text: String::new(),
        kinds: vec![KindName::Discovery, KindName::Decision, KindName::Command, KindName::ToolUse],
        files: need.files.clone(),
        since: Some(now.saturating_sub(LATELY).unwrap_or(Timestamp::MIN)),
        until: Some(now),
        ..query
    };
    let mut found =
        recall_all(&Shelves { project: shelves.project, global: None }, &query, &Ranking::default(), now)
            .await?;
    found.sort_by_key(|one| std::cmp::Reverse((one.note.valid_from(), one.note.id.clone())));
    Ok(found)
}
