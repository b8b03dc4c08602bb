//! What the server would answer after so many of the recorded events.

use serde_json::{Value, json};

const TURN: &str = include_str!("turn.jsonl");

/// How many events the recording has.
pub fn recorded_events() -> usize {
    TURN.lines().count()
}

/// The recorded events, with the prompt under another id.
pub(super) fn events(prompt: &str) -> Vec<Value> {
    let own = prompt_of_recording();
    TURN.lines()
        .map(|line| serde_json::from_str(&line.replace(&own, prompt)).expect("a line is JSON"))
        .collect()
}

/// The same turn with many more steps after its prompt.
pub(super) fn lengthened(events: Vec<Value>, many: usize) -> Vec<Value> {
    let session = session()["id"].clone();
    let is_busy = |event: &Value| event["properties"]["status"]["type"] == "busy";
    let at = events.iter().position(is_busy).expect("a session at work") + 1;
    let step = |n: usize| {
        let info = json!({ "id": format!("msg_step{n}"), "role": "assistant", "sessionID": session,
            "time": { "created": 1, "completed": 2 }, "finish": "tool-calls" });
        json!({ "type": "message.updated", "properties": { "sessionID": session, "info": info } })
    };
    let (before, after) = events.split_at(at);
    [before, &(0..many).map(step).collect::<Vec<_>>(), after].concat()
}

fn prompt_of_recording() -> String {
    let lines = TURN.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let user = lines.map(|event| event["properties"]["info"].clone()).find(|info| info["role"] == "user");
    user.expect("a prompt")["id"].as_str().expect("an id").to_owned()
}

pub(super) fn session() -> Value {
    let first = serde_json::from_str::<Value>(TURN.lines().next().expect("an event")).expect("JSON");
    first["properties"]["info"].clone()
}

/// The messages and the status, as the events so far have left them.
#[derive(Debug, Default)]
pub(super) struct State {
    messages: Vec<Value>,
    status: Option<Value>,
}

impl State {
    pub(super) fn apply(&mut self, event: &Value) {
        let properties = &event["properties"];
        match event["type"].as_str() {
            Some("message.updated") => {
                let info = &properties["info"];
                match self.message(&info["id"]) {
                    Some(message) => message["info"] = info.clone(),
                    None => self.messages.push(json!({ "info": info, "parts": [] })),
                }
            }
            Some("message.part.updated") => {
                let part = &properties["part"];
                let Some(message) = self.message(&part["messageID"]) else { return };
                let parts = message["parts"].as_array_mut().expect("parts are a list");
                match parts.iter_mut().find(|known| known["id"] == part["id"]) {
                    Some(known) => *known = part.clone(),
                    None => parts.push(part.clone()),
                }
            }
            Some("session.status") => {
                let status = &properties["status"];
                self.status = (status["type"] != "idle").then(|| status.clone());
            }
            _ => {}
        }
    }

    fn message(&mut self, id: &Value) -> Option<&mut Value> {
        self.messages.iter_mut().find(|message| message["info"]["id"] == *id)
    }

    pub(super) fn has(&mut self, id: &str) -> bool {
        self.message(&json!(id)).is_some()
    }

    /// So many messages before a place, with the place of those before them.
    pub(super) fn before(&self, place: Option<usize>, limit: usize) -> (Option<usize>, Value) {
        let end = place.unwrap_or(self.messages.len()).min(self.messages.len());
        let begin = end.saturating_sub(limit);
        ((begin > 0).then_some(begin), json!(self.messages[begin..end]))
    }

    /// Nobody works on it any more.
    pub(super) fn end(&mut self) {
        self.status = None;
    }

    pub(super) fn status(&self) -> Value {
        let session = session();
        match &self.status {
            Some(status) => json!({ session["id"].as_str().expect("an id"): status }),
            None => json!({}),
        }
    }
}
