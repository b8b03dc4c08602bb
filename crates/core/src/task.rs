//! A unit of work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::TaskId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    pub id: TaskId,
    pub title: String,
    /// What the agent is asked to do, in full.
    pub body: String,
    #[serde(default)]
    pub labels: Vec<String>,
    /// From 0, the most urgent, to 4; unknown where nobody said.
    #[serde(default)]
    pub priority: Option<u8>,
    /// Files that belong to it and are not in the body, as absolute paths.
    #[serde(default)]
    pub files: Vec<String>,
}

impl Task {
    /// The task of `ralph run "PROMPT"`.
    pub fn prompt(body: &str) -> Task {
        Task {
            id: TaskId::prompt(),
            title: headline(body),
            body: body.to_owned(),
            labels: Vec::new(),
            priority: None,
            files: Vec::new(),
        }
    }

    /// The task as its notes know it: every prompt is called the same, and each has notes of its own, which the same
    /// prompt finds again.
    pub fn remembered_as(&self) -> TaskId {
        remembered_as(&self.id, &self.body)
    }

    /// What a run over a backlog has in hand before it has chosen anything.
    pub fn backlog(title: &str) -> Task {
        Task { title: title.to_owned(), ..Task::prompt("") }
    }
}

pub(crate) fn remembered_as(id: &TaskId, body: &str) -> TaskId {
    if *id != TaskId::prompt() {
        return id.clone();
    }
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = body.trim().bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    TaskId::parse(&format!("prompt-{hash:016x}")).expect("digits and letters are an id")
}

/// The first line with text in it, short enough for a status line.
fn headline(body: &str) -> String {
    const LONGEST: usize = 72;
    let line = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn each_prompt_has_notes_of_its_own_and_finds_them_again() {
        let (one, other) = (Task::prompt("fix the parser"), Task::prompt("fix the lexer"));
        assert_eq!(one.remembered_as(), Task::prompt("fix the parser\n").remembered_as());
        assert_ne!(one.remembered_as(), other.remembered_as());
    }

    #[test]
    fn the_title_is_the_first_line_with_text_cut_to_fit() {
        assert_eq!(Task::prompt("\n  fix the parser \nmore").title, "fix the parser");
        let long = Task::prompt(&"ü".repeat(100)).title;
        assert_eq!((long.chars().count(), long.ends_with('…')), (72, true));
    }
}
