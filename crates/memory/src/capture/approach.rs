//! What was tried and did not do, by what was changed and what was reported then rather than by what was said of it.

use ralph_core::note::{Draft, Kind, Origin};
use ralph_core::progress::Sketch;

use super::Witnessed;
use super::text::{clipped, first_sentence, listed};
use crate::derive::hash;
use crate::stated::approach;

const APPROACH: usize = 300;
const ERRORS: usize = 32;

/// Nothing where nothing was changed: that is no approach.
pub(crate) fn failed(seen: &Witnessed<'_>) -> Option<Draft> {
    let diff = fingerprint(seen.sketch)?;
    if !seen.failed() {
        return None;
    }
    let in_words = approach(seen.stated).or_else(|| first_sentence(seen.said, APPROACH));
    let origin = if in_words.is_some() { Origin::Agent } else { Origin::Rule };
    let tried = in_words.unwrap_or_else(|| format!("changes in {}", listed(&seen.sketch.files, 6)));
    let failing = seen.checks.iter().filter(|check| !check.passed);
    let bent = seen.bent.then(|| "the checks were changed".to_owned());
    let after = bent.into_iter().chain(failing.clone().map(|check| check.summary()));
    let after = after.collect::<Vec<_>>().join("; ");
    let citations = failing.clone().map(|check| seen.cited(check)).collect();
    let kind = Kind::Failure { approach: clipped(&tried, APPROACH), diff: Some(diff), errors: errors(seen) };
    let mut draft = Draft::new(kind, format!("{tried}\nAfter it: {after}"));
    draft.title = format!("Failed approach: {}", clipped(&tried, 100));
    draft.origin = origin;
    draft.files = seen.files();
    draft.citations = citations;
    Some(draft)
}

/// The same for the same changes.
fn fingerprint(sketch: &Sketch) -> Option<String> {
    let mut pieces = sketch.pieces.clone();
    pieces.sort_unstable();
    let texts: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    let parts: Vec<&str> = texts.iter().map(String::as_str).collect();
    (!parts.is_empty()).then(|| format!("{:016x}", hash(&parts)))
}

fn errors(seen: &Witnessed<'_>) -> Vec<String> {
    let mut errors: Vec<String> = Vec::new();
    for check in seen.checks.iter().filter(|check| !check.passed) {
        errors.extend(check.failures.iter().map(|failure| failure.fingerprint.clone()));
        if check.failures.is_empty() {
            errors.push(check.failing.digest.clone());
        }
    }
    errors.sort_unstable();
    errors.dedup();
    errors.truncate(ERRORS);
    errors
}
