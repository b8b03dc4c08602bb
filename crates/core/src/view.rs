//! What a person sees of a run: a fold of its journal, so that a live run, another process's run and a replay
//! look alike.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::agenda::Source;
use crate::check::{CheckResult, Judgement};
use crate::control::Control;
use crate::event::{Ending, Entry, Event, LimitsShown};
use crate::id::{AgentName, RunId, SessionId, TaskId};
use crate::put_back::ForkedFrom;
use crate::question::{Fate, Question, QuestionNo};
use crate::report::Usage;
use crate::run::Skipped;
use crate::sandbox::Sandbox;
use crate::stop::RunState;

/// `ralph status --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunView {
    pub run: RunId,
    pub status: RunState,
    pub stop_reason: Option<String>,
    pub evidence: Option<String>,
    pub exit_code: Option<u8>,
    pub task: TaskId,
    /// How far the backlog is; none where the run has a prompt.
    pub backlog: Option<BacklogView>,
    pub prompt: String,
    pub description: String,
    pub iteration: u32,
    pub max_iterations: Option<u32>,
    /// Attempts begun in the whole run.
    pub attempts: u32,
    pub no_progress_count: u32,
    pub criteria: Vec<String>,
    /// What the checks found last.
    pub checks: Vec<CheckResult>,
    /// What the judge said last, where an agent judges.
    pub judgement: Option<Judgement>,
    pub promise: String,
    pub host_session: Option<SessionId>,
    /// The host of that session; null until one has presented it.
    pub host: Option<AgentName>,
    pub agent: AgentName,
    pub model: Option<String>,
    pub usage: Usage,
    /// The tree as it was before the run.
    pub snapshot: Option<String>,
    pub forked_from: Option<ForkedFrom>,
    pub last_output: String,
    pub questions: Vec<Question>,
    pub limits: LimitsShown,
    pub sandbox: Sandbox,
    pub doing: Doing,
    pub started_at: Timestamp,
    pub last_iteration_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// The journal's last line that this view has taken in.
    pub seq: u64,
}

/// How far a run over a backlog is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BacklogView {
    #[serde(flatten)]
    pub source: Source,
    /// In the order in which they were completed by this run.
    pub completed: Vec<TaskId>,
    pub skipped: Vec<Skipped>,
}

impl BacklogView {
    fn begin(source: Source) -> BacklogView {
        BacklogView { source, completed: Vec::new(), skipped: Vec::new() }
    }
}

/// What a run is at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Doing {
    Between,
    Attempt { attempt: u32, since: Timestamp, pid: Option<u32> },
    Waiting { until: Timestamp, why: String },
    Paused,
    Nothing,
}

impl RunView {
    /// A view begins with the run's first entry; anything else is not the beginning of a journal.
    pub fn begin(entry: &Entry) -> Option<RunView> {
        let Event::RunStarted(started) = &entry.event else { return None };
        let started = started.as_ref().clone();
        Some(RunView {
            run: started.run,
            status: RunState::Running,
            stop_reason: None,
            evidence: None,
            exit_code: None,
            task: started.task,
            backlog: started.backlog.map(BacklogView::begin),
            prompt: started.prompt,
            description: started.description,
            iteration: 0,
            max_iterations: started.limits.max_iterations,
            attempts: 0,
            no_progress_count: 0,
            criteria: started.criteria,
            checks: Vec::new(),
            judgement: None,
            promise: started.promise,
            host_session: started.session,
            host: started.host,
            agent: started.agent,
            model: started.model,
            usage: Usage::default(),
            snapshot: None,
            forked_from: started.forked_from,
            last_output: String::new(),
            questions: Vec::new(),
            limits: started.limits,
            sandbox: started.sandbox,
            doing: Doing::Between,
            started_at: entry.at,
            last_iteration_at: None,
            ended_at: None,
            seq: entry.seq,
        })
    }

    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Option<RunView> {
        let mut entries = entries.into_iter();
        let mut view = RunView::begin(entries.next()?)?;
        for entry in entries {
            view.take(entry);
        }
        Some(view)
    }

