//! Which protocol a request speaks, by its path.

use serde::Serialize;
use serde_json::Value;

use super::conversation::Request;
use super::error_body::Failure;
use super::http::Event;
use super::reply::Spoken;
use super::{anthropic, chat, error_body, gemini, responses};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Anthropic messages.
    Anthropic,
    /// OpenAI chat completions.
    Chat,
    /// OpenAI responses.
    Responses,
    /// Gemini generateContent.
    Gemini,
}

impl Protocol {
    /// The protocol of a request that wants a reply; counting tokens is another matter.
    pub(super) fn of_path(path: &str) -> Option<Protocol> {
        let path = path.split('?').next().unwrap_or(path);
        if path.ends_with("/messages") {
            Some(Protocol::Anthropic)
        } else if path.ends_with("/chat/completions") {
            Some(Protocol::Chat)
        } else if path.ends_with("/responses") {
            Some(Protocol::Responses)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Protocol::Gemini)
        } else {
            None
        }
    }

    pub(super) fn request(self, path: &str, body: &Value) -> Request {
        match self {
            Protocol::Anthropic => anthropic::request(body),
            Protocol::Chat => chat::request(body),
            Protocol::Responses => responses::request(body),
            Protocol::Gemini => gemini::request(path, body),
        }
    }

    /// The whole reply as one JSON value.
    pub(super) fn body(self, spoken: &Spoken) -> Value {
        match self {
            Protocol::Anthropic => anthropic::body(spoken),
            Protocol::Chat => chat::body(spoken),
            Protocol::Responses => responses::body(spoken),
            Protocol::Gemini => gemini::body(spoken),
        }
    }

    /// The reply as a stream.
    pub(super) fn events(self, spoken: &Spoken) -> Vec<Event> {
        match self {
            Protocol::Anthropic => anthropic::events(spoken),
            Protocol::Chat => chat::events(spoken),
            Protocol::Responses => responses::events(spoken),
            Protocol::Gemini => gemini::events(spoken),
        }
    }

    /// The provider's own words for a failure.
    pub(super) fn error(self, failure: Failure) -> Value {
        match self {
            Protocol::Anthropic => error_body::anthropic(failure),
            Protocol::Chat | Protocol::Responses => error_body::openai(failure),
            Protocol::Gemini => error_body::gemini(failure),
        }
    }
}
