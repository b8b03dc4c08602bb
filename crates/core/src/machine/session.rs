//! What a loop inside a session makes of what its host tells.

use std::collections::BTreeSet;

use crate::crew::{Crew, Member};
use crate::event::Event;
use crate::id::{AgentName, SessionId};
use crate::in_session::{InSession, RECOVERY, REPLACEMENT, Recovering, Refrain, Strategy, Turn, TurnEnding};
use crate::moment::Moment;
use crate::policy::{Completion, Signal};
use crate::promise::{self, Claim};
use crate::question;
use crate::report::{AgentExit, Fault, Report, Usage};
use crate::run::{Pace, Run, Step, Until};
use crate::stop::{Stop, StopReason};

/// How often in a row the same answer without a tool is sent back.
const MOST_REFRAINS: u32 = 3;
/// How much of an answer is kept.
const KEPT: usize = 4_000;

/// What the end of a turn comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Nothing, and nothing is to be written.
    Nothing(Why),
    /// The run has taken it in: what comes next is `Run::step`.
    Taken,
    /// The agent does not know yet what it is to do; it is told, and nothing counts.
    Unbriefed,
    /// An earlier turn was never seen through; `Run::step` is where that was left.
    Behind,
}

/// Why the end of a turn is answered with nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    NoLoop,
    Ended,
    /// The session is being replaced.
    Replacing,
    /// It is too soon after an error.
    Recovering,
    /// This turn was heard of before, or there was none.
    Known,
}

impl Run {
    /// A host tells of the session for the first time: a loop that was started without one is its own from now on.
    pub fn presented_by(&mut self, host: &AgentName, now: Moment) {
        let Some(place) = self.in_session.as_mut().filter(|place| place.host.is_none()) else { return };
        place.host = Some(host.clone());
        let session = place.session.clone();
        self.crew = Crew::new(Member::new(host.clone(), Vec::new()), Vec::new());
        self.step.falls_to(host);
        self.note(now.at, Event::SessionPresented { session, host: host.clone() });
    }

    /// The host says that its agent is through. A turn is taken in once, however often it is told.
    pub fn hear(&mut self, turn: &Turn, now: Moment) -> Heard {
        let is_over = self.stop().is_some();
        let Some(place) = &mut self.in_session else { return Heard::Nothing(Why::NoLoop) };
        if is_over {
            return Heard::Nothing(Why::Ended);
        }
        if place.replacing.is_some_and(|until| now.at < until) {
            return Heard::Nothing(Why::Replacing);
        }
        if place.recovering.as_ref().is_some_and(|recovering| now.at < recovering.until) {
            return Heard::Nothing(Why::Recovering);
        }
        let known = turn.message.is_none() || turn.message == place.heard;
        let failed = place.recovering.take();
        let behind = !matches!(self.step, Step::Code(..));
        if known && failed.is_none() {
            return if behind { Heard::Behind } else { Heard::Nothing(Why::Known) };
        }
        place.replacing = None;
        if turn.message.is_some() {
            place.heard.clone_from(&turn.message);
        }
        let worked_off = place.works_off(turn);
        let aside = std::mem::take(&mut place.aside);
        // Whoever aborts a turn wants none of the loop that was to follow it, either.
        if turn.ending == TurnEnding::Aborted && matches!(self.step, Step::Think(_)) {
            self.abort_session("the turn was aborted", now);
            return Heard::Taken;
        }
        if behind {
            return Heard::Behind;
        }
        if !place.briefed && turn.ending != TurnEnding::Aborted {
            let text = "a turn ended that was about something else; the agent is given its brief".to_owned();
            self.note(now.at, Event::Notice { text });
            return Heard::Unbriefed;
        }
        self.end_turn(turn, &Hearing { failed, known, worked_off, aside }, now);
        Heard::Taken
    }

    fn end_turn(&mut self, turn: &Turn, hearing: &Hearing, now: Moment) {
        let Step::Code(attempt, brief) = self.step.clone() else { return };
        let now = Moment { running: self.tally.running + turn.duration, ..now };
        let place = self.in_session.as_mut().expect("a turn is of a session");
        if turn.ending == TurnEnding::Aborted {
            return self.abort_session("the turn was aborted", now);
        }
        let exit = hearing.exit(&turn.ending);
        let is_well = exit.is_clean();
        let claim = match is_well && !turn.is_broken_off {
            true => promise::detect(&turn.text, &attempt.promise, &brief.text),
            false => Claim::None,
        };
        if is_well && !hearing.aside {
            place.sing(turn, claims(&self.policy.completion, &claim, turn));
        }
        let question = match is_well && !turn.is_broken_off && !claim.is_made() {
            true => turn.asked(hearing.aside),
            false => None,
        };
        if let Some(summary) = &turn.summary {
            let text = format!("the agent called `task_complete`: {summary}");
            self.note(now.at, Event::Notice { text });
        }
        let skip = turn.text.chars().count().saturating_sub(KEPT);
        let report = Report {
            exit,
            signals: turn.signals.iter().copied().chain(hearing.worked_off.then_some(Signal::Todo)).collect(),
            question,
            usage: turn.usage,
            duration_ms: u64::try_from(turn.duration.as_millis()).unwrap_or(u64::MAX),
            output_bytes: turn.text.len() as u64,
            tail: turn.text.chars().skip(skip).collect(),
            leftovers: 0,
            conversation: None,
            ran: Vec::new(),
            stated: String::new(),
            claim,
        };
        self.after_code(attempt, Ok(report), now);
    }

