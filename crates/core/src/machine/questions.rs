//! What a run does when its agent asks instead of working.

use crate::agenda::Parked;
use crate::attempt::Attempt;
use crate::event::Event;
use crate::id::TaskId;
use crate::moment::Moment;
use crate::question::{Fate, Question, QuestionNo};
use crate::run::{Run, Step, Until};

impl Run {
    /// Puts the question into the inbox. Somebody may answer in time, or the run goes on without.
    pub(super) fn park(&mut self, task: TaskId, iteration: u32, text: String, attended: bool, now: Moment) {
        let no = self.inbox.next_no();
        let patience = self.policy.patience.of(attended);
        // Whatever the answer, a task that has used up its iterations is not taken up again.
        let is_waited_for = !patience.is_zero() && self.task_spent().is_none();
        let until = is_waited_for.then(|| now.after(patience));
        self.note(
            now.at,
            Event::QuestionAsked { question: no, task: task.clone(), iteration, text: text.clone(), until },
        );
        self.inbox.put(Question {
            no,
            task: task.clone(),
            iteration,
            text,
            asked_at: now.at,
            fate: Fate::Open,
        });
        if let Some(to) = until.filter(|_| self.has_backlog()) {
            self.put_away(Parked { task, question: no, to });
            return self.proceed(Step::Select, now);
        }
        self.proceed(Step::Select, now);
        match until {
            Some(to) if self.step == Step::Select => {
                let until = Until::Answer { from: now.at, to, question: no };
                self.step = Step::Wait(until, Box::new(Step::Select));
            }
            Some(_) => {}
            None => self.assume(no, now),
        }
    }

    /// The task names what nobody knows: somebody may tell before the agent is started, or it is to decide itself.
    pub fn wonder(&mut self, attempt: &Attempt, text: String, attended: bool, now: Moment) {
        let (task, iteration) = (attempt.task.clone(), attempt.iteration);
        let is_waited_for = !self.policy.patience.of(attended).is_zero();
        if is_waited_for && self.has_backlog() {
            self.mid_iteration = false;
            self.note(now.at, Event::IterationEnded { iteration, task: task.clone(), complete: false });
            return self.park(task, iteration, text, attended, now);
        }
        let no = self.inbox.next_no();
        let until = is_waited_for.then(|| now.after(self.policy.patience.of(attended)));
        let asked =
            Event::QuestionAsked { question: no, task: task.clone(), iteration, text: text.clone(), until };
        self.note(now.at, asked);
        self.inbox.put(Question { no, task, iteration, text, asked_at: now.at, fate: Fate::Open });
        match until {
            Some(to) => {
                let until = Until::Answer { from: now.at, to, question: no };
                self.step = Step::Wait(until, Box::new(Step::Think(attempt.clone())));
            }
            None => self.assume(no, now),
        }
    }

    /// Nobody answered: the agent is to decide, and to say what it takes for granted.
    pub(super) fn assume(&mut self, no: QuestionNo, now: Moment) {
        if let Some(agenda) = &mut self.agenda {
            agenda.unpark(no);
        }
        if self.inbox.assume(no) {
            self.note(now.at, Event::QuestionAssumed { question: no, assumption: None });
        }
    }

    /// The run goes on, so nobody waits any more for what it was paused or stopped over.
    pub(super) fn assume_open(&mut self, now: Moment) {
        let open = self.inbox.questions().iter().filter(|question| question.fate == Fate::Open);
        let open: Vec<QuestionNo> = open.map(|question| question.no).collect();
        open.into_iter().for_each(|no| self.assume(no, now));
    }

    /// A person answers: what waits for it goes on. An answer that comes late corrects what was assumed.
    pub(super) fn answer(&mut self, no: QuestionNo, answer: &str, now: Moment) {
        if !self.inbox.answer(no, answer) {
            return;
        }
        self.note(now.at, Event::QuestionAnswered { question: no, answer: answer.to_owned() });
        if let Some(agenda) = &mut self.agenda {
            agenda.unpark(no);
        }
        // With a backlog, whoever waits for one answer goes on with any.
        if let Step::Wait(Until::Answer { question, .. }, then) = self.step.clone()
            && (question == no || self.has_backlog())
        {
            self.proceed(*then, now);
        }
    }

    pub(super) fn hear_assumptions(&mut self, message: &str, now: Moment) {
        let Some((questions, stated)) = self.inbox.hear(message) else { return };
        for question in questions {
            self.note(now.at, Event::QuestionAssumed { question, assumption: Some(stated.clone()) });
        }
    }
}
