//! An agent that judges is asked: what it is shown, and what came of it. It is there to look: it gets none of the
//! arguments that let an agent work without asking, and where something changed all the same its answer does not count.

use std::time::Instant;

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::check::{Judgement, Opinion};
use ralph_core::crew::Member;
use ralph_core::event::Stream;
use ralph_core::judge::{self, ASKINGS, Answered, Case, Shown, excerpt};
use ralph_core::report::{AgentExit, Fault, Report, Usage};
use ralph_snapshot::{Snapshot, SnapshotError, SnapshotId, TextLimits, Vault};
use ralph_store::Store;

use super::head;
use crate::agent::{Agent, Heard};
use crate::attempt::Reach;
use crate::attempt::ending::millis;
use crate::attempt::pipes::store_brief;
use crate::crash::crash_point;
use crate::custody::{Status, Streams};
use crate::drive::Drive;
use crate::errand::Returned;
use crate::error::EngineError;
use crate::output::{Recorder, Tail, printable};

/// What a judge is shown at most, in bytes: of the task, of all outputs together, of the difference.
const TASK: usize = 32 * 1024;
const OUTPUTS: usize = 64 * 1024;
const DIFF: usize = 48 * 1024;
/// However many checks there are, each shows this much.
const LEAST_OUTPUT: usize = 2 * 1024;
/// How many files are named.
const FILES: usize = 200;
/// How many of the files that a judge changed are named.
const NAMED: usize = 5;
/// What is read of an agent whose message is all that it prints, in characters.
const SAID: usize = 64 * 1024;

/// What of one check's output a judge sees, where there are so many checks.
pub(super) fn share(output: &[u8], checks: usize) -> String {
    excerpt(output, (OUTPUTS / checks.max(1)).max(LEAST_OUTPUT))
}

struct Asked {
    judgement: Judgement,
    /// Something changed while it was asked.
    meddled: bool,
}

