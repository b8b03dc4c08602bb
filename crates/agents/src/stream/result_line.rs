//! The line that ends a conversation: how it went, and what it used up.

use std::collections::BTreeMap;

use ralph_core::report::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::conversation::Line;
use super::told::{End, Problem};
use super::words::{Text, owned};

#[derive(Debug, Deserialize)]
pub(super) struct ResultLine<'a> {
    #[serde(default)]
    pub(super) is_error: bool,
    pub(super) api_error_status: Option<f64>,
    pub(super) num_turns: Option<f64>,
    #[serde(borrow)]
    pub(super) result: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) terminal_reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) errors: Option<&'a RawValue>,
    pub(super) total_cost_usd: Option<f64>,
    usage: Option<Tokens>,
    #[serde(rename = "modelUsage", borrow)]
    pub(super) model_usage: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    #[serde(alias = "inputTokens")]
    input_tokens: u64,
    #[serde(alias = "outputTokens")]
    output_tokens: u64,
    #[serde(alias = "cacheReadInputTokens")]
    cache_read_input_tokens: u64,
    #[serde(alias = "cacheCreationInputTokens")]
    cache_creation_input_tokens: u64,
}

impl Tokens {
    fn usage(&self, input_includes_cached: bool) -> Usage {
        let cached = self.cache_read_input_tokens;
        let beside =
            if input_includes_cached { 0 } else { cached.saturating_add(self.cache_creation_input_tokens) };
        Usage {
            input_tokens: self.input_tokens.saturating_add(beside),
            cached_tokens: cached,
            output_tokens: self.output_tokens,
            ..Usage::default()
        }
    }
}

impl ResultLine<'_> {
    /// Per model where that is told: only there are sub-agents and requests that were repeated counted.
    pub(super) fn usage(&self, input_includes_cached: bool) -> Option<Usage> {
        let models =
            self.model_usage.and_then(|raw| serde_json::from_str::<BTreeMap<String, Tokens>>(raw.get()).ok());
        match models.filter(|models| !models.is_empty()) {
            Some(models) => {
                Some(models.values().fold(Usage::default(), |sum, tokens| sum.plus(tokens.usage(false))))
            }
            None => self.usage.as_ref().map(|tokens| tokens.usage(input_includes_cached)),
        }
    }

    /// An error that calls itself a success.
    pub(super) fn disguised(&self, mark: &str) -> Option<Problem> {
        let said = self.result.as_deref()?.trim();
        let is_error = !self.is_error && said.starts_with(mark);
        is_error.then(|| Problem { message: said.to_owned(), ..Problem::default() })
    }

    pub(super) fn end(&self, line: &Line<'_>, error: Option<String>) -> End {
        if self.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted")) {
            return End::Interrupted;
        }
        if !self.is_error && self.num_turns == Some(0.0) {
            let kind = Some("no_turns".to_owned());
            return End::Badly(Problem { kind, message: self.said(line), ..Problem::default() });
        }
        if !self.is_error && error.is_none() {
            return End::Well;
        }
        let status = self.api_error_status.map(|status| status as u16);
        End::Badly(Problem { status, kind: error, message: self.said(line), reset: None })
    }

    /// What the agent gives as the reason, wherever it puts it.
    fn said(&self, line: &Line<'_>) -> String {
        #[derive(Deserialize)]
        struct Error<'a> {
            #[serde(borrow)]
            message: Text<'a>,
        }
        let list =
            |raw: &RawValue| serde_json::from_str::<Vec<String>>(raw.get()).ok().map(|list| list.join("; "));
        let object = |raw: &RawValue| {
            let text = raw.get();
            serde_json::from_str::<Error<'_>>(text).ok().map(|error| error.message.to_string())
        };
        owned(self.result.as_ref())
            .filter(|text| !text.is_empty())
            .or_else(|| line.error.and_then(object))
            .or_else(|| self.errors.and_then(list))
            .or_else(|| owned(line.subtype.as_ref()))
            .unwrap_or_default()
    }
}
