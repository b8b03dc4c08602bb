//! A file's name and under it its complaints: eslint's stylish report and ruff's grouped one.

use super::Format;
use super::colons::ruff_code;
use super::sink::{Complaint, Severity, Sink};
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Eslint {
    file: String,
}

impl Format for Eslint {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if !line.starts_with(' ') {
            self.file.clear();
            if memchr::memchr3(b'.', b'/', b'\\', line.as_bytes()).is_some() {
                self.file.push_str(crate::text::cut(line.trim_end_matches(':'), 4096));
            }
            return;
        }
        if self.file.is_empty() {
            return;
        }
        let Some((number, column, rest)) = place(line.trim_start()) else { return };
        let mut complaint =
            Complaint { file: &self.file, line: Some(number), column: Some(column), ..Complaint::default() };
        if let Some((severity, rest)) = severity(rest) {
            let (message, code) = rest.rsplit_once("  ").unwrap_or((rest, ""));
            (complaint.severity, complaint.message, complaint.code) = (severity, message.trim_end(), code);
            out.complaint(Tool::Eslint, &complaint);
        } else if let Some((code, message)) = ruff_code(rest) {
            (complaint.message, complaint.code) = (message, code);
            out.complaint(Tool::Ruff, &complaint);
        }
    }

    fn end(&mut self, _out: &mut Sink<'_>) {}
}

/// `2:19  error  text  rule`.
fn place(line: &str) -> Option<(u32, u32, &str)> {
    let (place, rest) = line.split_once(' ')?;
    let (line, column) = place.split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?, rest.trim_start()))
}

fn severity(text: &str) -> Option<(Severity, &str)> {
    let (word, rest) = text.split_once("  ")?;
    match word {
        "error" => Some((Severity::Error, rest.trim_start())),
        "warning" => Some((Severity::Warning, rest.trim_start())),
        _ => None,
    }
}
