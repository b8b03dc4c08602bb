//! The agents of a run, in order of preference, and which of them is at work.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::{AgentName, SessionId};
use crate::report::Usage;
use crate::route::Route;

/// How often a limited agent is tried again before another takes over, and how long the first wait is.
const STRIKES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// A reset that is nearer than this is waited for even where another agent could take over.
const SHORT: Duration = Duration::from_secs(60);
/// How long an agent that names no reset is left alone.
pub(crate) const REST: Duration = Duration::from_secs(15 * 60);

/// Never empty; the first is the primary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crew {
    /// Those of the settings, then guests: whom only a route or a person brought in.
    pub(crate) members: Vec<Member>,
    #[serde(default)]
    pub(crate) guests: usize,
    pub(crate) at_work: usize,
    /// Who is to work in this iteration, limits aside.
    #[serde(default)]
    pub(crate) lead: usize,
    /// Whom a person asked for; goes before every route for the rest of the run.
    #[serde(default)]
    pub(crate) asked: Option<Member>,
    #[serde(default)]
    pub(crate) routes: Vec<Route>,
    #[serde(default)]
    pub(crate) sessions: Sessions,
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
    /// The server that does its work, where that runs already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Until when it is not worth asking.
    pub limited_until: Option<Timestamp>,
    /// Limits in a row.
    pub(crate) strikes: u32,
    /// Its own conversation that it goes on with.
    #[serde(default)]
    pub conversation: Option<Conversation>,
}

/// Whether an attempt goes on with the agent's own conversation of the attempt before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sessions {
    #[default]
    Fresh,
    Continue,
    /// It goes on with a summary of that, in a conversation of its own.
    Compact,
}

/// What an agent calls its conversation, and where its counter of tokens stood when that was last heard of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conversation {
    pub id: SessionId,
    pub counter: Usage,
    /// It is not gone on with as it is, but from its summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_to_be_summarised: bool,
}

impl Conversation {
    pub fn new(id: SessionId, counter: Usage) -> Conversation {
        Conversation { id, counter, is_to_be_summarised: false }
    }
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
        Member {
            agent,
            command,
            model: None,
            effort: None,
            protocol: Protocol::Own,
            server: None,
            limited_until: None,
            strikes: 0,
            conversation: None,
        }
    }

    #[must_use]
    pub fn with(self, model: Option<String>, effort: Option<String>) -> Member {
        Member { model, effort, ..self }
    }

    #[must_use]
    pub fn speaking(self, protocol: Protocol) -> Member {
        Member { protocol, ..self }
    }

    #[must_use]
    pub fn at(self, server: Option<String>) -> Member {
        Member { server, ..self }
    }

    /// Whether it is the same program, so that it can go on with the other's conversation.
    pub(crate) fn is_same_agent(&self, other: &Member) -> bool {
        self.agent == other.agent
            && self.command == other.command
            && self.protocol == other.protocol
            && self.server == other.server
    }

    pub(crate) fn is_same_choice(&self, other: &Member) -> bool {
        self.is_same_agent(other) && self.model == other.model && self.effort == other.effort
    }

    pub(crate) fn is_free(&self, now: Timestamp) -> bool {
        self.limited_until.is_none_or(|until| until <= now)
    }
}

impl Crew {
    pub fn new(primary: Member, fallback: Vec<Member>) -> Crew {
        Crew {
            members: [vec![primary], fallback].concat(),
            guests: 0,
            at_work: 0,
            lead: 0,
            asked: None,
            routes: Vec::new(),
            sessions: Sessions::Fresh,
        }
    }

    #[must_use]
    pub fn with(self, routes: Vec<Route>, sessions: Sessions) -> Crew {
        Crew { routes, sessions, ..self }
    }

    /// The same people for a run of its own: nobody goes on with what was said in another, and the first one begins. That
    /// somebody is at a limit stays true.
    #[must_use]
    pub fn for_another_run(mut self) -> Crew {
        for member in self.members.iter_mut().chain(&mut self.asked) {
            (member.conversation, member.strikes) = (None, 0);
        }
        Crew { at_work: 0, lead: 0, ..self }
    }

    pub fn at_work(&self) -> &Member {
        &self.members[self.at_work]
    }

    /// Those of the settings, the primary first.
    pub fn members(&self) -> &[Member] {
        &self.members[..self.members.len() - self.guests]
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
        // However hard the same model thinks, the account is the same. A reset that is over and did not help is none.
        let limited = member.clone();
        let rest = named.filter(|wait| !wait.is_zero()).unwrap_or(REST);
        for same in self.members.iter_mut().filter(|m| m.is_same_agent(&limited) && m.model == limited.model)
        {
            same.limited_until = Some(later(now, rest));
        }
        self.hand_over(now)
    }

