//! mocha's default report: a list of what failed after the numbers.

use super::Format;
use super::block::{Block, frame, is_frame};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Mocha {
    counts: Option<Counts>,
    /// The number of the failure that comes next; only after `3 failing` are there any.
    next: Option<u64>,
    failing: Option<Failing>,
}

#[derive(Debug, Default)]
struct Failing {
    name: String,
    has_name: bool,
    message: Block,
    place: String,
    is_over: bool,
}

impl Format for Mocha {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some((number, what)) = total(line) {
            self.total(number, what, out);
            return;
        }
        let Some(next) = self.next else { return };
        if let Some(title) = numbered(line, next) {
            self.close(out);
            self.next = Some(next + 1);
            self.failing = Some(Failing::default());
            if let Some(failing) = &mut self.failing {
                failing.title(title);
            }
        } else if let Some(failing) = &mut self.failing {
            failing.line(line);
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        self.close(out);
        self.next = None;
        if let Some(counts) = self.counts.take() {
            out.count(Tool::Mocha, counts);
        }
    }
}

impl Mocha {
    /// `3 passing` begins the numbers of a run, and only after it do the others count.
    fn total(&mut self, number: u64, what: &str, out: &mut Sink<'_>) {
        if what == "passing" {
            self.end(out);
            self.counts = Some(Counts { passed: number, ..Counts::default() });
        }
        let Some(counts) = &mut self.counts else { return };
        match what {
            "pending" => counts.skipped = number,
            "failing" => {
                counts.failed = number;
                self.next = Some(1);
            }
            _ => {}
        }
    }

    fn close(&mut self, out: &mut Sink<'_>) {
        let Some(failing) = self.failing.take().filter(|failing| !failing.name.is_empty()) else { return };
        let (name, place) = (failing.name.as_str(), failing.place.as_str());
        out.test(Tool::Mocha, &Test { file: "", name, message: failing.message.text(), place });
    }
}

impl Failing {
    fn title(&mut self, part: &str) {
        let part = part.trim();
        self.has_name = part.ends_with(':');
        if !self.name.is_empty() {
            self.name.push_str(" > ");
        }
        self.name.push_str(crate::text::cut(part.trim_end_matches(':'), 500));
    }

    fn line(&mut self, line: &str) {
        if !self.has_name && !line.is_empty() && self.name.len() < 4_000 {
            self.title(line);
            return;
        }
        // The comparison repeats what the message says.
        self.is_over |= is_frame(line) || line.trim() == "+ expected - actual";
        if !self.is_over {
            self.message.push(line);
        } else if self.place.is_empty() {
            frame(line).unwrap_or_default().clone_into(&mut self.place);
        }
    }
}

/// `  3 passing (7ms)`, `  3 failing`, `  1 pending`.
fn total(line: &str) -> Option<(u64, &str)> {
    let (number, what) = line.strip_prefix("  ")?.split_once(' ')?;
    let what = what.split(' ').next().unwrap_or(what);
    let number = number.parse().ok()?;
    ["passing", "failing", "pending"].contains(&what).then_some((number, what))
}

/// `  1) leap`.
fn numbered(line: &str, number: u64) -> Option<&str> {
    let rest = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
    let (found, title) = rest.split_once(") ")?;
    (found.parse::<u64>().ok()? == number).then_some(title)
}
