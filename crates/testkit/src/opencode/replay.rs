//! The server: it knows one session, and plays the recorded turn into it once it has the prompt.

use std::io::Result;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::state::{State, events, session};
use crate::models::http::{Connection, Event, Request};

/// Between two events, so that a listener that was cut off misses some.
const BEAT: Duration = Duration::from_millis(2);
const ROOM: usize = 1024;

/// What goes wrong on the way. The places are those of the recorded events, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The stream ends where this event should come.
    Cut(usize),
    /// It comes twice.
    Twice(usize),
    /// It comes after the one that follows it.
    Late(usize),
    /// An idle session is told here, which is not so.
    Idle(usize),
    /// The prompt is taken, and its answer does not come.
    PromptUnanswered,
    /// The first prompt is not taken, and no answer comes.
    PromptLost,
    /// Everything is answered with a web page.
    Html,
    /// It is of an old version.
    Old,
    /// The turn never ends: the session stays at work.
    Endless,
    /// The turn is never finished: its last message stays open, and the session is idle.
    Unfinished,
}

/// Dropped, it takes no more connections; those that are open end with the test.
#[derive(Debug)]
pub struct Replay {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// Connections are served at the same time, and there is one session, hence the lock.
#[derive(Debug)]
struct Shared {
    fault: Fault,
    session: Mutex<Session>,
}

#[derive(Debug, Default)]
struct Session {
    state: State,
    /// Prompts that came, and those that were taken.
    sent: usize,
    taken: usize,
    aborted: usize,
    toasts: Vec<Value>,
    listeners: Vec<SyncSender<Told>>,
}

#[derive(Debug, Clone)]
enum Told {
    Event(Value),
    Cut,
}

impl Replay {
    pub fn start(fault: Fault) -> Result<Replay> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { fault, session: Mutex::default() });
        let its_share = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let share = Arc::clone(&its_share);
                // A client that goes away is no failure of the server.
                std::thread::spawn(move || drop(share.serve(stream)));
            }
        });
        Ok(Replay { address, shared })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many prompts came, and how many of them the session took.
    pub fn prompts(&self) -> (usize, usize) {
        let session = self.shared.lock();
        (session.sent, session.taken)
    }

    /// The notices that were to be shown.
    pub fn toasts(&self) -> Vec<Value> {
        self.shared.lock().toasts.clone()
    }

    pub fn aborted(&self) -> usize {
        self.shared.lock().aborted
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(self: &Arc<Shared>, stream: TcpStream) -> Result<()> {
        let mut connection = Connection::new(stream)?;
        while let Some(request) = connection.request()? {
            let path = request.path.split('?').next().unwrap_or_default().to_owned();
            if self.fault == Fault::Html {
                connection.text("text/html", "<!doctype html><title>OpenCode</title>")?;
            } else if path == "/event" {
                return self.stream(&mut connection);
            } else if path.ends_with("/prompt_async") {
                if !self.prompt(&request) {
                    return connection.break_off();
                }
                connection.no_content()?;
            } else {
                if path == "/tui/show-toast" {
                    self.lock().toasts.push(serde_json::from_slice(&request.body).unwrap_or_default());
                }
                let (status, body) = self.answer(&path, &request.path);
                connection.json(&request.method, status, &[], &body)?;
            }
        }
        Ok(())
    }

    fn answer(&self, path: &str, whole: &str) -> (u16, Value) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let mut known = self.lock();
        match parts.as_slice() {
            ["global", "health"] => {
                let version = if self.fault == Fault::Old { "1.0.215" } else { "1.18.33" };
                (200, json!({ "healthy": true, "version": version }))
            }
            ["session", "status"] => (200, known.state.status()),
            ["session"] | ["session", _] => (200, session()),
            ["session", _, "message", id] if known.state.has(id) => (200, json!({ "info": { "id": id } })),
            ["session", _, "message", _] => (404, json!({ "name": "NotFoundError" })),
            ["session", _, "message"] => (200, known.state.newest(limit(whole))),
            ["session", _, "abort"] => {
                known.aborted += 1;
                (200, json!(true))
            }
            _ => (200, json!([])),
        }
    }

    /// Whether the prompt is answered.
    fn prompt(self: &Arc<Shared>, request: &Request) -> bool {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let prompt = body["messageID"].as_str().unwrap_or_default().to_owned();
        let mut session = self.lock();
        session.sent += 1;
        if self.fault == Fault::PromptLost && session.sent == 1 {
            return false;
        }
        session.taken += 1;
        if self.fault == Fault::PromptUnanswered {
            // It has it by the time that anybody can ask.
            let info = json!({ "id": prompt, "role": "user", "time": { "created": 1 } });
            session.state.apply(&json!({ "type": "message.updated", "properties": { "info": info } }));
        }
        let player = Arc::clone(self);
        std::thread::spawn(move || player.play(&prompt));
        self.fault != Fault::PromptUnanswered
    }

    fn play(&self, prompt: &str) {
        let mut events = events(prompt);
        if self.fault == Fault::Unfinished {
            let is_last_word = |event: &Value| event["properties"]["info"]["time"]["completed"].is_number();
            events.retain(|event| !is_last_word(event));
        }
        if self.fault == Fault::Endless {
            events.retain(|event| {
                event["properties"]["status"]["type"] != "idle" && event["type"] != "session.idle"
            });
        }
        let mut held = None;
        for (at, event) in events.into_iter().enumerate() {
            std::thread::sleep(BEAT);
            let mut session = self.lock();
            session.state.apply(&event);
            match self.fault {
                Fault::Cut(place) if place == at => session.tell(&Told::Cut),
                Fault::Late(place) if place == at => held = Some(event),
                Fault::Twice(place) if place == at => {
                    session.tell(&Told::Event(event.clone()));
                    session.tell(&Told::Event(event));
                }
                Fault::Idle(place) if place == at => {
                    let id = super::state::session()["id"].clone();
                    let idle = json!({ "type": "session.idle", "properties": { "sessionID": id } });
                    session.tell(&Told::Event(idle));
                    session.tell(&Told::Event(event));
                }
                _ => {
                    session.tell(&Told::Event(event));
                    if let Some(late) = held.take() {
                        session.tell(&Told::Event(late));
                    }
                }
            }
        }
    }

    fn stream(&self, connection: &mut Connection) -> Result<()> {
        let (sender, told): (_, Receiver<Told>) = sync_channel(ROOM);
        self.lock().listeners.push(sender);
        connection.begin_stream()?;
        let connected = json!({ "id": "evt_0", "type": "server.connected", "properties": {} });
        let mut send = |event: &Value| connection.event(&Event::unnamed(event), usize::MAX, |_| {});
        send(&connected)?;
        while let Ok(Told::Event(event)) = told.recv() {
            send(&event)?;
        }
        connection.break_off()
    }
}

impl Session {
    fn tell(&mut self, told: &Told) {
        // Whoever has gone is forgotten.
        self.listeners.retain(|listener| listener.try_send(told.clone()).is_ok());
        if matches!(told, Told::Cut) {
            self.listeners.clear();
        }
    }
}

fn limit(path: &str) -> usize {
    let query = path.split_once("limit=").map(|(_, rest)| rest);
    let digits = query.and_then(|rest| rest.split('&').next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(usize::MAX)
}
