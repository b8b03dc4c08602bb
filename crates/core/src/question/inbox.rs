//! A run's questions, and which of them the next brief speaks of.

use serde::{Deserialize, Serialize};

use super::{Fate, Question, QuestionNo, assumption_in};

/// How many questions a run keeps; older ones are in the journal.
const KEPT: usize = 50;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbox {
    questions: Vec<Question>,
    /// What is decided and no judged attempt has been told of, the oldest first.
    pending: Vec<QuestionNo>,
    /// How many of them are in the brief of the present attempt.
    briefed: usize,
}

impl Inbox {
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// What the next brief says of earlier questions.
    pub fn pending(&self) -> impl Iterator<Item = &Question> {
        self.pending.iter().filter_map(|no| self.questions.iter().find(|question| question.no == *no))
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
        if let Some(at) = self.pending.iter().position(|other| *other == no) {
            self.pending.remove(at);
            self.briefed -= usize::from(at < self.briefed);
        }
        self.pending.push(no);
        true
    }

    pub(crate) fn brief(&mut self) {
        self.briefed = self.pending.len();
    }

    /// The attempt was judged: what its brief said need not be said again.
    pub(crate) fn judged(&mut self) {
        self.pending.drain(..std::mem::take(&mut self.briefed));
    }

    /// What the agent says it took for granted, where its brief asked for that.
    pub(crate) fn hear(&mut self, message: &str) -> Option<(Vec<QuestionNo>, String)> {
        let stated = assumption_in(message)?;
        let asked = &self.pending[..self.briefed];
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
