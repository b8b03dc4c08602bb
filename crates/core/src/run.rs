//! The state of a run: what it was asked, what it has used up, and the step it takes next.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::agenda::Agenda;
use crate::attempt::{Attempt, nonce};
use crate::brief::Brief;
use crate::control::ControlNo;
use crate::crew::Crew;
use crate::event::{Event, Occasion};
use crate::id::{AgentName, RunId, TaskId};
use crate::in_session::InSession;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::put_back::{ForkedFrom, PutBack};
use crate::question::{Inbox, Question, QuestionNo};
use crate::recollection::{Extracted, Recalled};
use crate::report::{Fault, Report, Usage};
use crate::route::Trouble;
use crate::stop::Stop;
use crate::task::Task;
use crate::verdict::Verdict;

/// Everything a run needs to go on after its process died. Stored whole at every durable step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub task: Task,
    /// What is known of the backlog that it goes through; none where it has a prompt.
    #[serde(default)]
    pub agenda: Option<Agenda>,
    /// The file that words its briefs, where one was named.
    #[serde(default)]
    pub template: Option<String>,
    /// The session that it lives in; none where ralph starts the agent itself.
    #[serde(default)]
    pub in_session: Option<InSession>,
    pub policy: Policy,
    pub crew: Crew,
    /// Where nonces come from.
    pub seed: u64,
    pub started_at: Timestamp,
    pub step: Step,
    /// What the checks found before the first iteration.
    #[serde(default)]
    pub baseline: Option<Baseline>,
    /// What they were like before the run that this one was forked from; it counts for more than what a fork finds, for
    /// the files that it begins with are an agent's work.
    #[serde(default)]
    pub inherited: Option<Baseline>,
    #[serde(default)]
    pub progress: Progress,
    /// What the task would have ended for, had no route changed something.
    #[serde(default)]
    pub troubles: Vec<Trouble>,
    /// The tree as it was when the present attempt began, and as it was before the run.
    #[serde(default)]
    pub begun_from: Option<String>,
    #[serde(default)]
    pub origin: Option<String>,
    /// What git's HEAD pointed at then.
    #[serde(default)]
    pub begun_head: Option<String>,
    #[serde(default)]
    pub origin_head: Option<String>,
    /// What the tree is to be put back to.
    #[serde(default)]
    pub owed: Option<PutBack>,
    pub pace: Pace,
    pub tally: Tally,
    /// Whether an iteration was begun and has not ended.
    pub mid_iteration: bool,
    /// What was proven when the run was aborted, and is not done with.
    #[serde(default)]
    pub unsettled: Option<Box<(Attempt, Verdict)>>,
    /// Tasks that were given up.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// Sentences for the next brief.
    pub steering: Vec<String>,
    /// How many of them are in the brief of the present attempt; they are done with once it is judged.
    pub steered: usize,
    /// What earlier attempts came to, the newest last; bounded.
    pub tried: Vec<Tried>,
    /// Who had the work before, and why it was given on, for the next brief.
    pub handover: Option<Handover>,
    #[serde(default)]
    pub inbox: Inbox,
    /// The notes that the brief of the present iteration had.
    #[serde(default)]
    pub recalled: Recalled,
    /// What an agent said that the present task was worth knowing for.
    #[serde(default)]
    pub extracted: Option<Extracted>,
    /// The digest of the constitution that the run began with; empty where there was none.
    #[serde(default)]
    pub constitution: Option<String>,
    /// Where git's HEAD was when it was last looked at for what is committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What the agent of the present iteration asked.
    #[serde(default)]
    pub asked: Option<String>,
    /// The last control that was applied.
    pub controls_seen: ControlNo,
    /// Events that the next commit writes.
    #[serde(skip)]
    pub fresh: Vec<Fresh>,
}

/// What the checks were like before anything was done, to notice it when they are tampered with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// How many tests each check ran.
    pub tests: BTreeMap<String, u64>,
    /// The content of the files that the checks consist of, by path.
    pub fixed: BTreeMap<String, String>,
}

impl Baseline {
    /// What was there first counts.
    pub(crate) fn under(self, earlier: Option<Baseline>) -> Baseline {
        let Baseline { mut tests, mut fixed } = self;
        let earlier = earlier.unwrap_or_default();
        tests.extend(earlier.tests);
        fixed.extend(earlier.fixed);
        Baseline { tests, fixed }
    }
}

/// What a run does next. **The state is the next step**, so to resume is to read it back and perform it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Run the checks before anything is done.
    Baseline,
    Select,
    Think(Attempt),
    Code(Attempt, Brief),
    Verify(Attempt, Box<Report>),
    Consolidate(Attempt, Verdict),
    Wait(Until, Box<Step>),
    /// Ends a half-done attempt properly before the run stops.
    Abandon(Attempt, Stop),
    Stop(Stop),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Until {
    /// Both ends are kept: after the clock was turned back, nobody waits longer than was meant.
    Time { from: Timestamp, to: Timestamp },
    /// Until the first agent may go on; the run's own time stands still.
    Reset { from: Timestamp, to: Timestamp },
    /// Until a question is answered; the run's own time stands still.
    Answer { from: Timestamp, to: Timestamp, question: QuestionNo },
    /// Until a person resumes the run.
    Told,
}

