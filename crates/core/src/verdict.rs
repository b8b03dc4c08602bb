//! What ralph concludes from a report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::policy::{Completion, Signal};
use crate::promise::Claim;
use crate::report::Report;

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

impl Verdict {
    pub fn is_complete(&self) -> bool {
        matches!(self, Verdict::Complete { .. })
    }
}

/// Judges a report by every signal that the policy requires. A clean exit alone is never completion.
pub fn judge(completion: &Completion, report: &Report) -> Verdict {
    let mut evidence = Vec::new();
    let mut findings = Vec::new();
    for signal in &completion.require {
        match holds(*signal, report) {
            Ok(shown) => evidence.push(shown),
            Err(missing) => findings.push(missing),
        }
    }
    if findings.is_empty() && !evidence.is_empty() {
        Verdict::Complete { evidence: evidence.join("; ") }
    } else {
        Verdict::Incomplete { findings }
    }
}

fn holds(signal: Signal, report: &Report) -> Result<String, String> {
    match signal {
        Signal::Promise => promise_holds(report),
        // These have no source in a report yet, so they can never be taken for shown.
        Signal::Criteria | Signal::Tool | Signal::Todo | Signal::Tracker => {
            Err(format!("nothing shows {signal:?} yet").to_lowercase())
        }
    }
}

fn promise_holds(report: &Report) -> Result<String, String> {
    match &report.claim {
        Claim::Made { line } if report.exit.is_clean() => {
            Ok(format!("the promise was given on line {line} of the final message"))
        }
        Claim::Made { .. } => Err(format!("the promise was given, but the agent ended with {}", report.exit)),
        Claim::Refused { line, why } => {
            Err(format!("a promise on line {line} of your last message did not count: {why}"))
        }
        Claim::None => Err("the promise was not given".to_owned()),
    }
}
