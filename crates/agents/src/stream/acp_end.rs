//! How a dialogue in the Agent Client Protocol ended badly, and what an agent counts beside the protocol.

use ralph_core::policy::Cost;
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
        let status = self.code.filter(|code| (400.0..600.0).contains(code)).or(data.status_code);
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
            None => message.to_owned(),
            Some("") => {
                owned(data.details.as_ref().or(data.message.as_ref())).unwrap_or_else(|| EMPTY.to_owned())
            }
            Some(more) => more.to_owned(),
        }
    }
}

/// Tokens as some agents tell them in the result's metadata.
#[derive(Debug, Deserialize)]
pub(super) struct Quota {
    quota: Counts,
}

#[derive(Debug, Deserialize)]
struct Counts {
    token_count: Tokens,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: f64,
    output_tokens: f64,
}

impl Quota {
    pub(super) fn of(meta: Option<&RawValue>) -> Option<Usage> {
        let meta: Quota = serde_json::from_str(meta?.get()).ok()?;
        let Tokens { input_tokens, output_tokens } = meta.quota.token_count;
        Some(Usage {
            input_tokens: input_tokens as u64,
            output_tokens: output_tokens as u64,
            cached_tokens: 0,
            cost: Cost(0),
        })
    }
}
