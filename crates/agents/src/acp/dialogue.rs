//! The dialogue: hello, a session, the model, the prompt.

use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AuthMethod, CancelNotification, ClientCapabilities, ContentBlock, Implementation, InitializeRequest,
    InitializeResponse, LoadSessionRequest, NewSessionRequest, PromptRequest, TextContent,
};
use agent_client_protocol::{Agent, Error, ErrorCode, UntypedMessage, is_incoming_transport_closed};
use serde::Serialize;
use serde_json::Value;

use super::choice::Offer;
use super::line::{Failed, Line};

/// What the agent has to answer `session/cancel`. The guard that interrupts the relay waits 1.2 s before it does more.
const LAST_WORD: Duration = Duration::from_millis(700);

pub(super) const INITIALIZE: &str = "initialize";
const NEW: &str = "session/new";
const LOAD: &str = "session/load";
const SETTING: &str = "session/set_config_option";
pub(super) const PROMPT: &str = "session/prompt";

pub(super) type Stop<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send)>;

/// What is asked of the agent.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) brief: String,
    pub(super) dir: PathBuf,
    pub(super) model: Option<String>,
    pub(super) effort: Option<String>,
    pub(super) resume: Option<String>,
    /// What each answer may take before the prompt.
    pub(super) patience: Duration,
}

/// Why there is no result.
#[derive(Debug, PartialEq)]
pub(super) enum Failure {
    /// Its output ended while an answer was due.
    Gone(&'static str),
    Refused(Failed),
    /// The relay was asked to stop.
    Stopped,
}

pub(super) struct Dialogue<'a, T> {
    pub(super) cx: ConnectionTo<Agent>,
    pub(super) tell: T,
    pub(super) stop: Stop<'a>,
    /// What an answer is awaited to: what a loaded session repeats before the prompt is over and done with.
    pub(super) awaited: tokio::sync::watch::Sender<&'static str>,
}

impl<T: Fn(Line)> Dialogue<'_, T> {
    pub(super) async fn lead(mut self, request: Request) -> Result<Value, Failure> {
        let hello = self.hello(request.patience).await?;
        let (session, offer) = self.session(&request, &hello).await?;
        for choice in choices(&request, &session, &offer) {
            let message = choice.map_err(|message| refused(SETTING, "not_offered", message))?;
            self.ask(SETTING, message, request.patience).await?;
        }
        let model = request.model.or_else(|| offer.model());
        (self.tell)(Line::Session { session_id: session.clone(), model });
        self.prompt(session, request.brief).await
    }

    async fn hello(&mut self, patience: Duration) -> Result<InitializeResponse, Failure> {
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new())
            .client_info(Implementation::new("ralph", env!("CARGO_PKG_VERSION")));
        let answer = self.ask(INITIALIZE, untyped(INITIALIZE, hello), patience).await.map_err(at_odds)?;
        let unreadable = |error: serde_json::Error| {
            refused(INITIALIZE, "protocol", format!("its answer is not the protocol's: {error}"))
        };
        let hello: InitializeResponse = serde_json::from_value(answer.clone()).map_err(unreadable)?;
        let version = hello.protocol_version.as_u16();
        let info = answer.get("agentInfo").filter(|info| !info.is_null()).cloned();
        (self.tell)(Line::Agent { protocol_version: version, info });
        Ok(hello)
    }

    /// A session and what it can be set to.
    async fn session(
        &mut self,
        request: &Request,
        hello: &InitializeResponse,
    ) -> Result<(String, Offer), Failure> {
        let (method, message) = match &request.resume {
            Some(_) if !hello.agent_capabilities.load_session => {
                return Err(refused(LOAD, "not_offered", "the agent cannot resume a session".to_owned()));
            }
            Some(session) => {
                (LOAD, untyped(LOAD, LoadSessionRequest::new(session.clone(), request.dir.clone())))
            }
            None => (NEW, untyped(NEW, NewSessionRequest::new(request.dir.clone()))),
        };
        let answer = self.ask(method, message, request.patience).await.map_err(|f| with_login(f, hello))?;
        let session = request.resume.as_deref().or(answer["sessionId"].as_str());
        let nameless = || refused(method, "protocol", "its answer names no session".to_owned());
        Ok((session.ok_or_else(nameless)?.to_owned(), Offer::of(&answer)))
    }

    async fn prompt(&mut self, session: String, brief: String) -> Result<Value, Failure> {
        self.awaited.send_replace(PROMPT);
        let prompt = PromptRequest::new(session.clone(), vec![ContentBlock::Text(TextContent::new(brief))]);
        let answer = self.cx.send_request(untyped(PROMPT, prompt)).block_task();
        let mut answer = std::pin::pin!(answer);
        tokio::select! {
            answer = &mut answer => return answer.map_err(|error| failure(PROMPT, error)),
            () = &mut self.stop => {}
        }
        let _gone = self.cx.send_notification(CancelNotification::new(session));
        match tokio::time::timeout(LAST_WORD, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(_) => Err(Failure::Stopped),
        }
    }

    async fn ask(
        &mut self,
        method: &'static str,
        message: UntypedMessage,
        patience: Duration,
    ) -> Result<Value, Failure> {
        self.awaited.send_replace(method);
        let answer = self.cx.send_request(message).block_task();
        tokio::select! {
            () = &mut self.stop => Err(Failure::Stopped),
            answer = tokio::time::timeout(patience, answer) => match answer {
                Ok(answer) => answer.map_err(|error| failure(method, error)),
                Err(_) => {
                    let what = format!("no answer to {method} within {} s", patience.as_secs_f32());
                    Err(refused(method, "no_answer", what))
                }
            },
        }
    }
}

