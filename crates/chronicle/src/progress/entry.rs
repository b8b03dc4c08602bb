//! An entry of the progress file, as ralph writes it.

use std::fmt::Write;

use crate::iteration::Iteration;
use crate::text::{one_line, took};

const TITLE: usize = 120;
const GROUND: usize = 300;
const SAID: usize = 600;
const FINDING: usize = 240;
const FINDINGS: usize = 8;
const FILE: usize = 120;
const FILES: usize = 12;

pub(super) const HEADING: &str = "### Iteration ";
pub(super) const OUTCOME: &str = "- Outcome: ";
pub(super) const WHEN: &str = "- When: ";

const MARK: &str = "<!-- ralph ";
const MARK_END: &str = " -->";

/// The heading, a list, and a mark by which it is seen later whether anybody edited it. No line of it but the first is a
/// heading, and none but the last a mark.
pub(super) fn text(iteration: &Iteration) -> String {
    let mut text = format!(
        "{HEADING}{} of {}: {} {}",
        iteration.number,
        iteration.run,
        iteration.task,
        one_line(&iteration.title, TITLE)
    );
    text.truncate(text.trim_end().len());
    let outcome = iteration.outcome.name();
    let ground =
        iteration.outcome.ground().map(|ground| one_line(ground, GROUND)).filter(|it| !it.is_empty());
    let ground = ground.map_or(String::new(), |ground| format!(": {ground}"));
    let _ = write!(text, "\n\n{OUTCOME}{outcome}{ground}\n");
    let at = iteration.ended_at.round(jiff::Unit::Second).unwrap_or(iteration.ended_at);
    let _ =
        writeln!(text, "{WHEN}{at}, {}, {}", took(iteration.duration), one_line(&iteration.worker(), TITLE));
    let said = one_line(&iteration.said, SAID);
    if !said.is_empty() {
        let _ = writeln!(text, "- Said: {said}");
    }
    list(&mut text, "Found", iteration.outcome.findings().iter().map(|one| one_line(one, FINDING)), FINDINGS);
    files(&mut text, iteration);
    if let Some(commit) = &iteration.commit {
        let _ = writeln!(text, "- Commit: {}", one_line(commit, TITLE));
    }
    let mark = mark(&text);
    text + &mark + "\n"
}

fn list(text: &mut String, name: &str, lines: impl ExactSizeIterator<Item = String>, most: usize) {
    let more = lines.len().saturating_sub(most);
    for line in lines.take(most) {
        let _ = writeln!(text, "- {name}: {line}");
    }
    if more > 0 {
        let _ = writeln!(text, "- {name}: {more} more");
    }
}

fn files(text: &mut String, iteration: &Iteration) {
    if iteration.files.is_empty() {
        return;
    }
    let names = iteration.files.iter().take(FILES).map(|file| one_line(&file.to_string_lossy(), FILE));
    let _ = write!(text, "- Files: {}", names.collect::<Vec<_>>().join(", "));
    let more = iteration.files.len().saturating_sub(FILES);
    let _ = if more > 0 { writeln!(text, " and {more} more") } else { writeln!(text) };
}

/// What stands at the end of an entry. An editor may have changed how lines end.
pub(super) fn mark(entry: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in entry.lines() {
        hasher.update(line.trim_end().as_bytes());
        hasher.update(b"\n");
    }
    format!("{MARK}{}{MARK_END}", &hasher.finalize().to_hex()[..16])
}

pub(super) fn is_mark(line: &str) -> bool {
    let hex = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(MARK_END));
    hex.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
