//! What failed before an attempt and passes after it: what was changed is how it was mended.

use ralph_core::check::CheckResult;
use ralph_core::note::{Draft, Kind, Origin};

use super::failing::snapshot;
use super::text::{clipped, listed, named, telling};
use super::{Witnessed, anchors_in};

/// Up to so many have a note each; more than that are one.
const EACH: usize = 2;
const MESSAGE: usize = 200;

/// Something that became green.
struct Mended {
    name: String,
    message: String,
}

pub(super) fn transitions(seen: &Witnessed<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    if seen.bent {
        return drafts;
    }
    for check in seen.checks {
        let earlier = seen.before.iter().find(|earlier| earlier.name == check.name && !earlier.passed);
        let Some(earlier) = earlier else { continue };
        let mended = mended(earlier, check);
        let told = if mended.len() > EACH {
            vec![together(seen, check, &mended)]
        } else {
            mended.iter().map(|one| alone(seen, check, one)).collect()
        };
        drafts.extend(told.into_iter().map(|draft| with_terminal(draft, earlier)));
    }
    drafts.truncate(EACH + 1);
    drafts
}

/// A name that is missing from a list that was cut off shows nothing.
fn mended(before: &CheckResult, after: &CheckResult) -> Vec<Mended> {
    let is_whole = after.passed || after.failures.len() as u64 == after.failing.count;
    if !is_whole || (!after.passed && after.failures.is_empty()) {
        return Vec::new();
    }
    if before.failures.is_empty() && after.passed {
        return vec![Mended { name: before.name.clone(), message: String::new() }];
    }
    let is_gone = |title: &str| after.failures.iter().all(|failure| failure.title != title);
    let gone = before.failures.iter().filter(|failure| is_gone(&failure.title));
    gone.map(|one| Mended { name: named(before, one), message: one.message.clone() }).collect()
}

/// What the terminal showed when it failed is what it will be recognised by.
fn with_terminal(mut draft: Draft, failed: &CheckResult) -> Draft {
    if let Kind::Gotcha { terminal, .. } = &mut draft.kind {
        *terminal = Some(snapshot(failed));
    }
    draft
}

fn alone(seen: &Witnessed<'_>, check: &CheckResult, mended: &Mended) -> Draft {
    let name = &mended.name;
    let error = telling(&mended.message).map(|error| clipped(error, MESSAGE));
    let failed = error.as_ref().filter(|error| !name.contains(error.as_str()));
    let failed = failed.map_or_else(String::new, |error| format!(" ({error})"));
    let mut triggers = vec![format!("{name} fails")];
    triggers.extend(error.map(|error| format!("error: {error}")));
    if seen.sketch.files.is_empty() {
        let content = format!("`{name}` failed{failed} and passes now, though no file was changed.");
        return note(seen, check, format!("{name} fails now and then"), content, triggers);
    }
    let content = format!("`{name}` failed{failed} and passes since {}.", what_changed(seen));
    note(seen, check, format!("How {name} was mended"), content, triggers)
}

fn together(seen: &Witnessed<'_>, check: &CheckResult, mended: &[Mended]) -> Draft {
    let names: Vec<String> = mended.iter().map(|one| one.name.clone()).collect();
    let content = format!("{} failed and pass since {}.", listed(&names, 5), what_changed(seen));
    let title = format!("How {} failures of {} were mended", names.len(), check.name);
    note(seen, check, title, content, names.iter().take(5).map(|name| format!("{name} fails")).collect())
}

fn what_changed(seen: &Witnessed<'_>) -> String {
    let files = &seen.sketch.files;
    if files.is_empty() {
        return "this attempt, in which no file was changed".to_owned();
    }
    let symbols: Vec<String> =
        anchors_in(seen.anchors, files).into_iter().map(|anchor| anchor.symbol).collect();
    let of = if symbols.is_empty() { String::new() } else { format!(" ({})", listed(&symbols, 6)) };
    format!("changes in {}{of}", listed(files, 6))
}

fn note(
    seen: &Witnessed<'_>,
    check: &CheckResult,
    title: String,
    content: String,
    triggers: Vec<String>,
) -> Draft {
    let mut draft = Draft::new(Kind::Gotcha { triggers, terminal: None }, content);
    draft.title = title;
    // Names and messages are what a tool printed.
    draft.origin = Origin::Tool;
    draft.files = seen.files();
    draft.tags = vec![super::MENDED.to_owned()];
    draft.citations = vec![seen.cited(check)];
    draft
}
