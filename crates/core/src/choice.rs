//! Who is to work in an iteration: whom a person asked for, else the first route that matches, else the primary.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::control::Control;
use crate::crew::{Crew, Member, REST, later};
use crate::id::AgentName;
use crate::judge::Judging;
use crate::route::{self, Route, Situation};

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChosenBy {
    /// Nobody in particular: the run's first agent.
    Default,
    Route {
        /// Its place among the run's routes, from 1.
        number: u32,
        /// The conditions that held.
        when: String,
    },
    Person,
}

impl std::fmt::Display for ChosenBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChosenBy::Default => f.write_str("no route applies any more"),
            ChosenBy::Route { number, when } => write!(f, "route {number}: {when}"),
            ChosenBy::Person => f.write_str("a person asked for it"),
        }
    }
}

impl Crew {
    /// Who is to work on this, limits aside, and who says so.
    pub fn wanted(&self, situation: Situation<'_>) -> (Member, ChosenBy) {
        if let Some(asked) = &self.asked {
            return (asked.clone(), ChosenBy::Person);
        }
        match route::first(&self.routes, situation) {
            Some((at, route)) => {
                let when = route.when.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
                (self.routed(route), ChosenBy::Route { number, when })
            }
            None => (plain(&self.members[0]), ChosenBy::Default),
        }
    }

    /// What a route chooses, completed with what the settings say of that agent.
    fn routed(&self, route: &Route) -> Member {
        let member = route.agent.as_ref().map_or_else(|| plain(&self.members[0]), |name| self.named(name));
        let (model, effort) = (member.model.clone(), member.effort.clone());
        member.with(route.model.clone().or(model), route.effort.clone().or(effort))
    }

    /// An agent as the settings have it, or as it is by itself.
    fn named(&self, name: &AgentName) -> Member {
        let known = self.members().iter().find(|member| member.agent == *name);
        known.map_or_else(|| Member::new(name.clone(), Vec::new()), plain)
    }

    /// Everyone whom the settings or a route may put to work.
    pub fn candidates(&self) -> Vec<Member> {
        let routed = self.routes.iter().map(|route| self.routed(route));
        self.members().iter().map(plain).chain(routed).collect()
    }

    /// Who judges: the one that is named, else the first, each with a model of its own where one is given.
    pub fn judge(&self, judging: &Judging) -> Member {
        let member = judging.agent.as_ref().map_or_else(|| plain(&self.members[0]), |name| self.named(name));
        let model = judging.model.clone().or_else(|| member.model.clone());
        Member { model, ..member }
    }

    /// Whom a person asked for.
    pub fn asked(&self) -> Option<&Member> {
        self.asked.as_ref()
    }

    /// Takes a person's word for who is to work; it counts from the next [`Crew::choose`] on.
    pub(crate) fn ask(&mut self, control: &Control) {
        let now = || self.asked.clone().unwrap_or_else(|| plain(&self.members[self.lead]));
        self.asked = Some(match control {
            Control::SetAgent { agent } => self.named(agent),
            Control::SetModel { model } => Member { model: Some(model.clone()), ..now() },
            Control::SetEffort { effort } => Member { effort: Some(effort.clone()), ..now() },
            Control::Pause
            | Control::Resume
            | Control::Stop
            | Control::Abort
            | Control::Skip { .. }
            | Control::SetIterations { .. }
            | Control::Steer { .. }
            | Control::Answer { .. } => return,
        });
    }

    /// Puts the one who is wanted to work, or whoever stands in for it while it is at its limit.
    pub(crate) fn choose(&mut self, wanted: Member, now: Timestamp) {
        let lead = self.seat(wanted);
        self.lead = lead;
        let regulars = self.members.len() - self.guests;
        let stays = self.at_work == lead || (self.at_work < regulars && self.at_work().is_free(now));
        if self.members[lead].limited_until.is_none() {
            self.put(lead);
        } else if !stays {
            // The lead itself is asked by a probe, never by an attempt.
            let free = |at: &usize| *at != lead && self.members[*at].is_free(now);
            let first_free = self.order().find(free);
            let until = |at: &usize| self.members[*at].limited_until;
            let next = first_free.or_else(|| self.order().min_by_key(until));
            self.put(next.expect("a crew is never empty"));
        }
    }

    /// Where this choice sits; guests that are neither at work nor limited leave first.
    fn seat(&mut self, wanted: Member) -> usize {
        if let Some(at) = self.members.iter().position(|member| member.is_same_choice(&wanted)) {
            return at;
        }
        let regulars = self.members.len() - self.guests;
        for at in (regulars..self.members.len()).rev() {
            if at != self.at_work && self.members[at].limited_until.is_none() {
                self.members.remove(at);
                self.at_work -= usize::from(at < self.at_work);
            }
        }
        let limited = |member: &&Member| member.is_same_agent(&wanted) && member.model == wanted.model;
        let limited_until = self.members.iter().find(limited).and_then(|member| member.limited_until);
        self.members.push(Member { limited_until, ..wanted });
        self.guests = self.members.len() - regulars;
        self.members.len() - 1
    }

