//! `cargo test`: one program after the other, each with its own list of failures.

use super::Format;
use super::block::Block;
use super::panics::Panic;
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct CargoTest {
    /// The program that runs, by its name and source.
    program: String,
    is_running: bool,
    section: Option<Section>,
    in_list: bool,
}

/// What a failing test printed.
#[derive(Debug)]
struct Section {
    name: String,
    panic: Panic,
    all: Block,
}

impl Format for CargoTest {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some(program) = program(line) {
            self.end(out);
            self.program = program;
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.close(out);
            self.is_running = false;
            self.in_list = false;
            if let Some(counts) = counts(result) {
                out.count(Tool::CargoTest, counts);
            }
        } else if is_start(line) {
            self.is_running = true;
        } else if let Some(name) = heading(line) {
            self.close(out);
            self.section =
                Some(Section { name: name.to_owned(), panic: Panic::default(), all: Block::default() });
        } else if line == "failures:" {
            self.close(out);
            self.in_list = true;
        } else if let Some(section) = &mut self.section {
            section.panic.line(line);
            section.all.push(line);
        } else if let Some(name) = line.strip_prefix("    ").filter(|_| self.in_list) {
            out.test(Tool::CargoTest, &Test { file: &self.program, name, ..Test::default() });
        }
    }

    /// A program that never said how it ended was killed, or killed itself.
    fn end(&mut self, out: &mut Sink<'_>) {
        self.close(out);
        self.in_list = false;
        if std::mem::take(&mut self.is_running) {
            let name = "the test program did not finish";
            out.test(Tool::CargoTest, &Test { file: &self.program, name, ..Test::default() });
        }
    }
}

impl CargoTest {
    fn close(&mut self, out: &mut Sink<'_>) {
        let Some(section) = self.section.take() else { return };
        let message = match section.panic.message() {
            "" => section.all.text(),
            message => message,
        };
        out.test(
            Tool::CargoTest,
            &Test { file: &self.program, name: &section.name, message, place: section.panic.place() },
        );
    }
}

/// `Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)` or `Doc-tests shop`.
fn program(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("doc-tests {name}"));
    }
    let (source, path) = line.strip_prefix("Running ")?.strip_suffix(')')?.split_once(" (")?;
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.trim_end_matches(".exe").rsplit_once('-').map_or(name, |(name, _)| name);
    Some(format!("{name} {}", source.trim_start_matches("unittests ")))
}

/// `running 2 tests`.
fn is_start(line: &str) -> bool {
    let number = line.strip_prefix("running ").and_then(|rest| rest.split_once(" test"));
    number.is_some_and(|(number, _)| number.parse::<u64>().is_ok())
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// `FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.07s`.
fn counts(result: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let (_, numbers) = result.split_once(". ")?;
    for part in numbers.split("; ") {
        let Some((number, what)) = part.split_once(' ') else { continue };
        let Ok(number) = number.parse() else { continue };
        match what {
            "passed" => counts.passed = number,
            "failed" => counts.failed = number,
            "ignored" => counts.skipped = number,
            _ => {}
        }
    }
    Some(counts)
}
