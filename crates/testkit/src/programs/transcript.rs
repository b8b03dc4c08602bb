//! What a program said last, from the events it prints.

use serde_json::Value;

use super::Program;

/// The final message of a run, or none where the program came to no end of its own.
pub fn final_message(program: Program, stdout: &str) -> Option<String> {
    let events: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    match program {
        Program::Claude | Program::Qwen => {
            last(&events, |e| (e["type"] == "result").then(|| e["result"].as_str())?)
        }
        Program::Codex => last(&events, |e| {
            (e["type"] == "item.completed" && e["item"]["type"] == "agent_message")
                .then(|| e["item"]["text"].as_str())?
        }),
        Program::OpenCode => last(&events, |e| (e["type"] == "text").then(|| e["part"]["text"].as_str())?),
        Program::Gemini => gemini(&events),
    }
}

fn last<'a>(events: &'a [Value], text: impl Fn(&'a Value) -> Option<&'a str>) -> Option<String> {
    events.iter().rev().find_map(text).map(str::to_owned)
}

/// It prints its messages as they come, in pieces.
fn gemini(events: &[Value]) -> Option<String> {
    let ended = events.iter().any(|event| event["type"] == "result");
    let since = events.iter().rposition(|event| event["type"] == "tool_result").map_or(0, |at| at + 1);
    let pieces = events[since..].iter().filter(|e| e["type"] == "message" && e["role"] == "assistant");
    ended.then(|| pieces.filter_map(|piece| piece["content"].as_str()).collect())
}
