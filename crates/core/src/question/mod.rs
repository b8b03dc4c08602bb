//! What an agent asked instead of working, and what became of it.

mod inbox;
mod recognise;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::TaskId;

pub use inbox::Inbox;
pub use recognise::only_asks;

/// Counts from 1 within a run.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct QuestionNo(pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub no: QuestionNo,
    pub task: TaskId,
    pub iteration: u32,
    pub text: String,
    pub asked_at: Timestamp,
    #[serde(flatten)]
    pub fate: Fate,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// Somebody may still answer before the run goes on.
    Open,
    Answered {
        answer: String,
    },
    /// Nobody answered in time: the agent decides, and says what it takes for granted.
    Assumed {
        /// In the agent's words, once it has said it.
        assumption: Option<String>,
    },
}

impl Question {
    /// Whether an answer can still be of use.
    pub fn is_unanswered(&self) -> bool {
        !matches!(self.fate, Fate::Answered { .. })
    }
}

impl std::fmt::Display for QuestionNo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// How an agent is asked to say what it takes for granted, and how that is found again.
pub const ASSUMPTION: &str = "Assumption:";

/// What an agent says it took for granted, if it does.
pub fn assumption_in(message: &str) -> Option<String> {
    let stated = |line: &str| {
        let line = line.trim_start_matches(['-', '*', '>', '#', '_', ' ', '\t']);
        let start = line.get(..ASSUMPTION.len())?;
        let rest = line[ASSUMPTION.len()..].trim_matches(['*', '_', ' ', '\t']);
        (start.eq_ignore_ascii_case(ASSUMPTION) && !rest.is_empty()).then(|| rest.to_owned())
    };
    let all: Vec<String> = message.lines().filter_map(stated).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::assumption_in;

    #[test]
    fn an_assumption_is_found_however_it_is_set() {
        let said = |message| assumption_in(message);
        assert_eq!(said("ok\n- **Assumption:** port 80\n"), Some("port 80".to_owned()));
        assert_eq!(said("assumption: a\nAssumption: b"), Some("a; b".to_owned()));
        assert_eq!(said("my assumption: none of this\nAssumption:\nüüüüüüüüüüüüü"), None);
    }
}
