//! `gemini -o stream-json`.
//!
//! **Final message:** the assistant's deltas after the last line of any other kind, followed by a `result` of status
//! `success`. The prompt comes back as a message of role `user` and never counts.
//!
//! An interrupted Gemini exits with 0 and prints no result. In this format the exit code of a failed request is the HTTP
//! status modulo 256 (429 gives 173), while the error's own type says "unknown". Retries are told on standard error only.
//! Numbers include sub-agents, which show as the one tool that starts them. A shell command that fails has status
//! `success`.

use ralph_core::agent_event::AgentEvent;
use ralph_core::report::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::jsonl::{Dialect, Malformed};
use super::speech::{Speech, Voice};
use super::told::{End, Problem, Told};
use super::words::{self, Text, owned, summary};
use super::workers::Workers;

#[derive(Debug, Default)]
pub(super) struct Gemini {
    speech: Speech,
    workers: Workers,
}

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    role: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    tool_name: Option<Text<'a>>,
    #[serde(borrow)]
    tool_id: Option<Text<'a>>,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    error: Option<Error<'a>>,
    stats: Option<Stats>,
}

#[derive(Debug, Deserialize)]
struct Error<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stats {
    input_tokens: u64,
    output_tokens: u64,
    cached: u64,
}

impl Dialect for Gemini {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        told.trouble = None;
        let is_said = &*line.kind == "message" && line.role.as_deref() == Some("assistant");
        if !is_said {
            self.speech.end(out);
        }
        if !is_said && &*line.kind != "result" {
            told.message.forget();
        }
        match &*line.kind {
            "init" => {
                told.model = owned(line.model.as_ref()).or(told.model.take());
                told.session(line.session_id.as_deref().ok_or(Malformed)?, out);
            }
            "message" if is_said => {
                let text = line.content.as_deref().unwrap_or_default();
                told.message.say(text);
                self.speech.say(Voice::Message { id: None, parent: None }, text, out);
            }
            "tool_use" => self.tool_use(&line, told, out),
            "tool_result" => self.tool_result(&line, told, out),
            "error" => out(AgentEvent::Error { what: summary(line.message.as_deref().unwrap_or_default()) }),
            "result" => result(line, told, out),
            _ => {}
        }
        Ok(())
    }
}

impl Gemini {
    fn tool_use(&mut self, line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
        let id = line.tool_id.as_deref().unwrap_or_default();
        let name = line.tool_name.as_deref().unwrap_or_default();
        let input = words::input(line.parameters);
        out(AgentEvent::ToolUse { id: id.to_owned(), name: name.to_owned(), input, parent: None });
        if told.hearing.manners.sub_agent_tools.iter().any(|tool| tool == name) {
            let (agent, task) = words::assignment(line.parameters);
            self.workers.start(id, &agent, &task, None, out);
        }
        told.uses(name, id, || words::question(line.parameters));
    }

    fn tool_result(&mut self, line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
        let id = line.tool_id.as_deref().unwrap_or_default();
        let ok = line.status.as_deref() == Some("success");
        told.used(id, ok);
        out(AgentEvent::ToolResult {
            id: id.to_owned(),
            ok,
            summary: words::result(line.output),
            parent: None,
        });
        self.workers.tool_ended(id, ok, out);
    }
}

fn result(line: Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    if let Some(stats) = line.stats {
        let counter = Usage {
            input_tokens: stats.input_tokens,
            cached_tokens: stats.cached,
            output_tokens: stats.output_tokens,
            ..Usage::default()
        };
        told.counted(counter, out);
    }
    let end = match (line.status.as_deref(), line.error) {
        (Some("success"), _) => End::Well,
        (_, None) => End::Badly(Problem { message: "it gave no reason".to_owned(), ..Problem::default() }),
        (_, Some(error)) => End::Badly(Problem {
            kind: owned(error.kind.as_ref()),
            message: owned(error.message.as_ref()).unwrap_or_default(),
            ..Problem::default()
        }),
    };
    told.ends(end, out);
}
