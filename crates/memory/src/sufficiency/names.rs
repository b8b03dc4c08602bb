//! Whether a note tells of what is mentioned.

use ralph_core::note::{Citation, Kind, Note, Observation};

use super::mention::{Mention, MentionKind};

/// It is about it, cites it, or has it in its text.
pub(super) fn names(note: &Note, mention: &Mention) -> bool {
    let said = &note.said;
    let is_about = match mention.kind {
        MentionKind::File => {
            let cited = said.citations.iter().filter_map(|citation| match citation {
                Citation::File { path, .. } => Some(path),
                Citation::Commit { .. } | Citation::Note { .. } | Citation::Other { .. } => None,
            });
            let anchored = said.anchors.iter().map(|anchor| &anchor.file);
            said.files.iter().chain(cited).chain(anchored).any(|path| is_same_file(path, &mention.text))
        }
        MentionKind::Symbol | MentionKind::Test => {
            let anchored = said.anchors.iter().map(|anchor| &anchor.symbol);
            said.symbols.iter().chain(anchored).any(|name| is_same_symbol(name, &mention.text))
        }
        MentionKind::Command => match &said.kind {
            Kind::Observation(Observation::Command { command }) => has(command, &mention.text),
            Kind::Observation(_)
            | Kind::Skill
            | Kind::Pattern
            | Kind::Gotcha { .. }
            | Kind::Failure { .. } => false,
        },
    };
    let texts = [&*said.title, &*said.content];
    is_about || texts.into_iter().chain(said.kind.texts()).any(|text| has(text, &mention.text))
}

/// Either may be named by its end alone.
fn is_same_file(path: &str, named: &str) -> bool {
    let (path, named) = (path.trim_start_matches("./"), named.trim_start_matches("./"));
    let ends = |whole: &str, end: &str| {
        whole.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    ends(path, named)
}

fn is_same_symbol(name: &str, mentioned: &str) -> bool {
    let parts = |name: &str| -> Vec<String> {
        name.split("::").flat_map(|part| part.split(['.', '#'])).map(str::to_owned).collect()
    };
    parts(name).ends_with(&parts(mentioned))
}

/// As a word of its own.
fn has(text: &str, named: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(named)
        .any(|(at, found)| !text[..at].ends_with(goes_on) && !text[at + found.len()..].starts_with(goes_on))
}
