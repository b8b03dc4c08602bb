//! Calls to an OpenCode server: only those that are used, each with a deadline.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::address::{Address, AddressError, Login};
use super::wire::{Health, Message, Permission, Question, Session, Status};

/// What an ordinary answer may take: the first one waits for the server to look at the project.
pub(super) const ANSWER: Duration = Duration::from_secs(60);
/// A summary is written by the model.
const SUMMARY: Duration = Duration::from_secs(15 * 60);
const CONNECT: Duration = Duration::from_secs(10);
/// The stream has a heartbeat every ten seconds; without one for this long it is dead.
const SILENCE: Duration = Duration::from_secs(35);
/// No answer is longer.
const LONGEST: usize = 256 * 1024 * 1024;
/// As much of a text that is no JSON as is told.
const SHOWN: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No whole answer came: whether the call was carried out is not known.
    #[error("the OpenCode server at {url} cannot be reached: {why}")]
    Unreachable { url: String, why: String },
    #[error("the OpenCode server wants another password: set OPENCODE_SERVER_PASSWORD")]
    Unauthorized,
    #[error("{path} is not there")]
    NotFound { path: String },
    #[error("the OpenCode server refused {path} with {status}: {message}")]
    Refused { path: String, status: u16, name: Option<String>, message: String },
    #[error("what answers {path} is no OpenCode server: {what}")]
    Foreign { path: String, what: String },
}

/// Some of a session's messages.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) messages: Vec<Message>,
    /// What the page before this one is asked for by, where there is one and the server says so.
    pub(super) before: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    login: Option<Login>,
    /// The project, as the server is to see it.
    directory: String,
}

/// The one place where ralph makes a client: its TLS has no cryptography of its own accord.
fn http() -> reqwest::Client {
    // Another part of the process may have been first; it is the same one.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECT)
        // A server on loopback is never behind a proxy, and its password is for nobody else.
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client with these options")
}

impl Client {
    pub(super) fn new(address: &Address, directory: &str) -> Result<Client, CallError> {
        let base = address.checked()?;
        Ok(Client { http: http(), base, login: address.login.clone(), directory: directory.to_owned() })
    }

    pub(super) async fn health(&self) -> Result<Health, CallError> {
        self.get("/global/health").await
    }

    pub(super) async fn create(
        &self,
        title: &str,
        rules: &Value,
        metadata: &Value,
    ) -> Result<Session, CallError> {
        let body = json!({ "title": title, "permission": rules, "metadata": metadata });
        self.post("/session", &body).await
    }

    pub(super) async fn rename(&self, id: &str, title: &str) -> Result<Value, CallError> {
        let path = format!("/session/{id}");
        answer(self.request(Method::PATCH, &path, ANSWER).json(&json!({ "title": title })), &path).await
    }

    pub(super) async fn session(&self, id: &str) -> Result<Session, CallError> {
        self.get(&format!("/session/{id}")).await
    }

    pub(super) async fn delete(&self, id: &str) -> Result<Value, CallError> {
        let path = format!("/session/{id}");
        answer(self.request(Method::DELETE, &path, ANSWER), &path).await
    }

    pub(super) async fn children(&self, id: &str) -> Result<Vec<Session>, CallError> {
        self.get(&format!("/session/{id}/children")).await
    }

    /// The newest so many messages, oldest first.
    pub(super) async fn messages(&self, id: &str, limit: usize) -> Result<Vec<Message>, CallError> {
        Ok(self.page(id, limit, None).await?.messages)
    }

    /// The newest so many messages before a place that an earlier page named.
    pub(super) async fn page(&self, id: &str, limit: usize, before: Option<&str>) -> Result<Page, CallError> {
        let path = format!("/session/{id}/message");
        let before = before.map(|place| format!("&before={place}")).unwrap_or_default();
        let request = self.request(Method::GET, &format!("{path}?limit={limit}{before}"), ANSWER);
        let response = checked(request, &path).await?;
        let next = response.headers().get("x-next-cursor").and_then(|value| value.to_str().ok());
        // What is put into an address again must be what a server makes of one.
        let is_plain = |place: &&str| place.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_=".contains(&b));
        let before = next.filter(is_plain).filter(|place| !place.is_empty()).map(str::to_owned);
        Ok(Page { messages: read(response, &path).await?, before })
    }

