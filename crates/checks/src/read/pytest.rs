//! pytest: sections with what failed, and a list of names at the end.

use std::collections::{HashMap, VecDeque};

use super::Format;
use super::block::{Block, place_or};
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

const MOST_SECTIONS: usize = 5_000;

#[derive(Debug, Default)]
pub(super) struct Pytest {
    part: Part,
    current: Option<Section>,
    /// By the heading; two files may have a test of one name, and then order tells them apart.
    sections: HashMap<String, VecDeque<Section>>,
    number: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Other,
    Failures,
    Summary,
}

#[derive(Debug, Default)]
struct Section {
    heading: String,
    message: Block,
    place: String,
}

impl Format for Pytest {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some(title) = ruled(line, '=') {
            self.close();
            self.part = match title {
                "FAILURES" | "ERRORS" => Part::Failures,
                "short test summary info" => Part::Summary,
                _ => Part::Other,
            };
        }
        if let Some(counts) = counts(line) {
            self.part = Part::Other;
            out.count(Tool::Pytest, counts);
            return;
        }
        match self.part {
            Part::Failures => self.failure_line(line),
            Part::Summary => self.summary_line(line, out),
            Part::Other => {}
        }
    }

    /// What the list at the end did not name, because it was not printed.
    fn end(&mut self, out: &mut Sink<'_>) {
        self.close();
        let mut left: Vec<Section> = std::mem::take(&mut self.sections).into_values().flatten().collect();
        left.sort_by(|one, other| (&one.place, &one.heading).cmp(&(&other.place, &other.heading)));
        for section in left {
            let file = section.place.split(':').next().unwrap_or_default();
            let message = section.message.text();
            out.test(Tool::Pytest, &Test { file, name: &section.heading, message, place: &section.place });
        }
    }
}

impl Pytest {
    fn failure_line(&mut self, line: &str) {
        if let Some(heading) = ruled(line, '_') {
            self.close();
            self.current = Some(Section { heading: heading.to_owned(), ..Section::default() });
            return;
        }
        let Some(section) = &mut self.current else { return };
        if let Some(text) = line.strip_prefix("E ").or_else(|| (line == "E").then_some("")) {
            section.message.push(text);
        } else if let Some((place, _)) = line.rsplit_once(": ").filter(|(place, _)| is_place(place)) {
            place.clone_into(&mut section.place);
        }
    }

    fn close(&mut self) {
        if let Some(section) = self.current.take().filter(|_| self.number < MOST_SECTIONS) {
            self.number += 1;
            self.sections.entry(section.heading.clone()).or_default().push_back(section);
        }
    }

    /// `FAILED tests/test_leap.py::test_a_century_is_none - assert not True`.
    fn summary_line(&mut self, line: &str, out: &mut Sink<'_>) {
        let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) else { return };
        let (id, short) = split_id(rest);
        let (file, name) = id.split_once("::").unwrap_or((id, ""));
        let plain = name.replace("::", ".");
        let headings = [
            plain.clone(),
            format!("ERROR at setup of {plain}"),
            format!("ERROR at teardown of {plain}"),
            format!("ERROR collecting {file}"),
        ];
        let section = headings.iter().find_map(|heading| self.sections.get_mut(heading)?.pop_front());
        let section = section.unwrap_or_default();
        let message = if section.message.is_empty() { short } else { section.message.text() };
        let name = if name.is_empty() { "cannot be collected" } else { name };
        out.test(Tool::Pytest, &Test { file, name, message, place: place_or(&section.place, file) });
    }
}

/// A parameter may contain ` - `, but not outside of its brackets.
fn split_id(text: &str) -> (&str, &str) {
    let from = match (text.find('['), text.find(" - ")) {
        (Some(open), Some(dash)) if open < dash => text.find("] - ").map_or(0, |close| close + 1),
        _ => 0,
    };
    text[from..].find(" - ").map_or((text, ""), |at| (&text[..from + at], &text[from + at + 3..]))
}

fn is_place(place: &str) -> bool {
    let number = place.rsplit_once(':').filter(|(file, _)| !file.is_empty() && !file.contains(' '));
    number.is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The text within a rule across the screen: `==== FAILURES ====`.
fn ruled(line: &str, mark: char) -> Option<&str> {
    let rest = line.trim_start_matches(mark);
    let text = rest.trim_end_matches(mark);
    let is_ruled = line.len() - rest.len() >= 2 && rest.len() - text.len() >= 2;
    let text = text.strip_prefix(' ')?.strip_suffix(' ')?;
    is_ruled.then_some(text)
}

/// `==== 3 failed, 3 passed in 0.04s ====`, with or without the rule.
fn counts(line: &str) -> Option<Counts> {
    let text = ruled(line, '=').unwrap_or(line);
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == 'n') {
        return None;
    }
    let (numbers, took) = text.rsplit_once(" in ")?;
    let seconds = took.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    let mut counts = Counts::default();
    let mut known = 0;
    for part in numbers.split(", ") {
        let (number, what) = part.split_once(' ')?;
        let number: u64 = number.parse().ok().or_else(|| (number == "no").then_some(0))?;
        let field = match what {
            "passed" | "xpassed" => &mut counts.passed,
            "failed" => &mut counts.failed,
            "skipped" | "xfailed" => &mut counts.skipped,
            "error" | "errors" => &mut counts.errors,
            "deselected" | "warning" | "warnings" | "rerun" | "tests ran" | "subtests passed" => continue,
            _ => return None,
        };
        *field += number;
        known += 1;
    }
    (known > 0 || numbers.contains("no tests ran")).then_some(counts)
}
