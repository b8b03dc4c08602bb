//! What ralph concludes from a report and from what it found itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{CheckResult, Judge, Judgement, Opinion, Verification};
use crate::policy::{Completion, Signal};
use crate::progress::{Sketch, Standing};
use crate::promise::Claim;
use crate::report::Report;

/// How many failures of one check a finding names.
const NAMED: usize = 10;

/// How a finding begins that is a judge's suggestion.
pub const SUGGESTION: &str = "suggestion: ";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Verdict {
    Complete {
        evidence: String,
    },
    Incomplete {
        /// What was missing, for the next brief.
        findings: Vec<String>,
    },
}

/// What ralph found by itself after an attempt, or before the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub checks: Vec<CheckResult>,
    pub judgement: Option<Judgement>,
    /// What the agent changed of what the checks consist of.
    pub tampering: Vec<String>,
    /// Where things stand now; unknown where the tree could not be read.
    pub standing: Option<Standing>,
    /// What the attempt changed.
    pub sketch: Sketch,
    /// Whether the tracker has the task as completed, which is not ralph's doing.
    #[serde(default)]
    pub closed: bool,
}

impl Verdict {
    pub fn is_complete(&self) -> bool {
        matches!(self, Verdict::Complete { .. })
    }
}

impl Evidence {
    pub fn all_pass(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|check| check.passed)
    }

    /// The end of what the first failing check printed.
    pub fn tail(&self) -> Option<&str> {
        let tail = |check: &CheckResult| !check.passed && !check.tail.trim().is_empty();
        self.checks.iter().find(|check| tail(check)).map(|check| check.tail.as_str())
    }

    fn changed_nothing(&self) -> bool {
        self.standing.is_some() && self.sketch.pieces.is_empty()
    }
}

/// Judges by every signal that the policy requires. A clean exit alone is never completion.
pub fn judge(
    completion: &Completion,
    verification: &Verification,
    report: &Report,
    evidence: &Evidence,
) -> Verdict {
    let mut shown = Vec::new();
    let mut findings = Vec::new();
    for signal in &completion.require {
        match signal {
            Signal::Promise => match promise_holds(report, evidence) {
                Ok(proof) => shown.push(proof),
                Err(missing) => findings.push(missing),
            },
            Signal::Criteria => match criteria_hold(verification, evidence) {
                Ok(proof) => shown.push(proof),
                Err(missing) => findings.extend(missing),
            },
            Signal::Tracker if evidence.closed => shown.push("the task was closed in the tracker".to_owned()),
            Signal::Tracker => findings.push("the task is not closed in its tracker".to_owned()),
            Signal::Tool if shows(report, evidence, *signal) => {
                shown.push("the agent called `task_complete`".to_owned());
            }
            Signal::Tool => findings.push("the tool `task_complete` was not called".to_owned()),
            Signal::Todo if shows(report, evidence, *signal) => {
                shown.push("everything on the agent's list is done".to_owned());
            }
            Signal::Todo => {
                findings.push("there is no list of things to do with everything on it done".to_owned());
            }
        }
    }
    // Who changed nothing has done nothing, whatever they claim, unless every check says otherwise.
    if !evidence.checks.is_empty()
        && evidence.changed_nothing()
        && !evidence.all_pass()
        && findings.is_empty()
    {
        findings.push("it was claimed that the task is done, but nothing was changed".to_owned());
        findings.extend(evidence.checks.iter().filter(|check| !check.passed).flat_map(failed));
    }
    if findings.is_empty() && !shown.is_empty() {
        Verdict::Complete { evidence: shown.join("; ") }
    } else {
        Verdict::Incomplete { findings }
    }
}

/// What an agent showed counts as its promise does: where it ended as it should, or every check agrees.
fn shows(report: &Report, evidence: &Evidence, signal: Signal) -> bool {
    report.signals.contains(&signal) && (report.exit.is_clean() || evidence.all_pass())
}

fn promise_holds(report: &Report, evidence: &Evidence) -> Result<String, String> {
    match &report.claim {
        Claim::Made { line } if report.exit.is_clean() || evidence.all_pass() => {
            Ok(format!("the promise was given on line {line} of the final message"))
        }
        Claim::Made { .. } => Err(format!("the promise was given, but the agent ended with {}", report.exit)),
        Claim::Refused { line, why } => {
            Err(format!("a promise on line {line} of your last message did not count: {why}"))
        }
        Claim::None => Err("the promise was not given".to_owned()),
    }
}

fn criteria_hold(verification: &Verification, evidence: &Evidence) -> Result<String, Vec<String>> {
    let mut findings = Vec::new();
    if !verification.allow_tampering {
        findings.extend(evidence.tampering.iter().cloned());
    }
    let by_exit = matches!(verification.judge, Judge::Exit | Judge::Both);
    if by_exit && evidence.checks.is_empty() {
        findings.push("no check was run".to_owned());
    }
    let failing = evidence.checks.iter().filter(|check| !check.passed);
    if by_exit || !agrees(evidence) {
        findings.extend(failing.flat_map(failed));
    }
    if verification.asks_an_agent() && !agrees(evidence) {
        findings.extend(objections(evidence.judgement.as_ref()));
    }
    if findings.is_empty() { Ok(proof(evidence)) } else { Err(findings) }
}

fn agrees(evidence: &Evidence) -> bool {
    evidence.judgement.as_ref().is_some_and(Judgement::is_success)
}

/// What a failing check found, one line for the check and one for each failure.
fn failed(check: &CheckResult) -> Vec<String> {
    let mut lines = vec![format!("`{}`: {}", check.command, check.summary())];
    lines.extend(check.failures.iter().take(NAMED).map(|failure| {
        let message = failure.message.lines().next().unwrap_or_default();
        if message.is_empty() { failure.title.clone() } else { format!("{}: {message}", failure.title) }
    }));
    let more = check.failing.count.saturating_sub(NAMED as u64);
    if more > 0 && check.failures.len() > NAMED {
        lines.push(format!("and {more} more"));
    }
    lines
}

fn objections(judgement: Option<&Judgement>) -> Vec<String> {
    let Some(judgement) = judgement else { return vec!["the judge gave no answer".to_owned()] };
    let said = match judgement.opinion {
        Opinion::Unsure => "the judge gave no answer that counts",
        Opinion::Failure | Opinion::Success => "the judge is not satisfied",
    };
    let mut lines = vec![format!("{said}: {}", judgement.reason)];
    lines.extend(judgement.suggestions.iter().map(|suggestion| format!("{SUGGESTION}{suggestion}")));
    lines
}

fn proof(evidence: &Evidence) -> String {
    let mut parts: Vec<String> = evidence.checks.iter().map(CheckResult::summary).collect();
    if agrees(evidence) {
        let reason = evidence.judgement.as_ref().map_or("", |judgement| judgement.reason.as_str());
        let overruled = evidence.checks.iter().any(|check| !check.passed);
        let says = if overruled { "the judge overrules that" } else { "the judge agrees" };
        parts.push(format!("{says}: {reason}"));
    }
    parts.join(", ")
}
