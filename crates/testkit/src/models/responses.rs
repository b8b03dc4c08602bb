//! OpenAI responses.

use serde_json::{Value, json};

use super::conversation::{Message, Request, Tool, items, string, text_of};
use super::http::Event;
use super::reply::Spoken;
use super::tools::ToolCall;

pub(super) fn request(body: &Value) -> Request {
    let mut request = Request {
        model: string(body, "model"),
        streamed: body["stream"] == true,
        system: string(body, "instructions"),
        forced_tool: body["tool_choice"]["name"].as_str().map(str::to_owned),
        text_schema: Some(&body["text"]["format"]["schema"]).filter(|s| s.is_object()).cloned(),
        ..Request::default()
    };
    if let Some(prompt) = body["input"].as_str() {
        request.messages.push(Message::User(prompt.into()));
    }
    for item in items(body, "input") {
        input_item(&mut request, item);
    }
    request.tools = items(body, "tools").flat_map(tools).collect();
    request
}

fn input_item(request: &mut Request, item: &Value) {
    match (item["type"].as_str().unwrap_or("message"), item["role"].as_str()) {
        ("message", Some("system" | "developer")) => request.system += &text_of(&item["content"]),
        ("message", Some("assistant")) => request.model_spoke(),
        ("message", _) => match item["content"].as_array() {
            Some(parts) => request.messages.extend(parts.iter().map(|part| Message::User(text_of(part)))),
            None => request.messages.push(Message::User(text_of(&item["content"]))),
        },
        (kind, _) if kind.ends_with("_output") => {
            request.messages.push(Message::ToolResult(text_of(&item["output"])));
        }
        (_, _) => request.model_spoke(),
    }
}

/// A tool, or the tools of a group.
fn tools(tool: &Value) -> Vec<Tool> {
    let function = |tool: &Value, namespace: Option<String>| Tool {
        name: string(tool, "name"),
        namespace,
        schema: tool["parameters"].clone(),
    };
    match tool["type"].as_str() {
        Some("function") => vec![function(tool, None)],
        Some("namespace") => {
            items(tool, "tools").map(|inner| function(inner, Some(string(tool, "name")))).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

pub(super) fn body(spoken: &Spoken) -> Value {
    let mut body = head(spoken, "completed");
    body["output"] = output(spoken).collect();
    body["usage"] = json!({
        "input_tokens": spoken.usage.input,
        "input_tokens_details": {"cached_tokens": spoken.usage.cached},
        "output_tokens": spoken.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": spoken.usage.input + spoken.usage.output
    });
    body
}

pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let mut events = vec![json!({"type": "response.created", "response": head(spoken, "in_progress")})];
    for (index, item) in output(spoken).enumerate() {
        let mut started = item.clone();
        started["status"] = json!("in_progress");
        let is_text = item["type"] == "message";
        started[if is_text { "content" } else { "arguments" }] = if is_text { json!([]) } else { json!("") };
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": started}));
        if is_text {
            events.extend(spoken.pieces().into_iter().map(|delta| {
                json!({
                    "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                    "content_index": 0, "delta": delta
                })
            }));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": body(spoken)}));
    events.iter().map(Event::named_by_type).collect()
}

fn output(spoken: &Spoken) -> impl Iterator<Item = Value> {
    let text = (!spoken.text.is_empty()).then(|| {
        json!({
            "type": "message", "id": format!("msg_{}", spoken.id), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": spoken.text, "annotations": []}]
        })
    });
    text.into_iter().chain(spoken.calls.iter().map(function_call))
}

fn function_call(call: &ToolCall) -> Value {
    let mut item = json!({
        "type": "function_call", "id": format!("fc_{}", call.id), "call_id": format!("call_{}", call.id),
        "name": call.name, "arguments": call.arguments.to_string(), "status": "completed"
    });
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn head(spoken: &Spoken, status: &str) -> Value {
    json!({
        "id": format!("resp_{}", spoken.id), "object": "response", "created_at": 1_700_000_000,
        "status": status, "model": spoken.model, "output": []
    })
}
