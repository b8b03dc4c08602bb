//! How the checks came out after an attempt: one note for every attempt that was checked, by which it is known later that
//! the attempt was learned from, how many a task took, and how it ended.

use ralph_core::note::{Draft, Kind, Observation, Origin};

use super::Witnessed;

pub(crate) const OUTCOME: &str = "outcome";
pub(crate) const COMPLETE: &str = "complete";

/// Nothing without checks. It is for its task alone: nothing of it is worth knowing afterwards.
pub(crate) fn outcome(seen: &Witnessed<'_>) -> Option<Draft> {
    if seen.checks.is_empty() {
        return None;
    }
    let content = seen.checks.iter().map(|check| check.summary()).collect::<Vec<_>>().join("\n");
    let tool = Observation::ToolUse { tool: "checks".to_owned() };
    let mut draft = Draft::new(Kind::Observation(tool), content);
    draft.title = format!("Checks after iteration {}", seen.iteration);
    draft.origin = Origin::Rule;
    draft.files = seen.files();
    draft.tags = vec![OUTCOME.to_owned()];
    draft.tags.extend(seen.complete.then(|| COMPLETE.to_owned()));
    draft.citations = seen.checks.iter().map(|check| seen.cited(check)).collect();
    Some(seen.placed(draft))
}
