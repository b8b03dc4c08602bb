//! JUnit XML among whatever else was printed.

use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::text::cut;
use crate::tool::Tool;

const LONGEST: usize = 2_000;

/// Reads every report in the bytes and shows the rest to `other`, part by part.
pub(super) fn read<'a>(bytes: &'a [u8], out: &mut Sink<'_>, mut other: impl FnMut(&'a [u8], &mut Sink<'_>)) {
    let opening = memchr::memmem::Finder::new("<testsuite");
    let mut rest = bytes;
    while let Some(at) = opening.find(rest) {
        let report = &rest[at..];
        let Some(end) = end_of(report) else { break };
        other(&rest[..at], out);
        Report::default().read(&report[..end], out);
        rest = &report[end..];
    }
    other(rest, out);
}

/// Behind the tag that closes the outermost one; without it this is no report.
fn end_of(report: &[u8]) -> Option<usize> {
    let name: &[u8] = if report.starts_with(b"<testsuites") { b"</testsuites>" } else { b"</testsuite>" };
    memchr::memmem::find(report, name).map(|at| at + name.len())
}

#[derive(Default)]
struct Report<'a> {
    case: Option<Case<'a>>,
    counts: Counts,
}

struct Case<'a> {
    class: &'a [u8],
    name: &'a [u8],
    file: &'a [u8],
    outcome: Outcome,
}

enum Outcome {
    Passed,
    Skipped,
    Failed { message: String },
    Broken { message: String },
}

impl<'a> Report<'a> {
    fn read(mut self, report: &'a [u8], out: &mut Sink<'_>) {
        let mut rest = report;
        while let Some(open) = memchr::memchr(b'<', rest) {
            rest = &rest[open + 1..];
            if let Some(data) = rest.strip_prefix(b"![CDATA[") {
                rest = memchr::memmem::find(data, b"]]>").map_or(&[], |end| &data[end..]);
                continue;
            }
            let end = end_of_tag(rest);
            let (tag, after) = (&rest[..end], &rest[end..]);
            self.tag(tag, after, out);
            rest = after;
        }
        self.close(out);
        out.count(Tool::Junit, self.counts);
    }

    fn tag(&mut self, tag: &'a [u8], after: &'a [u8], out: &mut Sink<'_>) {
        let name = &tag
            [..tag.iter().position(|byte| !byte.is_ascii_alphabetic() && *byte != b'/').unwrap_or(tag.len())];
        let message = || message(tag, after);
        match name {
            b"testcase" => {
                self.close(out);
                let [class, name, file] = ["classname", "name", "file"].map(|name| attribute(tag, name));
                self.case = Some(Case { class, name, file, outcome: Outcome::Passed });
                if tag.ends_with(b"/") {
                    self.close(out);
                }
            }
            b"/testcase" => self.close(out),
            b"skipped" => self.outcome(|| Outcome::Skipped),
            b"failure" => self.outcome(|| Outcome::Failed { message: message() }),
            b"error" => self.outcome(|| Outcome::Broken { message: message() }),
            _ => {}
        }
    }

    fn outcome(&mut self, outcome: impl FnOnce() -> Outcome) {
        if let Some(case) = &mut self.case
            && matches!(case.outcome, Outcome::Passed)
        {
            case.outcome = outcome();
        }
    }

    fn close(&mut self, out: &mut Sink<'_>) {
        let Some(case) = self.case.take() else { return };
        let message = match case.outcome {
            Outcome::Passed => return self.counts.passed += 1,
            Outcome::Skipped => return self.counts.skipped += 1,
            Outcome::Failed { message } => {
                self.counts.failed += 1;
                message
            }
            Outcome::Broken { message } => {
                self.counts.errors += 1;
                message
            }
        };
        let [class, name, place] = [case.class, case.name, case.file].map(text);
        out.test(Tool::Junit, &Test { file: &class, name: &name, message: &message, place: &place });
    }
}

/// Where `>` ends a tag; one within quotes does not.
fn end_of_tag(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = memchr::memchr3(b'>', b'"', b'\'', &bytes[at..]) {
        at += next;
        let quote = bytes[at];
        if quote == b'>' {
            return at;
        }
        match memchr::memchr(quote, &bytes[at + 1..]) {
            Some(close) => at += close + 2,
            None => return bytes.len(),
        }
    }
    bytes.len()
}

/// The value of an attribute, as it is written.
fn attribute<'a>(tag: &'a [u8], name: &str) -> &'a [u8] {
    let mut rest = tag;
    while let Some(equals) = memchr::memchr(b'=', rest) {
        let key = rest[..equals].trim_ascii_end();
        let value = rest[equals + 1..].trim_ascii_start();
        let Some(quote @ (b'"' | b'\'')) = value.first() else { return b"" };
        let Some(end) = memchr::memchr(*quote, &value[1..]) else { return b"" };
        let is_it = key
            .strip_suffix(name.as_bytes())
            .is_some_and(|before| before.last().is_none_or(u8::is_ascii_whitespace));
        if is_it {
            return &value[1..=end];
        }
        rest = &value[end + 2..];
    }
    b""
}

/// What the tag says, or else the first of the text behind it.
fn message(tag: &[u8], after: &[u8]) -> String {
    let said = text(attribute(tag, "message"));
    if !said.is_empty() || tag.ends_with(b"/") {
        return said;
    }
    let body = after.strip_prefix(b">").unwrap_or(after);
    let body = body.strip_prefix(b"<![CDATA[").unwrap_or(body);
    let body = &body[..memchr::memchr(b'<', body).unwrap_or(body.len())];
    let body = text(body);
    body.lines().map(str::trim_end).find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}

/// With the entities resolved, cut to size.
fn text(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let raw = String::from_utf8_lossy(bytes);
    let mut plain = String::with_capacity(raw.len());
    let mut rest = raw.as_ref();
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let entity = cut(rest, 10).split_once(';').map(|(entity, _)| entity);
        let (character, taken) = match entity {
            Some(entity) => (named(entity), entity.len() + 1),
            None => (Some('&'), 0),
        };
        plain.push(character.unwrap_or('\u{fffd}'));
        rest = &rest[taken..];
    }
    plain.push_str(rest);
    plain
}

fn named(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
