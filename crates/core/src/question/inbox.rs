//! A run's questions, and which of them the next brief speaks of.

use serde::{Deserialize, Serialize};

use super::{Fate, Question, QuestionNo, assumption_in};
use crate::id::TaskId;

/// How many questions a run keeps; older ones are in the journal.
const KEPT: usize = 50;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbox {
    questions: Vec<Question>,
    /// What is decided and no judged attempt has been told of, the oldest first.
    pending: Vec<QuestionNo>,
    /// Those of them that are in the brief of the present attempt.
    #[serde(default)]
    in_brief: Vec<QuestionNo>,
}

impl Inbox {
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// What the next brief on a task says of what was asked about it.
    pub fn pending(&self, task: &TaskId) -> impl Iterator<Item = &Question> {
        let pending = self.pending.iter();
        let pending = pending.filter_map(|no| self.questions.iter().find(|question| question.no == *no));
        pending.filter(move |question| question.task == *task)
    }

    pub(crate) fn next_no(&self) -> QuestionNo {
        QuestionNo(self.questions.last().map_or(0, |last| last.no.0) + 1)
    }

    pub(crate) fn put(&mut self, question: Question) {
        if self.questions.len() == KEPT {
            self.questions.remove(0);
        }
        self.questions.push(question);
    }

    /// Gives up on an answer; false where that was decided before.
    pub(crate) fn assume(&mut self, no: QuestionNo) -> bool {
        let open = |question: &Question| question.fate == Fate::Open;
        self.decide(no, open, Fate::Assumed { assumption: None })
    }

    /// Takes an answer; false where there is no such question or it has one.
    pub(crate) fn answer(&mut self, no: QuestionNo, answer: &str) -> bool {
        self.decide(no, Question::is_unanswered, Fate::Answered { answer: answer.to_owned() })
    }

    fn decide(&mut self, no: QuestionNo, may: impl Fn(&Question) -> bool, fate: Fate) -> bool {
        let found = self.questions.iter_mut().find(|question| question.no == no && may(question));
        let Some(question) = found else { return false };
        question.fate = fate;
        self.in_brief.retain(|other| *other != no);
        self.pending.retain(|other| *other != no);
        self.pending.push(no);
        true
    }

    pub(crate) fn brief(&mut self, task: &TaskId) {
        self.in_brief = self.pending(task).map(|question| question.no).collect();
    }

    /// The attempt was judged: what its brief said need not be said again.
    pub(crate) fn judged(&mut self) {
        let said = std::mem::take(&mut self.in_brief);
        self.pending.retain(|no| !said.contains(no));
    }

    /// Nobody works on the task any more, so nobody needs to know.
    pub(crate) fn withdraw(&mut self, task: &TaskId) {
        let of_task = self.questions.iter_mut().filter(|question| question.task == *task);
        for question in of_task {
            self.pending.retain(|no| *no != question.no);
            if question.fate == Fate::Open {
                question.fate = Fate::Assumed { assumption: None };
            }
        }
    }

    /// What the agent says it took for granted, where its brief asked for that.
    pub(crate) fn hear(&mut self, message: &str) -> Option<(Vec<QuestionNo>, String)> {
        let stated = assumption_in(message)?;
        let asked = &self.in_brief;
        let mut assumed = Vec::new();
        for question in self.questions.iter_mut().filter(|question| asked.contains(&question.no)) {
            if let Fate::Assumed { assumption } = &mut question.fate {
                *assumption = Some(stated.clone());
                assumed.push(question.no);
            }
        }
        (!assumed.is_empty()).then_some((assumed, stated))
    }
}
