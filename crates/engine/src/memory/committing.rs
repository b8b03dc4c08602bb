//! What is committed while a task is worked on, by its agent or for it, is worth a fact.

use ralph_core::attempt::Attempt;
use ralph_core::note::Anchor;
use ralph_memory::{Commit, Commits, committed};
use ralph_store::Store;

use crate::drive::Drive;
use crate::verify::{commits_since, head};

impl<S: Store + 'static> Drive<S> {
    /// From here on, what is committed is noticed.
    pub(super) fn mind_head(&mut self, attempt: &Attempt) {
        // What was committed between iterations was not committed in one.
        if self.run.head.is_none() || attempt.number == 1 {
            self.run.head = head(&self.parts.place.root);
        }
    }

    /// What was committed since this was last asked.
    pub(super) fn fresh_commits(&mut self) -> Vec<Commit> {
        let root = &self.parts.place.root;
        let before = std::mem::replace(&mut self.run.head, head(root));
        before.map_or_else(Vec::new, |before| commits_since(root, &before))
    }

    /// Puts down what these come to.
    pub(super) async fn note_commits(&mut self, attempt: &Attempt, made: &[Commit], passed: bool) {
        let anchors: Vec<Anchor> = self.touched.values().cloned().collect();
        let session = self.run.in_session.as_ref().map(|place| place.session.clone());
        let task = self.remembered_task();
        let commits = Commits {
            run: &self.run.id,
            task: &task,
            iteration: attempt.iteration,
            session: session.as_ref(),
            made,
            anchors: &anchors,
            passed,
        };
        let at = self.now().at;
        let noted = committed(&**self.notes(), &commits, &self.parts.redactor, at).await;
        self.forgetful(noted);
    }
}
