//! Maven: its compiler plugin and Surefire.

use super::Format;
use super::block::Block;
use super::sink::{Complaint, Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Maven {
    failing: Option<Failing>,
    /// What the compiler complains of; which symbol it does not find stands on the next line.
    complaint: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    file: String,
    line: u32,
    column: u32,
    message: String,
}

#[derive(Debug)]
struct Failing {
    class: String,
    name: String,
    message: Block,
}

impl Format for Maven {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        let text = ["[ERROR] ", "[INFO] ", "[WARNING] "].iter().find_map(|level| line.strip_prefix(level));
        if let Some(pending) = &mut self.complaint
            && let Some(symbol) = text.unwrap_or(line).trim_start().strip_prefix("symbol:")
        {
            pending.message.push_str(": ");
            pending.message.push_str(symbol.trim());
            return;
        }
        if let Some(text) = text {
            self.end(out);
            self.said(text, line.starts_with("[ERROR]"), out);
        } else if line.is_empty() || line.trim_start().starts_with("at ") {
            self.end(out);
        } else if let Some(failing) = &mut self.failing {
            failing.message.push(line);
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        if let Some(Pending { file, line, column, message }) = self.complaint.take() {
            let (line, column) = (Some(line), Some(column));
            let (file, message) = (file.as_str(), message.as_str());
            out.complaint(Tool::Javac, &Complaint { file, line, column, message, ..Complaint::default() });
        }
        let Some(Failing { class, name, message }) = self.failing.take() else { return };
        out.test(Tool::Maven, &Test { file: &class, name: &name, message: message.text(), place: "" });
    }
}

impl Maven {
    fn said(&mut self, text: &str, is_error: bool, out: &mut Sink<'_>) {
        if let Some(counts) = counts(text) {
            out.count(Tool::Maven, counts);
        } else if let Some((class, name)) = failed(text) {
            self.failing =
                Some(Failing { class: class.to_owned(), name: name.to_owned(), message: Block::default() });
        } else if is_error && let Some((file, line, column, message)) = compiler(text) {
            let (file, message) = (file.to_owned(), message.to_owned());
            self.complaint = Some(Pending { file, line, column, message });
        }
    }
}

/// `Tests run: 6, Failures: 3, Errors: 0, Skipped: 1`: the sum of a module has no time behind it.
fn counts(text: &str) -> Option<Counts> {
    let rest = text.strip_prefix("Tests run: ")?;
    if rest.contains("Time elapsed") {
        return None;
    }
    let mut counts = Counts::default();
    let mut total: u64 = 0;
    for (at, part) in rest.split(", ").enumerate() {
        let (what, number) = part.split_once(": ").unwrap_or(("run", part));
        let number: u64 = number.trim().parse().ok()?;
        match what {
            "run" if at == 0 => total = number,
            "Failures" => counts.failed = number,
            "Errors" => counts.errors = number,
            "Skipped" => counts.skipped = number,
            _ => return None,
        }
    }
    counts.passed = total.saturating_sub(counts.bad()).saturating_sub(counts.skipped);
    Some(counts)
}

/// `shop.TotalTest.everyPriceCounts -- Time elapsed: 0.01 s <<< FAILURE!`, and as it was before version 3:
/// `everyPriceCounts(shop.TotalTest)  Time elapsed: 0.01 s  <<< FAILURE!`.
fn failed(text: &str) -> Option<(&str, &str)> {
    let (test, ending) = text.split_once("Time elapsed: ")?;
    if !ending.contains("<<< FAILURE!") && !ending.contains("<<< ERROR!") || test.starts_with("Tests run: ") {
        return None;
    }
    let test = test.trim_end().trim_end_matches("--").trim_end();
    if let Some((name, class)) =
        test.strip_suffix(')').and_then(|test| test.rsplit_once('(')).filter(|(_, class)| class.contains('.'))
    {
        return Some((class, name));
    }
    // A parameter may contain dots; the class ends before the first bracket's last dot.
    let head = test.split(['(', '[', ' ']).next().unwrap_or(test);
    head.rfind('.').map(|dot| (&test[..dot], &test[dot + 1..]))
}

/// `/project/src/main/java/shop/Total.java:[12,5] incompatible types`.
fn compiler(text: &str) -> Option<(&str, u32, u32, &str)> {
    let (file, rest) = text.split_once(":[")?;
    let (place, message) = rest.split_once("] ")?;
    let (line, column) = place.split_once(',')?;
    Some((file, line.parse().ok()?, column.parse().ok()?, message.strip_prefix("error: ").unwrap_or(message)))
}
