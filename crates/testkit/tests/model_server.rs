//! The scripted model server as a client sees it, in every protocol.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ralph_testkit::models::{Answered, Call, Fault, Protocol, Reply, Script, Server, Turn};
use serde_json::{Value, json};

const PROTOCOLS: [Protocol; 4] = [Protocol::Anthropic, Protocol::Chat, Protocol::Responses, Protocol::Gemini];

fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.url().trim_start_matches("http://")).expect("the server listens")
}

/// One request on a connection of its own; the answer is read to its end.
fn post(server: &Server, path: &str, body: &Value) -> (u16, String) {
    let mut stream = connect(server);
    send(&mut stream, path, body);
    stream.shutdown(std::net::Shutdown::Write).expect("the request is sent");
    let mut answer = Vec::new();
    // A stream that breaks off ends here too.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
    (status, answer)
}

fn send(stream: &mut TcpStream, path: &str, body: &Value) {
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("the server reads");
}

/// The smallest request of a protocol that offers a tool.
fn request(protocol: Protocol, streamed: bool) -> (&'static str, Value) {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
    match protocol {
        Protocol::Anthropic => (
            "/v1/messages?beta=true",
            json!({
                "model": "m", "stream": streamed, "messages": [{"role": "user", "content": "do it"}],
                "tools": [{"name": "bash", "input_schema": schema}]
            }),
        ),
        Protocol::Chat => (
            "/v1/chat/completions",
            json!({
                "model": "m", "stream": streamed, "messages": [{"role": "user", "content": "do it"}],
                "tools": [{"type": "function", "function": {"name": "bash", "parameters": schema}}]
            }),
        ),
        Protocol::Responses => (
            "/v1/responses",
            json!({
                "model": "m", "stream": streamed, "input": "do it",
                "tools": [{"type": "function", "name": "bash", "parameters": schema}]
            }),
        ),
        Protocol::Gemini => (
            if streamed {
                "/v1beta/models/m:streamGenerateContent?alt=sse"
            } else {
                "/v1beta/models/m:generateContent"
            },
            json!({
                "contents": [{"role": "user", "parts": [{"text": "do it"}]}],
                "tools": [{"functionDeclarations": [{"name": "bash", "parametersJsonSchema": schema}]}]
            }),
        ),
    }
}

#[test]
fn a_reply_has_its_text_and_its_call_in_every_protocol() {
    for protocol in PROTOCOLS {
        for streamed in [false, true] {
            let turn = Turn::call("Short.", Call::Shell("ls -l".into()));
            let server = Server::start(Script::of([turn])).expect("a free port");
            let (path, body) = request(protocol, streamed);
            let (status, answer) = post(&server, path, &body);
            assert_eq!(status, 200, "{protocol:?} {answer}");
            for part in ["Short.", "bash", "ls -l"] {
                assert!(answer.contains(part), "{protocol:?} {streamed} lacks {part}: {answer}");
            }
            let seen = server.seen();
            assert_eq!(seen.len(), 1);
            assert_eq!(
                (seen[0].protocol, seen[0].model.as_str(), seen[0].messages),
                (Some(protocol), "m", 1)
            );
            assert_eq!(
                (seen[0].tools.as_slice(), seen[0].last_user_text.as_str()),
                (&["bash".into()][..], "do it")
            );
            assert_eq!(seen[0].answered, Answered::Reply { marker: None, turn: 0 });
        }
    }
}

#[test]
fn a_failure_is_said_in_the_words_of_the_provider() {
    let words = |protocol| match protocol {
        Protocol::Anthropic => ["rate_limit_error", "overloaded_error", "prompt is too long"],
        Protocol::Chat | Protocol::Responses => {
            ["rate_limit_exceeded", "server_error", "context_length_exceeded"]
        }
        Protocol::Gemini => ["RESOURCE_EXHAUSTED", "INTERNAL", "exceeds the maximum number of tokens"],
    };
    for protocol in PROTOCOLS {
        let server = Server::start(Script::of([
            Turn::fault(Fault::RateLimit { retry_after: Some(7), times: 1 }),
            Turn::fault(Fault::RateLimit { retry_after: None, times: 1 }),
            Turn::fault(Fault::Status { code: 529, times: 1 }),
            Turn::fault(Fault::ContextTooLong),
        ]))
        .expect("a free port");
        let (path, body) = request(protocol, true);
        let answers: Vec<_> = (0..4).map(|_| post(&server, path, &body)).collect();
        assert_eq!(answers.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [429, 429, 529, 400]);
        let [limit, overload, length] = words(protocol);
        for ((_, answer), word) in answers.iter().zip([limit, limit, overload, length]) {
            assert!(answer.contains(word), "{protocol:?} {answer}");
        }
        assert!(answers[0].1.contains("retry-after: 7") && !answers[1].1.contains("retry-after"));
    }
}

