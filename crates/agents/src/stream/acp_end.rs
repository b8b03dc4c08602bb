//! How a dialogue in the Agent Client Protocol ended badly, and what an agent counts beside the protocol.

use ralph_core::report::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::told::Problem;
use super::words::{Text, owned};

/// The protocol's code for a missing login.
const AUTH_REQUIRED: f64 = -32000.0;

#[derive(Debug, Deserialize)]
pub(super) struct Failed<'a> {
    #[serde(borrow)]
    kind: Option<Text<'a>>,
    code: Option<f64>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

/// Where agents put what the message leaves out.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Data<'a> {
    #[serde(borrow)]
    error_name: Option<Text<'a>>,
    #[serde(borrow)]
    details: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(alias = "status")]
    status_code: Option<f64>,
}

impl Failed<'_> {
    /// Some agents give the HTTP status as code.
    pub(super) fn problem(&self) -> Problem {
        let data = self.data.and_then(|raw| serde_json::from_str::<Data<'_>>(raw.get()).ok());
        let data = data.unwrap_or_default();
        let status = self.code.filter(is_status).or(data.status_code);
        let status = status.or_else(|| data.details.as_deref().and_then(leading_status));
        let auth = (self.code == Some(AUTH_REQUIRED)).then(|| "auth_required".to_owned());
        Problem {
            status: status.map(|status| status as u16),
            kind: auth.or_else(|| owned(self.kind.as_ref())).or_else(|| owned(data.error_name.as_ref())),
            message: self.said(&data),
            reset: None,
        }
    }

    /// "Internal error" alone says nothing; the reason is in the data, or follows.
    fn said(&self, data: &Data<'_>) -> String {
        const EMPTY: &str = "Internal error";
        let message = self.message.as_deref().unwrap_or_default().trim();
        let more = message.strip_prefix(EMPTY).map(|rest| rest.trim_start_matches([':', ' ']));
        match more {
            None => unwrapped(message).unwrap_or_else(|| message.to_owned()),
            Some("") => {
                owned(data.details.as_ref().or(data.message.as_ref())).unwrap_or_else(|| EMPTY.to_owned())
            }
            Some(more) => more.to_owned(),
        }
    }
}

/// The message in a provider's answer that is passed on whole.
fn unwrapped(message: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Answer {
        error: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        message: String,
    }
    serde_json::from_str::<Answer>(message).ok().map(|answer| answer.error.message)
}

fn is_status(code: &f64) -> bool {
    (400.0..600.0).contains(code)
}

/// "401 Incorrect API key provided."
fn leading_status(details: &str) -> Option<f64> {
    details.split_once(' ').and_then(|(first, _)| first.parse().ok()).filter(is_status)
}

/// Tokens, wherever the agent tells them: in the protocol's own field, or in one of two places in its metadata.
pub(super) fn metered(usage: Option<&RawValue>, meta: Option<&RawValue>) -> Option<Usage> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Meta {
        usage: Option<Tokens>,
        quota: Option<Quota>,
    }
    #[derive(Deserialize)]
    struct Quota {
        token_count: Tokens,
    }
    let told = usage.and_then(|raw| serde_json::from_str::<Tokens>(raw.get()).ok());
    let beside = || {
        let meta: Meta = serde_json::from_str(meta?.get()).ok()?;
        meta.usage.or_else(|| Some(meta.quota?.token_count))
    };
    told.or_else(beside).map(|tokens| tokens.usage())
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Tokens {
    total_tokens: Option<f64>,
    #[serde(alias = "input_tokens")]
    input_tokens: f64,
    #[serde(alias = "output_tokens")]
    output_tokens: f64,
    thought_tokens: Option<f64>,
    cached_read_tokens: Option<f64>,
    cached_write_tokens: Option<f64>,
}

impl Tokens {
    /// Whether input counts what was cached is seen by the total.
    fn usage(&self) -> Usage {
        let cached = self.cached_read_tokens.unwrap_or(0.0);
        let beside = cached + self.cached_write_tokens.unwrap_or(0.0);
        let output = self.output_tokens + self.thought_tokens.unwrap_or(0.0);
        let is_included = self.total_tokens.is_some_and(|total| total < self.input_tokens + output + beside);
        let input = if is_included { self.input_tokens } else { self.input_tokens + beside };
        Usage {
            input_tokens: input as u64,
            cached_tokens: cached as u64,
            output_tokens: output as u64,
            ..Usage::default()
        }
    }
}