    /// The agent was sent back to work as often as that helps anybody.
    pub(super) fn sings_on(&self) -> Option<Stop> {
        self.in_session.as_ref().filter(|place| place.refrain.times >= MOST_REFRAINS)?;
        let evidence = format!("the same answer came {} times in a row and used no tool", MOST_REFRAINS + 1);
        Some(Stop { reason: StopReason::NoProgress, evidence })
    }

    /// The brief did not reach the agent.
    pub fn undelivered(&mut self, what: &str, now: Moment) {
        let Step::Code(attempt, _) = self.step.clone() else { return };
        if let Some(place) = &mut self.in_session {
            place.replacing = None;
        }
        let report = Report {
            exit: AgentExit::Failed { what: format!("the brief could not be given: {what}") },
            claim: Claim::None,
            signals: BTreeSet::new(),
            question: None,
            usage: Usage::default(),
            duration_ms: 0,
            output_bytes: 0,
            tail: String::new(),
            leftovers: 0,
            conversation: None,
            ran: Vec::new(),
            stated: String::new(),
        };
        self.after_code(attempt, Ok(report), now);
    }

    /// The host tells of an error: what follows is ignored for a while, for hosts go on by themselves.
    pub fn stumble(&mut self, what: &str, exit: Option<&AgentExit>, now: Moment) {
        let over = self.stop().is_some();
        let Some(place) = self.in_session.as_mut().filter(|_| !over) else { return };
        let until = now.after(RECOVERY);
        place.recovering = Some(Recovering { until, what: what.to_owned(), exit: exit.cloned() });
        let text =
            format!("the session had an error: {what}; it is looked at again in {} s", RECOVERY.as_secs());
        self.note(now.at, Event::Notice { text });
    }

    /// A person wants no more of it, or the session is gone. The tree is left as it is.
    pub fn abort_session(&mut self, why: &str, now: Moment) {
        if self.stop().is_none() {
            self.note(now.at, Event::Notice { text: why.to_owned() });
            self.end_session(StopReason::Aborted, why, now);
        }
    }

    /// What was asked of a loop takes effect here, for no process waits for it. A turn that is under way is not cut short:
    /// it counts before a pause, and nothing follows it after a stop.
    pub fn heed(&mut self, now: Moment) {
        if self.stop().is_some() {
            return;
        }
        match self.pace {
            Pace::Aborting => self.end_session(StopReason::Aborted, "asked to abort", now),
            Pace::Stopping => self.end_session(StopReason::Stopped, "asked to stop", now),
            Pace::Pausing if self.awaits_brief() => self.proceed(self.step.clone(), now),
            Pace::Pausing | Pace::Going => {}
        }
    }

    /// Whether an attempt is to be made and its agent does not know of it.
    fn awaits_brief(&self) -> bool {
        matches!(self.step, Step::Baseline | Step::Think(_) | Step::Code(..)) && !self.is_briefed()
    }

    /// Whether the agent has a brief, and the turn that is to follow it was not heard of.
    pub fn is_briefed(&self) -> bool {
        matches!(self.step, Step::Code(..)) && self.in_session.as_ref().is_some_and(|place| place.briefed)
    }

    /// Whether what was put off is to be taken up now. What else happened meanwhile comes first.
    pub fn is_due(&self, now: Moment) -> bool {
        let Some(place) = &self.in_session else { return false };
        let is_left_alone = place.replacing.is_some_and(|until| now.at < until)
            || place.recovering.as_ref().is_some_and(|recovering| now.at < recovering.until);
        self.stop().is_none() && !is_left_alone && !self.is_briefed()
    }

    /// The brief that was on its way did not even leave.
    pub fn untold(&mut self) {
        if let Some(place) = &mut self.in_session {
            (place.briefed, place.replacing) = (false, None);
        }
    }

    /// The host was started again: nobody goes on with what was to be put in place of the session.
    pub fn replacement_lost(&mut self) {
        if self.in_session.as_ref().is_some_and(|place| place.replacing.is_some()) {
            self.untold();
        }
    }

    fn end_session(&mut self, reason: StopReason, why: &str, now: Moment) {
        match self.step.clone() {
            Step::Code(attempt, _) => {
                self.after_code(attempt, Err(Fault::Aborted), now);
                self.halt(reason, why, now);
            }
            Step::Baseline
            | Step::Select
            | Step::Think(_)
            | Step::Verify(..)
            | Step::Consolidate(..)
            | Step::Wait(..)
            | Step::Abandon(..)
            | Step::Stop(_) => self.halt(reason, why, now),
        }
    }

