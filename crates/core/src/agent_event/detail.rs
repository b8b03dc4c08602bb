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
    /// Everything: thoughts, what sub-agents say and do, sessions, counters.
    Full,
}

impl Detail {
    /// From the least to the most.
    pub const ALL: [Detail; 4] = [Detail::Off, Detail::Minimal, Detail::Moderate, Detail::Full];

    pub fn name(self) -> &'static str {
        match self {
            Detail::Off => "off",
            Detail::Minimal => "minimal",
            Detail::Moderate => "moderate",
            Detail::Full => "full",
        }
    }

    pub fn parse(name: &str) -> Option<Detail> {
        Detail::ALL.into_iter().find(|detail| detail.name() == name)
    }

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
        AgentEvent::Session { .. }
        | AgentEvent::Usage { .. }
        | AgentEvent::Cost { .. }
        | AgentEvent::Reasoning { .. } => Detail::Full,
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
        assert_eq!(Detail::ALL.map(shown), [0, 1, 2, 4]);
    }

    #[test]
    fn a_level_is_known_by_its_name() {
        assert_eq!(Detail::ALL.map(|detail| Detail::parse(detail.name())), Detail::ALL.map(Some));
        assert_eq!(Detail::parse("loud"), None);
        for detail in Detail::ALL {
            assert_eq!(serde_json::to_value(detail).expect("json"), detail.name());
        }
    }
}
