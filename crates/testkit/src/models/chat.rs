//! OpenAI chat completions.

use serde_json::{Value, json};

use super::conversation::{Message, Request, Tool, items, string, text_of};
use super::http::Event;
use super::reply::Spoken;

pub(super) fn request(body: &Value) -> Request {
    let mut request = Request {
        model: string(body, "model"),
        streamed: body["stream"] == true,
        forced_tool: body["tool_choice"]["function"]["name"].as_str().map(str::to_owned),
        text_schema: Some(&body["response_format"]["json_schema"]["schema"])
            .filter(|s| s.is_object())
            .cloned(),
        ..Request::default()
    };
    for message in items(body, "messages") {
        let text = text_of(&message["content"]);
        match message["role"].as_str() {
            Some("system" | "developer") => request.system += &text,
            Some("assistant") => request.model_spoke(),
            Some("tool" | "function") => request.messages.push(Message::ToolResult(text)),
            Some(_) | None => user_message(&mut request, &message["content"]),
        }
    }
    request.tools = items(body, "tools")
        .map(|tool| Tool {
            name: string(&tool["function"], "name"),
            namespace: None,
            schema: tool["function"]["parameters"].clone(),
        })
        .collect();
    request
}

fn user_message(request: &mut Request, content: &Value) {
    match content.as_array() {
        Some(parts) => request.messages.extend(parts.iter().map(|part| Message::User(text_of(part)))),
        None => request.messages.push(Message::User(text_of(content))),
    }
}

pub(super) fn body(spoken: &Spoken) -> Value {
    let mut message = json!({"role": "assistant", "content": spoken.text});
    if !spoken.calls.is_empty() {
        message["tool_calls"] = calls(spoken).collect();
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(spoken)});
    let mut body = head(spoken, "chat.completion");
    body["choices"] = json!([choice]);
    body["usage"] = usage(spoken);
    body
}

pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let chunk = |delta: Value, finish: Value| {
        let mut chunk = head(spoken, "chat.completion.chunk");
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        chunk
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    events.extend(spoken.pieces().into_iter().map(|text| chunk(json!({"content": text}), Value::Null)));
    events.extend(calls(spoken).map(|call| chunk(json!({"tool_calls": [call]}), Value::Null)));
    events.push(chunk(json!({}), json!(finish_reason(spoken))));
    let mut last = head(spoken, "chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage(spoken);
    events.push(last);
    events.iter().map(Event::unnamed).chain([Event::raw("[DONE]")]).collect()
}

fn calls(spoken: &Spoken) -> impl Iterator<Item = Value> {
    spoken.calls.iter().enumerate().map(|(index, call)| {
        json!({
            "index": index, "id": format!("call_{}", call.id), "type": "function",
            "function": {"name": call.name, "arguments": call.arguments.to_string()}
        })
    })
}

fn head(spoken: &Spoken, object: &str) -> Value {
    json!({"id": format!("chatcmpl-{}", spoken.id), "object": object, "created": 1_700_000_000, "model": spoken.model})
}

fn usage(spoken: &Spoken) -> Value {
    json!({
        "prompt_tokens": spoken.usage.input,
        "completion_tokens": spoken.usage.output,
        "total_tokens": spoken.usage.input + spoken.usage.output,
        "prompt_tokens_details": {"cached_tokens": spoken.usage.cached}
    })
}

fn finish_reason(spoken: &Spoken) -> &'static str {
    if spoken.calls.is_empty() { "stop" } else { "tool_calls" }
}
