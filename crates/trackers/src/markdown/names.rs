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
        "depends on" | "depends_on" | "dependson" | "dependencies" => Key::DependsOn,
        "blocks" => Key::Blocks,
        "parent" => Key::Parent,
        "acceptance criteria" | "criteria" => Key::Criteria,
        _ => return None,
    };
    Some((key, value.trim_start_matches('*').trim()))
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

/// The name that a title begins or ends with, and the title without it: `US-1: title`, `**US-1** title`,
/// `[US-1] title`, `title {#any-id}`. Only the last may do without a digit: `Fix: …` has no name.
pub(super) fn named(title: &str) -> (Option<TaskId>, &str) {
    if let Some((rest, name)) = title.strip_suffix('}').and_then(|title| title.rsplit_once("{#"))
        && let Ok(id) = TaskId::of_backlog(name)
        && !rest.trim().is_empty()
    {
        return (Some(id), rest.trim());
    }
    let (first, rest) = title.split_once(char::is_whitespace).unwrap_or((title, ""));
    let plain = first.trim_end_matches(':');
    let bare = ["**", "__", "`"].iter().find_map(|mark| {
        let inner = plain.strip_prefix(mark)?.strip_suffix(mark)?;
        Some(inner.trim_end_matches(':'))
    });
    let bare = bare.or_else(|| plain.strip_prefix('[')?.strip_suffix(']'));
    let name = bare.or(if plain.len() < first.len() { Some(plain) } else { None });
    let id = name.filter(|name| name.bytes().any(|byte| byte.is_ascii_digit()));
    let id = id.and_then(|name| TaskId::of_backlog(name).ok());
    let rest = rest.trim_start_matches([':', '-', '–', '—', ' ']).trim();
    match id {
        Some(id) if !rest.is_empty() => (Some(id), rest),
        _ => (None, title),
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
    use super::{derived, named, priority};

    #[test]
    fn names_are_recognised_where_they_are_meant() {
        let cases = [
            ("US-001: Add a login", Some("US-001"), "Add a login"),
            ("**US-1** Add", Some("US-1"), "Add"),
            ("**US-1:** Add", Some("US-1"), "Add"),
            ("[T2] - Add", Some("T2"), "Add"),
            ("`1.2` Add", Some("1.2"), "Add"),
            ("Add a login {#login}", Some("login"), "Add a login"),
            ("Fix: the parser", None, "Fix: the parser"),
            ("3 things to do", None, "3 things to do"),
            ("US-1:", None, "US-1:"),
            ("**Bold** words", None, "**Bold** words"),
            ("--rm1: no option", None, "--rm1: no option"),
        ];
        for (title, id, rest) in cases {
            let (found, left) = named(title);
            assert_eq!((found.as_ref().map(|id| id.as_str()), left), (id, rest), "{title}");
        }
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
