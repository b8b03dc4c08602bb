//! What the relay prints of an OpenCode server; see [`crate::opencode::Line`].
//!
//! **Final message:** the text of the `end` line, which the relay reads from the session once the turn is over. The parts
//! before it only show what goes on: they come from the server's events, and those may be missing or out of order.
//!
//! An `end` is the end; without one the attempt failed, and an `error` says why.

use std::collections::BTreeSet;

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::{Cost, Signal};
use ralph_core::report::Usage;
use serde::Deserialize;

use super::jsonl::{Dialect, Malformed};
use super::opencode::{Error, Part, Tokens, text, tool};
use super::told::{End, Problem, Question, Told};
use super::words::{self, Text, owned, summary};

#[derive(Debug, Default)]
pub(super) struct OpencodeServer {
    /// Of the steps so far.
    sum: Usage,
}

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(rename = "sessionID", borrow)]
    session: Option<Text<'a>>,
    #[serde(borrow)]
    part: Option<Part<'a>>,
    #[serde(borrow)]
    error: Option<Error<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    reason: Option<Text<'a>>,
    #[serde(rename = "callID", borrow)]
    call: Option<Text<'a>>,
    #[serde(borrow)]
    what: Option<Text<'a>>,
    #[serde(borrow)]
    policy: Option<Text<'a>>,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    attempt: Option<u32>,
    delay_ms: Option<u64>,
    #[serde(default)]
    tool: bool,
    #[serde(default)]
    todo: bool,
}

impl Dialect for OpencodeServer {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        told.trouble = None;
        let own = told.session.as_deref();
        let parent = line.session.as_deref().filter(|id| own != Some(id)).map(str::to_owned);
        match (&*line.kind, &line.part) {
            ("session", _) => {
                told.model = owned(line.model.as_ref()).or(told.model.take());
                told.session(line.session.as_deref().ok_or(Malformed)?, out);
            }
            ("step_start", _) if parent.is_none() => told.message.forget(),
            ("text", Some(part)) => text(part, parent, told, out),
            ("reasoning", Some(part)) => {
                let text = words::message(part.text.as_deref().unwrap_or_default());
                out(AgentEvent::Reasoning { text, parent });
            }
            ("tool_use", Some(part)) => used(part, parent, told, out),
            ("step_finish", Some(part)) if parent.is_none() => {
                let step = part.tokens.as_ref().map(Tokens::usage).unwrap_or_default();
                self.sum = self.sum.plus(step);
                told.counted(self.sum, out);
            }
            ("waiting", _) => waiting(&line, told, out),
            ("permission", _) if line.policy.as_deref() == Some("ask") => {
                let text = words::message(&format!("May I? {}", line.what.as_deref().unwrap_or_default()));
                told.question = Some(Question { tool: called(&line), text });
            }
            ("question", _) => {
                let text = words::message(line.text.as_deref().unwrap_or_default());
                told.question = Some(Question { tool: called(&line), text });
            }
            ("end", _) => end(&line, told, out),
            ("error", _) => failed(&line, told, out)?,
            _ => {}
        }
        Ok(())
    }
}

/// What it was not allowed to do stays a question; any other tool shows that it went on without an answer.
fn used(part: &Part<'_>, parent: Option<String>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let asked = told.question.take();
    tool(part, parent, told, out);
    if told.question.is_none() {
        told.question =
            asked.filter(|question| part.call.as_deref() == Some(&*question.tool) && part.failed());
    }
}

fn called(line: &Line<'_>) -> String {
    line.call.as_deref().unwrap_or_default().to_owned()
}

fn waiting(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let message = line.message.as_deref().unwrap_or_default();
    out(AgentEvent::Waiting {
        attempt: line.attempt.unwrap_or(1),
        of: None,
        delay_ms: line.delay_ms,
        why: summary(message),
    });
    told.trouble = Some(Problem { message: message.to_owned(), ..Problem::default() });
}

fn spent(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    if let Some(tokens) = &line.tokens {
        told.counted(tokens.usage(), out);
    }
    if let Some(cost) = line.cost {
        told.costs(Cost::from(cost), out);
    }
}

fn end(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    spent(line, told, out);
    told.message.forget();
    told.message.say(line.text.as_deref().unwrap_or_default());
    told.signals = shown(line);
    let end = match line.reason.as_deref().unwrap_or_default() {
        reason @ ("length" | "content-filter" | "error") => {
            let message = format!("the last step ended for the reason {reason}");
            End::Badly(Problem { message, ..Problem::default() })
        }
        _ => End::Well,
    };
    told.ends(end, out);
}

fn shown(line: &Line<'_>) -> BTreeSet<Signal> {
    let all = [(Signal::Tool, line.tool), (Signal::Todo, line.todo)];
    all.into_iter().filter_map(|(signal, holds)| holds.then_some(signal)).collect()
}

fn failed(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) -> Result<(), Malformed> {
    spent(line, told, out);
    let problem = line.error.as_ref().ok_or(Malformed)?.problem();
    out(AgentEvent::Error { what: summary(&problem.message) });
    told.ends(End::Badly(problem), out);
    Ok(())
}