/// The tree and git's HEAD.
type State = (Option<Snapshot>, Option<String>);

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
        let before = self.state().await?;
        if before.0.is_none() {
            return Ok(Ok(Judgement::unsure("what a judge changes would not be seen, so none was asked")));
        }
        let mut judgement = Judgement::unsure("nobody was asked");
        for asking in 1..=ASKINGS {
            let again = (asking > 1).then_some(judgement.reason.as_str());
            let brief = judge::compose(&Case { again, ..case.clone() });
            let asked = match self.asking(attempt, asking, &brief, &before).await? {
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
        brief: &Brief,
        before: &State,
    ) -> Result<Result<Asked, Fault>, EngineError> {
        crash_point("judge.before");
        let brief = Brief { text: self.parts.redactor.text(&printable(&brief.text)).into_owned() };
        let member = self.run.crew.judge(&self.run.policy.verification.judging);
        let (mut answered, fault) = match self.parts.roster.judge(&member) {
            Ok(agent) => self.converse(&*agent, &member, (attempt, asking), &brief).await?,
            Err(why) => (unusable(&member, why), None),
        };
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

    async fn converse(
        &mut self,
        agent: &dyn Agent,
        member: &Member,
        (attempt, asking): (&Attempt, u32),
        brief: &Brief,
    ) -> Result<(Answered, Option<Fault>), EngineError> {
        let begun = Instant::now();
        let attempt = Attempt {
            agent: member.agent.clone(),
            promise: self.run.policy.completion.promise.word.clone(),
            ..attempt.clone()
        };
        let place = self.fresh_place(attempt.iteration, attempt.number, &format!("judge-{asking}"))?;
        let file = store_brief(&place, brief)?;
        let (launch, stdin) = self.launch(agent, &attempt, brief, Some(&file), (Reach::Look, None))?;
        let mut recorder = Recorder::create(&place, &self.parts.redactor, self.parts.caps)?;
        let (mut listener, mut said) = (agent.listen(&attempt, brief), Tail::new(SAID));
        let mut take = |stream: Stream, released: &[u8]| {
            listener.hear(stream, released, &mut |_| {});
            if stream == Stream::Out {
                said.push(released);
            }
        };
        let mut hear = |stream: Stream, bytes: &[u8]| {
            take(stream, recorder.push(stream, bytes)?);
            Ok(())
        };
        let timeout = self.run.policy.verification.judging.timeout;
        let returned = self.errand(&launch, stdin, Streams::Apart, timeout, &mut hear).await?;
        for stream in [Stream::Out, Stream::Err] {
            take(stream, recorder.flush(stream)?);
        }
        recorder.finish()?;
        let ended = ended(&returned);
        let heard = listener.conclude(&ended);
        let said = (!agent.is_structured()).then(|| said.text());
        let answered =
            Answered { duration_ms: millis(begun.elapsed()), ..answer(member, heard, ended, said) };
        Ok(match returned {
            Ok(_) => (answered, None),
            Err(fault) => {
                (Answered { judgement: Judgement::unsure(fault.to_string()), ..answered }, Some(fault))
            }
        })
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

    async fn state(&self) -> Result<State, EngineError> {
        let head = head::commit(&self.parts.place.root);
        let Some(vault) = self.parts.vault.clone() else { return Ok((None, head)) };
        Ok((Some(self.aside(vault, Vault::take).await?), head))
    }

    /// What was changed meanwhile.
    async fn changed_since(&self, (tree, head): &State) -> Result<Vec<String>, EngineError> {
        let (now, head_now) = self.state().await?;
        let mut found = Vec::new();
        if let (Some(before), Some(after), Some(vault)) = (tree, now, self.parts.vault.clone())
            && before.tree_hash() != after.tree_hash()
        {
            let (from, to) = (before.id, after.id);
            let names = self.aside(vault, move |vault| names(vault, from, to, NAMED)).await?;
            found.push(format!("{} changed", names.join(", ")));
        }
        if *head != head_now {
            found.push("git's HEAD moved".to_owned());
        }
        Ok(found)
    }
}

fn names(vault: &Vault, from: SnapshotId, to: SnapshotId, most: usize) -> Result<Vec<String>, SnapshotError> {
    let changes = vault.diff(from, to)?;
    let mut names: Vec<String> =
        changes.iter().take(most).map(|change| change.path.to_string_lossy().into_owned()).collect();
    if changes.len() > most {
        names.push(format!("and {} more", changes.len() - most));
    }
    Ok(names)
}

fn ended(returned: &Result<Returned, Fault>) -> AgentExit {
    match returned {
        Ok(Returned::Ended(Status::Code(code))) => AgentExit::Code { code: *code },
        Ok(Returned::Ended(Status::Signal(signal))) => AgentExit::Signal { signal: *signal },
        Ok(Returned::Overdue) => AgentExit::TotalTimeout,
        Ok(Returned::NotStarted(why)) => AgentExit::NotStarted { why: why.clone() },
        Err(fault) => AgentExit::Failed { what: fault.to_string() },
    }
}

/// An answer counts only from an agent that ended as it should.
fn answer(member: &Member, heard: Heard, ended: AgentExit, said: Option<String>) -> Answered {
    let by_itself = matches!(ended, AgentExit::Code { .. } | AgentExit::Signal { .. });
    let exit = heard.exit.filter(|_| by_itself).unwrap_or(ended);
    let message = said.or(heard.message).unwrap_or_default();
    let judgement = match judge::read(&message) {
        Ok(judgement) if exit.is_clean() => judgement,
        Err(why) if exit.is_clean() => Judgement::unsure(why.to_string()),
        Ok(_) | Err(_) => Judgement::unsure(exit.to_string()),
    };
    let Member { agent, model, .. } = member.clone();
    Answered { agent, model, judgement, exit, usage: heard.usage, duration_ms: 0 }
}

fn unusable(member: &Member, why: String) -> Answered {
    let next = "`ralph agents` shows what there is".to_owned();
    let exit = AgentExit::Misconfigured { what: why, next };
    let Member { agent, model, .. } = member.clone();
    let judgement = Judgement::unsure(exit.to_string());
    Answered { agent, model, judgement, exit, usage: Usage::default(), duration_ms: 0 }
}