    pub fn take(&mut self, entry: &Entry) {
        self.seq = entry.seq;
        match &entry.event {
            Event::RunResumed {} | Event::Unpaused {} => self.reopened(),
            Event::IterationStarted { iteration, max_iterations, task } => {
                self.iteration = *iteration;
                self.max_iterations = *max_iterations;
                self.task = task.clone();
                self.last_iteration_at = Some(entry.at);
            }
            Event::AttemptStarted { .. } => self.attempt_started(entry),
            Event::AgentSpawned { pid: spawned, .. } => {
                if let Doing::Attempt { pid, .. } = &mut self.doing {
                    *pid = Some(*spawned);
                }
            }
            Event::AttemptEnded { ending, .. } => self.attempt_ended(ending),
            Event::Waiting { until, why } => {
                self.doing = Doing::Waiting { until: *until, why: why.clone() };
            }
            Event::Paused {} => {
                self.status = RunState::Paused;
                self.doing = Doing::Paused;
            }
            Event::AllLimited { until } => {
                self.status = RunState::Paused;
                self.doing = Doing::Waiting { until: *until, why: "every agent is limited".to_owned() };
            }
            Event::AgentChanged { to, .. } => self.agent = to.clone(),
            Event::QuestionAsked { until, .. } => self.asked(entry, *until),
            Event::QuestionAnswered { question, answer } => {
                self.decided(*question, &Fate::Answered { answer: answer.clone() });
            }
            Event::QuestionAssumed { question, assumption } => {
                self.decided(*question, &Fate::Assumed { assumption: assumption.clone() });
            }
            Event::SessionPresented { host, .. } => self.presented_by(host),
            Event::SessionReplaced { to, .. } => self.host_session = Some(to.clone()),
            Event::RunStopped { stop_reason, status, exit_code, evidence, .. } => {
                self.status = *status;
                self.stop_reason = Some(stop_reason.clone());
                self.evidence = Some(evidence.clone());
                self.exit_code = Some(*exit_code);
                self.ended_at = Some(entry.at);
                self.doing = Doing::Nothing;
            }
            Event::ControlApplied { control: Control::SetIterations { change }, changed: true, .. } => {
                let max = self.max_iterations.and_then(NonZeroU32::new);
                self.max_iterations = max.map(|max| change.applied(max).get());
            }
            Event::SnapshotTaken { snapshot, .. } => {
                self.snapshot.get_or_insert_with(|| snapshot.clone());
            }
            Event::Baseline { checks } => self.checks.clone_from(checks),
            Event::Checked { checks, judgement, .. } => {
                self.checks.clone_from(checks);
                self.judgement.clone_from(judgement);
            }
            Event::JudgeAsked { usage, .. } | Event::MemoryAsked { usage, .. } => {
                self.usage = self.usage.plus(*usage);
            }
            Event::Progress { unchanged, .. } => self.no_progress_count = *unchanged,
            Event::TaskStarted { title, .. } => self.description.clone_from(title),
            Event::TaskCompleted { .. } | Event::TaskSkipped { .. } => self.settled(&entry.event),
            Event::RunStarted(_)
            | Event::Verdict { .. }
            | Event::IterationEnded { .. }
            | Event::RolledBack { .. }
            | Event::FilesChanged { .. }
            | Event::TaskCommitted { .. }
            | Event::Recalled { .. }
            | Event::Consolidated { .. }
            | Event::AgentChosen { .. }
            | Event::ControlApplied { .. }
            | Event::Limit { .. }
            | Event::Notice { .. } => {}
        }
    }

    fn presented_by(&mut self, host: &AgentName) {
        self.host = Some(host.clone());
        self.agent = host.clone();
    }

    fn attempt_started(&mut self, entry: &Entry) {
        let Event::AttemptStarted { attempt, agent, model, promise, .. } = &entry.event else { return };
        self.status = RunState::Running;
        self.attempts += 1;
        self.agent = agent.clone();
        self.model.clone_from(model);
        self.promise.clone_from(promise);
        self.doing = Doing::Attempt { attempt: *attempt, since: entry.at, pid: None };
    }

    fn settled(&mut self, event: &Event) {
        let Some(backlog) = &mut self.backlog else { return };
        if let Event::TaskSkipped { task, why, .. } = event {
            backlog.skipped.push(Skipped { task: task.clone(), why: why.clone() });
            let of_task = self.questions.iter_mut().filter(|question| question.task == *task);
            of_task
                .filter(|question| question.fate == Fate::Open)
                .for_each(|question| question.fate = Fate::Assumed { assumption: None });
        } else if let Event::TaskCompleted { task, .. } = event {
            backlog.completed.push(task.clone());
        }
    }

    fn asked(&mut self, entry: &Entry, until: Option<Timestamp>) {
        let Event::QuestionAsked { question, task, iteration, text, .. } = &entry.event else { return };
        if let Some(until) = until {
            self.status = RunState::Paused;
            self.doing = Doing::Waiting { until, why: "an answer to the agent's question".to_owned() };
        }
        self.questions.push(Question {
            no: *question,
            task: task.clone(),
            iteration: *iteration,
            text: text.clone(),
            asked_at: entry.at,
            fate: Fate::Open,
        });
    }

    fn decided(&mut self, no: QuestionNo, fate: &Fate) {
        let Some(question) = self.questions.iter_mut().find(|question| question.no == no) else { return };
        let was = std::mem::replace(&mut question.fate, fate.clone());
        let waits = self.status == RunState::Paused && matches!(self.doing, Doing::Waiting { .. });
        if was == Fate::Open && waits {
            self.reopened();
        }
    }

    fn reopened(&mut self) {
        self.status = RunState::Running;
        self.stop_reason = None;
        self.evidence = None;
        self.exit_code = None;
        self.ended_at = None;
        self.doing = Doing::Between;
    }

    fn attempt_ended(&mut self, ending: &Ending) {
        self.doing = Doing::Between;
        match ending {
            Ending::Reported(report) => {
                self.usage = self.usage.plus(report.usage);
                self.last_output.clone_from(&report.tail);
            }
            Ending::Lost(_) => {}
        }
    }
}
