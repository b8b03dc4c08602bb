//! Anthropic messages.

use serde_json::{Value, json};

use super::conversation::{Message, Request, Tool, items, string, text_of};
use super::http::Event;
use super::reply::Spoken;

pub(super) fn request(body: &Value) -> Request {
    let mut request = Request {
        model: string(body, "model"),
        streamed: body["stream"] == true,
        system: text_of(&body["system"]),
        forced_tool: body["tool_choice"]["name"].as_str().map(str::to_owned),
        text_schema: [&body["output_format"]["schema"], &body["output_config"]["format"]["schema"]]
            .into_iter()
            .find(|schema| schema.is_object())
            .cloned(),
        ..Request::default()
    };
    for message in items(body, "messages") {
        match message["role"].as_str() {
            Some("assistant") => request.model_spoke(),
            Some(_) | None => user_message(&mut request, &message["content"]),
        }
    }
    request.tools = items(body, "tools")
        .map(|tool| Tool {
            name: string(tool, "name"),
            namespace: None,
            schema: tool["input_schema"].clone(),
        })
        .collect();
    request
}

/// Tool results come in user messages, beside texts.
fn user_message(request: &mut Request, content: &Value) {
    let Some(parts) = content.as_array() else {
        request.messages.push(Message::User(text_of(content)));
        return;
    };
    for part in parts {
        request.messages.push(match part["type"].as_str() {
            Some("tool_result") => Message::ToolResult(text_of(&part["content"])),
            Some(_) | None => Message::User(text_of(part)),
        });
    }
}

pub(super) fn body(spoken: &Spoken) -> Value {
    let mut message = message(spoken);
    let text = (!spoken.text.is_empty()).then(|| json!({"type": "text", "text": spoken.text}));
    let calls = spoken.calls.iter().map(|call| {
        json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": call.arguments})
    });
    message["content"] = text.into_iter().chain(calls).collect();
    message["stop_reason"] = json!(stop_reason(spoken));
    message["usage"] = usage(spoken, spoken.usage.output);
    message
}

pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let mut events = vec![json!({"type": "message_start", "message": message(spoken)})];
    let mut index = 0;
    if !spoken.text.is_empty() || spoken.calls.is_empty() {
        let deltas = spoken.pieces().into_iter().map(|text| json!({"type": "text_delta", "text": text}));
        block(&mut events, index, &json!({"type": "text", "text": ""}), deltas);
        index += 1;
    }
    for call in &spoken.calls {
        let start =
            json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()});
        block(&mut events, index, &start, [delta]);
        index += 1;
    }
    events.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(spoken), "stop_sequence": null},
        "usage": {"output_tokens": spoken.usage.output}
    }));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(Event::named_by_type).collect()
}

fn block(events: &mut Vec<Value>, index: usize, start: &Value, deltas: impl IntoIterator<Item = Value>) {
    events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
    for delta in deltas {
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
    }
    events.push(json!({"type": "content_block_stop", "index": index}));
}

fn message(spoken: &Spoken) -> Value {
    json!({
        "id": format!("msg_{}", spoken.id), "type": "message", "role": "assistant", "model": spoken.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(spoken, 1)
    })
}

/// Here the input count leaves out what was cached.
fn usage(spoken: &Spoken, output: u32) -> Value {
    json!({
        "input_tokens": spoken.usage.input.saturating_sub(spoken.usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": spoken.usage.cached,
        "output_tokens": output,
        "service_tier": "standard"
    })
}

fn stop_reason(spoken: &Spoken) -> &'static str {
    if spoken.calls.is_empty() { "end_turn" } else { "tool_use" }
}
