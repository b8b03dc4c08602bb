//! `file:line:column: error: text`: gcc, clang, linkers, mypy, ruff's short form, javac, the Go compiler and vet.

use memchr::memmem::Finder;

use super::Format;
use super::sink::{Complaint, Severity, Sink};
use crate::tool::Tool;

#[derive(Debug)]
pub(super) struct Colons {
    tool: Option<Tool>,
    /// What linkers say; looked for in every line, and so made ready once.
    undefined: Finder<'static>,
    multiple: Finder<'static>,
}

impl Colons {
    pub(super) fn new(tool: Option<Tool>) -> Colons {
        Colons {
            tool,
            undefined: Finder::new("undefined reference to "),
            multiple: Finder::new("multiple definition of "),
        }
    }
}

/// The beginning of a line: where something is.
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: Option<u32>,
    rest: &'a str,
}

impl Format for Colons {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        let bytes = line.as_bytes();
        if let Some(at) = self.undefined.find(bytes).or_else(|| self.multiple.find(bytes)) {
            return linker(line, at, out);
        }
        let Some(place) = place(line) else { return };
        let extension = place.file.rsplit_once('.').map_or("", |(_, extension)| extension);
        let complaint = |code, severity, message| Complaint {
            severity,
            file: place.file,
            line: Some(place.line),
            column: place.column,
            code,
            message,
            more: "",
        };
        if let Some((severity, text)) = severity(place.rest) {
            let tool = match (extension, self.tool) {
                ("py" | "pyi", _) => Tool::Mypy,
                ("java", _) => Tool::Javac,
                (_, Some(tool @ (Tool::Mypy | Tool::Javac))) => tool,
                _ => Tool::Cc,
            };
            let (text, code) = bracketed(text);
            out.complaint(tool, &complaint(code, severity, text));
        } else if matches!(extension, "py" | "pyi" | "ipynb") {
            if let Some((code, text)) = ruff_code(place.rest) {
                out.complaint(Tool::Ruff, &complaint(code, Severity::Error, text));
            }
        } else if extension == "go" && place.column.is_some() {
            out.complaint(Tool::Go, &complaint("", Severity::Error, place.rest));
        }
    }

    fn end(&mut self, _out: &mut Sink<'_>) {}
}

/// `file:line: ` or `file:line:column: ` at the very beginning.
fn place(line: &str) -> Option<Place<'_>> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    // Two characters belong to a drive.
    let colon = line.get(2..)?.find(':')? + 2;
    let file = &line[..colon];
    let looks_like_file =
        !file.starts_with([' ', '\t', '|', '[', '{']) && file.contains(['.', '/']) && !file.contains(": ");
    if !looks_like_file {
        return None;
    }
    let (number, rest) = digits(&line[colon + 1..])?;
    let rest = rest.strip_prefix(':')?;
    match digits(rest) {
        Some((column, more)) if more.starts_with(": ") => {
            Some(Place { file, line: number, column: Some(column), rest: &more[2..] })
        }
        _ => Some(Place { file, line: number, column: None, rest: rest.strip_prefix(' ')? }),
    }
}

fn digits(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|next: char| !next.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn severity(text: &str) -> Option<(Severity, &str)> {
    let errors = ["error: ", "fatal error: ", "Error: "].iter();
    if let Some(rest) = errors.filter_map(|word| text.strip_prefix(word)).next() {
        return Some((Severity::Error, rest));
    }
    text.strip_prefix("warning: ").map(|rest| (Severity::Warning, rest))
}

/// The text and the code at its end: `text  [code]`, `text [-Werror=code]`.
fn bracketed(text: &str) -> (&str, &str) {
    let split = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    match split {
        Some((text, code)) if !code.contains(' ') => (text.trim_end(), code),
        _ => (text, ""),
    }
}

/// `F401 [*] text`: up to five capitals, digits, and the text.
pub(super) fn ruff_code(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let (code, rest) = text.split_once(' ')?;
    let code = code.trim_end_matches(':');
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let is_code = (1..=5).contains(&letters)
        && (letters + 2..=letters + 5).contains(&code.len())
        && code.bytes().skip(letters).all(|byte| byte.is_ascii_digit());
    is_code.then(|| (code, rest.strip_prefix("[*] ").unwrap_or(rest).trim_start()))
}

/// `main.c:(.text+0x5): undefined reference to `foo'`, with or without the name of the linker before it.
fn linker(line: &str, at: usize, out: &mut Sink<'_>) {
    let (before, message) = line.split_at(at);
    // Behind a semicolon the first definition is named with its address.
    let message = message.split(';').next().unwrap_or(message);
    let file = before.split(":(").next().unwrap_or_default();
    let file = file.rsplit(": ").find(|part| part.contains('.')).unwrap_or_default();
    let file = file.split(": ").next().unwrap_or_default().trim_end_matches(':');
    out.complaint(Tool::Cc, &Complaint { file, message, ..Complaint::default() });
}
