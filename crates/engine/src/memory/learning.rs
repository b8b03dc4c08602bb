//! After an attempt: what it shows is put down in its task's scope, and the notes that its brief had are credited.

use std::cmp::Ordering;

use ralph_core::Timestamp;
use ralph_core::attempt::Attempt;
use ralph_core::check::CheckResult;
use ralph_core::event::Event;
use ralph_core::machine::Judged;
use ralph_core::note::{Anchor, KindName, Use};
use ralph_core::report::{Ran as Told, Report};
use ralph_memory::{
    Context, Query, Ran, Ranking, Visible, Witnessed, credit, headline, learn, recall_all, repeated, stated,
};
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::EngineError;

/// How many lines of the journal are read at a time.
const PAGE: usize = 1_000;
/// Patterns and failures of earlier work that a judge is told of.
const EXPECTED: usize = 3;

impl<S: Store + 'static> Drive<S> {
    /// What was found out about an attempt. Done twice, as after a crash, it changes nothing.
    pub(crate) async fn learn(
        &mut self,
        attempt: &Attempt,
        report: &Report,
        judged: &Judged,
    ) -> Result<(), EngineError> {
        if self.parts.memory.is_none() {
            return Ok(());
        }
        let before = self.checked_before(attempt).await?;
        let evidence = &judged.evidence;
        if self.learned_of.as_ref() != Some(&attempt.task) {
            self.learned_of = Some(attempt.task.clone());
            self.touched.clear();
        }
        for anchor in self.altered(evidence.sketch.files.clone()).await? {
            self.touched.insert((anchor.file.clone(), anchor.symbol.clone()), anchor);
        }
        // What is learned of one attempt is often about what an earlier one did.
        let anchors: Vec<Anchor> = self.touched.values().cloned().collect();
        let named = self.defined(named_in(report.notes())).await?;
        let bent = !self.run.policy.verification.allow_tampering && !evidence.tampering.is_empty();
        let (task, ran) = (self.remembered_task(), report.ran.iter().map(ran).collect::<Vec<_>>());
        let complete = judged.verdict.is_complete();
        let made = self.fresh_commits();
        let session = self.run.in_session.as_ref().map(|place| place.session.clone());
        let seen = Witnessed {
            run: &self.run.id,
            task: &task,
            title: &self.run.task.title,
            iteration: attempt.iteration,
            session: session.as_ref(),
            before: &before,
            checks: &evidence.checks,
            complete,
            sketch: &evidence.sketch,
            said: &report.tail,
            stated: report.notes(),
            ran: &ran,
            anchors: &anchors,
            named: &named,
            bent,
            commit: made.last().map(|commit| commit.id.as_str()),
        };
        let (at, proves) = (self.now().at, seen.passed());
        crash_point("learn.before");
        let repeated = repeated(&**self.notes(), &seen).await;
        let learned = learn(&**self.notes(), &seen, &self.parts.redactor, at).await;
        let repeated = self.forgetful(repeated).flatten();
        self.run.progress.failed_before(repeated);
        self.forgetful(learned);
        self.note_commits(attempt, &made, proves).await;
        crash_point("learn.inside");
        let (run, iteration) = (Some(self.run.id.clone()), Some(attempt.iteration));
        let succeeded = went(complete, &before, &evidence.checks);
        self.credit_recalled(&Use { run, task: Some(task), iteration, succeeded }, at).await;
        if proves {
            self.proven = Some(attempt.task.clone());
        }
        if !bent {
            // What bent checks say is compared with nothing.
            self.checked = Some(evidence.checks.clone());
        }
        Ok(())
    }

    /// A note may be the project's or everybody's.
    async fn credit_recalled(&mut self, used: &Use, at: Timestamp) {
        let recalled = self.run.recalled.clone();
        let (notes, withheld) = (&recalled.notes, recalled.withheld.as_ref());
        let credited = credit(&**self.notes(), notes, withheld, used, at).await;
        self.forgetful(credited);
        if let Some(global) = self.parts.memory.as_ref().and_then(|memory| memory.global.clone()) {
            let credited = credit(&*global, notes, withheld, used, at).await;
            self.forgetful(credited);
        }
    }

    /// What the checks found last, before this attempt.
    pub(super) async fn checked_before(
        &mut self,
        attempt: &Attempt,
    ) -> Result<Vec<CheckResult>, EngineError> {
        if let Some(checks) = &self.checked {
            return Ok(checks.clone());
        }
        let (mut checks, mut after) = (Vec::new(), 0);
        loop {
            let page = self.parts.store.entries(&self.run.id, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(checks) };
            after = last.seq;
            for entry in page {
                match entry.event {
                    Event::Baseline { checks: found } => checks = found,
                    // What was found is not so any more.
                    Event::RolledBack { .. } => checks = Vec::new(),
                    Event::Checked { iteration, attempt: number, checks: found, .. }
                        if (iteration, number) != (attempt.iteration, attempt.number) =>
                    {
                        checks = found;
                    }
                    _ => {}
                }
            }
        }
    }

    /// What holds of these files by what is remembered, and what failed there before: for a judge.
    pub(crate) async fn expectations(&mut self, files: &[String]) -> Vec<String> {
        if self.parts.memory.is_none() || files.is_empty() {
            return Vec::new();
        }
        let query = Query {
            limit: EXPECTED,
            kinds: vec![KindName::Pattern, KindName::Failure, KindName::Gotcha],
            visible: Visible::Task(self.remembered_task()),
            files: files.to_vec(),
            context: Context { files: files.to_vec(), ..Context::default() },
            ..Query::new(&self.run.task.title)
        };
        let now = self.now().at;
        let found = recall_all(&self.shelves(), &query, &Ranking::default(), now).await;
        let found = self.forgetful(found).unwrap_or_default();
        let line = |one: ralph_memory::Recalled| {
            let kind = one.note.said.kind.name().as_str();
            let label = if one.note.is_hypothesis() { " [HYPOTHESIS]" } else { "" };
            format!("{kind}{label}: {}", headline(&one.note))
        };
        found.into_iter().map(line).collect()
    }
}

/// The files that the agent's own notes are about.
fn named_in(said: &str) -> Vec<String> {
    stated(said).into_iter().flat_map(|draft| draft.files).collect()
}

fn ran(told: &Told) -> Ran {
    Ran { command: told.command.clone(), exit_code: Some(i32::from(!told.ok)) }
}

/// Whether the work went well or wrong; neither, where it only went on.
fn went(complete: bool, before: &[CheckResult], after: &[CheckResult]) -> Option<bool> {
    if complete {
        return Some(true);
    }
    if before.is_empty() || after.is_empty() {
        return None;
    }
    match failing(after).cmp(&failing(before)) {
        Ordering::Less => Some(true),
        Ordering::Equal => None,
        Ordering::Greater => Some(false),
    }
}

/// How much fails.
fn failing(checks: &[CheckResult]) -> u64 {
    checks.iter().filter(|check| !check.passed).map(|check| check.failing.count.max(1)).sum()
}
