//! The server: it knows one session, and plays the recorded turn into it once it has the prompt.

use std::io::Result;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::state::{State, events, lengthened, session};
use crate::models::http::{Connection, Event, Request};

/// Between two events, so that a listener that was cut off misses some.
const BEAT: Duration = Duration::from_millis(2);
const SLOW_BEAT: Duration = Duration::from_millis(100);
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
    /// Another session is at work, of the run [`LEFT_RUN`].
    Left,
    /// It keeps no metadata of sessions.
    Unmarked,
    /// Its agents have the tool by which they say that they are done.
    Tool,
    /// There is a list of things to do from the beginning, with everything on it done.
    List,
    /// The list of things to do cannot be read.
    NoList,
    /// A permission is asked for, and the first answer to it is not taken.
    Asks,
    /// The prompt is refused.
    PromptRefused,
    /// The turn has more messages than one page holds.
    Long,
    /// The turn takes seconds, as those of real models do.
    Slow,
}

/// Whose turn was left at work.
pub const LEFT_RUN: &str = "run-left";
const LEFT: &str = "ses_left";
/// As many messages as are answered at once.
const PAGE: usize = 100;
/// The messages between the prompt and the recorded ones.
const MANY: usize = 250;

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
    /// Every call, with its method.
    calls: Vec<String>,
    logins: Vec<String>,
    /// Of the session that was made last.
    metadata: Value,
    title: Option<String>,
    /// The turn that was left at work was aborted.
    left_ended: bool,
    /// Answers to the permission that is asked for.
    replies: usize,
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

    /// Every call so far but those for events and notices, such as `POST /session`.
    pub fn calls(&self) -> Vec<String> {
        self.shared.lock().calls.clone()
    }

    /// What calls were entered with.
    pub fn logins(&self) -> Vec<String> {
        self.shared.lock().logins.clone()
    }

    /// The metadata and the title that the session has.
    pub fn session(&self) -> (Value, String) {
        let known = self.shared.lock();
        (known.metadata.clone(), known.title.clone().unwrap_or_default())
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
            self.note(&request, &path);
            if self.fault == Fault::Html {
                connection.text("text/html", "<!doctype html><title>OpenCode</title>")?;
            } else if path == "/event" {
                return self.stream(&mut connection);
            } else if path.ends_with("/prompt_async") {
                if self.fault == Fault::PromptRefused {
                    connection.json("POST", 400, &[], &json!({ "name": "BadRequest" }))?;
                    continue;
                }
                if !self.prompt(&request) {
                    return connection.break_off();
                }
                connection.no_content()?;
            } else if path.ends_with("/message") {
                let (cursor, page) = self.page(&request.path);
                let headers: Vec<_> = cursor.map(|at| ("x-next-cursor", at)).into_iter().collect();
                connection.json(&request.method, 200, &headers, &page)?;
            } else {
                if path == "/tui/show-toast" {
                    self.lock().toasts.push(serde_json::from_slice(&request.body).unwrap_or_default());
                }
                let (status, body) = self.answer(&request.method, &path);
                connection.json(&request.method, status, &[], &body)?;
            }
        }
        Ok(())
    }

    fn note(&self, request: &Request, path: &str) {
        let mut known = self.lock();
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if !["/event", "/tui/show-toast"].contains(&path) {
            known.calls.push(format!("{} {path}", request.method));
        }
        if !request.authorization.is_empty() {
            known.logins.push(request.authorization.clone());
        }
        if request.method == "POST" && path == "/session" && self.fault != Fault::Unmarked {
            known.metadata = body["metadata"].clone();
        }
        if let Some(title) = body["title"].as_str().filter(|_| path.starts_with("/session")) {
            known.title = Some(title.to_owned());
        }
    }

    /// The messages that are asked for, with the place of those before them.
    fn page(&self, path: &str) -> (Option<String>, Value) {
        let limit = parameter(path, "limit").unwrap_or(usize::MAX).min(PAGE);
        let (place, page) = self.lock().state.before(parameter(path, "before"), limit);
        (place.map(|place| place.to_string()), page)
    }

    fn answer(&self, method: &str, path: &str) -> (u16, Value) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let mut known = self.lock();
        match parts.as_slice() {
            ["global", "health"] => {
                let version = if self.fault == Fault::Old { "1.0.215" } else { "1.18.33" };
                (200, json!({ "healthy": true, "version": version }))
            }
            ["session", "status"] => {
                let mut all = known.state.status();
                if self.fault == Fault::Left && !known.left_ended {
                    all[LEFT] = json!({ "type": "busy" });
                }
                (200, all)
            }
            ["session", LEFT] => {
                let time = json!({ "created": 1 });
                (200, json!({ "id": LEFT, "time": time, "metadata": { "ralph": LEFT_RUN } }))
            }
            ["session", _] if method == "DELETE" => (200, json!(true)),
            ["session"] | ["session", _] => (200, known.session()),
            ["experimental", "tool", "ids"] if self.fault == Fault::Tool => (200, json!(["task_complete"])),
            ["session", _, "todo"] if self.fault == Fault::NoList => (500, json!({ "name": "UnknownError" })),
            ["session", _, "todo"] if self.fault == Fault::List => {
                (200, json!([{ "content": "it", "status": "completed", "priority": "high" }]))
            }
            ["permission"] if self.fault == Fault::Asks && known.replies < 2 => (200, json!([asked()])),
            ["permission", _, "reply"] => {
                known.replies += 1;
                if known.replies == 1 { (500, json!({ "name": "UnknownError" })) } else { (200, json!(true)) }
            }
            ["session", _, "message", id] if known.state.has(id) => (200, json!({ "info": { "id": id } })),
            ["session", _, "message", _] => (404, json!({ "name": "NotFoundError" })),
            ["session", LEFT, "abort"] => {
                known.left_ended = true;
                (200, json!(true))
            }
            ["session", _, "abort"] => {
                known.aborted += 1;
                known.state.end();
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
        if self.fault == Fault::Long {
            events = lengthened(events, MANY);
        }
        let mut held = None;
        let beat = if self.fault == Fault::Slow { SLOW_BEAT } else { BEAT };
        for (at, event) in events.into_iter().enumerate() {
            std::thread::sleep(beat);
            let mut session = self.lock();
            if self.fault == Fault::Asks && event["properties"]["part"]["type"] == "tool" {
                session.tell(&Told::Event(json!({ "type": "permission.asked", "properties": asked() })));
                drop(session);
                self.wait_for_replies();
                session = self.lock();
            }
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

    /// For an answer that is taken, or long enough to see that none comes.
    fn wait_for_replies(&self) {
        for _ in 0..500 {
            if self.lock().replies > 1 {
                return;
            }
            std::thread::sleep(10 * BEAT);
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
    fn session(&self) -> Value {
        let mut session = session();
        session["metadata"] = self.metadata.clone();
        if let Some(title) = &self.title {
            session["title"] = json!(title);
        }
        session
    }

    fn tell(&mut self, told: &Told) {
        // Whoever has gone is forgotten.
        self.listeners.retain(|listener| listener.try_send(told.clone()).is_ok());
        if matches!(told, Told::Cut) {
            self.listeners.clear();
        }
    }
}

/// A permission of the recorded session.
fn asked() -> Value {
    json!({ "id": "per_1", "sessionID": session()["id"], "permission": "bash", "patterns": ["make"] })
}

fn parameter(path: &str, name: &str) -> Option<usize> {
    let pairs = path.split_once('?').map_or("", |(_, query)| query).split('&');
    let value = pairs.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name)?.1;
    value.parse().ok()
}
