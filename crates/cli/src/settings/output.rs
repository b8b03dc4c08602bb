//! How much of an agent's output is kept, and shown.

use ralph_core::agent_event::Detail;
use schemars::JsonSchema;

use super::catalogue::{DetailName, SizeText};
use super::origin::Set;
use super::reader::Reader;
use super::value::{plain, size::size};

const KEPT: u64 = 32 << 20;

/// How much of an agent's output is kept, and shown.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct OutputPart {
    /// How much is kept of an attempt's output from its beginning.
    #[schemars(with = "Option<SizeText>", extend("default" = "32MiB"))]
    pub(crate) keep_head: Option<Set<u64>>,
    /// How much is kept of an attempt's output before its end.
    #[schemars(with = "Option<SizeText>", extend("default" = "32MiB"))]
    pub(crate) keep_tail: Option<Set<u64>>,
    /// How much of an agent's work is shown: "off", "minimal", "moderate" or "full" (minimal for a run, moderate for logs).
    #[schemars(with = "Option<DetailName>", extend("examples" = ["moderate"]))]
    pub(crate) detail: Option<Set<Detail>>,
}

impl OutputPart {
    pub(super) fn take(from: &mut Reader<'_>) -> OutputPart {
        OutputPart {
            keep_head: from.take("output", "keep_head", size),
            keep_tail: from.take("output", "keep_tail", size),
            detail: from.take("output", "detail", plain::detail),
        }
    }

    pub(super) fn over(self, lower: OutputPart) -> OutputPart {
        OutputPart {
            keep_head: self.keep_head.or(lower.keep_head),
            keep_tail: self.keep_tail.or(lower.keep_tail),
            detail: self.detail.or(lower.detail),
        }
    }

    pub(super) fn defaults() -> OutputPart {
        OutputPart { keep_head: Set::default(KEPT), keep_tail: Set::default(KEPT), detail: None }
    }
}
