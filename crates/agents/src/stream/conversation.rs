//! Streams that show a conversation: `system`, `assistant`, `user` and `result` lines.

use std::marker::PhantomData;

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::Cost;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Block, Content};
use super::jsonl::{Dialect, Malformed};
use super::result_line::ResultLine;
use super::told::{End, Problem, Told};
use super::words::{self, Text, owned, summary};
use super::workers::Workers;
use crate::limit::Reset;

/// In what the programs that speak like this differ.
pub(super) trait Flavour: Default + Send {
    /// Whether the input tokens of `result.usage` count cached ones.
    const INPUT_INCLUDES_CACHED: bool;
    /// How a result begins that claims success and is the text of an error.
    const ERROR_AS_RESULT: Option<&'static str>;
}

#[derive(Debug, Default)]
pub(super) struct Conversation<F> {
    workers: Workers,
    /// The agent's own name for the error that it last spoke of in place of its model.
    error: Option<String>,
    flavour: PhantomData<F>,
}

/// Members whose type differs from line to line stay raw until the line's kind is known.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    pub(super) subtype: Option<Text<'a>>,
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow)]
    parent_tool_use_id: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow)]
    rate_limit_info: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow, default)]
    content: Content<'a>,
}

impl<F: Flavour> Dialect for Conversation<F> {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        match &*line.kind {
            "system" => self.system(bytes, &line, told, out)?,
            "assistant" => self.assistant(&line, told, out)?,
            "user" => self.user(&line, told, out)?,
            "result" => self.result(bytes, &line, told, out)?,
            "rate_limit_event" => rate_limit(&line, told, out)?,
            _ => {}
        }
        Ok(())
    }
}

impl<F: Flavour> Conversation<F> {
    fn system(
        &mut self,
        bytes: &[u8],
        line: &Line<'_>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        match line.subtype.as_deref().unwrap_or_default() {
            "init" => init(bytes, line, told, out)?,
            "api_retry" => retry(bytes, line, told, out)?,
            "task_started" | "task_notification" => self.task(bytes, out)?,
            _ => {}
        }
        Ok(())
    }

    /// A sub-agent that runs as a task of its own, perhaps longer than the tool that started it.
    fn task(&mut self, bytes: &[u8], out: &mut dyn FnMut(AgentEvent)) -> Result<(), Malformed> {
        #[derive(Deserialize)]
        struct Task<'a> {
            #[serde(borrow)]
            tool_use_id: Option<Text<'a>>,
            #[serde(borrow)]
            task_type: Option<Text<'a>>,
            #[serde(borrow)]
            status: Option<Text<'a>>,
            #[serde(borrow)]
            description: Option<Text<'a>>,
            #[serde(borrow)]
            subagent_type: Option<Text<'a>>,
        }
        let task: Task<'_> = serde_json::from_slice(bytes)?;
        let Some(id) = task.tool_use_id.as_deref() else { return Ok(()) };
        match (task.status.as_deref(), task.task_type.as_deref()) {
            (Some(status), _) => self.workers.end(id, status == "completed", out),
            (None, Some("local_agent")) => {
                let name = task.subagent_type.as_deref().unwrap_or("agent");
                self.workers.start(id, name, task.description.as_deref().unwrap_or_default(), None, out);
                self.workers.is_task(id);
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn assistant(
        &mut self,
        line: &Line<'_>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let message: Message<'_> = serde_json::from_str(line.message.ok_or(Malformed)?.get())?;
        let parent = owned(line.parent_tool_use_id.as_ref());
        if parent.is_none() {
            // Another turn has begun: what ended before was not the end.
            told.end = End::None;
            told.trouble = None;
            self.error = line.error.and_then(|error| serde_json::from_str(error.get()).ok());
        }
        let is_error = message.model.is_some_and(|model| &*model == "<synthetic>") && line.error.is_some();
        let Content::Blocks(blocks) = message.content else { return Ok(()) };
        for block in &blocks {
            if is_error {
                out(AgentEvent::Error { what: summary(block.text.as_deref().unwrap_or_default()) });
            } else {
                self.say(block, parent.as_ref(), told, out);
            }
        }
        Ok(())
    }

    fn say(
        &mut self,
        block: &Block<'_>,
        parent: Option<&String>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        match &*block.kind {
            "text" => {
                let text = words::message(block.text.as_deref().unwrap_or_default());
                out(AgentEvent::Message { text, parent: parent.cloned() });
            }
            "thinking" => {
                let text = words::message(block.thinking.as_deref().unwrap_or_default());
                out(AgentEvent::Reasoning { text, parent: parent.cloned() });
            }
            "tool_use" => self.tool_use(block, parent, told, out),
            _ => {}
        }
    }

    fn tool_use(
        &mut self,
        block: &Block<'_>,
        parent: Option<&String>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) {
        let id = block.id.as_deref().unwrap_or_default();
        let name = block.name.as_deref().unwrap_or_default();
        let input = words::input(block.input);
        out(AgentEvent::ToolUse { id: id.to_owned(), name: name.to_owned(), input, parent: parent.cloned() });
        if told.hearing.manners.sub_agent_tools.iter().any(|tool| tool == name) {
            let (agent, task) = words::assignment(block.input);
            self.workers.start(id, &agent, &task, parent.cloned(), out);
        }
        if parent.is_none() {
            told.uses(name, id, || words::question(block.input));
        }
    }

    fn user(
        &mut self,
        line: &Line<'_>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let message: Message<'_> = serde_json::from_str(line.message.ok_or(Malformed)?.get())?;
        let Content::Blocks(blocks) = message.content else { return Ok(()) };
        // Other blocks are the prompt, a hook's feedback or a sub-agent's orders: nothing the agent says.
        for block in blocks.iter().filter(|block| &*block.kind == "tool_result") {
            let id = block.tool_use_id.as_deref().unwrap_or_default();
            let ok = !block.is_error.unwrap_or(false);
            let parent = owned(line.parent_tool_use_id.as_ref());
            if parent.is_none() {
                told.used(id, ok);
            }
            out(AgentEvent::ToolResult {
                id: id.to_owned(),
                ok,
                summary: words::result(block.content),
                parent,
            });
            self.workers.tool_ended(id, ok, out);
        }
        Ok(())
    }

    fn result(
        &mut self,
        bytes: &[u8],
        line: &Line<'_>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let result: ResultLine<'_> = serde_json::from_slice(bytes)?;
        if let Some(id) = &line.session_id {
            told.session(id, out);
        }
        if let Some(counter) = result.usage(F::INPUT_INCLUDES_CACHED) {
            told.counted(counter, out);
        }
        if let Some(dollars) = result.total_cost_usd {
            told.costs(Cost::from(dollars), out);
        }
        told.trouble = None;
        told.message.forget();
        let end = match F::ERROR_AS_RESULT.and_then(|mark| result.disguised(mark)) {
            Some(problem) => End::Badly(problem),
            None => result.end(line, self.error.take()),
        };
        if end == End::Well {
            told.message.say(result.result.as_deref().unwrap_or_default());
        }
        told.ends(end, out);
        Ok(())
    }
}

fn init(
    bytes: &[u8],
    line: &Line<'_>,
    told: &mut Told,
    out: &mut dyn FnMut(AgentEvent),
) -> Result<(), Malformed> {
    #[derive(Deserialize)]
    struct Init<'a> {
        #[serde(borrow)]
        model: Option<Text<'a>>,
    }
    let init: Init<'_> = serde_json::from_slice(bytes)?;
    told.model = owned(init.model.as_ref()).or(told.model.take());
    if let Some(id) = &line.session_id {
        told.session(id, out);
    }
    Ok(())
}

