//! The TypeScript compiler, plain and pretty.

use memchr::memmem::Finder;

use super::Format;
use super::arrows::split_place;
use super::sink::{Complaint, Sink};
use crate::tool::Tool;

#[derive(Debug)]
pub(super) struct Tsc {
    error: Finder<'static>,
}

impl Default for Tsc {
    fn default() -> Tsc {
        Tsc { error: Finder::new("error TS") }
    }
}

impl Format for Tsc {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        let Some(at) = self.error.find(line.as_bytes()) else { return };
        let (before, rest) = line.split_at(at);
        let Some((code, message)) = rest["error ".len()..].split_once(": ") else { return };
        if !code["TS".len()..].bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let Some((file, number, column)) = place(before) else { return };
        out.complaint(
            Tool::Tsc,
            &Complaint { file, line: number, column, code, message, ..Complaint::default() },
        );
    }

    fn end(&mut self, _out: &mut Sink<'_>) {}
}

/// `src/leap.ts(6,54): `, `src/leap.ts:6:54 - `, or nothing when the project itself is wrong.
fn place(before: &str) -> Option<(&str, Option<u32>, Option<u32>)> {
    if before.is_empty() {
        return Some(("", None, None));
    }
    if let Some(place) = before.strip_suffix(" - ") {
        return Some(split_place(place));
    }
    let (file, numbers) = before.strip_suffix("): ")?.rsplit_once('(')?;
    let (line, column) = numbers.split_once(',')?;
    Some((file, Some(line.parse().ok()?), Some(column.parse().ok()?)))
}
