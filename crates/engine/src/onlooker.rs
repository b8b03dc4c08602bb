//! An agent that is asked something in the middle of a run, and is there to look: it gets none of the arguments that let
//! an agent work without asking, and whatever changes meanwhile is seen.

use std::time::{Duration, Instant};

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::Member;
use ralph_core::event::Stream;
use ralph_core::report::{AgentExit, Fault, Usage};
use ralph_snapshot::{Snapshot, SnapshotError, SnapshotId, Vault};
use ralph_store::Store;

use crate::agent::{Agent, Heard};
use crate::attempt::Reach;
use crate::attempt::ending::millis;
use crate::attempt::pipes::store_brief;
use crate::custody::{Status, Streams};
use crate::drive::Drive;
use crate::errand::Returned;
use crate::error::EngineError;
use crate::output::{Recorder, Tail, printable};
use crate::verify::head;

/// How many of the files that it changed are named.
const NAMED: usize = 5;
/// What is read of an agent whose message is all that it prints, in characters.
const SAID: usize = 64 * 1024;

/// What it is asked, and on which occasion.
pub(crate) struct Question<'a> {
    pub(crate) attempt: &'a Attempt,
    /// The folder of what it prints, in that of the attempt.
    pub(crate) folder: String,
    pub(crate) brief: Brief,
    pub(crate) timeout: Duration,
}

/// What came of it.
pub(crate) struct Said {
    /// Its final message: all that it printed, where nothing tells that apart.
    pub(crate) message: String,
    pub(crate) exit: AgentExit,
    pub(crate) usage: Usage,
    pub(crate) duration_ms: u64,
    /// The run's own, for which it was not heard out.
    pub(crate) fault: Option<Fault>,
}

/// The tree and git's HEAD.
pub(crate) struct Scene {
    tree: Option<Snapshot>,
    head: Option<String>,
}

impl Scene {
    /// Whether a change of it would be noticed.
    pub(crate) fn is_seen(&self) -> bool {
        self.tree.is_some()
    }
}

impl<S: Store + 'static> Drive<S> {
    pub(crate) async fn ask_onlooker(
        &mut self,
        member: &Member,
        question: &Question<'_>,
    ) -> Result<Said, EngineError> {
        match self.parts.roster.judge(member) {
            Ok(agent) => self.converse(&*agent, member, question).await,
            Err(what) => {
                let next = "`ralph agents` shows what there is".to_owned();
                let exit = AgentExit::Misconfigured { what, next };
                let message = String::new();
                Ok(Said { message, exit, usage: Usage::default(), duration_ms: 0, fault: None })
            }
        }
    }

    async fn converse(
        &mut self,
        agent: &dyn Agent,
        member: &Member,
        question: &Question<'_>,
    ) -> Result<Said, EngineError> {
        let begun = Instant::now();
        let brief = Brief { text: self.parts.redactor.text(&printable(&question.brief.text)).into_owned() };
        let attempt = Attempt {
            agent: member.agent.clone(),
            promise: self.run.policy.completion.promise.word.clone(),
            ..question.attempt.clone()
        };
        let place = self.fresh_place(attempt.iteration, attempt.number, &question.folder)?;
        let file = store_brief(&place, &brief)?;
        let (launch, stdin) = self.launch(agent, &attempt, &brief, Some(&file), (Reach::Look, None))?;
        let mut recorder = Recorder::create(&place, &self.parts.redactor, self.parts.caps)?;
        let (mut listener, mut said) = (agent.listen(&attempt, &brief), Tail::new(SAID));
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
        let returned = self.errand(&launch, stdin, Streams::Apart, question.timeout, &mut hear).await?;
        for stream in [Stream::Out, Stream::Err] {
            take(stream, recorder.flush(stream)?);
        }
        recorder.finish()?;
        let ended = ended(&returned);
        let heard = listener.conclude(&ended);
        let printed = (!agent.is_structured()).then(|| said.text());
        Ok(Said { duration_ms: millis(begun.elapsed()), ..heard_out(heard, ended, printed, returned.err()) })
    }

    pub(crate) async fn scene(&self) -> Result<Scene, EngineError> {
        let head = head(&self.parts.place.root);
        let Some(vault) = self.parts.vault.clone() else { return Ok(Scene { tree: None, head }) };
        Ok(Scene { tree: Some(self.aside(vault, Vault::take).await?), head })
    }

    /// What was changed meanwhile.
    pub(crate) async fn changed_since(&self, before: &Scene) -> Result<Vec<String>, EngineError> {
        let now = self.scene().await?;
        let mut found = Vec::new();
        if let (Some(before), Some(after), Some(vault)) = (&before.tree, now.tree, self.parts.vault.clone())
            && before.tree_hash() != after.tree_hash()
        {
            let (from, to) = (before.id, after.id);
            let names = self.aside(vault, move |vault| names(vault, from, to, NAMED)).await?;
            found.push(format!("{} changed", names.join(", ")));
        }
        if before.head != now.head {
            found.push("git's HEAD moved".to_owned());
        }
        Ok(found)
    }
}

/// What differs between two trees, and how many more there are.
pub(crate) fn names(
    vault: &Vault,
    from: SnapshotId,
    to: SnapshotId,
    most: usize,
) -> Result<Vec<String>, SnapshotError> {
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

/// How it ended in its own words counts where it ended by itself.
fn heard_out(heard: Heard, ended: AgentExit, printed: Option<String>, fault: Option<Fault>) -> Said {
    let by_itself = matches!(ended, AgentExit::Code { .. } | AgentExit::Signal { .. });
    let exit = heard.exit.filter(|_| by_itself).unwrap_or(ended);
    let message = printed.or(heard.message).unwrap_or_default();
    Said { message, exit, usage: heard.usage, duration_ms: 0, fault }
}
