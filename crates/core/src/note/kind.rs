//! What sorts of notes there are, and what each has beyond its text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// Something that was seen or decided while working.
    Observation(Observation),
    /// How something is done here.
    Skill,
    /// What holds in this code, and is expected to go on holding.
    Pattern,
    /// What goes wrong, and when.
    Gotcha {
        /// What has to be the case for it to happen.
        #[serde(default)]
        triggers: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terminal: Option<TerminalSnapshot>,
    },
    /// An approach that did not work. Two failures are the same if their fingerprints are, whatever was said of them.
    Failure {
        approach: String,
        /// Of what was changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<String>,
        /// Of what was reported then.
        #[serde(default)]
        errors: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "observation", rename_all = "snake_case")]
pub enum Observation {
    Discovery,
    Decision { rationale: String },
    Command { command: String },
    ToolUse { tool: String },
}

/// The end of what a terminal showed when something went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TerminalSnapshot {
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub text: String,
}

/// A kind without what it holds: what one searches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindName {
    Discovery,
    Decision,
    Command,
    ToolUse,
    Skill,
    Pattern,
    Gotcha,
    Failure,
}

impl KindName {
    pub const ALL: [KindName; 8] = [
        KindName::Discovery,
        KindName::Decision,
        KindName::Command,
        KindName::ToolUse,
        KindName::Skill,
        KindName::Pattern,
        KindName::Gotcha,
        KindName::Failure,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            KindName::Discovery => "discovery",
            KindName::Decision => "decision",
            KindName::Command => "command",
            KindName::ToolUse => "tool_use",
            KindName::Skill => "skill",
            KindName::Pattern => "pattern",
            KindName::Gotcha => "gotcha",
            KindName::Failure => "failure",
        }
    }
}

impl Kind {
    /// It tells what happened, which stays so whatever becomes of the code.
    pub fn is_history(&self) -> bool {
        match self {
            Kind::Failure { .. } | Kind::Observation(Observation::ToolUse { .. }) => true,
            Kind::Observation(
                Observation::Discovery | Observation::Decision { .. } | Observation::Command { .. },
            )
            | Kind::Skill
            | Kind::Pattern
            | Kind::Gotcha { .. } => false,
        }
    }

    pub fn name(&self) -> KindName {
        match self {
            Kind::Observation(Observation::Discovery) => KindName::Discovery,
            Kind::Observation(Observation::Decision { .. }) => KindName::Decision,
            Kind::Observation(Observation::Command { .. }) => KindName::Command,
            Kind::Observation(Observation::ToolUse { .. }) => KindName::ToolUse,
            Kind::Skill => KindName::Skill,
            Kind::Pattern => KindName::Pattern,
            Kind::Gotcha { .. } => KindName::Gotcha,
            Kind::Failure { .. } => KindName::Failure,
        }
    }

    /// The texts that it has beyond those of every note, to be searched with them.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Kind::Observation(Observation::Discovery) | Kind::Skill | Kind::Pattern => Vec::new(),
            Kind::Observation(Observation::Decision { rationale: text })
            | Kind::Observation(Observation::Command { command: text })
            | Kind::Observation(Observation::ToolUse { tool: text }) => vec![text],
            Kind::Gotcha { triggers, terminal } => {
                let terminal = terminal.iter().flat_map(|shown| [&*shown.command, &*shown.text]);
                triggers.iter().map(String::as_str).chain(terminal).collect()
            }
            Kind::Failure { approach, errors, .. } => {
                std::iter::once(approach).chain(errors).map(String::as_str).collect()
            }
        }
    }

    pub(super) fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Kind::Observation(Observation::Discovery) | Kind::Skill | Kind::Pattern => Vec::new(),
            Kind::Observation(Observation::Decision { rationale: text })
            | Kind::Observation(Observation::Command { command: text })
            | Kind::Observation(Observation::ToolUse { tool: text }) => vec![text],
            Kind::Gotcha { triggers, terminal } => {
                let terminal = terminal.iter_mut().flat_map(|shown| [&mut shown.command, &mut shown.text]);
                triggers.iter_mut().chain(terminal).collect()
            }
            Kind::Failure { approach, diff, errors } => {
                std::iter::once(approach).chain(diff).chain(errors).collect()
            }
        }
    }
}