#[test]
fn a_broken_stream_has_a_beginning_and_no_end() {
    for protocol in PROTOCOLS {
        let fault =
            Fault::BrokenStream { say: "Once upon a time there was a very long sentence.".into(), times: 1 };
        let server =
            Server::start(Script::of([Turn::fault(fault), Turn::say("whole")])).expect("a free port");
        let (path, body) = request(protocol, true);
        let (_, answer) = post(&server, path, &body);
        assert!(answer.contains("Once"), "{protocol:?} {answer}");
        assert!(!answer.contains("sentence.") && !answer.ends_with("0\r\n\r\n"), "{protocol:?} {answer}");
        assert!(post(&server, path, &body).1.ends_with("0\r\n\r\n"));
    }
}

#[test]
fn a_connection_serves_one_request_after_another() {
    let server = Server::start(Script::of([Turn::say("again")])).expect("a free port");
    let mut stream = connect(&server);
    let (path, body) = request(Protocol::Chat, false);
    for _ in 0..3 {
        send(&mut stream, path, &body);
        let mut answer = [0; 4096];
        let length = stream.read(&mut answer).expect("an answer");
        assert!(String::from_utf8_lossy(&answer[..length]).contains("again"));
    }
    stream.write_all(b"HEAD / HTTP/1.1\r\n\r\n").expect("the server reads");
    let mut answer = [0; 4096];
    let length = stream.read(&mut answer).expect("an answer");
    assert!(answer[..length].starts_with(b"HTTP/1.1 200 OK") && answer[..length].ends_with(b"\r\n\r\n"));
}

#[test]
fn a_hanging_answer_ends_with_the_server() {
    let server = Server::start(Script::of([Turn::fault(Fault::Hang)])).expect("a free port");
    let (path, body) = request(Protocol::Anthropic, true);
    let mut stream = connect(&server);
    send(&mut stream, path, &body);
    let mut answer = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&answer).contains("message_start") {
        stream.read_exact(&mut byte).expect("the answer begins");
        answer.extend(byte);
    }
    drop(server);
    stream.read_to_end(&mut answer).expect("the connection is closed");
    assert!(!String::from_utf8_lossy(&answer).contains("message_stop"));
}

#[test]
fn a_slow_stream_takes_its_time_and_still_ends_with_the_server() {
    let slow = Reply { say: "word ".repeat(20), bytes_per_second: Some(4000), ..Reply::default() };
    let server = Server::start(Script::of([Turn::from(slow.clone())])).expect("a free port");
    let (path, body) = request(Protocol::Chat, true);
    let begun = Instant::now();
    let (_, answer) = post(&server, path, &body);
    let due = Duration::from_secs_f64(answer.len() as f64 / 4000.0 * 0.5);
    assert!(begun.elapsed() >= due, "{} bytes in {:?}", answer.len(), begun.elapsed());

    let endless = Reply { bytes_per_second: Some(1), ..slow };
    let server = Server::start(Script::of([Turn::from(endless)])).expect("a free port");
    let mut stream = connect(&server);
    send(&mut stream, path, &body);
    assert!(server.wait_until(Duration::from_secs(10), |seen| seen.len() == 1));
    let begun = Instant::now();
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn probes_are_answered_and_logged() {
    let server = Server::start(Script::default()).expect("a free port");
    for (path, status) in [
        ("/v1/messages/count_tokens", 200),
        ("/v1beta/models/m:countTokens", 200),
        ("/api/event_logging/batch", 200),
        ("/who/knows", 404),
    ] {
        assert_eq!(post(&server, path, &json!({})).0, status, "{path}");
    }
    let answered: Vec<_> = server.seen().into_iter().map(|seen| seen.answered).collect();
    assert_eq!(answered, [200, 200, 200, 404].map(Answered::Probe));
}
