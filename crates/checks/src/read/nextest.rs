//! `cargo nextest run`.

use std::collections::BTreeMap;

use super::Format;
use super::block::Block;
use super::panics::Panic;
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

#[derive(Debug, Default)]
pub(super) struct Nextest {
    failing: Option<Failing>,
    /// Failures that a later try may still take back.
    tried: BTreeMap<(String, String), Failing>,
}

#[derive(Debug, Clone)]
struct Failing {
    program: String,
    name: String,
    retried: bool,
    panic: Panic,
    /// What it printed, if it did not panic.
    said: Block,
}

const MOST_TRIED: usize = 5_000;

impl Format for Nextest {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        if let Some(status) = status(line) {
            self.close(out);
            match status.ending {
                Ending::Bad { retried } => {
                    self.failing = Some(Failing {
                        program: status.program.to_owned(),
                        name: status.name.to_owned(),
                        retried,
                        panic: Panic::default(),
                        said: Block::default(),
                    });
                }
                Ending::Good if self.tried.is_empty() => {}
                Ending::Good => {
                    self.tried.remove(&(status.program.to_owned(), status.name.to_owned()));
                }
            }
        } else if let Some(counts) = summary(line) {
            self.close(out);
            out.count(Tool::Nextest, counts);
        } else if let Some(failing) = &mut self.failing {
            failing.line(line);
        }
    }

    fn end(&mut self, out: &mut Sink<'_>) {
        self.close(out);
        std::mem::take(&mut self.tried).values().for_each(|failing| failing.tell(out));
    }
}

impl Nextest {
    fn close(&mut self, out: &mut Sink<'_>) {
        let Some(failing) = self.failing.take() else { return };
        if failing.retried && self.tried.len() < MOST_TRIED {
            // At the end they are only listed: the first time says most.
            self.tried.entry((failing.program.clone(), failing.name.clone())).or_insert(failing);
        } else {
            failing.tell(out);
        }
    }
}

impl Failing {
    /// The harness of a single test repeats what is known.
    fn line(&mut self, line: &str) {
        self.panic.line(line);
        let trimmed = line.trim();
        let repeats =
            ["running ", "test ", "failures:", "---- ", "stdout ", "stderr ", "──", "error: test run"];
        if trimmed != self.name && !repeats.iter().any(|start| trimmed.starts_with(start)) {
            self.said.push(line);
        }
    }

    fn tell(&self, out: &mut Sink<'_>) {
        let message = match self.panic.message() {
            "" => self.said.text(),
            message => message,
        };
        let place = self.panic.place();
        out.test(Tool::Nextest, &Test { file: &self.program, name: &self.name, message, place });
    }
}

struct Status<'a> {
    ending: Ending,
    program: &'a str,
    name: &'a str,
}

enum Ending {
    Good,
    Bad { retried: bool },
}

/// `        FAIL [   0.109s] (3/6) shop::leap a_century_is_none`.
fn status(line: &str) -> Option<Status<'_>> {
    if !line.starts_with(' ') {
        return None;
    }
    let (words, rest) = line.split_once(" [")?;
    let words = words.trim_start();
    let retried = words.starts_with("TRY ");
    let word = words.rsplit(' ').next().unwrap_or(words);
    let ending = match word {
        "PASS" | "LEAK" => Ending::Good,
        "FAIL" | "TIMEOUT" | "ABORT" | "XFAIL" | "LEAK-FAIL" | "TMT" => Ending::Bad { retried },
        _ if word.starts_with("SIG") => Ending::Bad { retried },
        _ if words.starts_with("FLAKY ") => Ending::Good,
        _ => return None,
    };
    let (took, rest) = rest.split_once("] ")?;
    let is_time = took.trim().trim_start_matches('>').strip_suffix('s')?.trim().parse::<f64>().is_ok();
    let rest = rest.trim_start();
    // The counter is new; without it the program comes at once.
    let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(rest, |(_, rest)| rest);
    let (program, name) = rest.trim_start().split_once(' ')?;
    is_time.then_some(Status { ending, program, name: name.trim() })
}

/// `     Summary [   0.204s] 6 tests run: 3 passed (1 slow), 3 failed, 0 skipped`.
fn summary(line: &str) -> Option<Counts> {
    let rest = line.trim_start().strip_prefix("Summary [")?;
    let (_, numbers) = rest.split_once(" run: ")?;
    let mut counts = Counts::default();
    for part in numbers.split(", ") {
        let mut words = part.split_whitespace();
        let Some(number) = words.next().and_then(|word| word.parse::<u64>().ok()) else { continue };
        match words.next() {
            Some("passed") => counts.passed += number,
            Some("failed" | "timed" | "exec") => counts.failed += number,
            Some("skipped") => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}
