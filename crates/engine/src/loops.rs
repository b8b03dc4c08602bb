//! Loops inside the sessions of a host, for programs that embed ralph.
//!
//! Nothing is spawned here: starting a loop records it; the host's own events drive it from then on (`session`),
//! through the same machine as `ralph run`.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ralph_core::agenda::Selection;
use ralph_core::check::Verification;
use ralph_core::crew::{Crew, Member};
use ralph_core::event::Entry;
use ralph_core::id::{AgentName, BadId, RunId, SessionId};
use ralph_core::in_session::{InSession, Strategy};
use ralph_core::moment::Moment;
use ralph_core::policy::{Completion, Deadlines, Kind, Limits, Patience, Policy, Promise, Retry, Signal};
use ralph_core::promise::{Word, WordError};
use ralph_core::redact::Redactor;
use ralph_core::run::{Request, Run, Step};
use ralph_core::sandbox::Sandbox;
use ralph_core::task::Task;
use ralph_core::view::RunView;
use ralph_store::{Berth, NewDelivery, Store, StoreError};

use crate::hooks::{self, Hook};

/// How many journal lines are read at a time.
const PAGE: usize = 1_000;

/// What may be said about a new loop; the defaults are those of an in-session loop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoopOptions {
    pub limits: Option<Limits>,
    /// The word to promise with; `DONE` by default.
    pub promise: Option<String>,
    /// Takes the bare word, without a suffix of its own for each attempt.
    pub bare_word: bool,
    /// The checks that must pass as well.
    pub criteria: Verification,
    /// What must hold, where that is not the promise, and the criteria where there are any.
    pub require: Option<std::collections::BTreeSet<Signal>>,
    pub strategy: Strategy,
    /// A line for people; the prompt's first line by default.
    pub description: Option<String>,
    /// Ends a loop that the session has already.
    pub replace: bool,
    /// Where summaries of replaced sessions are kept, below the project's root.
    pub summaries: Option<String>,
    /// Iterations that were made before ralph had the loop; they count.
    pub made: u32,
    /// What keeps the checks inside.
    pub sandbox: Sandbox,
    /// How long a question of the agent waits for its answer; without it the agent is to decide at once.
    pub patience: Option<Duration>,
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
    /// The host goes on; the journal says why, and the loop is paused, unless it could not even be that.
    #[error("{why}")]
    LetGo { why: String, run: RunId, is_paused: bool },
}

/// The loops of one host in one project, or of whichever host, where none is named.
#[derive(Debug)]
pub struct Loops<S> {
    pub(crate) store: Arc<S>,
    pub(crate) host: Option<AgentName>,
    pub(crate) redactor: Redactor,
    hooks: Vec<Hook>,
}

/// What lives in a session, and which others have a loop, with what each was last written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Living {
    pub here: Option<RunId>,
    /// A loop that was started here without a host, and waits for whichever presents the session first ([`presented`]).
    ///
    /// [`presented`]: Loops::presented
    pub unpresented: Option<RunId>,
    pub elsewhere: Vec<SessionId>,
}

impl<S: Store> Loops<S> {
    /// Without a host, a session is known by its name alone, and a loop that is started there is that host's which first
    /// tells of the session. The redactor decides what of a prompt is a secret and never stored.
    pub fn new(store: Arc<S>, host: impl Into<Option<AgentName>>, redactor: Redactor) -> Loops<S> {
        Loops { store, host: host.into(), redactor, hooks: Vec::new() }
    }

    /// Who is to be told of what happens to loops while nobody drives them: it waits in the outbox ([`deliver_due`]).
    ///
    /// [`deliver_due`]: crate::deliver_due
    pub fn with_hooks(self, hooks: Vec<Hook>) -> Loops<S> {
        Loops { hooks, ..self }
    }

    /// The calls that a change of a run causes.
    pub(crate) fn deliveries(&self, run: &Run) -> Vec<NewDelivery> {
        hooks::deliveries(&self.hooks, run)
    }