    /// The one who is wanted, where another stands in for it and its limit may be over.
    pub(crate) fn to_probe(&self, wanted: &Member, now: Timestamp) -> Option<&Member> {
        let absent =
            |member: &&Member| member.is_same_choice(wanted) && !self.at_work().is_same_choice(wanted);
        self.members
            .iter()
            .find(absent)
            .filter(|member| member.limited_until.is_some_and(|until| until <= now))
    }

    /// What the probe came to; true if the one who is wanted goes back to work.
    pub(crate) fn probed(&mut self, wanted: &Member, answered: bool, now: Timestamp) -> bool {
        let Some(at) = self.members.iter().position(|member| member.is_same_choice(wanted)) else {
            return false;
        };
        if answered {
            (self.members[at].strikes, self.members[at].limited_until) = (0, None);
            self.put(at);
        } else {
            self.members[at].limited_until = Some(later(now, REST));
        }
        answered
    }

    pub(crate) fn lead(&self) -> &Member {
        &self.members[self.lead]
    }
}

/// The choice alone, without how it stands with it.
fn plain(member: &Member) -> Member {
    Member::new(member.agent.clone(), member.command.clone())
        .with(member.model.clone(), member.effort.clone())
        .speaking(member.protocol)
        .at(member.server.clone())
}

#[cfg(test)]
mod tests {
    use super::ChosenBy;
    use crate::Timestamp;
    use crate::control::Control;
    use crate::crew::{Conversation, Crew, Member, Protocol, Sessions, Yielded};
    use crate::id::{AgentName, SessionId};
    use crate::report::Usage;
    use crate::route::{Condition, Route, Situation, Span};
    use crate::task::Task;

