//! rustc, clippy and ruff: a headline, and under it ` --> file:line:column`.

use super::Format;
use super::sink::{Complaint, Severity, Sink};
use crate::tool::Tool;

/// The arrow stands at most so many lines below its headline.
const NEAR: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Arrows {
    headline: Option<Headline>,
    /// A headline that has its place and waits for the text under the marked code.
    placed: Option<Placed>,
}

#[derive(Debug)]
struct Headline {
    tool: Tool,
    severity: Severity,
    code: String,
    text: String,
    age: usize,
}

#[derive(Debug)]
struct Placed {
    headline: Headline,
    place: String,
    label: String,
}

impl Format for Arrows {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some(headline) = rustc_headline(line).or_else(|| ruff_headline(line)) {
            self.end(out);
            if headline.text.starts_with("linking with ") {
                out.complaint(Tool::Rustc, &Complaint { message: &headline.text, ..Complaint::default() });
            }
            self.headline = Some(headline);
            return;
        }
        if let Some(headline) = &mut self.headline {
            headline.age += 1;
            if let Some(place) = line.trim_start().strip_prefix("--> ") {
                let headline = self.headline.take();
                self.placed = headline.map(|headline| Placed {
                    headline,
                    place: place.to_owned(),
                    label: String::new(),
                });
            } else if headline.age >= NEAR {
                self.headline = None;
            }
        } else if let Some(placed) = &mut self.placed {
            if line.is_empty() || line.starts_with("note: ") || line.starts_with("help: ") {
                self.end(out);
            } else if placed.label.is_empty() {
                label(line).unwrap_or_default().clone_into(&mut placed.label);
            }
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        self.headline = None;
        let Some(Placed { headline, place, label }) = self.placed.take() else { return };
        let (file, line, column) = split_place(&place);
        out.complaint(
            headline.tool,
            &Complaint {
                severity: headline.severity,
                file,
                line,
                column,
                code: &headline.code,
                message: &headline.text,
                more: &label,
            },
        );
    }
}

/// `error[E0308]: mismatched types`, `warning: unused import`.
fn rustc_headline(line: &str) -> Option<Headline> {
    let (severity, rest) = match line.strip_prefix("error") {
        Some(rest) => (Severity::Error, rest),
        None => (Severity::Warning, line.strip_prefix("warning")?),
    };
    let (code, text) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once("]: ")?,
        None => ("", rest.strip_prefix(": ")?),
    };
    Some(Headline { tool: Tool::Rustc, severity, code: code.to_owned(), text: text.to_owned(), age: 0 })
}

/// `F401 [*] `os` imported but unused`, `invalid-syntax: Expected an expression`.
fn ruff_headline(line: &str) -> Option<Headline> {
    let (code, text) = match line.strip_prefix("invalid-syntax: ") {
        Some(text) => ("invalid-syntax", text),
        None => super::colons::ruff_code(line)?,
    };
    Some(Headline {
        tool: Tool::Ruff,
        severity: Severity::Error,
        code: code.to_owned(),
        text: text.to_owned(),
        age: 0,
    })
}

/// The text behind `^^^^` under a line of code.
fn label(line: &str) -> Option<&str> {
    let marks = line.trim_start().strip_prefix('|')?;
    let marked = marks.trim_start().strip_prefix('^')?;
    let text = marked.trim_start_matches(['^', '-', '~']).trim();
    (!text.is_empty()).then_some(text)
}

pub(super) fn split_place(place: &str) -> (&str, Option<u32>, Option<u32>) {
    let mut parts = place.trim().rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    match (first, number(middle), number(last)) {
        (Some(file), Some(line), Some(column)) => (file, Some(line), Some(column)),
        _ => (place.trim(), None, None),
    }
}
