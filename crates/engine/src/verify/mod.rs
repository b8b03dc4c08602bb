//! What ralph finds out by itself: the checks, where the tree stands, and whether the checks were tampered with.

mod check;
mod fixed;
mod head;
mod judge;
mod protect;
mod reflog;
mod window;

pub use fixed::content as definition;
pub(crate) use head::branch;
pub use head::commit as head;
pub use protect::patterns_without_files;
pub(crate) use reflog::commits_since;

use std::collections::BTreeMap;

use ralph_core::attempt::Attempt;
use ralph_core::check::{CheckResult, Failing};
use ralph_core::event::{Event, Occasion};
use ralph_core::judge::Shown;
use ralph_core::machine::Judged;
use ralph_core::progress::{Sketch, Standing};
use ralph_core::report::{Fault, Report};
use ralph_core::verdict::{self, Evidence, Verdict};
use ralph_snapshot::Snapshot;
use ralph_store::Store;

use crate::ask::Asked;
use crate::crash::crash_point;
use crate::desk::Since;
use crate::drive::Drive;
use crate::error::EngineError;
use crate::settle::Settled;

impl<S: Store + 'static> Drive<S> {
    /// Runs the checks before anything is done, so that what they say later can be told from what they always say.
    pub(crate) async fn baseline(&mut self) -> Result<(), EngineError> {
        crash_point("baseline.before");
        self.keep((0, 0), Occasion::Begin).await?;
        if self.commit().await? == Settled::Rewound {
            return Ok(());
        }
        let before = self.fixed();
        self.tell_unprotected();
        crash_point("baseline.inside");
        let outcome = match self.run_checks(0, 0, &mut Vec::new()).await? {
            Ok(shown) => {
                let checks = results(shown);
                // Checks leave things behind; what they leave is not the agent's doing.
                let kept = self.keep((0, 0), Occasion::End).await?;
                let standing = self.standing(&checks, kept.as_ref());
                Ok(Evidence { checks, standing, ..Evidence::default() })
            }
            Err(fault) => Err(fault),
        };
        let fixed = fixed::settled(before, self.fixed());
        self.tell_restless(&fixed);
        crash_point("baseline.after");
        self.run.after_baseline(outcome, fixed, self.now());
        Ok(())
    }

    pub(crate) async fn verify(&mut self, attempt: Attempt, report: Report) -> Result<(), EngineError> {
        crash_point("verify.before");
        let judged = match self.gather(&attempt, &report).await? {
            Ok(mut evidence) => {
                evidence.closed = self.is_closed(&attempt.task).await?;
                self.judge(&attempt, &report, evidence).await?
            }
            Err(fault) => Err(fault),
        };
        if let Ok(Judged { verdict: Verdict::Incomplete { .. }, evidence }) = &judged
            && evidence.closed
        {
            self.take_back(&attempt.task, Since::Work).await?;
        }
        crash_point("verify.inside");
        self.mind_constitution().await?;
        if let Ok(judged) = &judged {
            self.learn(&attempt, &report, judged).await?;
        }
        self.run.after_verify(attempt, &report, judged, self.now());
        crash_point("verify.after");
        Ok(())
    }

    async fn gather(
        &mut self,
        attempt: &Attempt,
        report: &Report,
    ) -> Result<Result<Evidence, Fault>, EngineError> {
        let kept = self.keep((attempt.iteration, attempt.number), Occasion::End).await?;
        if let Some(snapshot) = &kept {
            self.tell_changed((attempt.iteration, attempt.number), snapshot.id).await?;
        }
        if !self.run.policy.verification.gives_evidence() {
            return Ok(Ok(Evidence::default()));
        }
        let sketch = match &kept {
            Some(snapshot) => self.sketch(snapshot.id).await?,
            None => Sketch::default(),
        };
        // The end of the attempt is durable before the checks take their time.
        self.commit().await?;
        let mut tampering = self.tampering();
        let shown = match self.run_checks(attempt.iteration, attempt.number, &mut tampering).await? {
            Ok(shown) => shown,
            Err(fault) => return Ok(Err(fault)),
        };
        tampering.extend(self.run.baseline.iter().flat_map(|baseline| fixed::vanished(baseline, &shown)));
        let mut judgement = None;
        if self.run.wants_a_judge() {
            judgement = match self.ask_judge(attempt, report, &shown, &tampering, kept.as_ref()).await? {
                Ok(judgement) => Some(judgement),
                Err(fault) => return Ok(Err(fault)),
            };
        }
        let checks = results(shown);
        let standing = self.standing(&checks, kept.as_ref());
        Ok(Ok(Evidence { checks, tampering, standing, sketch, judgement, closed: false }))
    }

    /// The verdict, which a hook may turn towards failure.
    async fn judge(
        &mut self,
        attempt: &Attempt,
        report: &Report,
        evidence: Evidence,
    ) -> Result<Result<Judged, Fault>, EngineError> {
        let policy = &self.run.policy;
        let verdict = verdict::judge(&policy.completion, &policy.verification, report, &evidence);
        if !verdict.is_complete() || !self.hooks.may_veto("verdict") {
            return Ok(Ok(Judged { verdict, evidence }));
        }
        self.commit().await?;
        let (iteration, number) = (attempt.iteration, attempt.number);
        let asked = Event::Verdict { iteration, attempt: number, verdict: verdict.clone() };
        Ok(match self.ask(&asked).await? {
            Asked::Veto(veto) => {
                let findings = vec![format!("{}: {}", veto.hook, veto.why)];
                Ok(Judged { verdict: Verdict::Incomplete { findings }, evidence })
            }
            Asked::CutShort(fault) => Err(fault),
            Asked::Go => Ok(Judged { verdict, evidence }),
        })
    }

    /// Looks after each check at what they consist of: one that was changed can put itself back, or change the next.
    async fn run_checks(
        &mut self,
        iteration: u32,
        attempt: u32,
        tampering: &mut Vec<String>,
    ) -> Result<Result<Vec<Shown>, Fault>, EngineError> {
        let mut results = Vec::new();
        for check in self.run.policy.verification.checks.clone() {
            match self.check(&check, iteration, attempt).await? {
                Ok(result) => results.push(result),
                Err(fault) => return Ok(Err(fault)),
            }
            let Some(baseline) = &self.run.baseline else { continue };
            let more = fixed::changes(baseline, &self.fixed());
            tampering.extend(more.into_iter().filter(|one| !tampering.contains(one)).collect::<Vec<_>>());
        }
        Ok(Ok(results))
    }

    /// What the checks consist of, as it is now.
    fn fixed(&self) -> BTreeMap<String, String> {
        fixed::contents(&self.parts.place.root, &self.run.policy.verification)
    }

    /// What the agent did to the checks, seen before they run.
    fn tampering(&self) -> Vec<String> {
        let Some(baseline) = &self.run.baseline else { return Vec::new() };
        let now = self.fixed();
        let mut found = fixed::changes(baseline, &now);
        found.extend(fixed::additions(baseline, &now));
        found
    }

    fn tell_unprotected(&mut self) {
        let protect = &self.run.policy.verification.protect;
        for pattern in patterns_without_files(&self.parts.place.root, protect) {
            let text = format!("`{pattern}` is to be protected, and no file is there that it names");
            self.run.note(self.now().at, Event::Notice { text });
        }
    }

    fn tell_restless(&mut self, fixed: &BTreeMap<String, String>) {
        let names = fixed::restless(fixed);
        if names.is_empty() {
            return;
        }
        let text = format!(
            "the checks change this themselves, so nobody's change of it is noticed: {}",
            names.join(", ")
        );
        self.run.note(self.now().at, Event::Notice { text });
    }

    /// Where things stand; unknown without a snapshot of the tree.
    fn standing(&self, checks: &[CheckResult], kept: Option<&Snapshot>) -> Option<Standing> {
        Some(Standing {
            tree: kept?.tree_hash().to_string(),
            commit: head::commit(&self.parts.place.root),
            failing: failing(checks),
        })
    }
}

fn results(shown: Vec<Shown>) -> Vec<CheckResult> {
    shown.into_iter().map(|shown| shown.result).collect()
}

/// What fails of all checks together.
fn failing(checks: &[CheckResult]) -> Failing {
    let by_name: BTreeMap<&str, &Failing> = checks
        .iter()
        .filter(|check| !check.passed)
        .map(|check| (check.name.as_str(), &check.failing))
        .collect();
    let mut digest = blake3::Hasher::new();
    for (name, failing) in &by_name {
        digest.update(name.as_bytes()).update(b"\0").update(failing.digest.as_bytes()).update(b"\0");
    }
    let count = by_name.values().map(|failing| failing.count).sum();
    Failing { count, digest: digest.finalize().to_hex()[..32].to_owned() }
}
