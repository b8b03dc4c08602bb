//! What a stream has told so far, and what that amounts to once the program has ended.

use std::collections::BTreeSet;

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::{Cost, Signal};
use ralph_core::promise::Claim;
use ralph_core::report::{AgentExit, Usage};

use super::final_message::FinalMessage;
use super::words::summary;
use super::{Conclusion, Hearing, Outcome, Price};
use crate::limit::{Evidence, Reset, recognise};

#[derive(Debug)]
pub(super) struct Told {
    pub(super) hearing: Hearing,
    pub(super) message: FinalMessage,
    pub(super) session: Option<String>,
    pub(super) model: Option<String>,
    /// Tokens on the agent's own counter.
    pub(super) counter: Usage,
    pub(super) cost: Option<Cost>,
    pub(super) end: End,
    /// The trouble in which the agent was last heard to be, without having given up.
    pub(super) trouble: Option<Problem>,
    /// When the limit ends, from a field of its own.
    pub(super) reset: Option<Reset>,
    pub(super) question: Option<Question>,
    pub(super) signals: BTreeSet<Signal>,
    pub(super) last_line: Option<String>,
    /// Lines in the agent's format.
    pub(super) understood: u64,
    pub(super) malformed: u64,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    #[default]
    None,
    Well,
    Badly(Problem),
    /// Somebody stopped it, and it had the time to say so.
    Interrupted,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: Option<u16>,
    pub(super) kind: Option<String>,
    pub(super) message: String,
    pub(super) reset: Option<Reset>,
}

/// Asked by a tool whose result is to come, or was no answer.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) tool: String,
    pub(super) text: String,
}

impl Told {
    pub(super) fn new(hearing: Hearing) -> Told {
        Told {
            message: FinalMessage::new(hearing.promise.clone(), hearing.brief.clone()),
            session: None,
            model: hearing.model.clone(),
            counter: hearing.counter,
            cost: None,
            end: End::None,
            trouble: None,
            reset: None,
            question: None,
            signals: BTreeSet::new(),
            last_line: None,
            understood: 0,
            malformed: 0,
            hearing,
        }
    }

    /// Tells of the session the first time and whenever it changes.
    pub(super) fn session(&mut self, id: &str, out: &mut dyn FnMut(AgentEvent)) {
        if self.session.as_deref() != Some(id) {
            self.session = Some(id.to_owned());
            out(AgentEvent::Session { id: id.to_owned(), model: self.model.clone() });
        }
    }

    pub(super) fn counted(&mut self, counter: Usage, out: &mut dyn FnMut(AgentEvent)) {
        self.counter = counter;
        let Usage { input_tokens, cached_tokens, output_tokens, .. } = self.tokens();
        out(AgentEvent::Usage { input_tokens, cached_tokens, output_tokens });
    }

    pub(super) fn costs(&mut self, cost: Cost, out: &mut dyn FnMut(AgentEvent)) {
        self.cost = Some(cost);
        out(AgentEvent::Cost { cost });
    }

    pub(super) fn ends(&mut self, end: End, out: &mut dyn FnMut(AgentEvent)) {
        out(AgentEvent::End { ok: end == End::Well });
        self.end = end;
    }

    /// A tool of the agent itself; a question that came before is not what it ended with.
    pub(super) fn uses(&mut self, tool: &str, id: &str, question: impl FnOnce() -> String) {
        self.question = None;
        if self.hearing.manners.question_tools.iter().any(|known| known == tool) {
            self.question = Some(Question { tool: id.to_owned(), text: question() });
        }
    }

    pub(super) fn used(&mut self, id: &str, ok: bool) {
        self.question.take_if(|question| question.tool == id && ok);
    }

    pub(super) fn conclude(mut self, exit: &AgentExit, stderr: &str) -> Conclusion {
        let tokens = self.tokens();
        let price = self.price(tokens);
        // Without an end there was no final message.
        let claim = if self.end == End::Well { self.message.claim() } else { Claim::None };
        let signals = std::mem::take(&mut self.signals);
        Conclusion {
            outcome: self.outcome(&claim, exit, stderr),
            claim,
            signals: if self.end == End::Well { signals } else { BTreeSet::new() },
            message: self.message.text(),
            usage: Usage {
                cost: price.cost(),
                cost_is_estimated: matches!(price, Price::Estimated(_)),
                ..tokens
            },
            price,
            counter: self.counter,
            session: self.session,
            malformed: self.malformed,
        }
    }

    /// Tokens of this attempt alone.
    fn tokens(&self) -> Usage {
        let before = self.hearing.counter;
        Usage {
            input_tokens: self.counter.input_tokens.saturating_sub(before.input_tokens),
            cached_tokens: self.counter.cached_tokens.saturating_sub(before.cached_tokens),
            output_tokens: self.counter.output_tokens.saturating_sub(before.output_tokens),
            ..Usage::default()
        }
    }

    fn price(&self, tokens: Usage) -> Price {
        match self.cost {
            Some(cost) => Price::Reported(cost),
            None => self
                .model
                .as_deref()
                .and_then(|model| self.hearing.prices.estimate(model, &tokens))
                .map_or(Price::Unknown, Price::Estimated),
        }
    }

    fn outcome(&self, claim: &Claim, exit: &AgentExit, stderr: &str) -> Outcome {
        match &self.end {
            End::Well if exit.is_clean() => match &self.question {
                Some(question) if !matches!(claim, Claim::Made { .. }) => {
                    Outcome::Asked { question: question.text.clone() }
                }
                _ => Outcome::Finished,
            },
            // What it said on the way no longer matters once it said that all was well.
            End::Well => self
                .recognised(None, exit, "")
                .unwrap_or_else(|| Outcome::Failed { what: format!("{exit}, after it had ended well") }),
            End::Badly(problem) => self
                .recognised(Some(problem), exit, stderr)
                .unwrap_or_else(|| Outcome::Failed { what: summary(&problem.message) }),
            End::Interrupted => Outcome::Unfinished,
            End::None => self
                .recognised(self.trouble.as_ref(), exit, stderr)
                .unwrap_or_else(|| self.without_end(exit, stderr)),
        }
    }

    fn without_end(&self, exit: &AgentExit, stderr: &str) -> Outcome {
        if self.understood > 0 || exit.is_clean() {
            return Outcome::Unfinished;
        }
        // A line that calls itself an error says more than what may follow it, such as a backtrace.
        let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
        let error =
            lines().find(|line| line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error")));
        Outcome::Failed {
            what: error.or_else(|| lines().next_back()).map_or_else(|| exit.to_string(), summary),
        }
    }

    fn recognised(&self, problem: Option<&Problem>, exit: &AgentExit, stderr: &str) -> Option<Outcome> {
        let evidence = Evidence {
            status: problem.and_then(|problem| problem.status),
            kind: problem.and_then(|problem| problem.kind.as_deref()),
            message: problem.map(|problem| problem.message.as_str()).filter(|message| !message.is_empty()),
            exit: if let AgentExit::Code { code } = exit { Some(*code) } else { None },
            stderr,
            last_line: self.last_line.as_deref(),
        };
        let found = recognise(&self.hearing.manners.rules, &evidence)?;
        let reset = problem.and_then(|problem| problem.reset.clone()).or_else(|| self.reset.clone());
        Some(self.hearing.manners.outcome(&found, reset, &exit.to_string()))
    }
}
