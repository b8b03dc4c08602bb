//! The spec reporter of Node's test runner: the list of failing tests at its end.

use super::Format;
use super::block::{Block, frame, is_frame};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct NodeSpec {
    counts: Counts,
    in_list: bool,
    place: String,
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Failing {
    name: String,
    message: Block,
    own: String,
    is_over: bool,
}

impl Format for NodeSpec {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some(total) = line.strip_prefix("ℹ ") {
            self.total(total, out);
        } else if line == "✖ failing tests:" {
            self.in_list = true;
        } else if !self.in_list {
        } else if let Some(place) = line.strip_prefix("test at ") {
            self.close(out);
            place.clone_into(&mut self.place);
        } else if let Some(name) = line.strip_prefix("✖ ") {
            self.close(out);
            // Whoever wrote the test expects this.
            if name.ends_with("# TODO") || name.ends_with("# SKIP") {
                return;
            }
            let name = without_time(name).to_owned();
            self.failing =
                Some(Failing { name, message: Block::default(), own: String::new(), is_over: false });
        } else if let Some(failing) = &mut self.failing {
            failing.is_over |= is_frame(line);
            if !failing.is_over {
                failing.message.push(line);
            } else if failing.own.is_empty() {
                frame(line).unwrap_or_default().clone_into(&mut failing.own);
            }
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        self.close(out);
        self.in_list = false;
    }
}

impl NodeSpec {
    fn total(&mut self, total: &str, out: &mut Sink<'_>) {
        let Some((what, number)) = total.split_once(' ') else { return };
        let number: u64 = number.parse().unwrap_or_default();
        match what {
            "pass" => self.counts.passed = number,
            "fail" | "cancelled" => self.counts.failed += number,
            "skipped" | "todo" => self.counts.skipped += number,
            "duration_ms" => out.count(Tool::NodeTest, std::mem::take(&mut self.counts)),
            _ => {}
        }
    }

    fn close(&mut self, out: &mut Sink<'_>) {
        let Some(failing) = self.failing.take() else { return };
        let file = self.place.split(':').next().unwrap_or_default();
        let place = if failing.own.is_empty() { &self.place } else { &failing.own };
        let (name, message) = (failing.name.as_str(), failing.message.text());
        out.test(Tool::NodeTest, &Test { file, name, message, place });
        self.place.clear();
    }
}

/// `a century is none (1.76895ms)`.
fn without_time(name: &str) -> &str {
    name.strip_suffix("ms)").and_then(|name| name.rsplit_once(" (")).map_or(name, |(name, _)| name)
}
