//! Reading what a check printed.
//!
//! Every line is shown to every format, so an output in which a compiler speaks before a test runner gives the
//! failures of both. A format takes only what no other prints; where two could, the file's ending or the hint decides.
//!
//! What a failure is called ([`Failure::fingerprint`]) and in what way it fails ([`Failure::detail`]):
//!
//! | | fingerprint | detail |
//! |---|---|---|
//! | a test | runner, file or program, name | message |
//! | a complaint of a compiler or linter | tool, file, code, message, and its number among several alike | message and what is added to it |
//! | anything else that failed | the exit status | the last lines |
//!
//! All of them without line numbers, addresses, times, temporary paths and the project's root. Order does not matter.
//! Warnings are failures only when the check failed and nothing worse was said.

mod arrows;
mod block;
mod bun;
mod cargo_test;
mod colons;
mod eslint;
mod go;
mod gradle;
mod jest;
mod json;
mod junit;
mod maven;
mod mocha;
mod nextest;
mod node_spec;
mod panics;
mod pytest;
mod sink;
mod tap;
mod tsc;
mod vitest;

use std::collections::VecDeque;

use crate::findings::{Exit, Failure, Findings};
use crate::fingerprint::Fingerprint;
use crate::normal::Root;
use crate::text::{LONGEST_LINE, cut, lines, visible};
use crate::tool::Tool;
use sink::Sink;

/// So many lines at the end stand for an output that no format fits.
const LAST_LINES: usize = 10;
/// A document on one line is read up to this size.
const LONGEST_DOCUMENT: usize = 32 << 20;

/// What is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// What printed it, if that is known; it is only asked where the text itself leaves a doubt.
    pub tool: Option<Tool>,
    pub exit: Exit,
    pub root: &'a Root,
    /// Standard output and standard error as they came.
    pub bytes: &'a [u8],
}

/// A format that looks at one line after the other.
trait Format {
    fn line(&mut self, line: &str, out: &mut Sink<'_>);
    fn end(&mut self, out: &mut Sink<'_>);
}

/// Reads an output of any size, in time that grows with its size and memory that does not.
pub fn read(output: &Output<'_>) -> Findings {
    let mut sink = Sink::new(output.root);
    let mut formats = formats(output.tool);
    let mut documents = json::Documents::default();
    let mut last = VecDeque::new();
    junit::read(output.bytes, &mut sink, |part, sink| {
        for line in lines(part) {
            if looks_like_json(line) && line.len() <= LONGEST_DOCUMENT && documents.line(line, sink) {
                continue;
            }
            let (text, was_cut) = visible(line);
            if was_cut {
                sink.was_cut();
            }
            let text = text.trim_end();
            formats.iter_mut().for_each(|format| format.line(text, sink));
            remember(&mut last, text);
        }
    });
    formats.iter_mut().for_each(|format| format.end(&mut sink));
    documents.end(&mut sink);
    conclude(sink, output, &last)
}

fn formats(tool: Option<Tool>) -> Vec<Box<dyn Format>> {
    vec![
        Box::new(arrows::Arrows::default()),
        Box::new(cargo_test::CargoTest::default()),
        Box::new(nextest::Nextest::default()),
        Box::new(pytest::Pytest::default()),
        Box::new(jest::Jest::default()),
        Box::new(vitest::Vitest::default()),
        Box::new(mocha::Mocha::default()),
        Box::new(bun::Bun::default()),
        Box::new(node_spec::NodeSpec::default()),
        Box::new(tap::Tap::new(tool)),
        Box::new(go::GoTest::default()),
        Box::new(tsc::Tsc::default()),
        Box::new(eslint::Eslint::default()),
        Box::new(colons::Colons::new(tool)),
        Box::new(maven::Maven::default()),
        Box::new(gradle::Gradle::default()),
    ]
}

fn looks_like_json(line: &[u8]) -> bool {
    line.starts_with(b"{\"") || line.starts_with(b"[{\"")
}

/// Lines a person would look at first: those at the end that say something.
fn remember(last: &mut VecDeque<String>, line: &str) {
    if line.is_empty() {
        return;
    }
    let mut kept =
        if last.len() == LAST_LINES { last.pop_front().unwrap_or_default() } else { String::new() };
    kept.clear();
    kept.push_str(cut(line, LONGEST_LINE / 64));
    last.push_back(kept);
}

fn conclude(sink: Sink<'_>, output: &Output<'_>, last: &VecDeque<String>) -> Findings {
    let mut collected = sink.collected();
    if collected.failures.is_empty() && !output.exit.is_success() {
        collected.failures = std::mem::take(&mut collected.warnings);
        if let Some(counts) = &mut collected.counts {
            counts.errors += collected.failures.len() as u64;
        }
    }
    if collected.failures.is_empty() && !output.exit.is_success() {
        collected.failures.push(unexplained(output, last));
    }
    Findings {
        counts: collected.counts,
        tests: collected.tests,
        failures: collected.failures,
        truncated: collected.truncated,
        sources: collected.sources,
    }
}

/// The one failure of a check that failed without saying anything that is understood.
fn unexplained(output: &Output<'_>, last: &VecDeque<String>) -> Failure {
    let exit = output.exit.to_string();
    let lines: Vec<&str> = last.iter().map(String::as_str).collect();
    let message = sink::message(&lines.join("\n"));
    Failure {
        fingerprint: Fingerprint::of(&["exit", &exit]),
        detail: Fingerprint::of(&["detail", &output.root.normal(&message)]),
        title: exit,
        location: None,
        message,
        source: output.tool.unwrap_or(Tool::Unknown),
    }
}
