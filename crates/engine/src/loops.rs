//! Loops inside the sessions of a host, for programs that embed ralph.
//!
//! Nothing is spawned here: starting a loop records it and gives the first brief; the host's own events drive it
//! from then on, through the same machine as `ralph run`.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use ralph_core::agenda::Selection;
use ralph_core::brief;
use ralph_core::check::Verification;
use ralph_core::control::Control;
use ralph_core::crew::{Crew, Member};
use ralph_core::event::Entry;
use ralph_core::id::{AgentName, BadId, RunId, SessionId};
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, Patience, Policy, Promise, Retry};
use ralph_core::promise::{Word, WordError};
use ralph_core::redact::Redactor;
use ralph_core::report::Fault;
use ralph_core::run::{Request, Run, Step};
use ralph_core::sandbox::Sandbox;
use ralph_core::task::Task;
use ralph_core::view::RunView;
use ralph_store::{Commit, Seat, Store, StoreError};

/// How many journal lines are read at a time.
const PAGE: usize = 1_000;

/// What may be said about a new loop; the defaults are those of an in-session loop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoopOptions {
    pub limits: Option<Limits>,
    /// The word to promise with; `DONE` by default.
    pub promise: Option<String>,
    /// A line for people; the prompt's first line by default.
    pub description: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    #[error(transparent)]
    Session(#[from] BadId),
    #[error(transparent)]
    Promise(#[from] WordError),
    #[error("the prompt is empty")]
    EmptyPrompt,
    #[error("the loop has no limit on iterations, time, tokens or cost")]
    Unbounded,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The loops of one host in one project.
#[derive(Debug)]
pub struct Loops<S> {
    store: Arc<S>,
    host: AgentName,
    redactor: Redactor,
}

impl<S: Store> Loops<S> {
    /// The redactor decides what of a prompt is a secret and never stored.
    pub fn new(store: Arc<S>, host: AgentName, redactor: Redactor) -> Loops<S> {
        Loops { store, host, redactor }
    }

    /// Records a loop in a session. False if that session has one already.
    pub async fn start_loop(
        &self,
        session: &str,
        prompt: &str,
        options: LoopOptions,
    ) -> Result<bool, LoopError> {
        let seat = self.seat(session)?;
        if prompt.trim().is_empty() {
            return Err(LoopError::EmptyPrompt);
        }
        let now = Moment { at: Timestamp::now(), running: std::time::Duration::ZERO };
        let mut run = Run::start(self.request(prompt, options, now.at)?, now);
        let task = run.task.clone();
        run.after_select(Selection::prompt(task), now);
        if let Step::Think(attempt) = run.step.clone() {
            let brief = brief::compose(&run, &attempt);
            run.after_think(attempt, brief, now);
        }
        match self.store.create_loop(&run, now.at, &seat, &[]).await {
            Ok(_) => Ok(true),
            Err(StoreError::RunExists { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the loop of a session. False if it has none.
    pub async fn cancel_loop(&self, session: &str) -> Result<bool, LoopError> {
        let Some(id) = self.active(session).await? else { return Ok(false) };
        self.store.request(&id, &Control::Abort, Timestamp::now()).await?;
        let Some(mut run) = self.store.take_run(&id).await? else { return Ok(false) };
        let now = Moment { at: Timestamp::now(), running: run.tally.running };
        for (no, control) in self.store.waiting_controls(&id, run.controls_seen).await? {
            run.apply(no, &control, now);
        }
        while run.stop().is_none() {
            match run.step.clone() {
                Step::Code(attempt, _) => run.after_code(attempt, Err(Fault::Aborted), now),
                Step::Verify(attempt, report) => {
                    run.after_verify(attempt, &report, Err(Fault::Aborted), now);
                }
                Step::Consolidate(attempt, verdict) => run.after_consolidate(attempt, verdict, false, now),
                Step::Abandon(_, stop) => run.after_abandon(&stop, now),
                Step::Wait(_, then) => run.after_wait(*then, now),
                Step::Baseline => run.after_baseline(Err(Fault::Aborted), BTreeMap::new(), now),
                Step::Select | Step::Think(_) | Step::Stop(_) => run.after_wait(run.step.clone(), now),
            }
        }
        self.write(run, now).await
    }

    /// Another process may ask something in the last moment; the loop ends all the same.
    async fn write(&self, mut run: Run, now: Moment) -> Result<bool, LoopError> {
        loop {
            match self.store.commit(&run, now.at, &[]).await? {
                Commit::Written(_) => return Ok(true),
                Commit::Controls(controls) => {
                    for (no, control) in controls {
                        run.apply(no, &control, now);
                    }
                }
            }
        }
    }

    /// What a session's loop is at, or, without a session, the newest loop of this host. None if there is none.
    pub async fn state(&self, session: Option<&str>) -> Result<Option<RunView>, LoopError> {
        let id = match session {
            Some(session) => self.store.loop_of(Some(&self.host), &SessionId::parse(session)?).await?,
            None => {
                let mut loops = self.store.loops().await?.into_iter();
                loops.find(|(seat, _)| seat.host == self.host).map(|(_, run)| run.id)
            }
        };
        match id {
            Some(id) => Ok(RunView::of(&self.journal(&id, 0).await?)),
            None => Ok(None),
        }
    }

    pub async fn is_active(&self, session: &str) -> Result<bool, LoopError> {
        Ok(self.active(session).await?.is_some())
    }

    /// The journal of a session's loop after `seq`, for a program that watches.
    pub async fn entries(&self, session: &str, after: u64) -> Result<Vec<Entry>, LoopError> {
        let session = SessionId::parse(session)?;
        match self.store.loop_of(Some(&self.host), &session).await? {
            Some(id) => self.journal(&id, after).await,
            None => Ok(Vec::new()),
        }
    }

    async fn active(&self, session: &str) -> Result<Option<RunId>, LoopError> {
        let session = SessionId::parse(session)?;
        let Some(id) = self.store.loop_of(Some(&self.host), &session).await? else { return Ok(None) };
        let run = self.store.run(&id).await?;
        Ok(run.filter(|run| run.stop().is_none()).map(|run| run.id))
    }

    async fn journal(&self, id: &RunId, mut after: u64) -> Result<Vec<Entry>, LoopError> {
        let mut journal = Vec::new();
        loop {
            let page = self.store.entries(id, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(journal) };
            after = last.seq;
            journal.extend(page);
        }
    }

    fn seat(&self, session: &str) -> Result<Seat, LoopError> {
        Ok(Seat { host: self.host.clone(), session: SessionId::parse(session)? })
    }

    fn request(&self, prompt: &str, options: LoopOptions, at: Timestamp) -> Result<Request, LoopError> {
        let limits = options.limits.unwrap_or_else(|| Limits::defaults(Kind::InSession { criteria: false }));
        if !limits.are_bounding() {
            return Err(LoopError::Unbounded);
        }
        let word = Word::parse(options.promise.as_deref().unwrap_or("DONE"))?;
        let mut task = Task::prompt(&self.redactor.text(prompt));
        if let Some(description) = options.description {
            task.title = self.redactor.text(&description).into_owned();
        }
        let (entropy, seed) = (crate::entropy(), crate::entropy());
        Ok(Request {
            id: RunId::new(at, entropy),
            task,
            agenda: None,
            template: None,
            policy: Policy {
                limits,
                completion: Completion::by_promise(Promise { word, nonce: true }),
                verification: Verification::default(),
                deadlines: Deadlines::default(),
                retry: Retry::default(),
                patience: Patience::For(std::time::Duration::ZERO),
                sandbox: Sandbox::default(),
                on_failure: ralph_core::policy::OnFailure::Keep,
            },
            crew: Crew::new(Member::new(self.host.clone(), Vec::new()), Vec::new()),
            seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            forked_from: None,
        })
    }
}
