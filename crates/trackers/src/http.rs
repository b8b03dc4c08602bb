//! One exchange with a server that knows a person by a token: bounded in time, in size and in how often it is repeated,
//! never redirected, and with nothing of the token in what is told of it.

use std::error::Error;
use std::io::Read;
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

use reqwest::blocking::{Client, Request, Response};
use reqwest::header::{AUTHORIZATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::credentials::{Address, Credentials};
use crate::error::TrackerError;

const CONNECT: Duration = Duration::from_secs(10);
/// For the server to say something.
const SILENCE: Duration = Duration::from_secs(30);
/// For all that it says.
const DEADLINE: Duration = Duration::from_secs(60);
const MOST: u64 = 64 << 20;
const TRIES: u32 = 4;
/// Doubles with every further try.
const BETWEEN: Duration = Duration::from_millis(250);
/// Who is asked to wait longer is told so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// As much of an error as people are shown.
const SHOWN: usize = 500;

#[derive(Debug)]
pub(crate) struct Server {
    address: Address,
    credentials: Credentials,
    /// What a person whose token is refused should do.
    advice: String,
    client: OnceLock<Client>,
}

/// Whether a request may reach the server twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It changes nothing, or the second time nothing more.
    Harmless,
    /// Only if the server said that it did not take the first.
    IfRefused,
}

#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    /// Below the address, with its query.
    pub(crate) path: &'a str,
    /// What it is about, where the path does not tell.
    pub(crate) about: &'a str,
    pub(crate) body: Option<Value>,
    pub(crate) repeat: Repeat,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    body: Vec<u8>,
    after: Option<Duration>,
    asked: String,
    /// What must not be told of it.
    hidden: Vec<String>,
}

/// What became of one try.
enum Tried {
    Answered(Answer),
    /// With whether the request can have reached the server.
    Failed {
        why: String,
        may_have_arrived: bool,
    },
    /// Nothing changes by trying again.
    Impossible {
        what: String,
        next: &'static str,
    },
}

impl Server {
    pub(crate) fn new(address: Address, credentials: Credentials, advice: String) -> Server {
        Server { address, credentials, advice, client: OnceLock::new() }
    }

    /// Where it is, unless that is where everybody expects it.
    pub(crate) fn other_than(&self, expected: &str) -> Option<String> {
        let address = self.address.to_string();
        (address != expected).then_some(address)
    }

