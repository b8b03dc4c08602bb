//! An attempt as the tests tell of it.

use ralph_core::check::{CheckExit, CheckResult, Criterion, Failing, Failure};
use ralph_core::id::{RunId, TaskId};
use ralph_core::note::Anchor;
use ralph_core::progress::Sketch;
use ralph_memory::{Ran, Witnessed};

/// What a [`Witnessed`] borrows from.
pub(super) struct Attempt {
    pub(super) run: RunId,
    pub(super) task: TaskId,
    pub(super) iteration: u32,
    pub(super) before: Vec<CheckResult>,
    pub(super) checks: Vec<CheckResult>,
    pub(super) sketch: Sketch,
    pub(super) said: String,
    pub(super) ran: Vec<Ran>,
    pub(super) anchors: Vec<Anchor>,
    pub(super) named: Vec<Anchor>,
    pub(super) bent: bool,
}

impl Attempt {
    pub(super) fn new(iteration: u32) -> Attempt {
        Attempt {
            run: RunId::parse("0123456789ab").unwrap(),
            task: task(),
            iteration,
            before: Vec::new(),
            checks: Vec::new(),
            sketch: Sketch {
                pieces: vec![u64::from(iteration), 2, 3],
                files: vec!["src/lexer.rs".to_owned()],
            },
            said: String::new(),
            ran: Vec::new(),
            anchors: Vec::new(),
            named: Vec::new(),
            bent: false,
        }
    }

    pub(super) fn seen(&self) -> Witnessed<'_> {
        Witnessed {
            run: &self.run,
            task: &self.task,
            title: "mend the lexer",
            iteration: self.iteration,
            session: None,
            before: &self.before,
            checks: &self.checks,
            complete: !self.checks.is_empty() && self.checks.iter().all(|check| check.passed),
            sketch: &self.sketch,
            said: &self.said,
            stated: &self.said,
            ran: &self.ran,
            anchors: &self.anchors,
            named: &self.named,
            bent: self.bent,
            commit: None,
        }
    }
}

pub(super) fn task() -> TaskId {
    TaskId::parse("T-1").unwrap()
}

/// Tests of which these fail, each with a message.
pub(super) fn tests(failing: &[(&str, &str)]) -> CheckResult {
    let failures: Vec<Failure> = failing
        .iter()
        .map(|(name, message)| Failure {
            fingerprint: format!("fp-{name}"),
            title: (*name).to_owned(),
            message: (*message).to_owned(),
        })
        .collect();
    let passed = failures.is_empty();
    CheckResult {
        name: "tests".to_owned(),
        criterion: Criterion::TestPass,
        command: "cargo test".to_owned(),
        exit: CheckExit::Code { code: i32::from(!passed) },
        passed,
        counts: None,
        tests: None,
        failing: Failing { count: failures.len() as u64, digest: format!("{failing:?}") },
        failures,
        duration_ms: 5,
        tail: "running\nthe end of the output".to_owned(),
    }
}

pub(super) fn ran(command: &str, exit_code: i32) -> Ran {
    Ran { command: command.to_owned(), exit_code: Some(exit_code) }
}
