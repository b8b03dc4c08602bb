//! `claude -p --output-format stream-json --verbose`.
//!
//! **Final message:** `result.result` of the last `result` line, unless that line is an error or had no turns. Sub-agents'
//! texts, tool results, hook feedback and the prompt never get there. A prompt that a hook refused does, echoed, which is
//! why a result without turns does not count.
//!
//! `subtype` is `"success"` for failed requests too; `is_error` tells. An interrupted Claude exits with 0 and says
//! `error_during_execution`. Tokens come from `modelUsage`, which alone includes sub-agents and is right after a broken
//! stream; `total_cost_usd` counts for the whole process. A killed Claude prints no result at all.

use super::conversation::Flavour;

#[derive(Debug, Default)]
pub(super) struct Claude;

impl Flavour for Claude {
    const INPUT_INCLUDES_CACHED: bool = false;
    const ERROR_AS_RESULT: Option<&'static str> = None;
}
