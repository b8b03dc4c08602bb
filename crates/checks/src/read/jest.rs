//! jest.

use super::Format;
use super::block::{Block, frame, is_code, is_frame, place_or};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Jest {
    file: String,
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Failing {
    name: String,
    message: Block,
    place: String,
    is_over: bool,
}

const BROKEN: &str = "Test suite failed to run";

impl Format for Jest {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        let trimmed = line.trim_start();
        if let Some(file) = file(line) {
            self.end(out);
            file.clone_into(&mut self.file);
        } else if let Some(counts) = counts(line) {
            self.end(out);
            out.count(Tool::Jest, counts);
        } else if trimmed.starts_with("PASS ") && line.len() - trimmed.len() < 2 {
            self.end(out);
            self.file.clear();
        } else if let Some(name) = trimmed.strip_prefix("● ") {
            self.end(out);
            let is_failure = !self.file.is_empty() && !name.starts_with("Console");
            self.failing = is_failure.then(|| Failing {
                name: name.to_owned(),
                message: Block::default(),
                place: String::new(),
                is_over: false,
            });
        } else if let Some(failing) = &mut self.failing {
            failing.line(line);
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        let Some(failing) = self.failing.take() else { return };
        if failing.name == BROKEN {
            out.count(Tool::Jest, Counts { errors: 1, ..Counts::default() });
        }
        let test = Test {
            file: &self.file,
            name: &failing.name,
            message: failing.message.text(),
            place: place_or(&failing.place, &self.file),
        };
        out.test(Tool::Jest, &test);
    }
}

impl Failing {
    /// The message goes up to the code that is shown or to the stack.
    fn line(&mut self, line: &str) {
        self.is_over |= is_code(line) || is_frame(line);
        if !self.is_over {
            self.message.push(line);
        } else if self.place.is_empty() {
            frame(line).unwrap_or_default().clone_into(&mut self.place);
        }
    }
}

/// `FAIL test/slug.test.js (5.1 s)`; with colours there is a blank before, with several projects a name.
fn file(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(' ').unwrap_or(line).strip_prefix("FAIL ")?;
    if rest.contains(" > ") || rest.contains(" [ ") || rest.contains('\t') {
        return None;
    }
    let rest = rest.trim_start();
    let rest =
        rest.strip_suffix(" s)").and_then(|rest| rest.rsplit_once(" (")).map_or(rest, |(file, _)| file);
    let file = rest.rsplit(' ').next().unwrap_or(rest);
    file.contains('.').then_some(file)
}

/// `Tests:       3 failed, 1 skipped, 1 todo, 3 passed, 6 total`.
fn counts(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("Tests: ")?.trim_start().strip_suffix(" total")?;
    let mut counts = Counts::default();
    for part in rest.split(", ") {
        let (number, what) = part.split_once(' ').unwrap_or((part, ""));
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
