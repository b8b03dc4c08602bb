//! What an agent can ask about its own task: the same that its brief says, as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::id::{NoteId, RunId, TaskId};
use crate::policy::Signal;
use crate::question::Fate;
use crate::run::Run;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assignment {
    pub run: RunId,
    pub task: TaskId,
    pub title: String,
    /// What is to be done, in full.
    pub body: String,
    pub iteration: u32,
    pub max_iterations: Option<u32>,
    pub attempt: u32,
    /// What must all hold for the task to count as done.
    pub require: Vec<Signal>,
    /// What ralph runs after the attempt, each with its command.
    pub criteria: Vec<ToPass>,
    /// What earlier attempts came to, the newest last.
    pub tried: Vec<Earlier>,
    pub answers: Vec<Answered>,
    /// What the person who started the run said since.
    pub steering: Vec<String>,
    /// Whether anybody is waited for who may answer a question.
    pub waits_for_answers: bool,
    /// A note that the brief does without, to see how the work goes: whoever answers for ralph is to keep it back as well.
    /// The agent is not told of it, for what it can name it can ask for.
    #[serde(skip)]
    pub withheld: Option<NoteId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToPass {
    pub name: String,
    pub command: String,
}

/// An attempt before this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Earlier {
    pub iteration: u32,
    pub attempt: u32,
    pub outcome: String,
    pub findings: Vec<String>,
}

/// What was asked about the task and has an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    pub question: String,
    pub answer: String,
}

impl Assignment {
    /// Whether the agent is to do without a note.
    pub fn withholds(&self, note: &NoteId) -> bool {
        self.withheld.as_ref() == Some(note)
    }

    /// The task as its notes know it.
    pub fn remembered_as(&self) -> TaskId {
        crate::task::remembered_as(&self.task, &self.body)
    }

    /// `attended` says whether somebody is there who could answer a question.
    pub fn of(run: &Run, attempt: &Attempt, attended: bool) -> Assignment {
        let checks = run.policy.verification.checks.iter();
        let tried = run.tried.iter().map(|tried| Earlier {
            iteration: tried.iteration,
            attempt: tried.attempt,
            outcome: tried.outcome.clone(),
            findings: tried.findings.clone(),
        });
        let asked = run.inbox.questions().iter().filter(|question| question.task == run.task.id);
        let answers = asked.filter_map(|question| match &question.fate {
            Fate::Answered { answer } => {
                Some(Answered { question: question.text.clone(), answer: answer.clone() })
            }
            Fate::Open | Fate::Assumed { .. } => None,
        });
        Assignment {
            run: run.id.clone(),
            task: run.task.id.clone(),
            title: run.task.title.clone(),
            body: run.task.body.clone(),
            iteration: attempt.iteration,
            max_iterations: run.policy.limits.max_iterations.map(Into::into),
            attempt: attempt.number,
            require: run.policy.completion.require.iter().copied().collect(),
            criteria: checks
                .map(|check| ToPass { name: check.name.clone(), command: check.command.to_string() })
                .collect(),
            tried: tried.collect(),
            answers: answers.collect(),
            steering: run.steering.clone(),
            waits_for_answers: !run.policy.patience.of(attended).is_zero(),
            withheld: run.recalled.withheld.clone(),
        }
    }
}
