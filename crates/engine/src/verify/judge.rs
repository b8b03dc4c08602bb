//! An agent that judges is asked: what it is shown, and what came of it. Where something changed while it was there to
//! look, its answer does not count.

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::check::{Judgement, Opinion};
use ralph_core::crew::Member;
use ralph_core::judge::{self, ASKINGS, Answered, Case, Shown, excerpt};
use ralph_core::report::{Fault, Report};
use ralph_snapshot::{Snapshot, SnapshotId, TextLimits};
use ralph_store::Store;

use crate::crash::crash_point;
use crate::drive::Drive;
use crate::error::EngineError;
use crate::onlooker::{Question, Said, Scene, names};

/// What a judge is shown at most, in bytes: of the task, of all outputs together, of the difference.
const TASK: usize = 32 * 1024;
const OUTPUTS: usize = 64 * 1024;
const DIFF: usize = 48 * 1024;
/// However many checks there are, each shows this much.
const LEAST_OUTPUT: usize = 2 * 1024;
/// How many files are named.
const FILES: usize = 200;

/// What of one check's output a judge sees, where there are so many checks.
pub(super) fn share(output: &[u8], checks: usize) -> String {
    excerpt(output, (OUTPUTS / checks.max(1)).max(LEAST_OUTPUT))
}

struct Asked {
    judgement: Judgement,
    /// Something changed while it was asked.
    meddled: bool,
}

impl<S: Store + 'static> Drive<S> {
    /// Asks, and once more where the answer cannot be read.
    pub(super) async fn ask_judge(
        &mut self,
        attempt: &Attempt,
        report: &Report,
        checks: &[Shown],
        tampering: &[String],
        kept: Option<&Snapshot>,
    ) -> Result<Result<Judgement, Fault>, EngineError> {
        let (diff, files) = self.changes(kept).await?;
        let task = excerpt(self.run.task.body.as_bytes(), TASK);
        let message = report.tail.clone();
        let expected = self.expectations(&files).await;
        let case = Case {
            task: &task,
            checks,
            diff: diff.as_deref(),
            files: &files,
            tampering,
            message: &message,
            expected: &expected,
            again: None,
        };
        let before = self.scene().await?;
        if !before.is_seen() {
            return Ok(Ok(Judgement::unsure("what a judge changes would not be seen, so none was asked")));
        }
        let mut judgement = Judgement::unsure("nobody was asked");
        for asking in 1..=ASKINGS {
            let again = (asking > 1).then_some(judgement.reason.as_str());
            let brief = judge::compose(&Case { again, ..case.clone() });
            let asked = match self.asking(attempt, asking, brief, &before).await? {
                Ok(asked) => asked,
                Err(fault) => return Ok(Err(fault)),
            };
            judgement = asked.judgement;
            // What the checks saw is no longer there once something changed: nothing is left to ask about.
            if judgement.opinion != Opinion::Unsure || asked.meddled {
                break;
            }
        }
        Ok(Ok(judgement))
    }

    /// One asking, journalled before anything follows from it.
    async fn asking(
        &mut self,
        attempt: &Attempt,
        asking: u32,
        brief: Brief,
        before: &Scene,
    ) -> Result<Result<Asked, Fault>, EngineError> {
        crash_point("judge.before");
        let judging = &self.run.policy.verification.judging;
        let (member, timeout) = (self.run.crew.judge(judging), judging.timeout);
        let question = Question { attempt, folder: format!("judge-{asking}"), brief, timeout };
        let said = self.ask_onlooker(&member, &question).await?;
        let fault = said.fault;
        let mut answered = answer(member, said);
        crash_point("judge.inside");
        let changed = self.changed_since(before).await?;
        let meddled = !changed.is_empty();
        if meddled {
            let reason = format!("while it judged, {}; it is there to look", changed.join(" and "));
            answered.judgement = Judgement::unsure(reason);
        }
        let judgement = answered.judgement.clone();
        self.run.after_judge(attempt, asking, answered, self.now());
        self.commit().await?;
        crash_point("judge.after");
        Ok(fault.map_or(Ok(Asked { judgement, meddled }), Err))
    }

    /// What the attempt changed, and which files the whole run has.
    async fn changes(&self, kept: Option<&Snapshot>) -> Result<(Option<String>, Vec<String>), EngineError> {
        let (Some(vault), Some(kept)) = (self.parts.vault.clone(), kept) else {
            return Ok((None, Vec::new()));
        };
        let id = |text: &Option<String>| text.as_deref().and_then(|id| id.parse::<SnapshotId>().ok());
        let (begin, origin, end) = (id(&self.run.begun_from), id(&self.run.origin), kept.id);
        self.aside(vault, move |vault| {
            let limits = TextLimits { total: DIFF, ..TextLimits::default() };
            let diff = begin.map(|begin| vault.text_diff(begin, end, &limits)).transpose()?;
            let files = origin.map_or(Ok(Vec::new()), |origin| names(vault, origin, end, FILES))?;
            Ok((diff, files))
        })
        .await
    }
}

/// An answer counts only from an agent that ended as it should.
fn answer(member: Member, said: Said) -> Answered {
    let Said { message, exit, usage, duration_ms, fault } = said;
    let judgement = match (fault, judge::read(&message)) {
        (Some(fault), _) => Judgement::unsure(fault.to_string()),
        (None, Ok(judgement)) if exit.is_clean() => judgement,
        (None, Err(why)) if exit.is_clean() => Judgement::unsure(why.to_string()),
        (None, Ok(_) | Err(_)) => Judgement::unsure(exit.to_string()),
    };
    let Member { agent, model, .. } = member;
    Answered { agent, model, judgement, exit, usage, duration_ms }
}
