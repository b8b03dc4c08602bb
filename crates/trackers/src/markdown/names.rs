//! What a checklist's words mean: the names of tasks, and what is known of them.

use ralph_core::backlog::Priority;
use ralph_core::id::TaskId;

/// The longest name that is made of a title.
const LONGEST: usize = 48;

/// What a line below a task can tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Priority,
    Labels,
    DependsOn,
    /// As people also head a list of libraries: only what turns out to be a task is one.
    Dependencies,
    Blocks,
    Parent,
    Criteria,
}

/// `Depends on: A, B`.
pub(super) fn known(text: &str) -> Option<(Key, &str)> {
    let (key, value) = text.split_once(':')?;
    let key = key.trim_matches(['*', '_', ' ']).to_ascii_lowercase();
    let key = match key.as_str() {
        "priority" => Key::Priority,
        "labels" | "label" | "tags" => Key::Labels,
        "depends on" | "depends_on" | "dependson" => Key::DependsOn,
        "dependencies" => Key::Dependencies,
        "blocks" => Key::Blocks,
        "parent" => Key::Parent,
        "acceptance criteria" | "criteria" => Key::Criteria,
        _ => return None,
    };
    Some((key, value.trim_start_matches('*').trim()))
}

/// Whether a text only says that what follows are criteria.
pub(super) fn heads_criteria(text: &str) -> bool {
    matches!(known(text), Some((Key::Criteria, "")))
}

/// Whether somebody filled in that there is nothing to fill in.
pub(super) fn is_none(value: &str) -> bool {
    let value = value.trim_matches(['(', ')', '.', ' ', '*', '_', '`']).to_ascii_lowercase();
    matches!(value.as_str(), "none" | "n/a" | "na" | "nothing" | "no" | "nil" | "-" | "–" | "—")
}

/// `1`, `P1` or `high`.
pub(super) fn priority(text: &str) -> Option<Priority> {
    let text = text.trim().to_ascii_lowercase();
    let number = match text.as_str() {
        "critical" | "urgent" => 0,
        "high" => 1,
        "medium" | "normal" => 2,
        "low" => 3,
        "backlog" => 4,
        digits => digits.strip_prefix('p').unwrap_or(digits).parse().ok()?,
    };
    Priority::try_from(number).ok()
}

/// What a title says of a task's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Naming<'a> {
    /// It is written as one: `title {#any-id}`, `**US-1** title`.
    Named(TaskId, &'a str),
    /// It looks like one: `US-1: title`, `[US-1] title`, `` `US-1` title``. Where several tasks begin so, it is not.
    Guessed(TaskId, &'a str),
    Unnamed,
}

/// The name that a title begins or ends with, and the title without it. Only `{#any-id}` may do without a digit:
/// `Fix: …` has no name.
pub(super) fn naming(title: &str) -> Naming<'_> {
    if let Some((rest, name)) = title.strip_suffix('}').and_then(|title| title.rsplit_once("{#"))
        && let Ok(id) = TaskId::of_backlog(name)
        && !rest.trim().is_empty()
    {
        return Naming::Named(id, rest.trim());
    }
    let (first, rest) = title.split_once(char::is_whitespace).unwrap_or((title, ""));
    let rest = rest.trim_start_matches([':', '-', '–', '—', ' ']).trim();
    let plain = first.trim_end_matches(':');
    let between = |marks: &[&str]| {
        marks
            .iter()
            .find_map(|mark| plain.strip_prefix(mark)?.strip_suffix(mark))
            .map(|name| name.trim_end_matches(':'))
    };
    let id = |name: &str| {
        let has_digit = name.bytes().any(|byte| byte.is_ascii_digit());
        TaskId::of_backlog(name).ok().filter(|_| has_digit && !rest.is_empty())
    };
    if let Some(id) = between(&["**", "__"]).and_then(id) {
        return Naming::Named(id, rest);
    }
    let bracketed = || plain.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let with_colon = || Some(plain).filter(|plain| plain.len() < first.len());
    match between(&["`"]).or_else(bracketed).or_else(with_colon).and_then(id) {
        Some(id) => Naming::Guessed(id, rest),
        None => Naming::Unnamed,
    }
}

/// A name made of a title, the same as long as the title is.
pub(super) fn derived(title: &str) -> TaskId {
    let mut name = String::new();
    for character in title.chars() {
        if character.is_ascii_alphanumeric() {
            name.push(character.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() == LONGEST {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    TaskId::of_backlog(name).unwrap_or_else(|_| {
        let number = title.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        TaskId::parse(&format!("task-{:08x}", number >> 32)).expect("digits and letters")
    })
}

#[cfg(test)]
mod tests {
    use super::{Naming, derived, is_none, naming, priority};

    #[test]
    fn names_are_recognised_where_they_are_meant() {
        let named = |title| match naming(title) {
            Naming::Named(id, rest) => ("named", id.to_string(), rest),
            Naming::Guessed(id, rest) => ("guessed", id.to_string(), rest),
            Naming::Unnamed => ("unnamed", String::new(), title),
        };
        let cases = [
            ("US-001: Add a login", "guessed", "US-001", "Add a login"),
            ("**US-1** Add", "named", "US-1", "Add"),
            ("**US-1:** Add", "named", "US-1", "Add"),
            ("[T2] - Add", "guessed", "T2", "Add"),
            ("`1.2` Add", "guessed", "1.2", "Add"),
            ("Add a login {#login}", "named", "login", "Add a login"),
            ("Fix: the parser", "unnamed", "", "Fix: the parser"),
            ("3 things to do", "unnamed", "", "3 things to do"),
            ("US-1:", "unnamed", "", "US-1:"),
            ("**Bold** words", "unnamed", "", "**Bold** words"),
            ("--rm1: no option", "unnamed", "", "--rm1: no option"),
        ];
        for (title, how, id, rest) in cases {
            assert_eq!(named(title), (how, id.to_owned(), rest), "{title}");
        }
        for none in ["none", "None.", "n/a", "N/A", "–", "-", "(none)", "*nothing*"] {
            assert!(is_none(none), "{none}");
        }
        assert!(!is_none("US-1") && !is_none("no-login"));
    }

    #[test]
    fn a_name_is_made_of_the_title() {
        assert_eq!(derived("Fix: the *parser*!").as_str(), "fix-the-parser");
        assert_eq!(derived("prompt").as_str().len(), 13);
        assert_eq!(derived("äöü"), derived("äöü"));
        assert_ne!(derived("äöü"), derived("öäü"));
        assert!(derived(&"x".repeat(1_000)).as_str().len() <= 48);
        assert_eq!(
            [priority("P1"), priority("Low"), priority("5"), priority("")].map(|p| p.map(|p| p.get())),
            [Some(1), Some(3), None, None]
        );
    }
}