    pub(super) async fn has_message(&self, session: &str, id: &str) -> Result<bool, CallError> {
        match self.get::<Message>(&format!("/session/{session}/message/{id}")).await {
            Ok(_) => Ok(true),
            Err(CallError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn status(&self, id: &str) -> Result<Status, CallError> {
        let mut all = self.statuses().await?;
        let Some(own) = all.remove(id) else { return Ok(Status::Idle) };
        // A status of a kind that is not known is none of being through.
        Ok(serde_json::from_value(own).unwrap_or(Status::Busy))
    }

    /// Of the sessions of this directory that are not idle.
    pub(super) async fn statuses(&self) -> Result<HashMap<String, Value>, CallError> {
        self.get("/session/status").await
    }

    /// The list of things to do, each in the server's own words.
    pub(super) async fn todos(&self, id: &str) -> Result<Vec<Value>, CallError> {
        self.get(&format!("/session/{id}/todo")).await
    }

    pub(super) async fn tools(&self) -> Result<Vec<String>, CallError> {
        self.get("/experimental/tool/ids").await
    }

    /// Taken by the server at once, and carried out there.
    pub(super) async fn prompt(&self, session: &str, body: &Value) -> Result<(), CallError> {
        let path = format!("/session/{session}/prompt_async");
        let request = self.request(Method::POST, &path, ANSWER).json(body);
        checked(request, &path).await.map(drop)
    }

    pub(super) async fn summarize(
        &self,
        session: &str,
        provider: &str,
        model: &str,
    ) -> Result<Value, CallError> {
        let path = format!("/session/{session}/summarize");
        let body = json!({ "providerID": provider, "modelID": model });
        answer(self.request(Method::POST, &path, SUMMARY).json(&body), &path).await
    }

    pub(super) async fn abort(&self, session: &str) -> Result<Value, CallError> {
        self.post(&format!("/session/{session}/abort"), &json!({})).await
    }

    pub(super) async fn permissions(&self) -> Result<Vec<Permission>, CallError> {
        self.get("/permission").await
    }

    pub(super) async fn answer_permission(&self, id: &str, reply: &str) -> Result<Value, CallError> {
        self.post(&format!("/permission/{id}/reply"), &json!({ "reply": reply })).await
    }

    pub(super) async fn questions(&self) -> Result<Vec<Question>, CallError> {
        self.get("/question").await
    }

    pub(super) async fn reject_question(&self, id: &str) -> Result<Value, CallError> {
        self.post(&format!("/question/{id}/reject"), &json!({})).await
    }

    pub(super) async fn toast(&self, toast: &Value) -> Result<Value, CallError> {
        self.post("/tui/show-toast", toast).await
    }

    /// The stream of events, begun. What connects to a server that is not ready yet is never answered.
    pub(super) async fn events(&self, within: Duration) -> Result<Response, CallError> {
        const PATH: &str = "/event";
        let request = self.request(Method::GET, PATH, Duration::MAX).header("accept", "text/event-stream");
        let response = tokio::time::timeout(within, checked(request, PATH)).await;
        let silent = || self.unreachable("no answer".to_owned());
        let response = response.map_err(|_| silent())??;
        match content_type(&response) {
            kind if kind.starts_with("text/event-stream") => Ok(response),
            what => Err(CallError::Foreign { path: PATH.to_owned(), what }),
        }
    }

    /// The next piece of the stream; none at its end.
    pub(super) async fn piece(&self, stream: &mut Response) -> Result<Option<Vec<u8>>, CallError> {
        match tokio::time::timeout(SILENCE, stream.chunk()).await {
            Ok(Ok(piece)) => Ok(piece.map(|bytes| bytes.to_vec())),
            Ok(Err(error)) => Err(self.unreachable(words(&error))),
            Err(_) => Err(self.unreachable("its stream of events fell silent".to_owned())),
        }
    }

    fn unreachable(&self, why: String) -> CallError {
        CallError::Unreachable { url: self.base.to_string(), why }
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        answer(self.request(Method::GET, path, ANSWER), path).await
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, CallError> {
        answer(self.request(Method::POST, path, ANSWER).json(body), path).await
    }

    fn request(&self, method: Method, path: &str, within: Duration) -> RequestBuilder {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url.set_query((!query.is_empty()).then_some(query));
        url.query_pairs_mut().append_pair("directory", &self.directory);
        let mut request = self.http.request(method, url);
        if within != Duration::MAX {
            request = request.timeout(within);
        }
        match &self.login {
            Some(login) => request.basic_auth(&login.user, Some(&login.password)),
            None => request,
        }
    }
}

/// The status is good; the body is still to come.
async fn checked(request: RequestBuilder, path: &str) -> Result<Response, CallError> {
    let response = request.send().await.map_err(|error| CallError::Unreachable {
        url: error.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default(),
        why: words(&error),
    })?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let path = path.to_owned();
    match status.as_u16() {
        401 => Err(CallError::Unauthorized),
        404 => Err(CallError::NotFound { path }),
        status => {
            let body = body(response).await.unwrap_or_default();
            let told: Value = serde_json::from_slice(&body).unwrap_or_default();
            let message = told["data"]["message"].as_str().or(told["message"].as_str());
            let message = message.map_or_else(|| shown(&body), str::to_owned);
            let name = told["name"].as_str().map(str::to_owned);
            Err(CallError::Refused { path, status, name, message })
        }
    }
}

async fn answer<T: DeserializeOwned>(request: RequestBuilder, path: &str) -> Result<T, CallError> {
    read(checked(request, path).await?, path).await
}

async fn read<T: DeserializeOwned>(response: Response, path: &str) -> Result<T, CallError> {
    let foreign = |what: String| CallError::Foreign { path: path.to_owned(), what };
    // Where nothing answers a path, OpenCode shows its web page, and says that all is well.
    let kind = content_type(&response);
    if !kind.contains("json") {
        return Err(foreign(if kind.is_empty() { "an answer of no kind".to_owned() } else { kind }));
    }
    let body = body(response).await?;
    serde_json::from_slice(&body).map_err(|error| foreign(format!("{error} in {}", shown(&body))))
}

async fn body(mut response: Response) -> Result<Vec<u8>, CallError> {
    let url = response.url().origin().ascii_serialization();
    let broken = |why: String| CallError::Unreachable { url: url.clone(), why };
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| broken(words(&error)))? {
        if body.len() + piece.len() > LONGEST {
            return Err(broken("an answer without end".to_owned()));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

fn shown(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(SHOWN).collect()
}

/// The innermost reason: the outer ones repeat the address.
fn words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}
