//! One check: run as it was fixed at the start, its output kept and read.

use std::path::PathBuf;
use std::time::Instant;

use ralph_checks::{Exit, Findings, Output, Root};
use ralph_core::check::{Check, CheckExit, CheckResult, Counts, Criterion, Failing, Failure};
use ralph_core::event::{Event, Stream};
use ralph_core::judge::Shown;
use ralph_core::report::Fault;
use ralph_core::sandbox::Mode;
use ralph_store::Store;

use super::judge::share;
use super::window::Window;
use crate::attempt::ending::{last_chars, millis};
use crate::custody::{Launch, Status, Streams};
use crate::drive::Drive;
use crate::errand::Returned;
use crate::error::EngineError;
use crate::output::Recorder;
use crate::sandbox::{Bounds, enclosed};

/// How much of the end of a check's output goes into the journal and the next brief.
const REPORTED_TAIL: usize = 4_000;
/// How many failures a result names.
const NAMED: usize = 50;
const LONGEST_MESSAGE: usize = 400;
/// How programs say that something is not theirs to write or to reach.
const REFUSALS: [&str; 4] =
    ["Permission denied", "Read-only file system", "Operation not permitted", "Network is unreachable"];
/// How much of a check's name is in a path.
const LONGEST_NAME: usize = 40;

impl<S: Store + 'static> Drive<S> {
    pub(super) async fn check(
        &mut self,
        check: &Check,
        iteration: u32,
        attempt: u32,
    ) -> Result<Result<Shown, Fault>, EngineError> {
        let begun = Instant::now();
        let place = self.fresh_place(iteration, attempt, &self.folder_of(check))?;
        let mut recorder = Recorder::create(&place, &self.parts.redactor, self.parts.caps)?;
        let mut window = Window::default();
        let stdin = crate::hooks::sealed(b"").map_err(|source| EngineError::Pipe { source })?;
        let launch = self.launch_of(check);
        let mut hear = |stream: Stream, bytes: &[u8]| {
            window.push(recorder.push(stream, bytes)?);
            Ok(())
        };
        // Runners tell on one stream which part of the project the lines on the other are about.
        let returned = match self.errand(&launch, stdin, Streams::Joined, check.timeout, &mut hear).await? {
            Ok(returned) => returned,
            Err(fault) => return Ok(Err(fault)),
        };
        for stream in [Stream::Out, Stream::Err] {
            window.push(recorder.flush(stream)?);
        }
        let tail = last_chars(&recorder.finish()?.tail, REPORTED_TAIL);
        let root = Root::new(&self.parts.place.root);
        let has_gap = window.has_gap();
        let printed = window.finish();
        let mut findings = read(&returned, &root, &printed);
        findings.tests = findings.tests.filter(|_| !has_gap);
        let mut result = result(check, &returned, &findings, tail);
        result.duration_ms = millis(begun.elapsed());
        if let Some(told) = kept_inside(&result.tail, self.run.policy.sandbox.mode).filter(|_| !result.passed)
        {
            result.tail = format!("{}\n{told}", result.tail.trim_end());
            self.run.note(self.now().at, Event::Notice { text: format!("{}: {told}", check.name) });
        }
        let checks = self.run.policy.verification.checks.len();
        let output = if self.run.wants_a_judge() { share(&printed, checks) } else { String::new() };
        Ok(Ok(Shown { result, output }))
    }

    /// Where its output is kept: by its place among the checks, for two names can look the same in a path.
    fn folder_of(&self, check: &Check) -> String {
        let all = &self.run.policy.verification.checks;
        let at = all.iter().position(|one| one == check).map_or(0, |at| at + 1);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = check.name.chars().take(LONGEST_NAME).map(plain).collect();
        format!("check-{at}-{name}")
    }

    /// What a crash cut short is done again, in a fresh place.
    pub(crate) fn fresh_place(
        &self,
        iteration: u32,
        attempt: u32,
        name: &str,
    ) -> Result<PathBuf, EngineError> {
        let path = self.parts.place.output(&self.run.id, iteration, attempt).join(name);
        match std::fs::remove_dir_all(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(EngineError::Write { path, source })
            }
            Ok(()) | Err(_) => Ok(path),
        }
    }

    /// In the run's sandbox: what a check runs, the agent wrote.
    fn launch_of(&self, check: &Check) -> Launch {
        let mut words = check.command.words().into_iter();
        let mut env = self.parts.environment.clone();
        env.push(("RALPH_RUN".into(), self.run.id.as_str().into()));
        env.extend(check.env.iter().map(|(name, value)| (name.into(), value.into())));
        let root = &self.parts.place.root;
        let launch = Launch {
            program: words.next().unwrap_or_default().into(),
            args: words.map(Into::into).collect(),
            env,
            dir: check.dir.as_ref().map_or_else(|| root.clone(), |dir| root.join(dir)),
        };
        self.confined(launch)
    }

    /// What a program sets for itself does not widen the bounds.
    pub(crate) fn confined(&self, launch: Launch) -> Launch {
        let (sandbox, confiner) = (&self.run.policy.sandbox, &self.parts.confiner);
        if sandbox.mode == Mode::Off {
            return launch;
        }
        let root = &self.parts.place.root;
        let bounds = Bounds::gather(root, &confiner.hidden, &self.parts.environment, &[], sandbox);
        enclosed(launch, sandbox, confiner, &bounds)
    }
}

