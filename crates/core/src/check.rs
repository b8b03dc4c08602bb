//! What ralph runs itself to see whether the work is done, and what that found.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Judging;

/// What a check is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    TestPass,
    BuildSuccess,
    LintClean,
    TypeCheck,
    Custom,
}

impl Criterion {
    pub const ALL: [Criterion; 5] = [
        Criterion::TestPass,
        Criterion::BuildSuccess,
        Criterion::LintClean,
        Criterion::TypeCheck,
        Criterion::Custom,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Criterion::TestPass => "test_pass",
            Criterion::BuildSuccess => "build_success",
            Criterion::LintClean => "lint_clean",
            Criterion::TypeCheck => "type_check",
            Criterion::Custom => "custom",
        }
    }
}

/// A check as it is run: fixed when the run starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    pub name: String,
    pub criterion: Criterion,
    pub command: Command,
    /// Where it runs, below the project's root.
    pub dir: Option<String>,
    pub env: BTreeMap<String, String>,
    #[serde(rename = "timeout_ms", with = "millis")]
    #[schemars(with = "u64")]
    pub timeout: Duration,
    /// The files whose change would change what the check means, below the project's root.
    pub defined_in: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// For `sh -c`.
    Shell(String),
    /// Program and arguments, without a shell.
    Program(Vec<String>),
}

impl Command {
    pub fn words(&self) -> Vec<String> {
        match self {
            Command::Shell(line) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
            Command::Program(words) => words.clone(),
        }
    }
}

impl std::fmt::Display for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Command::Shell(line) => f.write_str(line),
            Command::Program(words) => f.write_str(&words.join(" ")),
        }
    }
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    pub name: String,
    pub criterion: Criterion,
    pub command: String,
    pub exit: CheckExit,
    pub passed: bool,
    /// Where the output could be read that far.
    pub counts: Option<Counts>,
    /// How many tests were run, where the output tells of all of them.
    #[serde(default)]
    pub tests: Option<u64>,
    /// The first of what failed, in the order of the output.
    pub failures: Vec<Failure>,
    pub failing: Failing,
    pub duration_ms: u64,
    /// The end of its output.
    pub tail: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CheckExit {
    Code { code: i32 },
    Signal { signal: i32 },
    Timeout,
    NotStarted { why: String },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The same for the same failure, whatever the line numbers, times and paths.
    pub fingerprint: String,
    pub title: String,
    pub message: String,
}

/// Everything that failed, as one value to compare.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Failing {
    pub count: u64,
    /// Of the sorted fingerprints, or of the normalised output where nothing could be read from it.
    pub digest: String,
}

impl CheckResult {
    /// One line for briefs, screens and evidence.
    pub fn summary(&self) -> String {
        let name = &self.name;
        let exit = match &self.exit {
            CheckExit::Code { code: 0 } if self.passed => String::new(),
            CheckExit::Code { code } => format!(" (exit code {code})"),
            CheckExit::Signal { signal } => format!(" (ended by signal {signal})"),
            CheckExit::Timeout => " (took too long)".to_owned(),
            CheckExit::NotStarted { why } => format!(" (could not be started: {why})"),
        };
        let counted = match self.counts {
            Some(Counts { passed, failed, .. }) if passed + failed > 0 => {
                format!(": {passed} passed, {failed} failed")
            }
            _ if self.failing.count > 0 => format!(": {} found", self.failing.count),
            _ => String::new(),
        };
        let verdict = if self.passed { "passes" } else { "fails" };
        format!("{name} {verdict}{exit}{counted}")
    }
}

/// What an agent says that was asked to judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    pub opinion: Opinion,
    pub reason: String,
    pub suggestions: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    Success,
    Failure,
    /// It gave no answer that could be read; never taken for success.
    Unsure,
}

impl Opinion {
    pub fn name(self) -> &'static str {
        match self {
            Opinion::Success => "success",
            Opinion::Failure => "failure",
            Opinion::Unsure => "unsure",
        }
    }
}

/// Who judges the checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// Exit status and output.
    #[default]
    Exit,
    Agent,
    Both,
}

/// How a run verifies; fixed when it starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    pub checks: Vec<Check>,
    pub judge: Judge,
    /// Whether a check must have failed before the first iteration.
    pub red_first: bool,
    /// Whether a change of what the checks consist of fails the verdict, or is only reported.
    pub allow_tampering: bool,
    /// Files that are part of the checks, as patterns below the project's root.
    pub protect: Vec<String>,
    /// Who judges, where an agent does.
    #[serde(default)]
    pub judging: Judging,
}

impl Verification {
    /// Whether an agent has a say in what holds.
    pub fn asks_an_agent(&self) -> bool {
        matches!(self.judge, Judge::Agent | Judge::Both)
    }

    /// Whether anything but the agent's word tells how an attempt came out.
    pub fn gives_evidence(&self) -> bool {
        !self.checks.is_empty() || self.asks_an_agent()
    }
}

mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Ok(Duration::from_millis(u64::deserialize(from)?))
    }
}