    /// Records a loop in a session. False if that session has one already.
    pub async fn start_loop(
        &self,
        session: &str,
        prompt: &str,
        options: LoopOptions,
    ) -> Result<bool, LoopError> {
        let berth = Berth { host: self.host.clone(), session: SessionId::parse(session)? };
        if prompt.trim().is_empty() {
            return Err(LoopError::EmptyPrompt);
        }
        let now = Moment { at: Timestamp::now(), running: Duration::ZERO };
        let (replace, made) = (options.replace, options.made);
        let request = self.request(prompt, options, &berth, now.at)?;
        if replace {
            self.make_room(&berth.session).await?;
        }
        let mut run = Run::start(request, now);
        run.tally.iterations = made;
        // What is checked and recalled first, the host's next event has done.
        if run.step == Step::Select {
            let task = run.task.clone();
            run.after_select(Selection::prompt(task), now);
        }
        match self.store.create_loop(&run, now.at, &berth, &self.deliveries(&run)).await {
            Ok(_) => Ok(true),
            Err(StoreError::RunExists { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends whatever would keep a loop from being started in a session.
    async fn make_room(&self, session: &SessionId) -> Result<(), LoopError> {
        for (berth, run) in self.store.loops().await? {
            if berth.session == *session && (berth.host.is_none() || self.is_ours(&berth)) {
                self.abort(&run.id, "cancelled").await?;
            }
        }
        Ok(())
    }

    fn is_ours(&self, berth: &Berth) -> bool {
        self.host.is_none() || berth.host == self.host
    }

    /// What a session's loop is at, or, without a session, the newest loop of this host. None if there is none.
    pub async fn state(&self, session: Option<&str>) -> Result<Option<RunView>, LoopError> {
        let id = match session {
            Some(session) => self.store.loop_of(self.host.as_ref(), &SessionId::parse(session)?).await?,
            None => {
                let mut loops = self.store.loops().await?.into_iter();
                loops.find(|(berth, _)| self.is_ours(berth)).map(|(_, run)| run.id)
            }
        };
        match id {
            Some(id) => Ok(RunView::of(&self.journal(&id, 0).await?)),
            None => Ok(None),
        }
    }

    pub async fn is_active(&self, session: &str) -> Result<bool, LoopError> {
        Ok(self.living(&SessionId::parse(session)?).await?.is_some())
    }

    /// The journal of a session's loop after `seq`, for a program that watches.
    pub async fn entries(&self, session: &str, after: u64) -> Result<Vec<Entry>, LoopError> {
        let session = SessionId::parse(session)?;
        match self.store.loop_of(self.host.as_ref(), &session).await? {
            Some(id) => self.journal(&id, after).await,
            None => Ok(Vec::new()),
        }
    }

    /// The loop that goes on in a session, with one look at the store.
    pub(crate) async fn living(&self, session: &SessionId) -> Result<Option<RunId>, LoopError> {
        Ok(self.look(session).await?.here)
    }

    /// Which sessions of this host have a loop that goes on, with one look at the store.
    pub async fn look(&self, session: &SessionId) -> Result<Living, LoopError> {
        let mut found = Living::default();
        for (berth, run) in self.store.loops().await? {
            match (berth.session == *session, self.is_ours(&berth)) {
                (true, true) => drop(found.here.get_or_insert(run.id)),
                (true, false) if berth.host.is_none() => drop(found.unpresented.get_or_insert(run.id)),
                (false, true) => found.elsewhere.push(berth.session),
                (_, false) => {}
            }
        }
        Ok(found)
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

    fn request(
        &self,
        prompt: &str,
        options: LoopOptions,
        berth: &Berth,
        at: Timestamp,
    ) -> Result<Request, LoopError> {
        let criteria = options.criteria.gives_evidence();
        let limits = options.limits.unwrap_or_else(|| Limits::defaults(Kind::InSession { criteria }));
        if !limits.are_bounding() {
            return Err(LoopError::Unbounded);
        }
        let word = Word::parse(options.promise.as_deref().unwrap_or("DONE"))?;
        let mut completion = Completion::by_promise(Promise { word, nonce: !options.bare_word });
        if criteria {
            completion.require.insert(Signal::Criteria);
        }
        completion.require = options.require.unwrap_or(completion.require);
        let mut task = Task::prompt(&self.redactor.text(prompt));
        if let Some(description) = options.description {
            task.title = self.redactor.text(&description).into_owned();
        }
        let mut place = InSession::new(berth.host.clone(), berth.session.clone());
        let agent = berth.host.clone().unwrap_or_else(nobody_known);
        (place.strategy, place.summaries) = (options.strategy, options.summaries);
        let (entropy, seed) = (crate::entropy(), crate::entropy());
        Ok(Request {
            id: RunId::new(at, entropy),
            task,
            agenda: None,
            template: None,
            in_session: Some(place),
            policy: Policy {
                limits,
                completion,
                verification: options.criteria,
                deadlines: Deadlines::default(),
                retry: Retry::default(),
                patience: Patience::For(options.patience.unwrap_or_default()),
                sandbox: options.sandbox,
                on_failure: ralph_core::policy::OnFailure::Keep,
            },
            crew: Crew::new(Member::new(agent, Vec::new()), Vec::new()),
            seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            forked_from: None,
        })
    }
}

/// Who works in a session whose host nobody has named.
fn nobody_known() -> AgentName {
    AgentName::parse("unknown").expect("a word is a name")
}