/// What a person has to know of a check that may have failed only because of where it was run.
fn kept_inside(tail: &str, mode: Mode) -> Option<String> {
    let is_refused = REFUSALS.iter().any(|words| tail.contains(words));
    (mode != Mode::Off && is_refused).then(|| {
        format!(
            "[ralph: checks are run in the run's sandbox too ({}), and something was refused; `write` in `[sandbox]` allows \
             more]",
            mode.name()
        )
    })
}

fn read(returned: &Returned, root: &Root, bytes: &[u8]) -> Findings {
    let exit = match returned {
        Returned::Ended(Status::Code(code)) => Exit::Code(*code),
        Returned::Ended(Status::Signal(signal)) => Exit::Signal(*signal),
        Returned::Overdue | Returned::NotStarted(_) => Exit::Code(1),
    };
    ralph_checks::read(&Output { tool: None, exit, root, bytes })
}

fn result(check: &Check, returned: &Returned, findings: &Findings, tail: String) -> CheckResult {
    let exit = match returned {
        Returned::Ended(Status::Code(code)) => CheckExit::Code { code: *code },
        Returned::Ended(Status::Signal(signal)) => CheckExit::Signal { signal: *signal },
        Returned::Overdue => CheckExit::Timeout,
        Returned::NotStarted(why) => CheckExit::NotStarted { why: why.clone() },
    };
    let counts = findings.counts.map(|counts| Counts {
        passed: counts.passed,
        failed: counts.bad(),
        skipped: counts.skipped,
    });
    // A script may swallow the status of its test runner; what the runner printed still counts.
    let swallowed = check.criterion == Criterion::TestPass && counts.is_some_and(|counts| counts.failed > 0);
    let passed = exit == CheckExit::Code { code: 0 } && !swallowed;
    CheckResult {
        name: check.name.clone(),
        criterion: check.criterion,
        command: check.command.to_string(),
        exit,
        passed,
        counts,
        tests: findings.tests,
        failures: if passed { Vec::new() } else { failures(findings) },
        failing: if passed { Failing::default() } else { failing(findings) },
        duration_ms: 0,
        tail,
    }
}

fn failures(findings: &Findings) -> Vec<Failure> {
    let named = findings.failures.iter().take(NAMED);
    named
        .map(|failure| Failure {
            fingerprint: failure.fingerprint.to_string(),
            title: failure.title.clone(),
            message: failure.message.chars().take(LONGEST_MESSAGE).collect(),
        })
        .collect()
}

fn failing(findings: &Findings) -> Failing {
    let mut digest = blake3::Hasher::new();
    for fingerprint in findings.fingerprints() {
        digest.update(fingerprint.to_string().as_bytes());
    }
    let counted = findings.counts.map_or(0, |counts| counts.bad());
    let count = (findings.failures.len() as u64).max(counted).max(1);
    Failing { count, digest: digest.finalize().to_hex()[..32].to_owned() }
}
