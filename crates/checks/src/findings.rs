//! What the output of a check says.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::tool::Tool;

/// How the check's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    pub fn is_success(self) -> bool {
        self == Exit::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// What the runners say they counted, and the errors of compilers and linters; `None` when nothing was recognised.
    pub counts: Option<Counts>,
    /// How many tests were run; `None` where the output does not tell of all of them.
    pub tests: Option<u64>,
    /// Each failure once, in the order in which they were printed.
    pub failures: Vec<Failure>,
    /// Whether some of the output was passed over: a line too long, or more failures than are kept.
    pub truncated: bool,
    /// Whose output was recognised.
    pub sources: BTreeSet<Tool>,
}

impl Findings {
    /// Which failures there are, whatever each looks like.
    pub fn fingerprints(&self) -> BTreeSet<Fingerprint> {
        self.failures.iter().map(|failure| failure.fingerprint).collect()
    }

    /// Which failures there are and in what way each fails.
    pub fn details(&self) -> BTreeSet<(Fingerprint, Fingerprint)> {
        self.failures.iter().map(|failure| (failure.fingerprint, failure.detail)).collect()
    }
}

/// How many tests ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    /// What kept tests from running, and the errors of compilers and linters.
    pub errors: u64,
}

impl Counts {
    /// Everything that is wrong.
    pub fn bad(&self) -> u64 {
        self.failed.saturating_add(self.errors)
    }

    pub(crate) fn add(&mut self, other: Counts) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.errors = self.errors.saturating_add(other.errors);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which failure this is. Of a test: its name and file. Of a compiler or linter: file, code and message.
    pub fingerprint: Fingerprint,
    /// In what way it fails: the message without line numbers, times, addresses and the like.
    pub detail: Fingerprint,
    /// One line for a person.
    pub title: String,
    pub location: Option<Location>,
    /// What was printed about it, cut short.
    pub message: String,
    pub source: Tool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Below the project's root wherever that could be known.
    pub file: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}
