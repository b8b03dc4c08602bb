//! The agents of a run, in order of preference, and which of them is at work.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::AgentName;

/// How often a limited agent is tried again before another takes over, and how long the first wait is.
const STRIKES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// A reset that is nearer than this is waited for even where another agent could take over.
const SHORT: Duration = Duration::from_secs(60);
/// How long an agent that names no reset is left alone.
const REST: Duration = Duration::from_secs(15 * 60);

/// Never empty; the first is the primary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crew {
    members: Vec<Member>,
    at_work: usize,
}

/// One agent as it is to be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    pub agent: AgentName,
    /// Program and arguments, for an agent that is given as a command.
    pub command: Vec<String>,
    pub model: Option<String>,
    pub effort: Option<String>,
    #[serde(default)]
    pub protocol: Protocol,
    /// Until when it is not worth asking.
    pub limited_until: Option<Timestamp>,
    /// Limits in a row.
    strikes: u32,
}

/// How an agent is spoken with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// It gets its brief and prints, in its own way.
    #[default]
    Own,
    /// The Agent Client Protocol.
    Acp,
}

/// What becomes of a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Yielded {
    /// Try the same agent again after this long.
    Wait(Duration),
    /// Another agent goes on.
    HandOver { from: AgentName, to: AgentName },
    /// Nobody can work before then.
    AllLimited { until: Timestamp },
}

impl Member {
    pub fn new(agent: AgentName, command: Vec<String>) -> Member {
        let protocol = Protocol::Own;
        Member { agent, command, model: None, effort: None, protocol, limited_until: None, strikes: 0 }
    }

    #[must_use]
    pub fn with(self, model: Option<String>, effort: Option<String>) -> Member {
        Member { model, effort, ..self }
    }

    #[must_use]
    pub fn speaking(self, protocol: Protocol) -> Member {
        Member { protocol, ..self }
    }
}

impl Crew {
    pub fn new(primary: Member, fallback: Vec<Member>) -> Crew {
        Crew { members: [vec![primary], fallback].concat(), at_work: 0 }
    }

    pub fn at_work(&self) -> &Member {
        &self.members[self.at_work]
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The agent at work did something: what limits it had are over.
    pub fn worked(&mut self) {
        let member = &mut self.members[self.at_work];
        (member.strikes, member.limited_until) = (0, None);
    }

    /// The agent at work ran into its limit.
    pub fn limited(&mut self, reset: Option<Timestamp>, now: Timestamp) -> Yielded {
        let member = &mut self.members[self.at_work];
        let named = reset.map(|reset| until(now, reset));
        let wait = named.unwrap_or_else(|| FIRST_WAIT * 3_u32.pow(member.strikes.min(STRIKES)));
        member.strikes += 1;
        if wait <= SHORT && member.strikes <= STRIKES {
            return Yielded::Wait(wait);
        }
        member.limited_until = Some(later(now, named.unwrap_or(REST)));
        self.hand_over(now)
    }

    fn hand_over(&mut self, now: Timestamp) -> Yielded {
        let free = |member: &Member| member.limited_until.is_none_or(|until| until <= now);
        let from = self.at_work().agent.clone();
        match self.members.iter().position(free) {
            Some(next) => {
                self.at_work = next;
                self.members[next].strikes = 0;
                Yielded::HandOver { from, to: self.at_work().agent.clone() }
            }
            None => self.wait_for_first(),
        }
    }

    /// Whoever is free first is at work when the wait is over.
    fn wait_for_first(&mut self) -> Yielded {
        let reset = |at: &usize| self.members[*at].limited_until.expect("every member is limited");
        let first = (0..self.members.len()).min_by_key(reset).expect("a crew is never empty");
        let until = reset(&first);
        self.at_work = first;
        Yielded::AllLimited { until }
    }

    /// The primary, where another is at work and the primary's limit may be over.
    pub fn to_probe(&self, now: Timestamp) -> Option<&Member> {
        let primary = &self.members[0];
        let over = primary.limited_until.is_none_or(|until| until <= now);
        (self.at_work != 0 && over).then_some(primary)
    }

    /// What the probe of the primary came to; true if it goes back to work.
    pub fn probed(&mut self, answered: bool, now: Timestamp) -> bool {
        let primary = &mut self.members[0];
        if answered {
            (primary.strikes, primary.limited_until) = (0, None);
            self.at_work = 0;
        } else {
            primary.limited_until = Some(later(now, REST));
        }
        answered
    }
}

fn until(now: Timestamp, reset: Timestamp) -> Duration {
    Duration::try_from(reset.duration_since(now)).unwrap_or_default()
}

fn later(now: Timestamp, by: Duration) -> Timestamp {
    now.saturating_add(by).expect("a duration is never negative")
}

#[cfg(test)]
mod tests {
    use super::{Crew, Member, Yielded};
    use crate::Timestamp;
    use crate::id::AgentName;
    use std::time::Duration;

