//! TAP, as Node's test runner and many others print it.

use super::Format;
use super::block::{Block, is_frame};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

/// Tests within tests within tests.
const DEEPEST: usize = 32;

#[derive(Debug)]
pub(super) struct Tap {
    tool: Tool,
    counts: Counts,
    is_tap: bool,
    /// The names of the tests around, by depth.
    around: Vec<String>,
    /// By depth, whether there have been tests within the one that is to come.
    within: Vec<bool>,
    failing: Option<Failing>,
}

/// A test that did not pass, and the YAML under it.
#[derive(Debug, Default)]
struct Failing {
    name: String,
    indent: usize,
    message: Block,
    /// Node names the file here.
    place: String,
    in_yaml: bool,
    is_over: bool,
    /// The field of several lines that is being read.
    field: Field,
    field_indent: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Field {
    #[default]
    Kept,
    Passed,
}

/// Fields that say where or when, not what.
const PASSED_OVER: [&str; 7] = ["duration_ms", "location", "stack", "failureType", "type", "at", "source"];

impl Tap {
    pub(super) fn new(tool: Option<Tool>) -> Tap {
        Tap {
            tool: if tool == Some(Tool::NodeTest) { Tool::NodeTest } else { Tool::Tap },
            counts: Counts::default(),
            is_tap: false,
            around: Vec::new(),
            within: Vec::new(),
            failing: None,
        }
    }
}

impl Format for Tap {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.starts_with("duration_ms: ") {
            self.tool = Tool::NodeTest;
        }
        if let Some(failing) = &mut self.failing
            && failing.line(trimmed, indent)
        {
            return;
        }
        if let Some(name) = trimmed.strip_prefix("# Subtest: ") {
            self.close(out);
            let depth = (indent / 4).min(DEEPEST);
            self.around.truncate(depth);
            self.around.resize(depth, String::new());
            self.around.push(name.to_owned());
        } else if trimmed.starts_with("TAP version ") {
            self.is_tap = true;
        } else if let Some(rest) = trimmed.strip_prefix("not ok") {
            self.point(rest, indent, false, out);
        } else if let Some(rest) = trimmed.strip_prefix("ok ") {
            self.point(rest, indent, true, out);
        } else if indent == 0 && trimmed.starts_with("Bail out!") {
            self.close(out);
            out.test(self.tool, &Test { name: trimmed, ..Test::default() });
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        self.close(out);
        if self.counts != Counts::default() {
            out.count(self.tool, std::mem::take(&mut self.counts));
        }
    }
}

impl Tap {
    fn point(&mut self, rest: &str, indent: usize, passed: bool, out: &mut Sink<'_>) {
        let Some(name) = described(rest) else { return };
        if passed && !self.is_tap && name.is_empty() {
            return;
        }
        self.close(out);
        let depth = (indent / 4).min(DEEPEST);
        // A test is counted by the tests within it, which come before it.
        let has_within = self.within.get(depth + 1).copied().unwrap_or_default();
        self.within.truncate(depth + 1);
        self.within.resize(depth + 1, false);
        self.within[depth] = true;
        if depth > 0 {
            self.within[..depth].fill(true);
        }
        let (name, directive) = directive(name);
        self.around.truncate(depth + 1);
        if has_within {
            return;
        }
        match (directive, passed) {
            (Some(_), _) => self.counts.skipped += 1,
            (None, true) => self.counts.passed += 1,
            (None, false) => {
                self.counts.failed += 1;
                let above = self.around.iter().take(depth).map(String::as_str);
                let full: Vec<&str> = above.chain([name]).filter(|part| !part.is_empty()).collect();
                self.failing = Some(Failing { name: full.join(" > "), indent, ..Failing::default() });
            }
        }
    }

    fn close(&mut self, out: &mut Sink<'_>) {
        let Some(failing) = self.failing.take() else { return };
        let file = failing.place.rsplitn(3, ':').last().unwrap_or_default();
        let (name, message) = (failing.name.as_str(), failing.message.text());
        out.test(self.tool, &Test { file, name, message, place: &failing.place });
    }
}

impl Failing {
    /// Whether the line belongs to what is said about this test.
    fn line(&mut self, trimmed: &str, indent: usize) -> bool {
        if !self.in_yaml {
            self.in_yaml = trimmed == "---" && indent > self.indent;
            // Older ones say it in comments.
            let comment = trimmed.strip_prefix('#').filter(|text| !text.starts_with(" Subtest: "));
            let comment = comment.filter(|_| indent >= self.indent && !self.in_yaml);
            if let Some(text) = comment.filter(|text| !is_total(text)) {
                self.message.push(text);
                return true;
            }
            // And some just write under it.
            if !self.in_yaml && indent > self.indent && is_free_text(trimmed) {
                self.is_over |= is_frame(trimmed);
                if !self.is_over {
                    self.message.push(trimmed);
                }
            }
            return self.in_yaml;
        }
        if trimmed == "..." {
            self.in_yaml = false;
            return true;
        }
        if let Some((field, value)) = trimmed.split_once(':').filter(|_| self.is_field(indent)) {
            self.field_indent = indent;
            self.field = if PASSED_OVER.contains(&field) { Field::Passed } else { Field::Kept };
            if field == "location" {
                value.trim().trim_matches('\'').clone_into(&mut self.place);
            }
        }
        if self.field == Field::Kept {
            self.message.push(trimmed);
        }
        true
    }

    fn is_field(&self, indent: usize) -> bool {
        self.field_indent == 0 || indent <= self.field_indent
    }
}

/// Whether a line is nothing that TAP knows.
fn is_free_text(trimmed: &str) -> bool {
    !trimmed.starts_with("ok ") && !trimmed.starts_with("not ok") && !trimmed.starts_with("1..")
}

/// What comes behind `ok`: ` 2 - name`; `None` if this is no test point.
fn described(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let name = rest[digits..].trim_start();
    let is_point = digits > 0 || rest.starts_with('-') || rest.is_empty();
    is_point.then(|| name.strip_prefix("- ").unwrap_or(name))
}

/// `name # SKIP not here`, `name # TODO later`.
fn directive(name: &str) -> (&str, Option<&str>) {
    let Some((before, after)) = name.rsplit_once("# ") else { return (name.trim_end(), None) };
    let word = after.get(..4).unwrap_or_default();
    let is_directive = word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo");
    if is_directive { (before.trim_end(), Some(after)) } else { (name.trim_end(), None) }
}

/// `# tests 6` and the other numbers at the end.
fn is_total(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let names = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo", "duration_ms"];
    words.next().is_some_and(|word| names.contains(&word))
        && words.next().is_some_and(|number| number.parse::<f64>().is_ok())
}
