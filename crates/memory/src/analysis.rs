//! What a note is found by: the words of all that is known of it, facets for filters, and marks of how it is put.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use ralph_core::Timestamp;
use ralph_core::note::{Kind, Note, Scope};
use ralph_store::Indexed;

use crate::capture::{is_failing, is_outcome};
use crate::hydrate::counted;
use crate::words::Words;

/// Changes whenever the same note would be found by other words or counted otherwise; all notes are then made again.
pub const ANALYSIS: u32 = 6;

/// It asks something: what answers it is the note after it.
pub(crate) const ASKS: u32 = 1;
/// It says when.
pub(crate) const DATED: u32 = 2;
/// It says how many.
pub(crate) const COUNTED: u32 = 4;
/// Another one has taken its place: it stands beside its neighbours and is not found.
pub(crate) const GONE: u32 = 8;

/// Makes a note ready to be found.
pub fn index(mut note: Note) -> Indexed {
    if !note.is_active() {
        // It goes into no brief any more.
        note.tokens = 0;
        return Indexed { note, words: Vec::new(), facets: Vec::new(), marks: GONE };
    }
    note.tokens = counted(&note);
    let words = Words::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for text in texts(&note) {
        for token in words.of(&text) {
            *counts.entry(token.text).or_default() += 1;
        }
    }
    Indexed {
        words: counts.into_iter().collect(),
        facets: facets(&note),
        marks: marks(&note.said.content),
        note,
    }
}

/// What is said, and what it is about: a note about a file is found by its path, one of a task by its name.
fn texts(note: &Note) -> Vec<String> {
    let said = &note.said;
    let mut texts = vec![said.title.clone(), said.content.clone()];
    texts.extend(said.kind.texts().into_iter().map(str::to_owned));
    texts.extend(said.files.iter().chain(&said.symbols).chain(&said.tags).cloned());
    texts.extend(said.source.task.iter().map(ToString::to_string));
    texts.push(date(note.valid_from()));
    texts
}

/// As people write it: `8 May 2023`.
fn date(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%-d %B %Y").to_string()
}

fn marks(content: &str) -> u32 {
    let asks = content.trim_end().ends_with('?');
    let words = || content.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let has_digit = content.bytes().any(|byte| byte.is_ascii_digit());
    let dated = words().any(|word| TIMES.contains(&&*word));
    let counted = has_digit || words().any(|word| NUMBERS.contains(&&*word));
    (u32::from(asks) * ASKS) | (u32::from(dated) * DATED) | (u32::from(counted) * COUNTED)
}

const TIMES: [&str; 39] = [
    "yesterday",
    "today",
    "tonight",
    "tomorrow",
    "ago",
    "last",
    "next",
    "week",
    "weekend",
    "month",
    "year",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "recently",
    "since",
    "morning",
    "evening",
    "night",
    "summer",
    "winter",
    "spring",
    "date",
];
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "few", "couple"];

/// What filters ask for. No text has such a word, for none has a sign of equality in it.
pub(crate) mod facet {
    use ralph_core::id::{RunId, TaskId};
    use ralph_core::note::{Anchor, KindName};

    /// Only its own task sees it.
    pub(crate) const STAGED: &str = "=staged";

    pub(crate) fn kind(kind: KindName) -> String {
        format!("=kind {}", kind.as_str())
    }

    pub(crate) fn scope(name: &str) -> String {
        format!("=scope {name}")
    }

    pub(crate) fn task(task: &TaskId) -> String {
        format!("=task {task}")
    }

    /// Whoever sees it.
    pub(crate) fn made_for(task: &TaskId) -> String {
        format!("=for {task}")
    }

    pub(crate) fn file(path: &str) -> String {
        format!("=file {}", path.trim_start_matches("./"))
    }

    pub(crate) fn symbol(name: &str) -> String {
        format!("=symbol {name}")
    }

    /// What was changed by an approach that failed.
    pub(crate) fn changes(diff: &str) -> String {
        format!("=changes {diff}")
    }

    /// How checks came out, which says nothing that others do not say better.
    pub(crate) const OUTCOME: &str = "=outcome";

    /// What was seen to fail; and in which run.
    pub(crate) const FAILING: &str = "=failing";

    pub(crate) fn failing_in(run: &RunId) -> String {
        format!("=failing {run}")
    }

    pub(crate) fn anchor(anchor: &Anchor) -> String {
        format!("=anchor {} {}", anchor.file, anchor.symbol)
    }
}

fn facets(note: &Note) -> Vec<String> {
    let said = &note.said;
    let mut facets = vec![facet::kind(said.kind.name()), facet::scope(said.scope.name())];
    if let Scope::Task { task } = &said.scope {
        facets.extend([facet::STAGED.to_owned(), facet::task(task)]);
    }
    facets.extend(said.files.iter().map(|path| facet::file(path)));
    facets.extend(said.symbols.iter().map(|name| facet::symbol(name)));
    facets.extend(said.source.task.iter().map(facet::made_for));
    facets.extend(said.anchors.iter().map(facet::anchor));
    facets.extend(is_outcome(said).then(|| facet::OUTCOME.to_owned()));
    if let Kind::Failure { diff: Some(diff), .. } = &said.kind {
        facets.push(facet::changes(diff));
    }
    if is_failing(said) {
        facets.push(facet::FAILING.to_owned());
        facets.extend(said.source.run.iter().map(facet::failing_in));
    }
    facets.sort_unstable();
    facets.dedup();
    facets
}

#[cfg(test)]
mod tests {
    use super::{ASKS, COUNTED, DATED, date, marks};
    use ralph_core::Timestamp;

    #[test]
    fn how_a_note_is_put_is_marked() {
        assert_eq!(marks("Which port does the server use?"), ASKS);
        assert_eq!(marks("It was changed last week."), DATED);
        assert_eq!(marks("It needs three workers"), COUNTED);
        assert_eq!(marks("It needs workers"), 0);
    }

    #[test]
    fn a_day_is_found_as_people_write_it() {
        assert_eq!(date(Timestamp::UNIX_EPOCH), "1 January 1970");
    }
}
