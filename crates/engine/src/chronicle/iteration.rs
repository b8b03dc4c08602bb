//! What an iteration came to: a fold of its part of the journal, like every view.

use std::path::PathBuf;
use std::time::Duration;

use ralph_chronicle::{Iteration, Outcome, Snapshots, Switch};
use ralph_core::Timestamp;
use ralph_core::check::{CheckResult, Judgement};
use ralph_core::event::{Ending, Event, Occasion};
use ralph_core::id::AgentName;
use ralph_core::report::Usage;
use ralph_core::verdict::Verdict;
use ralph_memory::without_notes;
use ralph_snapshot::{Change, Kind, SnapshotId};
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::{EngineError, chain};

/// How many journal lines are read at a time.
const PAGE: usize = 1_000;

#[derive(Default)]
struct Gathered {
    started_at: Option<Timestamp>,
    attempts: u32,
    agent: Option<AgentName>,
    model: Option<String>,
    effort: Option<String>,
    promised: bool,
    said: String,
    usage: Usage,
    checks: Vec<CheckResult>,
    judgement: Option<Judgement>,
    snapshots: Snapshots,
    switches: Vec<Switch>,
    commit: Option<String>,
    /// How the last attempt ended.
    ending: Option<Outcome>,
}

impl Gathered {
    fn take(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::IterationStarted { .. } => {
                *self = Gathered { started_at: Some(at), ..Gathered::default() };
            }
            Event::AttemptStarted { attempt, agent, model, effort, .. } => {
                (self.attempts, self.agent) = (*attempt, Some(agent.clone()));
                (self.model, self.effort) = (model.clone(), effort.clone());
            }
            Event::AttemptEnded { ending: Ending::Reported(report), .. } => {
                self.usage = self.usage.plus(report.usage);
                self.promised = report.claim.is_made();
                // What it has put down in it is told as notes.
                self.said = without_notes(&report.tail);
                self.ending = Some(Outcome::Failed { why: report.exit.to_string() });
            }
            Event::AttemptEnded { ending: Ending::Lost(fault), .. } => {
                self.ending = Some(Outcome::CutShort { why: fault.to_string() });
            }
            Event::SnapshotTaken { snapshot, occasion: Occasion::Begin, .. } => {
                self.snapshots.before.get_or_insert_with(|| snapshot.clone());
            }
            Event::SnapshotTaken { snapshot, occasion: Occasion::End, .. } => {
                self.snapshots.after = Some(snapshot.clone());
            }
            Event::JudgeAsked { usage, .. } => self.usage = self.usage.plus(*usage),
            Event::Checked { checks, judgement, .. } => {
                self.checks.clone_from(checks);
                self.judgement.clone_from(judgement);
            }
            Event::AgentChanged { from, to, why } => {
                let (from, to, why) = (from.clone(), to.clone(), why.clone());
                self.switches.push(Switch { from, to, why });
            }
            Event::TaskCommitted { commit, .. } => self.commit = Some(commit.clone()),
            _ => {}
        }
    }
}

impl<S: Store + 'static> Drive<S> {
    /// The last iteration; without a verdict, it ended before anything was judged.
    pub(super) async fn gather_iteration(
        &mut self,
        verdict: Option<&Verdict>,
    ) -> Result<Iteration, EngineError> {
        let gathered = self.gathered().await?;
        let files = self.changed_in(&gathered.snapshots).await?;
        let now = self.now().at;
        let started_at = gathered.started_at.unwrap_or(now);
        let took = Duration::try_from(now.duration_since(started_at)).unwrap_or_default();
        let (run, number) = (self.run.id.clone(), self.run.tally.iterations);
        let agent = gathered.agent.unwrap_or_else(|| self.run.crew.at_work().agent.clone());
        let nothing = || Outcome::CutShort { why: "no attempt was made".to_owned() };
        let outcome = verdict.map(Outcome::from).or(gathered.ending).unwrap_or_else(nothing);
        Ok(Iteration {
            started_at,
            ended_at: now,
            duration: took,
            model: gathered.model,
            effort: gathered.effort,
            attempts: gathered.attempts,
            promised: gathered.promised,
            said: gathered.said,
            usage: gathered.usage,
            checks: gathered.checks,
            judgement: gathered.judgement,
            files,
            snapshots: gathered.snapshots,
            commit: gathered.commit,
            sandbox: self.run.policy.sandbox.clone(),
            switches: gathered.switches,
            ..Iteration::new(run, number, &self.run.task, agent, outcome, now)
        })
    }

    /// What is journalled of the present iteration, and what is about to be.
    async fn gathered(&mut self) -> Result<Gathered, EngineError> {
        let mut gathered = Gathered::default();
        let mut after = self.diary.read;
        loop {
            let page = self.parts.store.entries(&self.run.id, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            page.iter().for_each(|entry| gathered.take(entry.at, &entry.event));
        }
        self.run.fresh.iter().for_each(|fresh| gathered.take(fresh.at, &fresh.event));
        // The next iteration begins behind what is journalled of this one.
        self.diary.read = after;
        Ok(gathered)
    }

    /// Snapshots that are gone cost the list of files and nothing else.
    async fn changed_in(&mut self, snapshots: &Snapshots) -> Result<Vec<PathBuf>, EngineError> {
        let id = |text: &Option<String>| text.as_ref()?.parse::<SnapshotId>().ok();
        let (Some(from), Some(to), Some(vault)) =
            (id(&snapshots.before), id(&snapshots.after), self.parts.vault.clone())
        else {
            return Ok(Vec::new());
        };
        match self.aside(vault, move |vault| vault.diff(from, to)).await {
            Ok(changes) => Ok(changes.into_iter().filter(is_file).map(|change| change.path).collect()),
            Err(EngineError::Snapshot(error)) => {
                self.tell_once(&format!("what iterations changed is not told: {}", chain(&error)));
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }
}

fn is_file(change: &Change) -> bool {
    let mut states = change.before.iter().chain(&change.after);
    states.any(|state| state.kind != Kind::Directory)
}
