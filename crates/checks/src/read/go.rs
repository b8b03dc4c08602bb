//! `go test`, as text and as JSON.

use std::collections::{HashMap, HashSet};

use super::Format;
use super::block::Block;
use super::sink::{Sink, Test};
use crate::findings::Counts;
use crate::tool::Tool;

const MOST_TESTS: usize = 5_000;

/// What is known of the tests of the package that runs. Its name comes at the end, and then all are told.
#[derive(Debug, Default)]
pub(super) struct Package {
    failed: Vec<String>,
    messages: HashMap<String, Block>,
    /// Tests with tests within them: those are counted instead.
    around: HashSet<String>,
    counts: Counts,
    panic: Option<Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Passed,
    Failed,
    Skipped,
}

impl Package {
    pub(super) fn began(&mut self, test: &str) {
        if let Some((around, _)) = test.rsplit_once('/').filter(|_| self.around.len() < MOST_TESTS) {
            self.around.insert(around.to_owned());
        }
    }

    pub(super) fn say(&mut self, test: &str, line: &str) {
        if self.messages.len() < MOST_TESTS || self.messages.contains_key(test) {
            self.messages.entry(test.to_owned()).or_default().push(line);
        }
    }

    pub(super) fn ended(&mut self, test: &str, how: How) {
        let is_counted = u64::from(!self.around.contains(test));
        match how {
            How::Passed => self.counts.passed += is_counted,
            How::Skipped => self.counts.skipped += is_counted,
            How::Failed if self.failed.len() < MOST_TESTS => return self.failed.push(test.to_owned()),
            How::Failed => self.counts.failed += is_counted,
        }
        self.messages.remove(test);
    }

    /// Tells everything under the package's name, and begins anew. Of a test and one within it that both failed, the
    /// inner is the failure.
    pub(super) fn close(&mut self, package: &str, ending: Ending, out: &mut Sink<'_>) {
        let this = std::mem::take(self);
        let mut counts = this.counts;
        if let Some(panic) = this.panic.as_ref().filter(|_| this.failed.is_empty()) {
            let name = panic.text().lines().next().unwrap_or_default();
            out.test(Tool::GoTest, &Test { file: package, name, message: panic.text(), place: "" });
        }
        let slashes = |test: &str| test.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
        let around: HashSet<&str> =
            this.failed.iter().flat_map(|test| slashes(test).into_iter().map(|at| &test[..at])).collect();
        for test in this.failed.iter().filter(|test| !around.contains(test.as_str())) {
            counts.failed += 1;
            let panic = this.panic.as_ref().map_or("", Block::text);
            let message = this.messages.get(test).map_or(panic, Block::text);
            out.test(Tool::GoTest, &Test { file: package, name: test, message, place: place(message) });
        }
        // Without -v the tests that passed are not named: the package stands for them.
        if ending == Ending::Passed && counts == Counts::default() {
            counts.passed = 1;
        }
        out.count(Tool::GoTest, counts);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Passed,
    /// Or it could not be built, and then the compiler says why.
    Failed,
}

/// `leap_test.go:13` at the beginning of a message.
fn place(message: &str) -> &str {
    let line = message.lines().next().unwrap_or_default().trim_start();
    let place = line.split(": ").next().unwrap_or_default();
    if place.contains(".go:") { place } else { "" }
}

#[derive(Debug, Default)]
pub(super) struct GoTest {
    package: Package,
    is_used: bool,
    is_verbose: bool,
    current: String,
}

impl Format for GoTest {
    fn line(&mut self, line: &str, out: &mut Sink<'_>) {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("=== ") {
            let mut words = rest.split_whitespace();
            if let (Some("RUN" | "CONT" | "NAME" | "PAUSE"), Some(test)) = (words.next(), words.next()) {
                self.is_verbose = true;
                self.package.began(test);
                test.clone_into(&mut self.current);
            }
        } else if let Some((test, how)) = ended(trimmed) {
            self.is_used = true;
            self.package.ended(test, how);
            let goes_on = !self.is_verbose && how == How::Failed;
            if goes_on { test.clone_into(&mut self.current) } else { self.current.clear() }
        } else if let Some((package, ending)) = package(line) {
            self.is_used = false;
            self.current.clear();
            if !self.is_verbose {
                out.tells_not_all();
            }
            self.package.close(package, ending, out);
        } else if line.starts_with("panic: ") || line.starts_with("fatal error: ") {
            let panic = self.package.panic.get_or_insert_default();
            if panic.is_empty() {
                panic.push(line);
            }
        } else if line.starts_with("    ") && !self.current.is_empty() {
            let current = std::mem::take(&mut self.current);
            self.package.say(&current, line);
            self.current = current;
        }
    }

    /// A package whose end was never printed.
    fn end(&mut self, out: &mut Sink<'_>) {
        if std::mem::take(&mut self.is_used) {
            self.package.close("", Ending::Failed, out);
        }
    }
}

/// `--- FAIL: TestA/b (0.00s)`.
fn ended(line: &str) -> Option<(&str, How)> {
    let (word, rest) = line.strip_prefix("--- ")?.split_once(": ")?;
    let how = match word {
        "PASS" => How::Passed,
        "FAIL" => How::Failed,
        "SKIP" => How::Skipped,
        _ => return None,
    };
    let (test, time) = rest.rsplit_once(" (")?;
    time.ends_with("s)").then_some((test, how))
}

/// `FAIL\texample.com/shop\t0.004s`, `FAIL\texample.com/shop [build failed]`, `ok  \texample.com/shop\t0.004s`.
fn package(line: &str) -> Option<(&str, Ending)> {
    if let Some(rest) = line.strip_prefix("ok  \t") {
        return Some((rest.split(['\t', ' ']).next()?, Ending::Passed));
    }
    let rest = line.strip_prefix("FAIL\t")?;
    let name = rest.split(['\t', ' ']).next()?;
    Some((name, Ending::Failed))
}
