//! `opencode run --format json`.
//!
//! **Final message:** the `text` parts after the last `step_start` of the session that the stream began with. Texts of other
//! sessions are sub-agents'.
//!
//! There is no end line: a last step that finished for another reason than tool calls is the end, and an `error` line is a
//! bad one. Tools are only told when they are through. Tokens and cost are per step and are added up; input does not
//! count cached tokens there. A killed OpenCode leaves its last step open.

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::Cost;
use ralph_core::report::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::jsonl::{Dialect, Malformed};
use super::told::{End, Problem, Told};
use super::words::{self, Text, owned, summary};
use crate::limit::Reset;

#[derive(Debug, Default)]
pub(super) struct Opencode {
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
}

#[derive(Debug, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow)]
    reason: Option<Text<'a>>,
    pub(super) tokens: Option<Tokens>,
    cost: Option<f64>,
    #[serde(borrow)]
    tool: Option<Text<'a>>,
    #[serde(rename = "callID", borrow)]
    pub(super) call: Option<Text<'a>>,
    #[serde(borrow)]
    state: Option<State<'a>>,
}

#[derive(Debug, Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input: f64,
    output: f64,
    reasoning: f64,
    cache: Cache,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cache {
    read: f64,
    write: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Error<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    data: Option<Data<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow)]
    message: Option<Text<'a>>,
    status_code: Option<f64>,
    #[serde(borrow)]
    response_headers: Option<&'a RawValue>,
}

impl Dialect for Opencode {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        if told.session.is_none()
            && let Some(session) = &line.session
        {
            told.session(session, out);
        }
        let parent =
            line.session.as_deref().filter(|id| told.session.as_deref() != Some(id)).map(str::to_owned);
        match (&*line.kind, line.part, line.error) {
            ("step_start", _, _) if parent.is_none() => {
                told.end = End::None;
                told.message.forget();
            }
            ("text", Some(part), _) => text(&part, parent, told, out),
            ("reasoning", Some(part), _) => {
                let text = words::message(part.text.as_deref().unwrap_or_default());
                out(AgentEvent::Reasoning { text, parent });
            }
            ("tool_use", Some(part), _) => tool(&part, parent, told, out),
            ("step_finish", Some(part), _) => self.step(&part, parent.is_none(), told, out),
            ("error", _, Some(error)) => {
                let problem = error.problem();
                out(AgentEvent::Error { what: summary(&problem.message) });
                told.ends(End::Badly(problem), out);
            }
            _ => {}
        }
        Ok(())
    }
}

pub(super) fn text(
    part: &Part<'_>,
    parent: Option<String>,
    told: &mut Told,
    out: &mut dyn FnMut(AgentEvent),
) {
    let text = part.text.as_deref().unwrap_or_default();
    if parent.is_none() {
        told.message.say(text);
        told.message.say("\n");
    }
    out(AgentEvent::Message { text: words::message(text), parent });
}

pub(super) fn tool(
    part: &Part<'_>,
    parent: Option<String>,
    told: &mut Told,
    out: &mut dyn FnMut(AgentEvent),
) {
    let Some(state) = &part.state else { return };
    let id = part.call.as_deref().unwrap_or_default().to_owned();
    let name = part.tool.as_deref().unwrap_or_default().to_owned();
    let ok = state.status.as_deref() == Some("completed");
    if parent.is_none() {
        told.uses(&name, &id, || words::question(state.input));
        told.used(&id, ok);
    }
    let is_sub_agent = told.hearing.manners.sub_agent_tools.contains(&name);
    let input = words::input(state.input);
    out(AgentEvent::ToolUse { id: id.clone(), name, input, parent: parent.clone() });
    if is_sub_agent {
        let (name, task) = words::assignment(state.input);
        out(AgentEvent::SubAgentStarted { id: id.clone(), name, task, parent: parent.clone() });
        out(AgentEvent::SubAgentEnded { id: id.clone(), ok });
    }
    out(AgentEvent::ToolResult { id, ok, summary: words::result(state.output.or(state.error)), parent });
}

impl Opencode {
    fn step(&mut self, part: &Part<'_>, is_main: bool, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
        let step = part.tokens.as_ref().map(Tokens::usage).unwrap_or_default();
        self.sum = self.sum.plus(Usage { cost: Cost::from(part.cost.unwrap_or(0.0)), ..step });
        told.counted(Usage { cost: Cost(0), ..self.sum }, out);
        if part.cost.is_some() {
            told.costs(self.sum.cost, out);
        }
        if !is_main {
            return;
        }
        match part.reason.as_deref().unwrap_or("stop") {
            "tool-calls" => {}
            reason @ ("length" | "content-filter" | "error") => {
                let message = format!("the last step ended for the reason {reason}");
                told.ends(End::Badly(Problem { message, ..Problem::default() }), out);
            }
            _ => told.ends(End::Well, out),
        }
    }
}

impl Part<'_> {
    /// Of a tool: it came to nothing.
    pub(super) fn failed(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.status.as_deref() != Some("completed"))
    }
}

impl Tokens {
    pub(super) fn usage(&self) -> Usage {
        Usage {
            input_tokens: (self.input + self.cache.read + self.cache.write) as u64,
            cached_tokens: self.cache.read as u64,
            output_tokens: (self.output + self.reasoning) as u64,
            ..Usage::default()
        }
    }
}

impl Error<'_> {
    pub(super) fn problem(&self) -> Problem {
        let data = self.data.as_ref();
        Problem {
            status: data.and_then(|data| data.status_code).map(|status| status as u16),
            kind: owned(self.name.as_ref()),
            message: data.and_then(|data| owned(data.message.as_ref())).unwrap_or_default(),
            reset: data.and_then(|data| data.response_headers).and_then(reset),
        }
    }
}

fn reset(raw: &RawValue) -> Option<Reset> {
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Headers<'a> {
        #[serde(borrow)]
        retry_after: Option<Text<'a>>,
        #[serde(borrow)]
        retry_after_ms: Option<Text<'a>>,
    }
    let headers: Headers<'_> = serde_json::from_str(raw.get()).ok()?;
    let exact = headers.retry_after_ms.and_then(|text| text.parse::<f64>().ok());
    match exact {
        Some(ms) => Some(Reset::after_seconds(ms / 1000.0)),
        None => Reset::from_retry_after(&headers.retry_after?),
    }
}
