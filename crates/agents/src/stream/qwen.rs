//! `qwen -o stream-json`: Claude's shape with differences.
//!
//! **Final message:** `result.result` of the last `result` line, unless that line is an error or had no turns. Turns that a
//! hook forced are joined into it without a line break, so a promise before them does not end its line and is refused.
//!
//! There is no cost and no `modelUsage`; `result.usage` includes sub-agents and side calls, and its input includes cached
//! tokens; a resumed conversation goes on counting where it stood. A request that failed for good ends in `success` and
//! exit code 0, with `[API Error: …]` as result. While Qwen retries a refused request it prints nothing at all.

use super::conversation::Flavour;

#[derive(Debug, Default)]
pub(super) struct Qwen;

impl Flavour for Qwen {
    const INPUT_INCLUDES_CACHED: bool = true;
    const ERROR_AS_RESULT: Option<&'static str> = Some("[API Error: ");
}
