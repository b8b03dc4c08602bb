//! Vectors from an endpoint that speaks as OpenAI's `/v1/embeddings` does: Ollama, llama.cpp, LM Studio, vLLM.

use std::error::Error;
use std::num::NonZeroU32;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ralph_memory::{Answer, Fault, Later, Measure, MeasureError, Pace};
use reqwest::header::ACCEPT;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

use crate::address::{Address, Key};
use crate::answer::vectors;

/// A batch of the longest vectors, written out with many digits.
const LARGEST: usize = 64 << 20;
/// As much of a refusal as people are shown.
const SHOWN: usize = 300;

/// What is asked of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub address: Address,
    pub name: String,
    /// Asked for, and insisted on.
    pub dimensions: Option<NonZeroU32>,
    pub key: Option<Key>,
}

/// A measure that asks a model.
#[derive(Debug)]
pub struct Endpoint {
    model: Model,
    pace: Pace,
    client: OnceLock<Client>,
}

impl Endpoint {
    pub fn new(model: Model, pace: Pace) -> Endpoint {
        Endpoint { model, pace, client: OnceLock::new() }
    }

    async fn ask(&self, texts: &[String]) -> Result<Answer, MeasureError> {
        let begun = Instant::now();
        let response = self.request(texts)?.send().await.map_err(|error| {
            let why = self.told(&causes(&error.without_url()));
            self.trouble(format!("cannot be reached: {why}"), "see whether the server runs")
        })?;
        let status = response.status();
        let body = self.body(response).await?;
        if !status.is_success() {
            return Err(self.refused(status, &body));
        }
        let dimensions = self.model.dimensions.map(|count| count.get() as usize);
        let vectors = vectors(&body, texts.len(), dimensions).map_err(|why| {
            let next = "see whether endpoint and model are right";
            self.trouble(format!("cannot be used: {}", self.told(&why)), next).by(Fault::Texts)
        })?;
        Ok(Answer { vectors, took: begun.elapsed() })
    }

    fn request(&self, texts: &[String]) -> Result<reqwest::RequestBuilder, MeasureError> {
        let client = match self.client.get() {
            Some(client) => client,
            None => {
                let made = client(&self.model.address).map_err(|error| {
                    self.trouble(format!("cannot be asked: {}", causes(&error)), "`ralph doctor` says more")
                })?;
                self.client.get_or_init(|| made)
            }
        };
        let mut body = json!({ "model": self.model.name, "input": texts, "encoding_format": "float" });
        if let Some(dimensions) = self.model.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        let request =
            client.post(self.model.address.url().clone()).header(ACCEPT, "application/json").json(&body);
        Ok(match &self.model.key {
            Some(key) => request.bearer_auth(key.as_str()),
            None => request,
        })
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, MeasureError> {
        let mut bytes = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| {
                let why = self.told(&causes(&error.without_url()));
                self.trouble(format!("did not finish its answer: {why}"), "see what the server says")
            })?;
            let Some(chunk) = chunk else { return Ok(bytes) };
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LARGEST {
                let what = format!("answered with more than {} MiB", LARGEST >> 20);
                return Err(self.trouble(what, "see whether the address is that of an endpoint for vectors"));
            }
        }
    }

    fn refused(&self, status: StatusCode, body: &[u8]) -> MeasureError {
        let said = complaint(body).map(|said| format!(": {}", self.told(&said))).unwrap_or_default();
        let next = match status.as_u16() {
            401 | 403 => "name the environment variable that has the key in memory.vectors.key_env",
            404 => "see whether the address and the model are there",
            300..=399 => "configure the address that it has now: nothing is sent elsewhere",
            _ => "see what the server says",
        };
        let fault = match status.as_u16() {
            400 | 413 | 422 | 500 => Fault::Texts,
            _ => Fault::Measure,
        };
        self.trouble(format!("refused ({status}){said}"), next).by(fault)
    }

    fn trouble(&self, what: String, next: &str) -> MeasureError {
        MeasureError::new(format!("{} {what}", self.model.address), next)
    }

    /// For people: short, in one line, and without the key.
    fn told(&self, text: &str) -> String {
        let key = self.model.key.as_ref().map_or("", Key::as_str);
        let text = if key.is_empty() { text.to_owned() } else { text.replace(key, "[key]") };
        let words = text.split(|c: char| c.is_control() || c == ' ').filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect()
    }
}

impl Measure for Endpoint {
    fn identity(&self) -> Later<'_, String> {
        let Model { address, name, dimensions, key: _ } = &self.model;
        let dimensions = dimensions.map_or_else(String::new, |count| count.to_string());
        let all = json!(["endpoint", address.to_string(), name, dimensions]).to_string();
        Box::pin(async move { Ok(blake3::hash(all.as_bytes()).to_hex().to_string()) })
    }

    fn measure<'a>(&'a self, texts: &'a [String], within: Duration) -> Later<'a, Answer> {
        Box::pin(async move {
            match tokio::time::timeout(within, self.ask(texts)).await {
                Ok(answered) => answered,
                Err(_) => {
                    let next =
                        "give it more time or a smaller batch in [memory.vectors], or see why it is slow";
                    let what = format!("did not answer within {} ms", within.as_millis());
                    Err(self.trouble(what, next).by(Fault::TooSlow))
                }
            }
        })
    }

    fn pace(&self) -> Pace {
        self.pace
    }
}

/// One crypto provider, and no way to another host.
fn client(address: &Address) -> Result<Client, reqwest::Error> {
    // Another part of the process may have been first; it is the same one.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .user_agent(concat!("ralph/", env!("CARGO_PKG_VERSION")));
    let client = if address.is_here() { client.no_proxy() } else { client.https_only(true) };
    client.build()
}

/// What a server says of its refusal, in one of the ways in which servers do.
fn complaint(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let error = &value["error"];
    let said = error["message"].as_str().or(error.as_str()).or(value["message"].as_str())?;
    (!said.trim().is_empty()).then(|| said.to_owned())
}

/// An error with all that led to it, each said once.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}