/// How the run goes on when it next comes to a place where it may begin an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pace {
    Going,
    Pausing,
    Stopping,
    Aborting,
}

/// What has been used up. Compared with the limits in `Run::limit_reached` and nowhere else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub iterations: u32,
    /// Iterations in a row on the present task.
    #[serde(default)]
    pub on_task: u32,
    /// Attempts begun in this iteration.
    pub attempts: u32,
    pub attempts_total: u32,
    /// Attempts in a row that ended in error.
    pub failures: u32,
    /// Attempts of this iteration that ended in error.
    #[serde(default)]
    pub errors: u32,
    /// Attempts that ended at an agent's limit.
    pub limits: u32,
    pub usage: Usage,
    pub running: Duration,
}

/// One line of "what was tried" and the end of what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    pub iteration: u32,
    pub attempt: u32,
    pub outcome: String,
    pub findings: Vec<String>,
    pub output_tail: String,
}

/// A task that was given up, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    pub task: TaskId,
    pub why: String,
}

impl Skipped {
    /// What became of it.
    pub(crate) fn told(&self) -> String {
        format!("was skipped: {}", self.why)
    }
}

/// The work changed hands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    pub from: AgentName,
    pub why: String,
}

/// An event that has happened and is not journalled yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fresh {
    pub at: Timestamp,
    pub event: Event,
}

/// What is asked of a new run.
#[derive(Debug, Clone)]
pub struct Request {
    pub id: RunId,
    pub task: Task,
    pub agenda: Option<Agenda>,
    pub template: Option<String>,
    pub in_session: Option<InSession>,
    pub policy: Policy,
    pub crew: Crew,
    pub seed: u64,
    /// The version of ralph.
    pub version: String,
    pub forked_from: Option<ForkedFrom>,
}

impl Run {
    /// The attempt that would come next in the present iteration.
    pub(crate) fn next_attempt(&self) -> Attempt {
        let number = self.tally.attempts + 1;
        let promise = &self.policy.completion.promise;
        let word = if promise.nonce {
            promise.word.with_nonce(&nonce(self.seed, self.tally.attempts_total + 1))
        } else {
            promise.word.clone()
        };
        Attempt {
            iteration: self.tally.iterations,
            number,
            task: self.task.id.clone(),
            agent: self.crew.at_work().agent.clone(),
            promise: word,
        }
    }

    pub fn stop(&self) -> Option<&Stop> {
        match &self.step {
            Step::Stop(stop) => Some(stop),
            Step::Baseline
            | Step::Select
            | Step::Think(_)
            | Step::Code(..)
            | Step::Verify(..)
            | Step::Consolidate(..)
            | Step::Wait(..)
            | Step::Abandon(..) => None,
        }
    }

    /// What a person wants no more of is ended in the middle. What is proven already is not.
    pub fn cut_short_by(&self) -> Option<Fault> {
        let leaves = || self.is_leaving() && !matches!(self.step, Step::Consolidate(..));
        match self.pace {
            Pace::Aborting => Some(Fault::Aborted),
            Pace::Going | Pace::Pausing | Pace::Stopping => leaves().then_some(Fault::Skipped),
        }
    }

    pub fn is_paused(&self) -> bool {
        matches!(self.step, Step::Wait(Until::Told, _))
    }

    /// Whether nothing is to be done before a person has said something, or has had the time to.
    pub fn awaits_a_person(&self, at: Timestamp) -> bool {
        match self.step {
            Step::Wait(Until::Told, _) => true,
            Step::Wait(Until::Answer { to, .. }, _) => at < to,
            _ => false,
        }
    }

    /// The question whose answer is waited for.
    pub fn asks(&self) -> Option<&Question> {
        let Step::Wait(Until::Answer { question, .. }, _) = self.step else { return None };
        self.inbox.questions().iter().find(|asked| asked.no == question)
    }

    /// Whether `ralph resume` may go on with it. A session goes on by itself, so what has ended there is over.
    pub fn is_unfinished(&self) -> bool {
        self.stop().is_none_or(|stop| stop.reason.is_resumable() && self.in_session.is_none())
    }

    /// The tree was kept, with git's HEAD pointing at that.
    pub fn kept(&mut self, snapshot: &str, head: Option<&str>, occasion: Occasion) {
        let head = head.map(str::to_owned);
        if self.origin.is_none() {
            (self.origin, self.origin_head) = (Some(snapshot.to_owned()), head.clone());
        }
        if occasion == Occasion::Begin {
            if let Some(agenda) = &mut self.agenda {
                agenda.kept(snapshot, self.tally.iterations, head.clone());
            }
            (self.begun_from, self.begun_head) = (Some(snapshot.to_owned()), head);
        }
    }

    /// Adds an event to the next commit.
    pub fn note(&mut self, at: Timestamp, event: Event) {
        self.fresh.push(Fresh { at, event });
    }

    /// How much of the run's own time is left, if it is limited.
    pub fn time_left(&self, running: Duration) -> Option<Duration> {
        self.policy.limits.max_duration.map(|max| max.saturating_sub(running))
    }
}
