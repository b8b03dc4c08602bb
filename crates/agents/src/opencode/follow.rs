//! Follows a turn to its end. Events say when to look; what is so is read from the server.

use std::collections::HashSet;
use std::time::{Duration, Instant, SystemTime};

use futures::StreamExt;
use serde_json::Value;

use super::client::{CallError, Client};
use super::line::{Failed, Line, Part};
use super::relay::{Patience, Task};
use super::session::{Ready, failed, since};
use super::stream::{Told, events};
use super::turn::{Ended, Standing, has_begun, standing};
use super::wire::{Event, Message, Permission, Question, Status};
use crate::acp::Permissions;

/// How often a prompt is sent to a session that is seen not to have it.
const SENDINGS: u32 = 3;
/// Between two looks at a turn that is about to be whole.
const SOON: Duration = Duration::from_millis(200);

/// How it came out.
#[derive(Debug)]
pub(super) enum Followed {
    Over(Box<Ended>),
    Failed(Failed),
}

pub(super) struct Follow<'a, T> {
    client: &'a Client,
    ready: &'a Ready,
    permissions: Permissions,
    patience: Patience,
    tell: &'a T,
    /// The session of the prompt and those of its sub-agents.
    family: HashSet<String>,
    /// Messages that are the agent's own.
    own: HashSet<String>,
    /// Parts and requests that were told of.
    done: HashSet<String>,
    /// Requests whose answer was taken.
    answered: HashSet<String>,
    model: Option<String>,
    is_sent: bool,
    was_busy: bool,
    error: Option<Value>,
    unsettled: Option<Instant>,
    cut: Option<Instant>,
    waits: Option<(u32, u64)>,
}

