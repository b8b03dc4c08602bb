//! What is looked at for each section.

use std::cmp::Reverse;

use jiff::SignedDuration;
use ralph_core::Timestamp;
use ralph_core::note::KindName;
use ralph_store::{Notes, StoreError};

use super::hydration::Section;
use super::need::{Allowance, Need};
use crate::query::{Query, Reported, Visible};
use crate::ranking::Ranking;
use crate::recall::Recalled;
use crate::shelves::{Shelves, recall_all_each};

/// What was seen longer ago has either become a note of another kind or is not worth reading.
const LATELY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// So many times what may be taken is looked at, for some of it will be alike.
const WIDER: usize = 3;
/// At least; what was left out is worth knowing even where little may be taken.
const LEAST: usize = 8;

/// For each section the best first, or of what was seen lately, the newest.
pub(super) async fn candidates(
    shelves: &Shelves<'_, impl Notes>,
    need: &Need,
    allowance: &Allowance,
    now: Timestamp,
) -> Result<Vec<(Section, Vec<Recalled>)>, StoreError> {
    let query = |section: Section| Query {
        limit: LEAST.max(section.most(allowance) * WIDER),
        visible: Visible::Task(need.task.clone()),
        except: need.except(),
        context: need.context(),
        meaning: need.meaning.clone(),
        ..Query::new(&need.text)
    };
    let mut queries: Vec<(Section, Query)> = Vec::new();
    for (section, reported) in LOOKED_FOR {
        let limit = if reported == Reported::Alone { LEAST } else { query(section).limit };
        queries.push((section, Query { kinds: kinds(section), reported, limit, ..query(section) }));
    }
    if !need.files.is_empty() {
        queries.push((Section::Observations, lately(need, query(Section::Observations), now)));
    }
    let (looked_for, queries): (Vec<Section>, Vec<Query>) = queries.into_iter().unzip();
    let found = recall_all_each(shelves, &queries, &Ranking::default(), now).await?;
    let mut sections: Vec<(Section, Vec<Recalled>)> = Vec::new();
    for (section, mut notes) in looked_for.into_iter().zip(found) {
        if section == Section::Observations {
            notes.sort_by_key(|one| Reverse((one.note.valid_from(), one.note.id.clone())));
        }
        match sections.last_mut().filter(|(last, _)| *last == section) {
            Some((_, all)) => all.extend(notes),
            None => sections.push((section, notes)),
        }
    }
    Ok(sections)
}

/// What checks have reported, however often, does not keep out what somebody has made of it.
const LOOKED_FOR: [(Section, Reported); 6] = [
    (Section::Skills, Reported::Too),
    (Section::Patterns, Reported::Too),
    (Section::Gotchas, Reported::Never),
    (Section::Gotchas, Reported::Alone),
    (Section::Failures, Reported::Too),
    (Section::Known, Reported::Too),
];

fn kinds(section: Section) -> Vec<KindName> {
    match section {
        Section::Skills => vec![KindName::Skill, KindName::Command],
        Section::Patterns => vec![KindName::Pattern],
        Section::Gotchas => vec![KindName::Gotcha],
        Section::Failures => vec![KindName::Failure],
        Section::Known => vec![KindName::Discovery, KindName::Decision],
        Section::Observations => {
            vec![KindName::Discovery, KindName::Decision, KindName::Command, KindName::ToolUse]
        }
    }
}

/// What was seen of the files at hand, whatever it says: so of this project alone.
fn lately(need: &Need, query: Query, now: Timestamp) -> Query {
    Query {
        text: String::new(),
        meaning: None,
        kinds: kinds(Section::Observations),
        files: need.files.clone(),
        since: Some(now.saturating_sub(LATELY).unwrap_or(Timestamp::MIN)),
        until: Some(now),
        ..query
    }
}
