//! `codex exec --json`.
//!
//! **Final message:** the last `agent_message` item before `turn.completed`. Messages of earlier items, command output and
//! what sub-agents answer to `wait` never count.
//!
//! Only `turn.failed` is a failure: an item of type `error` is a warning, and a top-level `error` is a retry or announces
//! the failure to come. `turn.completed` counts the whole conversation, over resumes too, so what an earlier attempt had
//! reached is taken off; sub-agents are not in it. A killed Codex prints no last line.

use std::collections::BTreeMap;

use ralph_core::agent_event::AgentEvent;
use ralph_core::report::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::jsonl::{Dialect, Malformed};
use super::told::{End, Problem, Told};
use super::words::{self, Text, summary};
use super::workers::Workers;

#[derive(Debug, Default)]
pub(super) struct Codex {
    workers: Workers,
    /// The item whose beginning was told.
    begun: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    thread_id: Option<Text<'a>>,
    #[serde(borrow)]
    item: Option<Item<'a>>,
    usage: Option<Tokens>,
    #[serde(borrow)]
    error: Option<Message<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    message: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    command: Option<&'a RawValue>,
    #[serde(borrow)]
    aggregated_output: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    changes: Option<Vec<Change<'a>>>,
    #[serde(borrow)]
    server: Option<Text<'a>>,
    #[serde(borrow)]
    tool: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    query: Option<&'a RawValue>,
    #[serde(borrow)]
    sender_thread_id: Option<Text<'a>>,
    #[serde(borrow)]
    receiver_thread_ids: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    prompt: Option<Text<'a>>,
    #[serde(borrow)]
    agents_states: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Change<'a> {
    #[serde(borrow)]
    path: Option<Text<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: u64,
    cached_input_tokens: u64,
    output_tokens: u64,
}

impl Dialect for Codex {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        match &*line.kind {
            "thread.started" => told.session(line.thread_id.as_deref().ok_or(Malformed)?, out),
            "turn.started" => told.end = End::None,
            "item.started" => self.started(line.item.as_ref().ok_or(Malformed)?, told, out),
            "item.completed" => self.completed(line.item.as_ref().ok_or(Malformed)?, told, out),
            "turn.completed" => completed_turn(line.usage.unwrap_or_default(), told, out),
            "turn.failed" => {
                let message = line.error.and_then(|error| error.message).ok_or(Malformed)?.to_string();
                told.ends(End::Badly(Problem { message, ..Problem::default() }), out);
            }
            "error" => trouble(line.message.as_deref().ok_or(Malformed)?, told, out),
            _ => {}
        }
        Ok(())
    }
}

fn completed_turn(tokens: Tokens, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let counter = Usage {
        input_tokens: tokens.input_tokens,
        cached_tokens: tokens.cached_input_tokens,
        output_tokens: tokens.output_tokens,
        ..Usage::default()
    };
    told.counted(counter, out);
    told.ends(End::Well, out);
}

/// `Reconnecting... 1/2 (why)` is a retry; anything else announces the failure to come.
fn trouble(message: &str, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let (why, event) = match reconnecting(message) {
        Some((attempt, of, why)) => {
            (why, AgentEvent::Waiting { attempt, of: Some(of), delay_ms: None, why: summary(why) })
        }
        None => (message, AgentEvent::Error { what: summary(message) }),
    };
    out(event);
    told.trouble = Some(Problem { message: why.to_owned(), ..Problem::default() });
}

fn reconnecting(message: &str) -> Option<(u32, u32, &str)> {
    let rest = message.strip_prefix("Reconnecting...")?.trim_start();
    let (counts, why) = rest.split_once(' ').unwrap_or((rest, ""));
    let (attempt, of) = counts.split_once('/')?;
    let why = why.strip_prefix('(').and_then(|why| why.strip_suffix(')')).unwrap_or(why);
    Some((attempt.parse().ok()?, of.parse().ok()?, why))
}

impl Codex {
    fn started(&mut self, item: &Item<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
        told.trouble = None;
        if let Some((name, input)) = tool(item) {
            let id = item.id.as_deref().unwrap_or_default().to_owned();
            self.begun = Some(id.clone());
            out(AgentEvent::ToolUse { id, name, input, parent: None });
        }
    }

    fn completed(&mut self, item: &Item<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
        told.trouble = None;
        match &*item.kind {
            "agent_message" => {
                let text = item.text.as_deref().unwrap_or_default();
                told.message.forget();
                told.message.say(text);
                out(AgentEvent::Message { text: words::message(text), parent: None });
            }
            "reasoning" => {
                let text = words::message(item.text.as_deref().unwrap_or_default());
                out(AgentEvent::Reasoning { text, parent: None });
            }
            "error" => out(AgentEvent::Error { what: summary(item.message.as_deref().unwrap_or_default()) }),
            _ => self.tool_ended(item, told, out),
        }
    }

    fn tool_ended(&mut self, item: &Item<'_>, told: &Told, out: &mut dyn FnMut(AgentEvent)) {
        let Some((name, input)) = tool(item) else { return };
        let id = item.id.as_deref().unwrap_or_default().to_owned();
        if self.begun.take_if(|begun| *begun == id).is_none() {
            out(AgentEvent::ToolUse { id: id.clone(), name, input, parent: None });
        }
        let ok = item.status.as_deref() != Some("failed");
        let summary = words::result(item.aggregated_output.or(item.result));
        out(AgentEvent::ToolResult { id, ok, summary, parent: None });
        if &*item.kind == "collab_tool_call" {
            self.collaborated(item, told, out);
        }
    }

    fn collaborated(&mut self, item: &Item<'_>, told: &Told, out: &mut dyn FnMut(AgentEvent)) {
        #[derive(Deserialize)]
        struct State<'a> {
            #[serde(borrow)]
            status: Option<Text<'a>>,
        }
        let sender = item.sender_thread_id.as_deref();
        let parent = sender.filter(|sender| told.session.as_deref() != Some(sender)).map(str::to_owned);
        if item.tool.as_deref() == Some("spawn_agent") {
            for id in item.receiver_thread_ids.iter().flatten() {
                let task = item.prompt.as_deref().unwrap_or_default();
                self.workers.start(id, "agent", task, parent.clone(), out);
            }
        }
        let states = item
            .agents_states
            .and_then(|raw| serde_json::from_str::<BTreeMap<String, State<'_>>>(raw.get()).ok());
        for (id, state) in states.iter().flatten() {
            match state.status.as_deref() {
                Some("completed" | "shutdown") => self.workers.end(id, true, out),
                Some("errored" | "not_found" | "interrupted") => self.workers.end(id, false, out),
                _ => {}
            }
        }
    }
}

/// The name of an item that is a tool, and what it works on.
fn tool(item: &Item<'_>) -> Option<(String, String)> {
    let part = |text: &Option<Text<'_>>| text.as_deref().unwrap_or_default().to_owned();
    Some(match &*item.kind {
        "command_execution" => ("command_execution".to_owned(), words::result(item.command)),
        "file_change" => {
            let paths: Vec<&str> =
                item.changes.iter().flatten().filter_map(|change| change.path.as_deref()).collect();
            ("file_change".to_owned(), summary(&paths.join(" ")))
        }
        "mcp_tool_call" => {
            (format!("{}.{}", part(&item.server), part(&item.tool)), words::input(item.arguments))
        }
        "collab_tool_call" => (part(&item.tool), summary(&part(&item.prompt))),
        "web_search" => ("web_search".to_owned(), words::result(item.query)),
        _ => return None,
    })
}
