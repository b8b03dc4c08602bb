//! Gradle's own report of tests, and Kotlin's compiler under it.

use super::Format;
use super::arrows::split_place;
use super::block::Block;
use super::sink::{Complaint, Severity, Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Gradle {
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Failing {
    class: String,
    name: String,
    message: Block,
    place: String,
}

impl Format for Gradle {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some((class, name)) = failed(line) {
            self.end(out);
            self.failing = Some(Failing {
                class: class.to_owned(),
                name: name.to_owned(),
                message: Block::default(),
                place: String::new(),
            });
        } else if let Some(counts) = counts(line) {
            self.end(out);
            // It counts only where something failed.
            out.tells_not_all();
            out.count(Tool::Gradle, counts);
        } else if !line.starts_with(' ') {
            self.end(out);
            kotlin(line, out);
        } else if let Some(failing) = &mut self.failing {
            failing.line(line.trim_start());
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        let Some(Failing { class, name, message, place }) = self.failing.take() else { return };
        out.test(Tool::Gradle, &Test { file: &class, name: &name, message: message.text(), place: &place });
    }
}

impl Failing {
    /// `org.opentest4j.AssertionFailedError at TotalTest.java:12`, and with full exceptions a stack under it.
    fn line(&mut self, line: &str) {
        if line.starts_with("at ") {
            return;
        }
        match line.rsplit_once(" at ").filter(|(_, place)| place.contains(".java:") || place.contains(".kt:"))
        {
            Some((error, place)) => {
                self.message.push(error);
                place.clone_into(&mut self.place);
            }
            None => self.message.push(line),
        }
    }
}

/// `TotalTest > everyPriceCounts() FAILED`; nested classes add further parts.
fn failed(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_suffix(" FAILED").filter(|rest| !rest.starts_with([' ', '>']))?;
    rest.split_once(" > ")
}

/// `6 tests completed, 3 failed, 1 skipped`.
fn counts(line: &str) -> Option<Counts> {
    if !line.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (total, rest) = line.split_once(" test")?;
    let total: u64 = total.parse().ok()?;
    let rest = rest.trim_start_matches('s').strip_prefix(" completed")?;
    let mut counts = Counts::default();
    for part in rest.split(", ").filter(|part| !part.is_empty()) {
        let (number, what) = part.split_once(' ')?;
        match what {
            "failed" => counts.failed = number.parse().ok()?,
            "skipped" => counts.skipped = number.parse().ok()?,
            _ => {}
        }
    }
    counts.passed = total.saturating_sub(counts.failed).saturating_sub(counts.skipped);
    Some(counts)
}

/// `e: file:///project/src/main/kotlin/Total.kt:3:12 Unresolved reference: sum`.
fn kotlin(line: &str, out: &mut Sink<'_>) {
    let (severity, rest) = match line.strip_prefix("e: file://") {
        Some(rest) => (Severity::Error, rest),
        None => match line.strip_prefix("w: file://") {
            Some(rest) => (Severity::Warning, rest),
            None => return,
        },
    };
    let Some((place, message)) = rest.split_once(' ') else { return };
    let (file, line, column) = split_place(place);
    out.complaint(Tool::Gradle, &Complaint { severity, file, line, column, message, ..Complaint::default() });
}