    /// The brief is on its way to the agent. In another session, where the strategy says so.
    pub fn briefed(&mut self, now: Moment) {
        let first = self.tally.attempts_total <= 1;
        let Some(place) = &mut self.in_session else { return };
        (place.briefed, place.aside) = (true, false);
        if place.strategy != Strategy::Continue && !first {
            place.replacing = Some(now.after(REPLACEMENT));
        }
    }

    /// The agent is asked something else. What it was at counts all the same; only its last words may be about that.
    pub fn asked_aside(&mut self) {
        if let Some(place) = &mut self.in_session {
            place.aside = true;
        }
    }

    /// Another session takes the place of the one that the loop lived in.
    pub fn moved_to(&mut self, session: SessionId, now: Moment) {
        let Some(place) = &mut self.in_session else { return };
        (place.heard, place.replacing, place.recovering) = (None, None, None);
        (place.briefed, place.aside) = (true, false);
        (place.list, place.refrain) = (None, Refrain::default());
        let from = std::mem::replace(&mut place.session, session.clone());
        self.note(now.at, Event::SessionReplaced { from, to: session });
    }

    /// Nobody drives the run for now: it stands still until a person goes on with it.
    pub fn let_go(&mut self, why: &str, now: Moment) {
        if self.stop().is_some() || self.is_paused() {
            return;
        }
        self.note(now.at, Event::Notice { text: why.to_owned() });
        self.note(now.at, Event::Paused {});
        self.step = Step::Wait(Until::Told, Box::new(self.step.clone()));
    }
}

impl Step {
    /// What is about to be attempted was to be done by somebody who was not known.
    fn falls_to(&mut self, agent: &AgentName) {
        match self {
            Step::Think(attempt)
            | Step::Code(attempt, _)
            | Step::Verify(attempt, _)
            | Step::Consolidate(attempt, _)
            | Step::Abandon(attempt, _) => attempt.agent = agent.clone(),
            Step::Wait(_, then) => then.falls_to(agent),
            Step::Baseline | Step::Select | Step::Stop(_) => {}
        }
    }
}

/// What the end of a turn comes after.
struct Hearing {
    failed: Option<Recovering>,
    /// The message was heard of before: the error left none behind.
    known: bool,
    worked_off: bool,
    aside: bool,
}

impl Hearing {
    fn exit(&self, ending: &TurnEnding) -> AgentExit {
        let stumbled = self.failed.as_ref();
        let meant = || stumbled.and_then(|failed| failed.exit.clone());
        let failed = |what: &str| AgentExit::Failed { what: what.to_owned() };
        match (ending, stumbled.filter(|_| self.known)) {
            (TurnEnding::Recognised { exit }, _) => exit.clone(),
            (_, Some(lost)) => meant().unwrap_or_else(|| failed(&lost.what)),
            (TurnEnding::Failed { what }, None) => meant().unwrap_or_else(|| failed(what)),
            (TurnEnding::Well | TurnEnding::Aborted, None) => AgentExit::Code { code: 0 },
        }
    }
}

impl Turn {
    /// By ralph's own tool, or because the last words do nothing else; those may be about something else, and whoever has
    /// said by a tool that it is done asks nothing.
    fn asked(&self, aside: bool) -> Option<String> {
        let only_asks = || question::only_asks(&self.text);
        let may_ask = !aside && !self.signals.contains(&Signal::Tool);
        self.question.clone().or_else(|| may_ask.then(only_asks).flatten())
    }
}

impl InSession {
    /// Whether the list of things to do is done, by this turn: one that was so before says nothing of the attempt.
    fn works_off(&mut self, turn: &Turn) -> bool {
        let Some(list) = &turn.list else { return false };
        let before = self.list.replace(list.digest.clone());
        let is_changed = before.is_some_and(|before| before != list.digest);
        list.is_done && (list.is_written || is_changed)
    }

    /// Counts how often the same was said, with nothing done and nothing claimed. A new session has not heard it.
    fn sing(&mut self, turn: &Turn, claims: bool) {
        let words: String = turn.text.trim().chars().take(KEPT).collect();
        let idle = turn.tools == 0 && !claims;
        let again = idle && words == self.refrain.words && self.strategy == Strategy::Continue;
        let times = if again { self.refrain.times + 1 } else { 0 };
        self.refrain = Refrain { words, times };
    }
}

/// Whether a turn says that the task is done, in a way that is asked for.
fn claims(completion: &Completion, claim: &Claim, turn: &Turn) -> bool {
    let asks_for = |signal| completion.require.contains(&signal);
    (asks_for(Signal::Promise) && claim.is_made())
        || (asks_for(Signal::Tool) && turn.signals.contains(&Signal::Tool))
}
