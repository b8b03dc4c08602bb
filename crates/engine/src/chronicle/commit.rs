//! A completed task is committed: the plan is the chronicle's, its commands run under custody like checks.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use ralph_chronicle::{Command, Committed, Committing, Ended, Next, Plan, Request, Standing, Survey};
use ralph_core::agenda::{Commits, Intent, Stint};
use ralph_core::attempt::Attempt;
use ralph_core::event::{Event, Stream};
use ralph_core::report::Fault;
use ralph_core::verdict::Verdict;
use ralph_snapshot::{SnapshotError, SnapshotId, Vault};
use ralph_store::Store;
use serde_json::json;

use super::{Entered, Told};
use crate::ask::Asked;
use crate::custody::{Launch, Status, Streams};
use crate::drive::Drive;
use crate::errand::Returned;
use crate::error::{EngineError, chain};
use crate::hooks::Veto;
use crate::verify::head;

/// For git with all hooks of the repository.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Of standard error, the end is what tells.
const STDERR: usize = 64 << 10;
/// How many of the files that were changed before are named.
const NAMED: usize = 5;
/// What hooks know the commit by that they may object to.
const COMMIT: &str = "commit";
/// How many of the files to be committed are named to them.
const NAMED_TO_HOOKS: usize = 1_000;

