//! Gemini generateContent and streamGenerateContent.

use serde_json::{Value, json};

use super::conversation::{Message, Request, Tool, items, string, text_of};
use super::http::Event;
use super::reply::Spoken;

pub(super) fn request(path: &str, body: &Value) -> Request {
    let config = &body["generationConfig"];
    let mut request = Request {
        model: model(path).to_owned(),
        streamed: path.contains(":streamGenerateContent"),
        system: text_of(&body["systemInstruction"]["parts"]),
        text_schema: [&config["responseJsonSchema"], &config["responseSchema"]]
            .into_iter()
            .find(|schema| schema.is_object())
            .cloned(),
        ..Request::default()
    };
    for content in items(body, "contents") {
        match content["role"].as_str() {
            Some("model") => request.model_spoke(),
            Some(_) | None => request.messages.extend(items(content, "parts").map(user_part)),
        }
    }
    request.tools = items(body, "tools")
        .flat_map(|group| items(group, "functionDeclarations"))
        .map(|tool| Tool {
            name: string(tool, "name"),
            namespace: None,
            schema: [&tool["parametersJsonSchema"], &tool["parameters"]]
                .into_iter()
                .find(|schema| schema.is_object())
                .cloned()
                .unwrap_or_default(),
        })
        .collect();
    request
}

fn user_part(part: &Value) -> Message {
    match part.get("functionResponse") {
        Some(answer) => Message::ToolResult(match answer["response"]["output"].as_str() {
            Some(output) => output.to_owned(),
            None => answer["response"].to_string(),
        }),
        None => Message::User(text_of(part)),
    }
}

/// `/v1beta/models/gemini-2.5-flash:generateContent` names its model in the path.
fn model(path: &str) -> &str {
    path.split(':').next().and_then(|before| before.rsplit('/').next()).unwrap_or_default()
}

pub(super) fn body(spoken: &Spoken) -> Value {
    let text = (!spoken.text.is_empty()).then(|| json!({"text": spoken.text}));
    finished(spoken, text.into_iter().chain(calls(spoken)).collect())
}

pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let mut events: Vec<Value> =
        spoken.pieces().into_iter().map(|text| head(spoken, json!([{"text": text}]))).collect();
    events.push(finished(spoken, calls(spoken).collect()));
    events.iter().map(Event::unnamed).collect()
}

fn finished(spoken: &Spoken, parts: Value) -> Value {
    let mut body = head(spoken, parts);
    body["candidates"][0]["finishReason"] = json!("STOP");
    body["usageMetadata"] = json!({
        "promptTokenCount": spoken.usage.input,
        "candidatesTokenCount": spoken.usage.output,
        "cachedContentTokenCount": spoken.usage.cached,
        "thoughtsTokenCount": 0,
        "totalTokenCount": spoken.usage.input + spoken.usage.output
    });
    body
}

fn head(spoken: &Spoken, parts: Value) -> Value {
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}],
        "modelVersion": spoken.model,
        "responseId": spoken.id
    })
}

fn calls(spoken: &Spoken) -> impl Iterator<Item = Value> {
    spoken.calls.iter().map(|call| json!({"functionCall": {"name": call.name, "args": call.arguments}}))
}