    fn name(text: &str) -> AgentName {
        AgentName::parse(text).unwrap()
    }

    fn crew(names: &[&str]) -> Crew {
        let mut members = names.iter().map(|text| Member::new(name(text), Vec::new()));
        Crew::new(members.next().unwrap(), members.collect())
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    #[test]
    fn a_limit_without_a_reset_is_waited_for_three_times_then_handed_over() {
        let mut crew = crew(&["a", "b"]);
        let waits: Vec<_> = (0..3).map(|_| crew.limited(None, at(0))).collect();
        assert_eq!(waits, [5, 15, 45].map(|s| Yielded::Wait(Duration::from_secs(s))));
        assert_eq!(crew.limited(None, at(0)), Yielded::HandOver { from: name("a"), to: name("b") });
        assert_eq!(crew.at_work().agent, name("b"));
    }

    #[test]
    fn a_far_reset_hands_over_at_once_and_a_near_one_is_waited_for() {
        let mut far = crew(&["a", "b"]);
        assert!(matches!(far.limited(Some(at(3_600)), at(0)), Yielded::HandOver { .. }));
        let mut near = crew(&["a", "b"]);
        assert_eq!(near.limited(Some(at(30)), at(0)), Yielded::Wait(Duration::from_secs(30)));
    }

    #[test]
    fn with_all_limited_the_first_reset_decides_who_goes_on() {
        let mut crew = crew(&["a", "b"]);
        crew.limited(Some(at(7_200)), at(0));
        assert_eq!(crew.limited(Some(at(3_600)), at(0)), Yielded::AllLimited { until: at(3_600) });
        assert_eq!(crew.at_work().agent, name("b"));
    }

    #[test]
    fn the_primary_is_probed_when_its_limit_is_over_and_taken_back_when_it_answers() {
        let mut crew = crew(&["a", "b"]);
        crew.limited(Some(at(3_600)), at(0));
        assert_eq!(crew.to_probe(at(10)), None);
        assert_eq!(crew.to_probe(at(3_600)).map(|member| &member.agent), Some(&name("a")));
        assert!(!crew.probed(false, at(3_600)));
        assert_eq!(crew.to_probe(at(3_700)), None);
        assert!(crew.probed(true, at(9_000)));
        assert_eq!((&crew.at_work().agent, crew.to_probe(at(9_000))), (&name("a"), None));
    }

    #[test]
    fn a_reset_in_the_past_never_waits_for_ever_and_never_panics() {
        let mut crew = crew(&["a"]);
        for _ in 0..3 {
            assert_eq!(crew.limited(Some(at(-50)), at(0)), Yielded::Wait(Duration::ZERO));
        }
        assert!(matches!(
            crew.limited(Some(at(-50)), at(0)),
            Yielded::HandOver { .. } | Yielded::AllLimited { .. }
        ));
    }
}
