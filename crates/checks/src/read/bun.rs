//! `bun test`: the error of a test comes before its name.

use super::Format;
use super::block::{Block, frame, is_frame, place_or};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Bun {
    is_bun: bool,
    file: String,
    message: Block,
    in_message: bool,
    /// Whether the error is outside of any test.
    is_loose: bool,
    place: String,
    counts: Counts,
}

impl Format for Bun {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if line.starts_with("bun test v") {
            self.end(out);
            self.is_bun = true;
        } else if let Some(name) = line.strip_prefix("(fail) ").or_else(|| line.strip_prefix("✗ ")) {
            let test = Test {
                file: &self.file,
                name: without_time(name),
                message: self.message.text(),
                place: place_or(&self.place, &self.file),
            };
            if self.is_bun || line.starts_with('(') {
                out.test(Tool::BunTest, &test);
            }
            self.forget();
        } else if line.starts_with("(pass) ") || line.starts_with("✓ ") {
            self.forget();
        } else if !self.is_bun {
        } else if line == "# Unhandled error between tests" {
            self.forget();
            self.is_loose = true;
        } else if self.is_loose && line.starts_with("----") && !self.message.is_empty() {
            let (file, message) = (self.file.as_str(), self.message.text());
            let place = place_or(&self.place, file);
            out.test(Tool::BunTest, &Test { file, name: "error between tests", message, place });
            self.forget();
        } else if let Some(file) = line.strip_suffix(':').filter(|file| is_file(file)) {
            self.forget();
            file.clone_into(&mut self.file);
        } else if let Some((number, what)) = total(line) {
            self.total(number, what);
        } else if line.starts_with("Ran ") && line.contains(" test") && line.contains(" across ") {
            // What was thrown outside of a test is counted under both.
            let mut counts = std::mem::take(&mut self.counts);
            counts.failed = counts.failed.saturating_sub(counts.errors);
            out.count(Tool::BunTest, counts);
        } else {
            self.body(line);
        }
    }

    fn end(&mut self, _out: &mut Sink<'_>) {
        *self = Bun::default();
    }
}

impl Bun {
    fn forget(&mut self) {
        self.message.clear();
        self.place.clear();
        self.in_message = false;
        self.is_loose = false;
    }

    fn body(&mut self, line: &str) {
        if is_frame(line) {
            self.in_message = false;
            if self.place.is_empty() {
                frame(line).unwrap_or_default().clone_into(&mut self.place);
            }
        } else if line.starts_with("error: ")
            || line.split(':').next().is_some_and(|word| word.ends_with("Error"))
        {
            self.in_message = true;
        }
        if self.in_message {
            self.message.push(line);
        }
    }

    fn total(&mut self, number: u64, what: &str) {
        match what {
            "pass" => self.counts.passed = number,
            "fail" => self.counts.failed = number,
            "skip" | "todo" => self.counts.skipped += number,
            "error" | "errors" => self.counts.errors = number,
            _ => {}
        }
    }
}

fn is_file(text: &str) -> bool {
    text.contains('.') && !text.contains([' ', '(']) && !text.starts_with("error")
}

/// ` 3 fail`.
fn total(line: &str) -> Option<(u64, &str)> {
    let (number, what) = line.strip_prefix(' ')?.split_once(' ')?;
    Some((number.parse().ok()?, what))
}

/// `slug > words are joined [0.39ms]`.
fn without_time(name: &str) -> &str {
    let timed = name.strip_suffix("ms]").or_else(|| name.strip_suffix("s]"));
    timed.and_then(|name| name.rsplit_once(" [")).map_or(name, |(name, _)| name)
}