impl<S: Store + 'static> Drive<S> {
    /// Looks once in a run whether anything is uncommitted.
    pub(super) async fn survey(&mut self) -> Result<(), EngineError> {
        let Some(commits) = self.commits().filter(|commits| commits.dirty_at_start.is_none()) else {
            return Ok(());
        };
        let allow_dirty = commits.allow_dirty;
        if self.parts.vault.is_none() {
            self.tell_once(
                "no commits are made: without snapshots nobody knows what a task changed; set `enabled = true` in [snapshots]",
            );
        }
        let survey = Survey::new(&self.parts.place.root, self.parts.chronicling.own.clone());
        let Ok(standing) = self.follow(survey).await? else { return Ok(()) };
        let dirty = matches!(standing, Standing::Dirty { .. });
        match standing {
            Standing::Dirty { paths, count } if !allow_dirty => {
                self.tell_once(&dirty_at_start(&paths, count));
            }
            Standing::Unfit(why) => {
                self.tell_once(&format!("tasks cannot be committed as things are: {why}"));
            }
            Standing::Dirty { .. } | Standing::Clean => {}
        }
        if let Some(commits) = self.run.agenda.as_mut().and_then(|agenda| agenda.commits.as_mut()) {
            commits.dirty_at_start = Some(dirty);
        }
        Ok(())
    }

    fn commits(&self) -> Option<&Commits> {
        self.run.agenda.as_ref()?.commits.as_ref()
    }

    /// Notes where HEAD is before a commit is made; what a crash then keeps from being journalled can be told from it.
    pub(crate) fn intend_commit(&mut self, attempt: &Attempt, verdict: &Verdict) {
        let root = &self.parts.place.root;
        let commits = self.run.agenda.as_mut().and_then(|agenda| agenda.commits.as_mut());
        let Some(commits) = commits.filter(|_| verdict.is_complete()) else { return };
        if commits.intent.as_ref().is_none_or(|intent| intent.iteration != attempt.iteration) {
            commits.intent = Some(Intent { iteration: attempt.iteration, head: head(root) });
        }
    }

    /// The id of the commit with what the task changed, where one could be made; or why it has to wait.
    pub(super) async fn commit_task(
        &mut self,
        attempt: &Attempt,
        entered: &Entered,
    ) -> Result<Result<Option<String>, Fault>, EngineError> {
        let Some(commits) = self.commits().cloned() else { return Ok(Ok(None)) };
        let dirty_at_start = commits.dirty_at_start.unwrap_or(true);
        // This was told when the run began.
        if self.parts.vault.is_none() || dirty_at_start && !commits.allow_dirty {
            return Ok(Ok(None));
        }
        let request = match (self.message(attempt, entered), self.touched(attempt).await?) {
            (Ok(message), Ok(paths)) => Request {
                root: self.parts.place.root.clone(),
                paths,
                own: self.parts.chronicling.own.clone(),
                message,
                dirty_at_start,
                allow_dirty: commits.allow_dirty,
                timeout: TIMEOUT,
            },
            (Err(why), _) | (_, Err(why)) => return Ok(Ok(self.not_committed(attempt, &why))),
        };
        match self.objection(attempt, &commits, &request).await? {
            Asked::Go => {}
            Asked::Veto(Veto { hook, why }) => {
                let why = format!("not committed: hook `{hook}` objects: {why}");
                return Ok(Ok(self.not_committed(attempt, &why)));
            }
            Asked::CutShort(Fault::Aborted) => return Ok(Err(Fault::Aborted)),
            Asked::CutShort(fault) => {
                return Ok(Ok(self.not_committed(attempt, &format!("no commit: {fault}"))));
            }
        }
        let committed = match self.follow(Committing::new(request)).await? {
            Ok(committed) => committed,
            Err(Fault::Aborted) => return Ok(Err(Fault::Aborted)),
            Err(fault) => return Ok(Ok(self.not_committed(attempt, &format!("no commit: {fault}")))),
        };
        let id = match &committed {
            Committed::Made { id, untidy, .. } => {
                if *untidy {
                    self.not_committed(attempt, &committed.to_string());
                }
                Some(id.clone())
            }
            Committed::Nothing => self.committed_before(attempt, &commits),
            Committed::Declined(_) | Committed::Refused { .. } | Committed::Overdue { .. } => None,
        };
        let Some(commit) = id else { return Ok(Ok(self.not_committed(attempt, &committed.to_string()))) };
        let (task, iteration) = (attempt.task.clone(), attempt.iteration);
        self.run.note(self.now().at, Event::TaskCommitted { task, iteration, commit: commit.clone() });
        Ok(Ok(Some(commit)))
    }

    /// Whether a hook objects to the commit. One that was made before a crash is asked about no more.
    async fn objection(
        &mut self,
        attempt: &Attempt,
        commits: &Commits,
        request: &Request,
    ) -> Result<Asked, EngineError> {
        if !self.hooks.may_veto(COMMIT) || self.committed_before(attempt, commits).is_some() {
            return Ok(Asked::Go);
        }
        let files = request.paths.iter().take(NAMED_TO_HOOKS).map(|path| path.to_string_lossy());
        let files: Vec<String> = files.map(|path| self.parts.redactor.text(&path).into_owned()).collect();
        let payload = json!({
            "type": COMMIT, "task": attempt.task, "iteration": attempt.iteration,
            "changed": request.paths.len(), "files": files, "message": request.message,
        });
        self.ask_about(COMMIT, payload).await
    }

    /// The commit that was made before a crash.
    fn committed_before(&self, attempt: &Attempt, commits: &Commits) -> Option<String> {
        let intent = commits.intent.as_ref().filter(|intent| intent.iteration == attempt.iteration)?;
        head(&self.parts.place.root).filter(|now| Some(now) != intent.head.as_ref())
    }

    fn not_committed(&mut self, attempt: &Attempt, why: &str) -> Option<String> {
        let text = self.parts.redactor.text(&format!("{}: {why}", attempt.task)).into_owned();
        self.run.note(self.now().at, Event::Notice { text });
        None
    }

    fn message(&mut self, attempt: &Attempt, entered: &Entered) -> Result<String, String> {
        let (item, epic) = (entered.item.as_ref(), entered.epic.as_ref());
        let told = Told { run: &self.run, attempt, item, epic };
        let Some(messages) = &mut self.parts.chronicling.messages else {
            return Err("no commit: nobody said what its message is".to_owned());
        };
        let message = messages.message(&told).map_err(|why| format!("no commit: its message: {why}"))?;
        Ok(self.parts.redactor.text(&message).into_owned())
    }

    /// What differs between how the tree was when the task was taken in hand, each time, and how it was left.
    async fn touched(&mut self, attempt: &Attempt) -> Result<Result<Vec<PathBuf>, String>, EngineError> {
        let Some(vault) = self.parts.vault.clone() else { return Ok(Ok(Vec::new())) };
        let stints = self.run.agenda.iter().flat_map(|agenda| &agenda.stints);
        let stints: Vec<Stint> = stints.filter(|stint| stint.task == attempt.task).cloned().collect();
        if stints.is_empty() {
            return Ok(Err("no commit: it is not known what the tree was like before".to_owned()));
        }
        match self.aside(vault, move |vault| changed(vault, &stints)).await {
            Ok(paths) => Ok(Ok(paths.into_iter().collect())),
            Err(EngineError::Snapshot(error)) => {
                Ok(Err(format!("no commit: it is not known what changed: {}", chain(&error))))
            }
            Err(error) => Err(error),
        }
    }

    /// Performs a plan to its end. A fault is the run's: aborted, out of time, or its guard was lost.
    async fn follow<P: Plan>(&mut self, mut plan: P) -> Result<Result<P::Outcome, Fault>, EngineError> {
        let mut next = plan.begin();
        loop {
            match next {
                Next::Over(outcome) => return Ok(Ok(outcome)),
                Next::Perform(command) => match self.git(command).await? {
                    Ok(ended) => next = plan.after(ended),
                    Err(fault) => return Ok(Err(fault)),
                },
            }
        }
    }

    /// In the run's sandbox: an agent may have written what git runs.
    async fn git(&mut self, command: Command) -> Result<Result<Ended, Fault>, EngineError> {
        let Command { program, args, env, without, dir, stdin, timeout, most } = command;
        let is_foreign = |name: &std::ffi::OsStr| without.iter().any(|foreign| name == *foreign);
        let inherited = self.parts.environment.iter().filter(|(name, _)| !is_foreign(name)).cloned();
        let own = env.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let env = inherited.chain(own).collect();
        let launch = self.confined(Launch { program: program.into(), args, env, dir });
        let stdin = crate::hooks::sealed(&stdin).map_err(|source| EngineError::Pipe { source })?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut too_much = false;
        let mut hear = |stream: Stream, bytes: &[u8]| {
            match stream {
                Stream::Out if stdout.len() + bytes.len() > most => too_much = true,
                Stream::Out => stdout.extend_from_slice(bytes),
                Stream::Err => {
                    stderr.extend_from_slice(bytes);
                    let excess = stderr.len().saturating_sub(STDERR);
                    stderr.drain(..excess);
                }
            }
            Ok(())
        };
        let returned = match self.errand(&launch, stdin, Streams::Apart, timeout, &mut hear).await? {
            Ok(returned) => returned,
            Err(fault) => return Ok(Err(fault)),
        };
        Ok(Ok(match returned {
            Returned::Overdue => Ended::Overdue,
            Returned::NotStarted(why) => Ended::NotStarted { why },
            Returned::Ended(_) if too_much => Ended::TooMuch,
            Returned::Ended(status) => Ended::Exit { success: status == Status::Code(0), stdout, stderr },
        }))
    }
}

fn changed(vault: &Vault, stints: &[Stint]) -> Result<BTreeSet<PathBuf>, SnapshotError> {
    let now = vault.take()?.id;
    let id = |text: &str| text.parse::<SnapshotId>().ok();
    let mut paths = BTreeSet::new();
    for Stint { from, to, .. } in stints {
        let Some(from) = id(from) else { continue };
        let to = to.as_deref().and_then(id).unwrap_or(now);
        paths.extend(vault.diff(from, to)?.into_iter().map(|change| change.path));
    }
    Ok(paths)
}

fn dirty_at_start(paths: &[PathBuf], count: usize) -> String {
    let named: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = if count > named.len() { " and more" } else { "" };
    format!(
        "no task is committed in this run: {count} files were uncommitted when it began ({}{more}); commit or stash \
         them before the next, or set `allow_dirty = true` in [commit]",
        named.join(", ")
    )
}
