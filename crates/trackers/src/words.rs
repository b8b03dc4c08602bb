//! What the names that people give to statuses and labels mean, however they write them.

use ralph_core::backlog::Status;

/// `status: in-progress` is `status in progress`.
pub(crate) fn words(name: &str) -> String {
    let text = name.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn says_blocked(name: &str) -> bool {
    matches!(words(name).as_str(), "blocked" | "on hold")
}

/// A name for what ended without having been done.
pub(crate) fn says_cancelled(name: &str) -> bool {
    matches!(
        words(name).as_str(),
        "cancelled"
            | "canceled"
            | "won t do"
            | "wont do"
            | "won t fix"
            | "wont fix"
            | "will not do"
            | "not planned"
            | "declined"
            | "rejected"
            | "duplicate"
            | "obsolete"
            | "abandoned"
            | "invalid"
            | "cannot reproduce"
    )
}

/// The name that says best what a status is, where several would do.
pub(crate) fn says_best(status: Status, name: &str) -> bool {
    let words = words(name);
    match status {
        Status::Open => matches!(words.as_str(), "to do" | "todo" | "open" | "selected for development"),
        Status::InProgress => matches!(words.as_str(), "in progress" | "doing" | "started"),
        Status::Blocked => words == "blocked",
        Status::Completed => matches!(words.as_str(), "done" | "closed" | "resolved" | "completed" | "fixed"),
        Status::Cancelled => matches!(words.as_str(), "cancelled" | "canceled" | "won t do"),
    }
}