impl<'a, T: Fn(Line)> Follow<'a, T> {
    pub(super) fn new(client: &'a Client, ready: &'a Ready, task: &Task, tell: &'a T) -> Follow<'a, T> {
        Follow {
            client,
            ready,
            permissions: task.permissions,
            patience: task.patience,
            tell,
            family: HashSet::from([ready.session.clone()]),
            own: HashSet::new(),
            done: HashSet::new(),
            answered: HashSet::new(),
            model: task.model.clone(),
            is_sent: false,
            was_busy: false,
            error: None,
            unsettled: None,
            cut: Some(Instant::now()),
            waits: None,
        }
    }

    pub(super) async fn finish(mut self) -> Followed {
        let mut events = std::pin::pin!(events(self.client.clone()));
        let mut next_look = Instant::now() + self.patience.look;
        loop {
            let heard = tokio::select! {
                told = events.next() => self.hear(told).await,
                () = tokio::time::sleep_until(next_look.into()) => Ok(true),
            };
            let looks = match heard {
                Ok(looks) => looks,
                Err(failed) => return Followed::Failed(failed),
            };
            // While it is away, a server that comes back may take a call and never answer it.
            match if looks && self.is_sent && self.cut.is_none() { self.look().await } else { Ok(None) } {
                Ok(Some(ended)) => return Followed::Over(ended),
                Ok(None) => {}
                Err(failed) => return Followed::Failed(failed),
            }
            if self.cut.is_some_and(|since| since.elapsed() > self.patience.back) {
                let text = "the OpenCode server is gone and did not come back";
                return Followed::Failed(Failed::named("ServerGone", text));
            }
            let wait = if self.unsettled.is_some() || self.cut.is_some() { SOON } else { self.patience.look };
            if looks || next_look > Instant::now() + wait {
                next_look = Instant::now() + wait;
            }
        }
    }

    /// Takes in what is told; true if it is worth a look.
    async fn hear(&mut self, told: Option<Told>) -> Result<bool, Failed> {
        match told {
            None => Ok(false),
            Some(Told::Connected) => self.connected().await,
            Some(Told::Event(event)) => self.take(*event).await,
            Some(Told::Lost) => Ok(true),
            Some(Told::Cut(CallError::Unreachable { .. })) => {
                self.cut.get_or_insert_with(Instant::now);
                Ok(false)
            }
            Some(Told::Cut(error)) => Err(failed(error, "the stream of events")),
        }
    }

    /// The prompt goes out once somebody listens, so that nothing that follows it is missed.
    async fn connected(&mut self) -> Result<bool, Failed> {
        self.cut = None;
        if self.is_sent {
            (self.tell)(Line::Reconnected);
            return Ok(true);
        }
        self.send().await?;
        self.is_sent = true;
        self.taken().await;
        Ok(false)
    }

    /// The session has the prompt: from here on the run goes on with it, and the one before is only in the way.
    async fn taken(&self) {
        (self.tell)(Line::Session { session: self.ready.session.clone(), model: self.model.clone() });
        if let Some(before) = &self.ready.replaces {
            // Deleted while somebody works on it, it would be worked on for good.
            let _idle = self.client.abort(before).await;
            let _stays = self.client.delete(before).await;
        }
    }

    /// A call whose answer did not come may have been carried out: only a session that is seen not to have the prompt is
    /// sent it again.
    async fn send(&self) -> Result<(), Failed> {
        let Ready { session, prompt, body, .. } = self.ready;
        let mut sendings = 0;
        let begun = Instant::now();
        loop {
            sendings += 1;
            let error = match self.client.prompt(session, body).await {
                Ok(()) => return Ok(()),
                Err(error @ CallError::Unreachable { .. }) => error,
                Err(error) => return Err(failed(error, "the session")),
            };
            loop {
                tokio::time::sleep(SOON).await;
                match self.client.has_message(session, prompt).await {
                    Ok(true) => return Ok(()),
                    Ok(false) if sendings < SENDINGS => break,
                    Err(CallError::Unreachable { .. }) if begun.elapsed() < self.patience.back => {}
                    Ok(false) | Err(_) => return Err(failed(error, "the session")),
                }
            }
        }
    }

    async fn take(&mut self, event: Event) -> Result<bool, Failed> {
        let is_ours = |session: &str| session == self.ready.session;
        match event {
            Event::Created { info } => {
                if info.parent.as_ref().is_some_and(|parent| self.family.contains(parent)) {
                    self.family.insert(info.id);
                }
                Ok(false)
            }
            Event::Status { session, status } if is_ours(&session) => {
                let is_idle = status == Status::Idle;
                self.note(status);
                Ok(is_idle)
            }
            Event::Idle { session } => Ok(is_ours(&session)),
            Event::Error { session, error } if session.as_deref().is_some_and(is_ours) => {
                self.error = error.or(self.error.take());
                Ok(true)
            }
            Event::Deleted { session, info } => {
                let session = session.or(info.map(|info| info.id));
                Ok(session.as_deref().is_some_and(is_ours))
            }
            Event::Message { session, info } if self.family.contains(&session) => {
                let is_whole = is_ours(&session) && info.time.completed.is_some() && !goes_on(&info.finish);
                if info.is_assistant() {
                    self.own.insert(info.id);
                }
                Ok(is_whole)
            }
            Event::Part { session, part } => {
                let session = session.or_else(|| part["sessionID"].as_str().map(str::to_owned));
                if let Some(session) = session.filter(|session| self.family.contains(session)) {
                    self.show(&session, part);
                }
                Ok(false)
            }
            Event::Permission(asked) => self.permit(asked).await.map(|()| false),
            Event::Question(asked) => self.decline(asked).await.map(|()| false),
            _ => Ok(false),
        }
    }

    fn note(&mut self, status: Status) {
        match status {
            Status::Idle => self.waits = None,
            Status::Busy => {
                self.was_busy = true;
                self.waits = None;
            }
            Status::Retry { attempt, message, next } => {
                self.was_busy = true;
                if self.waits.replace((attempt, next)) != Some((attempt, next)) {
                    let delay_ms = next.saturating_sub(now());
                    (self.tell)(Line::Waiting { attempt, message, delay_ms });
                }
            }
        }
    }

    /// Reads how it stands. Some if it is over.
    async fn look(&mut self) -> Result<Option<Box<Ended>>, Failed> {
        let read = async {
            let status = self.client.status(&self.ready.session).await?;
            Ok((status, since(self.client, &self.ready.session, &self.ready.prompt).await?))
        };
        let (status, messages) = match read.await {
            Ok(read) => read,
            Err(CallError::Unreachable { .. }) => {
                self.cut.get_or_insert_with(Instant::now);
                return Ok(None);
            }
            Err(CallError::NotFound { .. }) => {
                return Err(Failed::named(
                    "SessionDeleted",
                    "the session was deleted in the middle of the turn",
                ));
            }
            Err(error) => return Err(failed(error, "the session")),
        };
        let standing = standing(&status, &messages, &self.ready.prompt);
        self.was_busy |= has_begun(&messages, &self.ready.prompt);
        self.show_all(messages);
        self.note(status);
        match standing {
            Standing::Over(ended) => Ok(Some(ended)),
            Standing::Working | Standing::Waiting { .. } => {
                self.unsettled = None;
                self.look_for_requests().await?;
                Ok(None)
            }
            Standing::Unheard | Standing::Unsettled => self.endure(),
        }
    }

    /// Nobody works on it: that is so before the turn begins, for a moment at its end, and for good where the server lost it.
    fn endure(&mut self) -> Result<Option<Box<Ended>>, Failed> {
        let since = *self.unsettled.get_or_insert_with(Instant::now);
        let bearable = match (&self.error, self.was_busy) {
            (Some(_), _) => self.patience.settle_after_error,
            (None, true) => self.patience.settle,
            (None, false) => self.patience.begin,
        };
        if since.elapsed() < bearable {
            return Ok(None);
        }
        Err(match self.error.take() {
            Some(error) => Failed { error: without_trace(error), tokens: None, cost: None },
            None if self.was_busy => {
                Failed::named("ServerGone", "the OpenCode server was restarted in the middle of the turn")
            }
            None => Failed::named("NotBegun", "the OpenCode server took the prompt and did nothing"),
        })
    }

    fn show_all(&mut self, messages: Vec<Message>) {
        for Message { info, parts } in messages.into_iter().filter(|message| message.info.is_assistant()) {
            self.own.insert(info.id);
            for part in parts {
                self.show(&self.ready.session.clone(), part);
            }
        }
    }

    /// Tells of a part once it is whole, and once.
    fn show(&mut self, session: &str, part: Value) {
        let (Some(id), Some(message)) = (part["id"].as_str(), part["messageID"].as_str()) else { return };
        let has_ended = part["time"]["end"].is_number();
        let line: fn(Part) -> Line = match part["type"].as_str() {
            Some("step-start") => Line::StepStart,
            Some("text") if has_ended => Line::Text,
            Some("reasoning") if has_ended => Line::Reasoning,
            Some("tool") if matches!(part["state"]["status"].as_str(), Some("completed" | "error")) => {
                Line::ToolUse
            }
            Some("step-finish") => Line::StepFinish,
            _ => return,
        };
        if self.own.contains(message) && self.done.insert(id.to_owned()) {
            (self.tell)(line(Part { session: session.to_owned(), part }));
        }
    }

    /// Requests that were told while nobody listened, and those whose answer was not taken.
    async fn look_for_requests(&mut self) -> Result<(), Failed> {
        let read = async {
            let children = self.client.children(&self.ready.session).await?;
            Ok((children, self.client.permissions().await?, self.client.questions().await?))
        };
        let (children, permissions, questions) = match read.await {
            Ok(read) => read,
            Err(CallError::Unreachable { .. }) => {
                self.cut.get_or_insert_with(Instant::now);
                return Ok(());
            }
            Err(error) => return Err(failed(error, "the session")),
        };
        self.family.extend(children.into_iter().map(|child| child.id));
        for asked in permissions {
            self.permit(asked).await?;
        }
        for asked in questions {
            self.decline(asked).await?;
        }
        Ok(())
    }

    async fn permit(&mut self, asked: Permission) -> Result<(), Failed> {
        if !self.family.contains(&asked.session) || self.answered.contains(&asked.id) {
            return Ok(());
        }
        let policy = self.permissions;
        let allowed = policy == Permissions::Allow;
        if self.done.insert(asked.id.clone()) {
            let call = asked.tool.map(|tool| tool.call).unwrap_or_default();
            let what = format!("{} {}", asked.permission, asked.patterns.join(" ")).trim().to_owned();
            (self.tell)(Line::Permission { call, what, policy, allowed });
        }
        let reply = if allowed { "once" } else { "reject" };
        let answer = self.client.answer_permission(&asked.id, reply).await;
        self.note_answer(asked.id, answer)
    }

    /// A question goes to the inbox, not to the session: there it keeps the turn from ending.
    async fn decline(&mut self, asked: Question) -> Result<(), Failed> {
        if !self.family.contains(&asked.session) || self.answered.contains(&asked.id) {
            return Ok(());
        }
        if self.done.insert(asked.id.clone()) {
            let call = asked.tool.map(|tool| tool.call).unwrap_or_default();
            let text = asked.questions.iter().map(|one| one.question.as_str()).collect::<Vec<_>>().join("\n");
            (self.tell)(Line::Question { call, text });
        }
        let answer = self.client.reject_question(&asked.id).await;
        self.note_answer(asked.id, answer)
    }

    /// A request that is gone was answered by somebody else. One whose answer did not arrive, or that the server failed
    /// to take, is among those that are open when the state is read next, and is answered again.
    fn note_answer(&mut self, id: String, answer: Result<Value, CallError>) -> Result<(), Failed> {
        match answer {
            Ok(_) | Err(CallError::NotFound { .. }) => {
                self.answered.insert(id);
                Ok(())
            }
            Err(CallError::Unreachable { .. } | CallError::Refused { status: 500.., .. }) => Ok(()),
            Err(error) => Err(failed(error, "the request")),
        }
    }
}

/// An error of the server itself brings the places in its program along.
fn without_trace(mut error: Value) -> Value {
    let told = error["data"]["message"].as_str().and_then(|message| message.split("\n    at ").next());
    if let Some(told) = told.map(str::to_owned) {
        error["data"]["message"] = Value::String(told);
    }
    error
}

/// Whether another step follows.
fn goes_on(finish: &Option<String>) -> bool {
    finish.as_deref() == Some("tool-calls")
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
