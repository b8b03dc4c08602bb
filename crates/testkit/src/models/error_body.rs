//! Failures in the words of each provider.

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    RateLimit { retry_after: Option<u32> },
    UsedUp { reset_in: u32 },
    Status(u16),
    ContextTooLong,
}

impl Failure {
    pub(super) fn status(self) -> u16 {
        match self {
            Failure::RateLimit { .. } | Failure::UsedUp { .. } => 429,
            Failure::Status(code) => code,
            Failure::ContextTooLong => 400,
        }
    }
}

/// What is used up says when it is not any more.
fn said(failure: Failure, message: &str) -> String {
    match failure {
        Failure::UsedUp { reset_in } => {
            format!("You have used up your quota. Please try again in {reset_in} seconds.")
        }
        Failure::RateLimit { .. } | Failure::Status(_) | Failure::ContextTooLong => message.to_owned(),
    }
}

pub(super) fn anthropic(failure: Failure) -> Value {
    let (kind, message) = match (failure, failure.status()) {
        (Failure::ContextTooLong, _) => {
            ("invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")
        }
        (_, 429) => (
            "rate_limit_error",
            "This request would exceed your account's rate limit. Please try again later.",
        ),
        (_, 400) => ("invalid_request_error", "messages: at least one message is required"),
        (_, 401) => ("authentication_error", "invalid x-api-key"),
        (_, 403) => {
            ("permission_error", "Your API key does not have permission to use the specified resource.")
        }
        (_, 529) => ("overloaded_error", "Overloaded"),
        (_, _) => ("api_error", "Internal server error"),
    };
    let message = said(failure, message);
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"})
}

pub(super) fn openai(failure: Failure) -> Value {
    let (kind, code, message) = match (failure, failure.status()) {
        (Failure::ContextTooLong, _) => (
            "invalid_request_error",
            "context_length_exceeded",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (_, 429) => {
            ("requests", "rate_limit_exceeded", "Rate limit reached for requests. Please try again in 1s.")
        }
        (_, 400) => ("invalid_request_error", "invalid_request", "Invalid request."),
        (_, 401) => ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
        (_, 503) => {
            ("server_error", "server_overloaded", "The server is overloaded. Please try again later.")
        }
        (_, _) => (
            "server_error",
            "server_error",
            "The server had an error while processing your request. Sorry about that!",
        ),
    };
    let message = said(failure, message);
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

pub(super) fn gemini(failure: Failure) -> Value {
    let status = failure.status();
    let (kind, message) = match (failure, status) {
        (Failure::ContextTooLong, _) => (
            "INVALID_ARGUMENT",
            "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        (_, 429) => ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        (_, 400) => ("INVALID_ARGUMENT", "Request contains an invalid argument."),
        (_, 401) => ("UNAUTHENTICATED", "Request had invalid authentication credentials."),
        (_, 503) => ("UNAVAILABLE", "The model is overloaded. Please try again later."),
        (_, _) => ("INTERNAL", "An internal error has occurred."),
    };
    let details = match failure {
        Failure::RateLimit { retry_after: Some(seconds) } => json!([{
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{seconds}s")
        }]),
        Failure::RateLimit { retry_after: None }
        | Failure::UsedUp { .. }
        | Failure::Status(_)
        | Failure::ContextTooLong => json!([]),
    };
    let message = said(failure, message);
    json!({"error": {"code": status, "message": message, "status": kind, "details": details}})
}
