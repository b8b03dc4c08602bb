//! Giving a request what is due to it: a reply, a failure, or an answer to a probe.

use std::io::Result;
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation;
use super::dialogue::Due;
use super::error_body::Failure;
use super::http::{self, Connection};
use super::protocol::Protocol;
use super::reply::Spoken;
use super::script::{Answer, Fault};
use super::seen::{Answered, Seen};
use super::server::Shared;

pub(super) fn answer(
    connection: &mut Connection,
    shared: &Shared,
    protocol: Protocol,
    raw: &http::Request,
) -> Result<()> {
    let body: Value = serde_json::from_slice(&raw.body).unwrap_or_default();
    let request = protocol.request(&raw.path, &body);
    let due = look_up(shared, protocol, raw, &request);
    let (spoken, bytes_per_second) = match &due {
        Due::Aside(text) => (Spoken::aside(&request, text), None),
        Due::Nothing => (Spoken::text(&request, "The script has no turn left.".into()), None),
        Due::Turn { answer: Answer::Reply(reply), .. } => {
            (Spoken::reply(&request, reply), reply.bytes_per_second)
        }
        Due::Turn { answer: Answer::Fault(fault), .. } => {
            return fail(connection, protocol, &request, fault);
        }
    };
    if !request.streamed {
        return connection.json("POST", 200, &[], &protocol.body(&spoken));
    }
    connection.begin_stream()?;
    for event in protocol.events(&spoken) {
        match bytes_per_second {
            None => connection.event(&event, usize::MAX, |_| ())?,
            Some(rate) => connection.event(&event, (rate as usize).div_ceil(10), |sent| {
                shared.wait(Duration::from_secs_f64(sent as f64 / f64::from(rate.max(1))));
            })?,
        }
    }
    connection.end_stream()
}

/// What is due, noted before it is given: a test that waits for a request must not wait for its answer.
fn look_up(shared: &Shared, protocol: Protocol, raw: &http::Request, request: &conversation::Request) -> Due {
    let mut state = shared.lock();
    let due = state.dialogues.due(request);
    let answered = match &due {
        Due::Aside(_) => Answered::Aside,
        Due::Nothing => Answered::Nothing,
        Due::Turn { marker, turn, answer: Answer::Reply(_) } => {
            Answered::Reply { marker: marker.clone(), turn: *turn }
        }
        Due::Turn { marker, turn, answer: Answer::Fault(_) } => {
            Answered::Fault { marker: marker.clone(), turn: *turn }
        }
    };
    let seen = Seen {
        method: raw.method.clone(),
        path: raw.path.clone(),
        protocol: Some(protocol),
        model: request.model.clone(),
        messages: request.messages.len(),
        tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
        last_user_text: request.user_texts().next_back().unwrap_or_default().to_owned(),
        user_text: request.user_texts().collect::<Vec<_>>().join("\n"),
        last_tool_result: request.tool_results().next_back().unwrap_or_default().to_owned(),
        pictures: String::from_utf8_lossy(&raw.body).matches("data:image/").count(),
        answered,
    };
    shared.note(state, seen);
    due
}

fn fail(
    connection: &mut Connection,
    protocol: Protocol,
    request: &conversation::Request,
    fault: &Fault,
) -> Result<()> {
    let failure = match fault {
        Fault::RateLimit { retry_after, .. } => Failure::RateLimit { retry_after: *retry_after },
        Fault::UsedUp { reset_in } => Failure::UsedUp { reset_in: *reset_in },
        Fault::Status { code, .. } => Failure::Status(*code),
        Fault::ContextTooLong => Failure::ContextTooLong,
        Fault::BrokenStream { say, .. } => {
            return break_off(connection, protocol, request, &Spoken::text(request, say.clone()));
        }
        Fault::Hang => {
            if request.streamed {
                connection.begin_stream()?;
                if let Some(first) = protocol.events(&Spoken::text(request, String::new())).first() {
                    connection.event(first, usize::MAX, |_| ())?;
                }
            }
            return connection.wait_for_end();
        }
    };
    let headers: &[_] = match failure {
        Failure::RateLimit { retry_after: Some(seconds) } => &[("retry-after", seconds.to_string())],
        Failure::RateLimit { retry_after: None }
        | Failure::UsedUp { .. }
        | Failure::Status(_)
        | Failure::ContextTooLong => &[],
    };
    connection.json("POST", failure.status(), headers, &protocol.error(failure))
}

fn break_off(
    connection: &mut Connection,
    protocol: Protocol,
    request: &conversation::Request,
    spoken: &Spoken,
) -> Result<()> {
    if request.streamed {
        connection.begin_stream()?;
        let events = protocol.events(spoken);
        for event in &events[..events.len().div_ceil(2)] {
            connection.event(event, usize::MAX, |_| ())?;
        }
    } else {
        connection.half_json(&protocol.body(spoken))?;
    }
    connection.break_off()
}

/// Programs look whether anybody is there, list models, count tokens and report on themselves.
pub(super) fn answer_probe(
    connection: &mut Connection,
    shared: &Shared,
    request: &http::Request,
) -> Result<()> {
    let path = request.path.split('?').next().unwrap_or_default();
    let (status, body) = if path.ends_with("/count_tokens") {
        (200, json!({"input_tokens": 123}))
    } else if path.ends_with(":countTokens") {
        (200, json!({"totalTokens": 123}))
    } else if path.ends_with("/models") {
        let model = json!({"id": "scripted", "object": "model", "type": "model", "display_name": "Scripted"});
        (200, json!({"object": "list", "data": [model], "models": [], "has_more": false}))
    } else if path == "/" || ["event", "telemetry", "metrics", "log"].iter().any(|part| path.contains(part)) {
        (200, json!({}))
    } else {
        (404, json!({"error": {"message": format!("nothing at {path}"), "type": "not_found_error"}}))
    };
    let seen = Seen {
        method: request.method.clone(),
        path: request.path.clone(),
        protocol: None,
        model: String::new(),
        messages: 0,
        tools: Vec::new(),
        last_user_text: String::new(),
        user_text: String::new(),
        last_tool_result: String::new(),
        pictures: 0,
        answered: Answered::Probe(status),
    };
    shared.note(shared.lock(), seen);
    connection.json(&request.method, status, &[], &body)
}
