//! Whether what a sentence names has to be there, by the words around it.

use super::mention::{MentionKind, Standing};

/// So many words away a verb is about something else.
const BEFORE: usize = 12;
const AFTER: usize = 6;

/// What stands between a verb and what is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    /// `add a check to X`: X is where something is put.
    Into,
    /// `write a test for X`: X is what something else is about.
    About,
}

/// `otherwise` is its standing if nothing around it says more.
pub(super) fn standing(
    before: &[String],
    after: &[String],
    kind: MentionKind,
    otherwise: Standing,
) -> Standing {
    let later = after.iter().take(AFTER).map(String::as_str);
    if later.clone().next() == Some("new") || later.clone().any(|word| MADE.contains(&word)) {
        return Standing::ToBeMade;
    }
    if later.clone().any(|word| ABSENT.contains(&word)) {
        return Standing::Passing;
    }
    let mut between = Between::Nothing;
    let mut next = "";
    for word in before.iter().rev().take(BEFORE).map(String::as_str) {
        // `make a parser` makes one, `make the parser fast` does not.
        if MAKES.contains(&word) || (word == "make" && matches!(next, "a" | "an")) {
            return made(between, kind, otherwise);
        }
        if RENAMES.contains(&word) {
            return if between == Between::Into { Standing::ToBeMade } else { otherwise };
        }
        if SAYS.contains(&word) && between == Between::Nothing {
            return Standing::Passing;
        }
        if USES.contains(&word) {
            return otherwise;
        }
        if between == Between::Nothing {
            between = if INTO.contains(&word) {
                Between::Into
            } else if ABOUT.contains(&word) {
                Between::About
            } else {
                Between::Nothing
            };
        }
        next = word;
    }
    otherwise
}

fn made(between: Between, kind: MentionKind, otherwise: Standing) -> Standing {
    match (between, kind) {
        (Between::Nothing, _) => Standing::ToBeMade,
        // Where something new is put may be new as well.
        (Between::Into, MentionKind::File) => Standing::Passing,
        (Between::Into | Between::About, _) => otherwise,
    }
}

const MAKES: [&str; 21] = [
    "create",
    "creates",
    "creating",
    "add",
    "adds",
    "adding",
    "new",
    "write",
    "writes",
    "writing",
    "implement",
    "implements",
    "implementing",
    "introduce",
    "introduces",
    "generate",
    "generates",
    "define",
    "defines",
    "scaffold",
    "provide",
];
/// Of what was named before.
const MADE: [&str; 7] = ["created", "added", "introduced", "written", "implemented", "generated", "defined"];
const ABSENT: [&str; 4] = ["missing", "exist", "exists", "nonexistent"];
const RENAMES: [&str; 8] = ["rename", "renames", "renamed", "move", "moved", "extract", "split", "convert"];
/// What is returned or printed is a value.
const SAYS: [&str; 20] = [
    "return",
    "returns",
    "returning",
    "print",
    "prints",
    "printing",
    "output",
    "outputs",
    "emit",
    "emits",
    "say",
    "says",
    "show",
    "shows",
    "value",
    "like",
    "example",
    "equals",
    "key",
    "e.g",
];
const USES: [&str; 29] = [
    "fix", "fixes", "change", "changes", "update", "updates", "modify", "edit", "refactor", "use", "uses",
    "using", "call", "calls", "replace", "remove", "delete", "extend", "improve", "see", "read", "reads",
    "check", "reuse", "run", "runs", "open", "debug", "document",
];
const INTO: [&str; 9] = ["to", "into", "in", "inside", "at", "under", "within", "through", "as"];
const ABOUT: [&str; 17] = [
    "for", "of", "from", "on", "against", "by", "via", "than", "when", "if", "because", "before", "after",
    "until", "while", "about", "so",
];
