//! What the relay prints of an agent that speaks the Agent Client Protocol; see [`crate::acp::Line`].
//!
//! **Final message:** the `agent_message_chunk`s after the last tool call, tool update, thought or user chunk, of one
//! `messageId` where the agent gives any, followed by a `result` with the stop reason `end_turn`. Chunks of other sessions
//! are sub-agents'. Updates that only tell of plans, modes, commands and usage interrupt nothing.
//!
//! A `result` is the end; without one the attempt failed, and an `error` says why. An agent may show a tool call first when
//! it asks for permission, or show it empty and fill it in later; of one that was denied it may say no more. Tokens come with the result, which some agents tell of their
//! last step alone, or with each step in a chunk's metadata, and then add up; the cost in a `usage_update` is that of the
//! whole session.

use ralph_core::agent_event::AgentEvent;
use ralph_core::policy::Cost;
use ralph_core::report::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::acp_call::{Call, Calls};
use super::acp_end::{Failed, metered};
use super::jsonl::{Dialect, Malformed};
use super::speech::{Speech, Voice};
use super::told::{End, Problem, Question, Told};
use super::words::{Text, message, owned, summary};

#[derive(Debug, Default)]
pub(super) struct Acp {
    speech: Speech,
    calls: Calls,
    /// Tokens of the steps so far, from agents that tell them step by step.
    steps: Usage,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    update: Option<Update<'a>>,
    #[serde(borrow)]
    tool_call: Option<Call<'a>>,
    #[serde(borrow)]
    policy: Option<Text<'a>>,
    allowed: Option<bool>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(rename = "_meta", borrow)]
    meta: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    #[serde(borrow)]
    session_update: Text<'a>,
    #[serde(borrow)]
    message_id: Option<Text<'a>>,
    /// A block of a chunk, or the list of a tool call.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    cost: Option<&'a RawValue>,
    #[serde(rename = "_meta", borrow)]
    meta: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Amount<'a> {
    amount: f64,
    #[serde(borrow)]
    currency: Text<'a>,
}

impl Dialect for Acp {
    fn read(
        &mut self,
        bytes: &[u8],
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let line: Line<'_> = serde_json::from_slice(bytes)?;
        told.trouble = None;
        match &*line.kind {
            "session" => {
                told.model = owned(line.model.as_ref()).or(told.model.take());
                told.session(line.session_id.as_deref().ok_or(Malformed)?, out);
            }
            "update" => {
                let update = line.update.as_ref().ok_or(Malformed)?;
                let session = line.session_id.as_deref();
                let parent = session.filter(|id| told.session.as_deref() != Some(id)).map(str::to_owned);
                self.update(bytes, update, parent, told, out)?;
            }
            "permission" => self.permission(&line, told, out)?,
            "result" => self.result(&line, told, out),
            "error" => {
                self.speech.end(out);
                let failed: Failed<'_> = serde_json::from_slice(bytes)?;
                let problem = failed.problem();
                out(AgentEvent::Error { what: summary(&problem.message) });
                told.ends(End::Badly(problem), out);
            }
            _ => {}
        }
        Ok(())
    }
}

impl Acp {
    fn update(
        &mut self,
        bytes: &[u8],
        update: &Update<'_>,
        parent: Option<String>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let is_own = parent.is_none();
        if let Some(step) = metered(None, update.meta) {
            self.steps = self.steps.plus(step);
            told.counted(self.steps, out);
        }
        match &*update.session_update {
            "agent_message_chunk" => {
                let voice = Voice::Message { id: owned(update.message_id.as_ref()), parent };
                let text = text_of(update.content);
                let began = self.speech.say(voice, &text, out);
                if is_own && began {
                    told.message.forget();
                }
                if is_own {
                    told.message.say(&text);
                }
            }
            "agent_thought_chunk" => {
                self.speech.say(Voice::Thought { parent }, &text_of(update.content), out);
                self.interrupt(is_own, told);
            }
            "user_message_chunk" => {
                self.speech.end(out);
                self.interrupt(is_own, told);
            }
            "tool_call" | "tool_call_update" => {
                #[derive(Deserialize)]
                struct Whole<'a> {
                    #[serde(borrow)]
                    update: Call<'a>,
                }
                let Whole { update } = serde_json::from_slice(bytes)?;
                self.speech.end(out);
                self.interrupt(is_own, told);
                self.calls.hear(&update, parent, told, out);
            }
            "usage_update" if is_own => cost(update.cost, told, out),
            _ => {}
        }
        Ok(())
    }

    fn interrupt(&mut self, is_own: bool, told: &mut Told) {
        if is_own {
            told.message.forget();
        }
    }

    fn permission(
        &mut self,
        line: &Line<'_>,
        told: &mut Told,
        out: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Malformed> {
        let call = line.tool_call.as_ref().ok_or(Malformed)?;
        self.speech.end(out);
        told.message.forget();
        self.calls.show(call, None, told, out);
        if line.allowed == Some(false) {
            self.calls.deny(call, out);
        }
        if line.policy.as_deref() == Some("ask") {
            let text = message(&format!("May I? {}", call.what()));
            told.question = Some(Question { tool: call.id().to_owned(), text });
        }
        Ok(())
    }

    fn result(&mut self, line: &Line<'_>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
        self.speech.end(out);
        if let Some(usage) = metered(line.usage, line.meta) {
            told.counted(usage, out);
        }
        let end = match line.stop_reason.as_deref() {
            Some("end_turn") => End::Well,
            Some("cancelled") => End::Interrupted,
            reason => {
                let message = format!("it stopped for the reason {}", reason.unwrap_or("none"));
                End::Badly(Problem { message, ..Problem::default() })
            }
        };
        told.ends(end, out);
    }
}

fn text_of(content: Option<&RawValue>) -> String {
    let block = content.and_then(|raw| serde_json::from_str::<Block<'_>>(raw.get()).ok());
    block.and_then(|block| block.text).map(|text| text.to_string()).unwrap_or_default()
}

fn cost(raw: Option<&RawValue>, told: &mut Told, out: &mut dyn FnMut(AgentEvent)) {
    let amount = raw.and_then(|raw| serde_json::from_str::<Amount<'_>>(raw.get()).ok());
    if let Some(amount) = amount.filter(|amount| &*amount.currency == "USD") {
        told.costs(Cost::from(amount.amount), out);
    }
}