fn retry(
    bytes: &[u8],
    line: &Line<'_>,
    told: &mut Told,
    out: &mut dyn FnMut(AgentEvent),
) -> Result<(), Malformed> {
    #[derive(Deserialize)]
    struct Retry {
        attempt: Option<f64>,
        max_retries: Option<f64>,
        retry_delay_ms: Option<f64>,
        error_status: Option<f64>,
    }
    let retry: Retry = serde_json::from_slice(bytes)?;
    let kind: Option<String> = line.error.and_then(|error| serde_json::from_str(error.get()).ok());
    let status = retry.error_status.map(|status| status as u16);
    let why = [kind.clone(), status.map(|status| status.to_string())];
    let why = why.into_iter().flatten().collect::<Vec<_>>().join(" ");
    out(AgentEvent::Waiting {
        attempt: retry.attempt.unwrap_or(1.0) as u32,
        of: retry.max_retries.map(|of| of as u32),
        delay_ms: retry.retry_delay_ms.map(|delay| delay as u64),
        why: why.clone(),
    });
    told.trouble = Some(Problem { status, kind, message: why, reset: None });
    Ok(())
}

/// Only a refusal matters, and it only says when; the result line says whether it stopped the agent.
fn rate_limit(line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) -> Result<(), Malformed> {
    #[derive(Deserialize)]
    struct Limit<'a> {
        #[serde(borrow)]
        status: Option<Text<'a>>,
        #[serde(rename = "resetsAt")]
        resets_at: Option<f64>,
        #[serde(rename = "rateLimitType", borrow)]
        kind: Option<Text<'a>>,
    }
    let limit: Limit<'_> = serde_json::from_str(line.rate_limit_info.ok_or(Malformed)?.get())?;
    if limit.status.as_deref() != Some("rejected") {
        return Ok(());
    }
    told.reset = limit.resets_at.and_then(Reset::from_epoch);
    let resets_at = match &told.reset {
        Some(Reset::At(at)) => Some(*at),
        _ => None,
    };
    out(AgentEvent::Limit { what: summary(limit.kind.as_deref().unwrap_or("rate limit")), resets_at });
    Ok(())
}
