//! vitest.

use super::Format;
use super::block::{Block, frame, is_code, is_frame, place_or};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Vitest {
    /// Tests that fail with one and the same error are named one under the other before it.
    names: Vec<String>,
    message: Block,
    place: String,
    is_over: bool,
}

const MOST_NAMES: usize = 1_000;

impl Format for Vitest {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some(name) = failing(line) {
            if !self.message.is_empty() || self.is_over || self.names.len() >= MOST_NAMES {
                self.end(out);
            }
            self.names.push(name.to_owned());
        } else if let Some(counts) = counts(line) {
            self.end(out);
            out.count(Tool::Vitest, counts);
        } else if !self.names.is_empty() {
            self.is_over |= is_code(line) || is_frame(line) || line.starts_with('⎯');
            if !self.is_over {
                self.message.push(line);
            } else if self.place.is_empty() {
                frame(line).unwrap_or_default().clone_into(&mut self.place);
            }
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        for full in std::mem::take(&mut self.names) {
            let (file, name) = match full.split_once(" > ") {
                Some((file, name)) => (file, name),
                None => {
                    out.count(Tool::Vitest, Counts { errors: 1, ..Counts::default() });
                    (full.split(" [ ").next().unwrap_or_default(), "cannot be loaded")
                }
            };
            out.test(
                Tool::Vitest,
                &Test { file, name, message: self.message.text(), place: place_or(&self.place, file) },
            );
        }
        self.message.clear();
        self.place.clear();
        self.is_over = false;
    }
}

/// ` FAIL  test/leap.test.js > leap > a century is none`, ` FAIL  |unit| test/broken.test.js [ test/broken.test.js ]`.
fn failing(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(' ')?.strip_prefix("FAIL ")?.trim_start();
    let rest = rest.strip_prefix('|').and_then(|rest| rest.split_once("| ")).map_or(rest, |(_, rest)| rest);
    (rest.contains(" > ") || rest.contains(" [ ")).then_some(rest)
}

/// `      Tests  3 failed | 1 skipped | 3 passed (6)`.
fn counts(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix(' ')?.trim_start();
    let Some(rest) = rest.strip_prefix("Tests  ") else { return unhandled(rest) };
    let (numbers, total) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    total.parse::<u64>().ok()?;
    let mut counts = Counts::default();
    for part in numbers.split(" | ") {
        let (number, what) = part.trim().split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match what {
            "passed" => counts.passed = number,
            "failed" => counts.failed = number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

/// `     Errors  1 error`: what was thrown outside of any test.
fn unhandled(rest: &str) -> Option<Counts> {
    let number = rest.strip_prefix("Errors  ")?.split(' ').next()?.parse().ok()?;
    Some(Counts { errors: number, ..Counts::default() })
}
