//! A reply made fit for one request: the promise filled in, calls turned into calls of the tools on offer.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::conversation::Request;
use super::promise::promise_word;
use super::schema;
use super::script::{Call, Reply, Usage};
use super::tools::{ToolCall, tool_call};

/// What a protocol has to put into its words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spoken {
    /// Different for every reply of the server.
    pub(super) id: String,
    pub(super) model: String,
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) usage: Usage,
}

impl Spoken {
    pub(super) fn text(request: &Request, text: String) -> Spoken {
        Spoken {
            id: fresh_id(),
            model: request.model.clone(),
            text,
            calls: Vec::new(),
            usage: Usage::default(),
        }
    }

    /// A call that no offered tool can do is said in the text, for the program's output to show.
    pub(super) fn reply(request: &Request, reply: &Reply) -> Spoken {
        let word = promised(request);
        let mut spoken = Spoken { usage: reply.usage, ..Spoken::text(request, fill(&reply.say, &word)) };
        for call in &reply.call {
            match tool_call(&filled(call, &word), request, format!("{}c{}", spoken.id, spoken.calls.len())) {
                Ok(call) => spoken.calls.push(call),
                Err(missing) => spoken.text += &format!("\nThe script wants {missing}, and none is offered."),
            }
        }
        spoken
    }

    /// The answer to a request that the script is not about.
    pub(super) fn aside(request: &Request, text: &str) -> Spoken {
        if let Some(schema) = &request.text_schema {
            return Spoken::text(request, schema::sample(schema).to_string());
        }
        let Some(tool) =
            request.forced_tool.as_ref().and_then(|n| request.tools.iter().find(|t| t.name == *n))
        else {
            return Spoken::text(request, text.into());
        };
        let mut spoken = Spoken::text(request, String::new());
        spoken.calls.push(ToolCall {
            id: format!("{}c0", spoken.id),
            name: tool.name.clone(),
            namespace: tool.namespace.clone(),
            arguments: schema::sample(&tool.schema),
        });
        spoken
    }

    /// The text in the pieces a stream brings it in: always more than one, so that a stream can break inside.
    pub(super) fn pieces(&self) -> Vec<String> {
        let chars: Vec<char> = self.text.chars().collect();
        let size = (chars.len() / 64).clamp(8, 4096);
        chars.chunks(size).map(|piece| piece.iter().collect()).collect()
    }
}

fn promised(request: &Request) -> Option<String> {
    request
        .user_texts()
        .rev()
        .find_map(promise_word)
        .or_else(|| promise_word(&request.system))
        .map(|word| word.to_string())
}

fn fill(text: &str, word: &Option<String>) -> String {
    match word {
        Some(word) => text.replace("{promise}", word),
        None => text.to_owned(),
    }
}

fn filled(call: &Call, word: &Option<String>) -> Call {
    match call {
        Call::Write { path, content } => Call::Write { path: path.clone(), content: fill(content, word) },
        Call::Shell(command) => Call::Shell(fill(command, word)),
        Call::Delegate(prompt) => Call::Delegate(fill(prompt, word)),
        Call::Join => Call::Join,
        Call::Tool { name, arguments } => {
            Call::Tool { name: name.clone(), arguments: filled_value(arguments, word) }
        }
    }
}

fn filled_value(value: &Value, word: &Option<String>) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, word)),
        Value::Array(items) => items.iter().map(|item| filled_value(item, word)).collect(),
        Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), filled_value(v, word))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Programs tell replies apart by their ids, and some keep them across runs.
fn fresh_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let started = std::process::id();
    format!("{started:x}x{:06x}", NEXT.fetch_add(1, Ordering::Relaxed))
}