    fn hand_over(&mut self, now: Timestamp) -> Yielded {
        let from = self.at_work().agent.clone();
        match self.order().find(|at| self.members[*at].is_free(now)) {
            Some(next) => {
                self.put(next);
                self.members[next].strikes = 0;
                Yielded::HandOver { from, to: self.at_work().agent.clone() }
            }
            None => self.wait_for_first(),
        }
    }

    /// Who takes over from whom: the one that is to work, then those of the settings.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> + use<> {
        std::iter::once(self.lead).chain(0..self.members.len() - self.guests)
    }

    /// Whoever is free first is at work when the wait is over.
    fn wait_for_first(&mut self) -> Yielded {
        let reset = |at: &usize| self.members[*at].limited_until.expect("every member is limited");
        let first = self.order().min_by_key(reset).expect("a crew is never empty");
        let until = reset(&first);
        self.put(first);
        Yielded::AllLimited { until }
    }

    /// A conversation belongs to its agent: another begins its own, and whoever comes back begins anew.
    pub(crate) fn put(&mut self, next: usize) {
        let before = self.members[self.at_work].clone();
        let kept = before.conversation.clone().filter(|_| self.members[next].is_same_agent(&before));
        for member in &mut self.members {
            member.conversation = None;
        }
        self.members[next].conversation = kept;
        self.at_work = next;
    }

    /// What the agent at work called its conversation, for the next attempt to go on with.
    pub fn heard(&mut self, conversation: Option<Conversation>) {
        let is_to_be_summarised = match self.sessions {
            Sessions::Fresh => return,
            Sessions::Continue => false,
            Sessions::Compact => true,
        };
        if let Some(heard) = conversation {
            self.members[self.at_work].conversation = Some(Conversation { is_to_be_summarised, ..heard });
        }
    }

    /// The next attempt of the agent at work begins a conversation of its own. True if it had one to go on with.
    pub fn start_afresh(&mut self) -> bool {
        self.members[self.at_work].conversation.take().is_some()
    }

    pub fn sessions(&self) -> Sessions {
        self.sessions
    }
}

fn until(now: Timestamp, reset: Timestamp) -> Duration {
    Duration::try_from(reset.duration_since(now)).unwrap_or_default()
}

pub(crate) fn later(now: Timestamp, by: Duration) -> Timestamp {
    now.saturating_add(by).expect("a duration is never negative")
}

#[cfg(test)]
mod tests {
    use super::{Conversation, Crew, Member, Sessions, Yielded};
    use crate::Timestamp;
    use crate::id::{AgentName, SessionId};
    use crate::report::Usage;
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
    fn in_another_run_nobody_goes_on_with_what_was_said_in_the_first() {
        let mut first = crew(&["a", "b"]).with(Vec::new(), Sessions::Continue);
        first.limited(Some(at(7200)), at(0));
        first.heard(Some(Conversation::new(SessionId::parse("c").unwrap(), Usage::default())));
        let second = first.clone().for_another_run();
        assert_eq!((first.at_work().agent.clone(), second.at_work().agent.clone()), (name("b"), name("a")));
        assert!(second.members().iter().all(|member| member.conversation.is_none()));
        assert!(second.members()[0].limited_until.is_some());
    }

    #[test]
    fn what_becomes_of_a_conversation_is_the_crew_s_to_say() {
        let heard = |sessions: Sessions| {
            let mut crew = crew(&["a"]).with(Vec::new(), sessions);
            crew.heard(Some(Conversation::new(SessionId::parse("c").unwrap(), Usage::default())));
            crew.at_work().conversation.as_ref().map(|talk| talk.is_to_be_summarised)
        };
        assert_eq!(heard(Sessions::Fresh), None);
        assert_eq!(heard(Sessions::Continue), Some(false));
        assert_eq!(heard(Sessions::Compact), Some(true));
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
    fn a_reset_in_the_past_never_waits_for_ever_and_never_panics() {
        let check = |names: &[&str], expected: Yielded| {
            let mut crew = crew(names);
            for _ in 0..3 {
                assert_eq!(crew.limited(Some(at(-50)), at(0)), Yielded::Wait(Duration::ZERO));
            }
            assert_eq!(crew.limited(Some(at(-50)), at(0)), expected);
        };
        check(&["a"], Yielded::AllLimited { until: at(15 * 60) });
        check(&["a", "b"], Yielded::HandOver { from: name("a"), to: name("b") });
    }
}