    /// The answer, which may be a refusal. It waits on another thread, because the caller's may belong to a runtime.
    pub(crate) fn ask(&self, call: &Call<'_>) -> Result<Answer, TrackerError> {
        let asked = std::thread::scope(|scope| scope.spawn(|| self.persevere(call)).join());
        asked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// The JSON of an answer that is none of the refusals.
    pub(crate) fn read<T: DeserializeOwned>(&self, call: &Call<'_>) -> Result<T, TrackerError> {
        let answer = self.ask(call)?;
        if answer.status.is_success() { answer.json() } else { Err(self.refused(&answer)) }
    }

    fn persevere(&self, call: &Call<'_>) -> Result<Answer, TrackerError> {
        let asked = self.asked(call);
        let failed = |what: String, next: &str| TrackerError::server(&asked, what, next);
        let mut pause = BETWEEN;
        for left in (0..TRIES).rev() {
            let again = match self.attempt(call, &asked) {
                Tried::Impossible { what, next } => return Err(failed(what, next)),
                Tried::Answered(answer) => match answer.wait(call.repeat) {
                    None => return Ok(answer),
                    Some(_) if left == 0 => return Err(self.refused(&answer)),
                    Some(Some(wait)) if wait > LONGEST_WAIT => {
                        let what = format!("asks to wait for {} s", wait.as_secs());
                        return Err(failed(what, "try again later; the limit is the server's"));
                    }
                    Some(wait) => wait,
                },
                Tried::Failed { why, may_have_arrived } => {
                    let may_repeat = call.repeat == Repeat::Harmless || !may_have_arrived;
                    if left == 0 || !may_repeat {
                        return Err(failed(
                            format!("was not answered: {why}"),
                            "see whether the server can be reached",
                        ));
                    }
                    None
                }
            };
            std::thread::sleep(again.unwrap_or(pause));
            pause *= 2;
        }
        unreachable!("the last try returns")
    }

    fn attempt(&self, call: &Call<'_>, asked: &str) -> Tried {
        let (client, request) = match self.prepared(call) {
            Ok(prepared) => prepared,
            Err(what) => return Tried::Impossible { what, next: "see whether the address is right" },
        };
        let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let encoded = header.and_then(|value| value.split(' ').next_back()).unwrap_or_default().to_owned();
        let hidden = vec![self.credentials.secret().to_owned(), encoded];
        let begun = Instant::now();
        let response = match client.execute(request) {
            Ok(response) => response,
            Err(error) => {
                let may_have_arrived = !error.is_connect();
                return Tried::Failed {
                    why: cleaned(&causes(&error.without_url()), &hidden),
                    may_have_arrived,
                };
            }
        };
        let (status, after) = (response.status(), retry_after(&response));
        match body(response, begun + DEADLINE) {
            Ok(body) => Tried::Answered(Answer { status, body, after, asked: asked.to_owned(), hidden }),
            Err(Cut::Lost(why)) => Tried::Failed { why: cleaned(&why, &hidden), may_have_arrived: true },
            Err(Cut::TooMuch) => Tried::Impossible {
                what: format!("answered with more than {} MiB", MOST >> 20),
                next: "name a smaller part of the issues in the configuration",
            },
        }
    }

    fn prepared(&self, call: &Call<'_>) -> Result<(&Client, Request), String> {
        let url = self.address.below(call.path)?;
        let client = match self.client.get() {
            Some(client) => client,
            None => {
                let made = client(&self.address).map_err(|error| causes(&error))?;
                self.client.get_or_init(|| made)
            }
        };
        let request = client.request(call.method.clone(), url).header("Accept", "application/json");
        let request = self.credentials.on(request);
        let request = match &call.body {
            Some(body) => request.json(body),
            None => request,
        };
        let request = request.build().map_err(|error| causes(&error.without_url()))?;
        Ok((client, request))
    }

    /// Without the query, which is long and says nothing to people.
    fn asked(&self, call: &Call<'_>) -> String {
        let path = call.path.split('?').next().unwrap_or_default();
        let about = if call.about.is_empty() { String::new() } else { format!(" ({})", call.about) };
        format!("{} {}{path}{about}", call.method, self.address)
    }

    /// What is wrong where an answer is no success.
    pub(crate) fn refused(&self, answer: &Answer) -> TrackerError {
        let status = answer.status;
        let said = answer.complaint().map(|said| format!(": {said}")).unwrap_or_default();
        let (what, next) = match status.as_u16() {
            401 | 403 => (format!("refused the token ({status}){said}"), self.advice.as_str()),
            404 => (
                format!("knows nothing of it ({status}){said}"),
                "see whether the configuration names what is there",
            ),
            429 => {
                (format!("is asked too often ({status}){said}"), "try again later; the limit is the server's")
            }
            300..=399 => (format!("sends elsewhere ({status})"), "configure the address that it has now"),
            500.. => (format!("failed ({status}){said}"), "try again later"),
            _ => {
                (format!("refused it ({status}){said}"), "see whether the configuration names what is there")
            }
        };
        TrackerError::server(&answer.asked, what, next)
    }
}

impl Answer {
    /// How long to wait before the same is asked again; none where it is an answer.
    fn wait(&self, repeat: Repeat) -> Option<Option<Duration>> {
        // Linear says with 400 what others say with 429.
        let is_limited = self.status == StatusCode::TOO_MANY_REQUESTS
            || (self.status == StatusCode::BAD_REQUEST
                && memchr::memmem::find(&self.body, b"\"RATELIMITED\"").is_some());
        let is_broken = self.status.is_server_error() && repeat == Repeat::Harmless;
        (is_limited || is_broken).then_some(self.after)
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, TrackerError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let what = if self.body.trim_ascii_start().starts_with(b"<") {
                "answered with a web page and not with JSON".to_owned()
            } else if error.is_data() {
                self.clean(&format!("answered with something else than expected: {error}"))
            } else {
                self.clean(&format!("answered with something that is not JSON: {error}"))
            };
            TrackerError::server(&self.asked, what, "see whether the configured address is the right one")
        })
    }

    pub(crate) fn failed(&self, what: &str, next: &str) -> TrackerError {
        TrackerError::server(&self.asked, self.clean(what), next)
    }

    pub(crate) fn clean(&self, text: &str) -> String {
        cleaned(text, &self.hidden)
    }

    /// What the server says of its refusal, in one of the ways in which servers do.
    fn complaint(&self) -> Option<String> {
        let value: Value = serde_json::from_slice(&self.body).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let listed = |value: &Value| -> Vec<String> {
            let messages = value.as_array().into_iter().flatten();
            messages.filter_map(|one| text(one).or_else(|| text(one.get("message")?))).collect()
        };
        let mut said = listed(&value["errorMessages"]);
        said.extend(listed(&value["errors"]));
        let fields = value["errors"].as_object().into_iter().flatten();
        said.extend(fields.filter_map(|(key, why)| Some(format!("{key}: {}", why.as_str()?))));
        said.extend(text(&value["message"]));
        let said = said.join("; ");
        (!said.trim().is_empty()).then(|| self.clean(&said))
    }
}

/// The one place where a client is made: one crypto provider, no way to another host.
fn client(address: &Address) -> Result<Client, reqwest::Error> {
    static PROVIDER: Once = Once::new();
    // Whoever installed another one before has provided for it.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let client = Client::builder()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT)
        .timeout(SILENCE)
        .user_agent(concat!("ralph/", env!("CARGO_PKG_VERSION")));
    let client = if address.is_here() { client.no_proxy() } else { client.https_only(true) };
    client.build()
}

/// Only in seconds; a date would have to be compared with a clock that may be wrong.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

enum Cut {
    Lost(String),
    TooMuch,
}

fn body(response: Response, deadline: Instant) -> Result<Vec<u8>, Cut> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    let mut response = response.take(MOST + 1);
    loop {
        match response.read(&mut buffer) {
            Ok(0) => return Ok(bytes),
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) => return Err(Cut::Lost(causes(&error))),
        }
        if bytes.len() as u64 > MOST {
            return Err(Cut::TooMuch);
        }
        if Instant::now() > deadline {
            return Err(Cut::Lost(format!("the answer was not complete within {} s", DEADLINE.as_secs())));
        }
    }
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

/// For people: short, in one line, and without what proves who somebody is.
fn cleaned(text: &str, hidden: &[String]) -> String {
    let hidden = hidden.iter().filter(|secret| !secret.is_empty());
    let text = hidden.fold(text.to_owned(), |text, secret| text.replace(secret, "[token]"));
    let mut line: String =
        text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(SHOWN) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn nothing_that_is_told_shows_a_secret() {
        let hidden = ["lin_api_123".to_owned(), String::new()];
        assert_eq!(cleaned("no key lin_api_123\u{1b}[2J\nx", &hidden), "no key [token] [2J x");
        assert_eq!(cleaned(&"ä".repeat(1_000), &hidden).chars().count(), 501);
    }
}
