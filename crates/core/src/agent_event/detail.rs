//! How much of an agent's work people want to see.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AgentEvent;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    Off,
    /// Which sub-agents work, and what stands in the way.
    Minimal,
    /// Also what the agent itself says and does.
    #[default]
    Moderate,
    /// Everything, sub-agents' words and thoughts included.
    Full,
}

impl Detail {
    pub fn shows(self, event: &AgentEvent) -> bool {
        self >= least(event)
    }
}

/// The least detail at which an event is shown.
fn least(event: &AgentEvent) -> Detail {
    let of_the_agent = |parent: &Option<String>| match parent {
        None => Detail::Moderate,
        Some(_) => Detail::Full,
    };
    match event {
        AgentEvent::SubAgentStarted { .. }
        | AgentEvent::SubAgentEnded { .. }
        | AgentEvent::Waiting { .. }
        | AgentEvent::Limit { .. }
        | AgentEvent::Error { .. }
        | AgentEvent::End { .. } => Detail::Minimal,
        AgentEvent::Message { parent, .. }
        | AgentEvent::ToolUse { parent, .. }
        | AgentEvent::ToolResult { parent, .. } => of_the_agent(parent),
        AgentEvent::Session { .. } | AgentEvent::Usage { .. } | AgentEvent::Cost { .. } => Detail::Moderate,
        AgentEvent::Reasoning { .. } => Detail::Full,
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentEvent, Detail};

    #[test]
    fn each_level_shows_what_the_one_below_shows_and_more() {
        let message = |parent: Option<&str>| AgentEvent::Message {
            text: "hi".to_owned(),
            parent: parent.map(str::to_owned),
        };
        let events = [
            AgentEvent::End { ok: true },
            message(None),
            message(Some("t1")),
            AgentEvent::Reasoning { text: "hm".to_owned(), parent: None },
        ];
        let shown = |detail: Detail| events.iter().filter(|event| detail.shows(event)).count();
        assert_eq!([Detail::Off, Detail::Minimal, Detail::Moderate, Detail::Full].map(shown), [0, 1, 2, 4]);
    }
}