fn choices(request: &Request, session: &str, offer: &Offer) -> Vec<Result<UntypedMessage, String>> {
    let model = request.model.iter().map(|model| offer.choose_model(session, model));
    let effort = request.effort.iter().map(|effort| offer.choose_effort(session, effort));
    model.chain(effort).collect()
}

fn untyped(method: &str, params: impl Serialize) -> UntypedMessage {
    UntypedMessage::new(method, params).expect("the protocol's own types are JSON")
}

fn failure(method: &'static str, error: Error) -> Failure {
    if is_incoming_transport_closed(&error) {
        return Failure::Gone(method);
    }
    let Error { code, message, data, .. } = error;
    Failure::Refused(Failed { method, kind: None, code: Some(code.value()), message, data })
}

fn refused(method: &'static str, kind: &'static str, message: String) -> Failure {
    Failure::Refused(Failed { method, kind: Some(kind), code: None, message, data: None })
}

/// An agent that finds the greeting itself wrong, or answers it with another version, speaks something else.
fn at_odds(failure: Failure) -> Failure {
    const FOREIGN: [ErrorCode; 4] = [
        ErrorCode::PARSE_ERROR,
        ErrorCode::INVALID_REQUEST,
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INVALID_PARAMS,
    ];
    match failure {
        Failure::Refused(failed) if FOREIGN.iter().any(|code| failed.code == Some(code.value())) => {
            let reason = failed.data.as_ref().and_then(Value::as_str).map(str::to_owned);
            refused(INITIALIZE, "protocol", reason.unwrap_or(failed.message))
        }
        other => other,
    }
}

/// Who is not logged in is told the ways to do it that the agent names.
fn with_login(failure: Failure, hello: &InitializeResponse) -> Failure {
    let Failure::Refused(mut failed) = failure else { return failure };
    if failed.code == Some(ErrorCode::AUTH_REQUIRED.value()) && !hello.auth_methods.is_empty() {
        let ways: Vec<String> = hello.auth_methods.iter().map(way).collect();
        failed.message += &format!(" ({})", ways.join("; "));
    }
    Failure::Refused(failed)
}

fn way(method: &AuthMethod) -> String {
    method.description().unwrap_or(method.name()).to_owned()
}
