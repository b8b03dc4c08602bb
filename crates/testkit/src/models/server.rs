//! The server itself: a listener, a thread per connection, and an owner with whom all of them end.

use std::collections::HashMap;
use std::io::Result;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::socket;
use serde_json::{Value, json};

use super::conversation;
use super::dialogue::{Dialogues, Due};
use super::error_body::Failure;
use super::http::{self, Connection};
use super::protocol::Protocol;
use super::reply::Spoken;
use super::script::{Answer, Fault, Script};
use super::seen::{Answered, Seen};

/// A scripted model server on 127.0.0.1. Dropped, it closes every connection and waits for its threads.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    listener: TcpListener,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// Connections are served at the same time and there is one log and one script, hence the lock. It is held for
/// no longer than it takes to look a turn up.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    dialogues: Dialogues,
    seen: Vec<Seen>,
    open: HashMap<u64, TcpStream>,
    ending: bool,
}

impl Server {
    /// Starts on a free port.
    pub fn start(script: Script) -> Result<Server> {
        Server::start_on(0, script)
    }

    pub fn start_on(port: u16, script: Script) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let state = State {
            dialogues: Dialogues::new(script),
            seen: Vec::new(),
            open: HashMap::new(),
            ending: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let (its_listener, its_share) = (listener.try_clone()?, Arc::clone(&shared));
        let accepting = std::thread::Builder::new()
            .name("models".into())
            .spawn(move || accept_until_the_end(&its_listener, &its_share))?;
        Ok(Server { address, listener, shared, accepting: Some(accepting) })
    }

    /// `http://127.0.0.1:PORT`, with no path: the protocols differ in theirs.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.lock().seen.clone()
    }

    /// Waits until the requests so far satisfy a condition; false if they do not in time.
    pub fn wait_until(&self, within: Duration, mut satisfied: impl FnMut(&[Seen]) -> bool) -> bool {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        loop {
            if satisfied(&state.seen) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.ending = true;
        for stream in state.open.values() {
            // A connection that has ended already is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(state);
        self.shared.changed.notify_all();
        // On Linux this ends a waiting accept. It cannot fail on a socket that listens.
        let _ = socket::shutdown(self.listener.as_raw_fd(), socket::Shutdown::Both);
        if let Some(accepting) = self.accepting.take() {
            // A panic in there has been printed, and a drop must not add another.
            let _ = accepting.join();
        }
    }
}

impl Shared {
    /// What is behind the lock is whole at every moment, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, but not beyond the server's end.
    fn wait(&self, time: Duration) {
        let deadline = Instant::now() + time;
        let mut state = self.lock();
        while !state.ending {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn accept_until_the_end(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for number in 0.. {
        let accepted = listener.accept();
        let mut state = shared.lock();
        if state.ending {
            break;
        }
        let Ok((stream, _)) = accepted else { continue };
        let Ok(copy) = stream.try_clone() else { continue };
        state.open.insert(number, copy);
        drop(state);
        let shared = Arc::clone(shared);
        threads.retain(|thread| !thread.is_finished());
        threads.push(std::thread::spawn(move || {
            // A connection may end in any way a client likes.
            let _ = serve(stream, &shared);
            shared.lock().open.remove(&number);
        }));
    }
    for thread in threads {
        // A panic in there has been printed.
        let _ = thread.join();
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> Result<()> {
    let mut connection = Connection::new(stream)?;
    while let Some(request) = connection.request()? {
        match Protocol::of_path(&request.path).filter(|_| request.method == "POST") {
            Some(protocol) => answer(&mut connection, shared, protocol, &request)?,
            None => answer_probe(&mut connection, shared, &request)?,
        }
    }
    Ok(())
}

fn answer(
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
    state.seen.push(Seen {
        method: raw.method.clone(),
        path: raw.path.clone(),
        protocol: Some(protocol),
        model: request.model.clone(),
        messages: request.messages.len(),
        tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
        last_user_text: request.user_texts().next_back().unwrap_or_default().to_owned(),
        last_tool_result: request.tool_results().next_back().unwrap_or_default().to_owned(),
        answered,
    });
    drop(state);
    shared.changed.notify_all();
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
        Failure::RateLimit { retry_after: None } | Failure::Status(_) | Failure::ContextTooLong => &[],
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
fn answer_probe(connection: &mut Connection, shared: &Shared, request: &http::Request) -> Result<()> {
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
    shared.lock().seen.push(Seen {
        method: request.method.clone(),
        path: request.path.clone(),
        protocol: None,
        model: String::new(),
        messages: 0,
        tools: Vec::new(),
        last_user_text: String::new(),
        last_tool_result: String::new(),
        answered: Answered::Probe(status),
    });
    shared.changed.notify_all();
    connection.json(&request.method, status, &[], &body)
}