    fn name(text: &str) -> AgentName {
        AgentName::parse(text).unwrap()
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    fn from(iteration: u32, agent: Option<&str>, model: Option<&str>) -> Route {
        let when = vec![Condition::Iteration(Span { from: iteration, to: None })];
        Route { when, agent: agent.map(name), model: model.map(str::to_owned), effort: None }
    }

    fn crew(names: &[&str], routes: Vec<Route>) -> Crew {
        let mut members = names.iter().map(|text| Member::new(name(text), Vec::new()));
        Crew::new(members.next().unwrap(), members.collect()).with(routes, Sessions::Continue)
    }

    /// Begins an iteration, and tells who works with which model.
    fn begin(crew: &mut Crew, iteration: u32, now: i64) -> (String, Option<String>) {
        let (wanted, _) = crew.wanted(Situation { task: &Task::prompt("x"), iteration, troubles: &[] });
        crew.choose(wanted, at(now));
        (crew.at_work().agent.to_string(), crew.at_work().model.clone())
    }

    fn who(agent: &str, model: Option<&str>) -> (String, Option<String>) {
        (agent.to_owned(), model.map(str::to_owned))
    }

    #[test]
    fn the_primary_is_spoken_with_as_the_settings_say() {
        let primary = Member::new(name("a"), Vec::new()).speaking(Protocol::Acp);
        let mut crew =
            Crew::new(primary, Vec::new()).with(vec![from(2, None, Some("large"))], Sessions::Fresh);
        for iteration in 1..=2 {
            begin(&mut crew, iteration, 0);
            assert_eq!(crew.at_work().protocol, Protocol::Acp, "iteration {iteration}");
        }
    }

    #[test]
    fn a_route_works_while_it_matches_and_the_primary_otherwise() {
        let mut crew = crew(&["a", "b"], vec![from(9, Some("c"), None), from(3, None, Some("large"))]);
        assert_eq!(begin(&mut crew, 1, 0), who("a", None));
        assert_eq!(begin(&mut crew, 3, 0), who("a", Some("large")));
        assert_eq!(begin(&mut crew, 9, 0), who("c", None));
        assert_eq!(begin(&mut crew, 1, 0), who("a", None));
        assert_eq!(crew.members().len(), 2, "guests are none of the settings' own");
    }

    #[test]
    fn whoever_is_chosen_is_spoken_with_as_the_settings_say() {
        let primary = Member::new(name("a"), Vec::new()).speaking(Protocol::Acp);
        let routes = vec![from(3, Some("a"), Some("large"))];
        let mut crew =
            Crew::new(primary, vec![Member::new(name("b"), Vec::new())]).with(routes, Sessions::Fresh);
        for iteration in [1, 3] {
            begin(&mut crew, iteration, 0);
            assert_eq!(crew.at_work().protocol, Protocol::Acp, "iteration {iteration}");
        }
        crew.limited(Some(at(3_600)), at(0));
        assert_eq!(crew.at_work().protocol, Protocol::Acp, "the same agent with its own model");
        crew.limited(Some(at(3_600)), at(0));
        assert_eq!(crew.at_work().protocol, Protocol::Own, "another agent speaks its own language");
        assert!(
            crew.candidates().iter().all(|one| (one.protocol == Protocol::Acp) == (one.agent == name("a")))
        );
        crew.ask(&Control::SetAgent { agent: name("a") });
        assert_eq!(crew.asked().map(|member| member.protocol), Some(Protocol::Acp));
    }

    #[test]
    fn a_person_beats_every_route_for_good() {
        let mut crew = crew(&["a", "b"], vec![from(2, Some("c"), None)]);
        begin(&mut crew, 2, 0);
        crew.ask(&Control::SetModel { model: "small".to_owned() });
        assert_eq!(
            crew.asked().map(|member| member.agent.as_str()),
            Some("c"),
            "the model of whom it works with"
        );
        crew.ask(&Control::SetAgent { agent: name("b") });
        crew.ask(&Control::SetEffort { effort: "high".to_owned() });
        assert_eq!(begin(&mut crew, 3, 0), who("b", None));
        assert_eq!(crew.at_work().effort.as_deref(), Some("high"));
        let (_, by) = crew.wanted(Situation { task: &Task::prompt("x"), iteration: 9, troubles: &[] });
        assert_eq!(by, ChosenBy::Person);
    }

    #[test]
    fn a_limited_guest_is_stood_in_for_and_comes_back_by_a_probe() {
        let mut crew = crew(&["a", "b"], vec![from(1, Some("c"), None)]);
        assert_eq!(begin(&mut crew, 1, 0), who("c", None));
        let handed = crew.limited(Some(at(3_600)), at(0));
        assert_eq!(handed, Yielded::HandOver { from: name("c"), to: name("a") });
        assert_eq!(begin(&mut crew, 2, 10), who("a", None));
        let (wanted, _) = crew.wanted(Situation { task: &Task::prompt("x"), iteration: 3, troubles: &[] });
        assert_eq!(crew.to_probe(&wanted, at(10)), None);
        assert!(crew.to_probe(&wanted, at(3_600)).is_some_and(|member| member.agent == name("c")));
        assert_eq!(begin(&mut crew, 3, 3_600), who("a", None), "it is asked by a probe first");
        assert!(!crew.probed(&wanted, false, at(3_600)));
        assert_eq!(crew.to_probe(&wanted, at(3_700)), None);
        assert!(crew.probed(&wanted, true, at(9_000)));
        assert_eq!((begin(&mut crew, 4, 9_000), crew.to_probe(&wanted, at(9_000))), (who("c", None), None));
    }

    #[test]
    fn the_primary_is_not_probed_while_a_route_wants_another() {
        let mut crew = crew(&["a", "b"], vec![from(2, Some("b"), None)]);
        begin(&mut crew, 1, 0);
        crew.limited(Some(at(100)), at(0));
        let situation = Situation { task: &Task::prompt("x"), iteration: 2, troubles: &[] };
        let (wanted, _) = crew.wanted(situation);
        assert_eq!(crew.to_probe(&wanted, at(200)), None);
        assert_eq!(begin(&mut crew, 2, 200), who("b", None));
    }

    #[test]
    fn the_same_model_of_the_same_agent_is_limited_however_hard_it_thinks() {
        let mut crew = crew(&["a", "b"], Vec::new());
        crew.ask(&Control::SetEffort { effort: "high".to_owned() });
        begin(&mut crew, 1, 0);
        let handed = crew.limited(Some(at(3_600)), at(0));
        assert_eq!(handed, Yielded::HandOver { from: name("a"), to: name("b") });
        crew.ask(&Control::SetEffort { effort: "low".to_owned() });
        assert_eq!(begin(&mut crew, 2, 10), who("b", None));
    }

    #[test]
    fn a_conversation_goes_on_with_its_agent_and_ends_with_it() {
        let id = |text: &str| Conversation::new(SessionId::parse(text).unwrap(), Usage::default());
        let mut crew = crew(&["a", "b"], vec![from(2, None, Some("large"))]);
        crew.heard(Some(id("s1")));
        crew.heard(None);
        begin(&mut crew, 2, 0);
        assert_eq!(crew.at_work().conversation, Some(id("s1")), "another model of the same agent goes on");
        crew.limited(Some(at(3_600)), at(0));
        assert_eq!(crew.at_work().model, None);
        assert_eq!(crew.at_work().conversation, Some(id("s1")));
        crew.limited(Some(at(3_600)), at(0));
        assert_eq!((crew.at_work().agent.as_str(), &crew.at_work().conversation), ("b", &None));
        crew.heard(Some(id("s2")));
        assert!(crew.start_afresh() && !crew.start_afresh());
    }
}
