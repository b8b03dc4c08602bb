//! The loop: performs the steps that the machine decides, one match over `Step`.
//!
//! Nothing is done before it is journalled: a step that touches the world (start the agent, wait, stop) first
//! commits what led to it. Decisions that touch nothing share that commit.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use ralph_core::agenda::Selection;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::check::CheckResult;
use ralph_core::event::{Event, Occasion};
use ralph_core::id::TaskId;
use ralph_core::moment::Moment;
use ralph_core::note::Anchor;
use ralph_core::run::{Pace, Run, Step};
use ralph_core::verdict::Verdict;
use ralph_store::Store;
use tokio::sync::watch;

use crate::agent::Roster;
use crate::ask::Asked;
use crate::chronicle::Diary;
use crate::crash::crash_point;
use crate::custody::Custody;
use crate::environment::Variables;
use crate::error::{EngineError, chain};
use crate::feed::Feed;
use crate::hooks::Hooks;
use crate::memory::Ground;
use crate::place::Place;
use crate::settle::Settled;
use crate::stopwatch::Stopwatch;
use crate::urgency::Urgency;
use crate::wake::Bell;

/// Everything a run is performed with.
#[derive(Debug)]
pub struct Parts<S> {
    pub store: Arc<S>,
    pub place: Place,
    pub roster: Box<dyn Roster>,
    pub redactor: ralph_core::redact::Redactor,
    pub caps: crate::output::Caps,
    /// What agents and hooks inherit.
    pub environment: Variables,
    pub guard: crate::guard::Guard,
    pub confiner: crate::sandbox::Confiner,
    pub hooks: Vec<crate::hooks::Hook>,
    /// Where what is in memory may be put when the state directory is gone, the best first.
    pub rescue: Vec<std::path::PathBuf>,
    /// Where the tree is kept as it was; none where that is not wanted or not possible.
    pub vault: Option<Arc<ralph_snapshot::Vault>>,
    /// How long what it holds is kept, and which snapshots other runs still need.
    pub retention: ralph_snapshot::Keep,
    /// Who words the briefs; none for ralph's own plain words.
    pub briefing: Option<Box<dyn crate::briefing::Briefing>>,
    /// Where the backlog is kept; none for a prompt.
    pub tracking: Option<crate::desk::Tracking>,
    /// What is written into the tree for people, where there is a backlog.
    pub chronicling: crate::chronicle::Chronicling,
    /// What is remembered from one iteration, task and run to the next; none where nothing is.
    pub memory: Option<crate::memory::Remembering<S>>,
    /// Who answers what agents ask by ralph's tools; none where nobody does.
    pub librarian: Option<Arc<dyn crate::window::Librarian>>,
    pub feed: Feed,
    /// Whether somebody watches who could answer a question.
    pub attended: bool,
    pub urgency: watch::Receiver<Urgency>,
}

/// Performs a run until it stops, and says how.
pub async fn drive<S: Store + 'static>(parts: Parts<S>, run: Run) -> Result<Run, EngineError> {
    let mut drive = Drive::new(parts, run)?;
    let outcome = drive.perform().await;
    drive.close(outcome).await
}

pub(crate) struct Drive<S> {
    pub(crate) parts: Parts<S>,
    pub(crate) run: Run,
    pub(crate) stopwatch: Stopwatch,
    pub(crate) bell: Bell,
    pub(crate) custody: Option<Custody>,
    pub(crate) hooks: Hooks,
    /// The run as it was when it last came to the gate, for when a control arrives before the next commit.
    pub(crate) gate: Option<Run>,
    /// The last attempt that nothing is left to be done for but to decide what follows.
    pub(crate) consolidated: Option<(Attempt, Verdict)>,
    pub(crate) diary: Diary,
    /// Whether another process has driven the run before.
    pub(crate) is_resumed: bool,
    /// What the tracker was told is being worked on, by this process.
    pub(crate) told: Option<TaskId>,
    /// What the tracker showed as being worked on when the process that drove the run before was gone.
    pub(crate) interrupted: BTreeSet<TaskId>,
    /// What was to be done when a task was last chosen.
    pub(crate) open_tasks: Option<HashSet<TaskId>>,
    pub(crate) ground: Ground,
    /// Of what a task names and the graph does not know, what stands in its files all the same.
    pub(crate) written: Option<(TaskId, BTreeSet<String>)>,
    /// What the checks found last, where this process has seen it.
    pub(crate) checked: Option<Vec<CheckResult>>,
    /// The task of which checks have shown something in this process.
    pub(crate) proven: Option<TaskId>,
    /// Which constitution this process has said to be in force.
    pub(crate) in_force: Option<String>,
    /// Symbols that the task at hand has touched, by file and name, as they were left.
    pub(crate) touched: BTreeMap<(String, String), Anchor>,
    /// The task that they were touched for.
    pub(crate) learned_of: Option<TaskId>,
}

impl<S: Store + 'static> Drive<S> {
    pub(crate) fn new(parts: Parts<S>, run: Run) -> Result<Drive<S>, EngineError> {
        let hooks = Hooks::new(&parts, &run.id)?;
        let stopwatch = Stopwatch::from(run.tally.running);
        let bell = Bell::hang(&run.id);
        let diary = Diary::of(&run);
        let interrupted = run.agenda.as_ref().map(|agenda| agenda.showing.clone()).unwrap_or_default();
        let is_resumed = run.tally.attempts_total > 0;
        Ok(Drive {
            parts,
            run,
            is_resumed,
            stopwatch,
            bell,
            custody: None,
            hooks,
            gate: None,
            consolidated: None,
            diary,
            told: None,
            interrupted,
            open_tasks: None,
            ground: Ground::default(),
            written: None,
            checked: None,
            proven: None,
            in_force: None,
            touched: BTreeMap::new(),
            learned_of: None,
        })
    }

    async fn perform(&mut self) -> Result<(), EngineError> {
        let finished = self.finish_restore().await;
        self.unless_given_up(finished).await?;
        self.sweep().await;
        if self.run.stop().is_none() {
            let put_back = self.put_back().await;
            self.unless_given_up(put_back).await?;
        }
        self.begin_chronicle().await?;
        self.still_wanted().await?;
        loop {
            self.chronicle_given_up().await?;
            if let Step::Stop(_) = self.run.step {
                if self.stop().await? == Settled::Stands {
                    let put_back = self.put_back().await;
                    self.unless_given_up(put_back).await?;
                    self.sweep().await;
                    return Ok(());
                }
                continue;
            }
            let done = self.step().await;
            self.unless_given_up(done).await?;
        }
    }

    pub(crate) async fn step(&mut self) -> Result<(), EngineError> {
        if self.run.stop().is_none() {
            self.put_back().await?;
        }
        match self.run.step.clone() {
            Step::Baseline => self.begin().await?,
            Step::Select => self.select().await?,
            Step::Think(attempt) => self.think(attempt).await?,
            Step::Code(attempt, brief) => self.code(attempt, brief).await?,
            Step::Verify(attempt, report) => self.verify(attempt, *report).await?,
            Step::Consolidate(attempt, verdict) => self.consolidate(attempt, verdict).await?,
            Step::Wait(until, then) => self.wait(until, *then).await?,
            Step::Abandon(_, stop) => self.run.after_abandon(&stop, self.stopwatch.now()),
            // Putting the tree back may have led here.
            Step::Stop(_) => {}
        }
        Ok(())
    }

    pub(crate) fn now(&self) -> Moment {
        self.stopwatch.now()
    }

    /// Whoever wants it otherwise before the first checks are under way need not wait for them.
    async fn begin(&mut self) -> Result<(), EngineError> {
        if self.run.pace != Pace::Going {
            self.run.after_wait(Step::Baseline, self.now());
            return Ok(());
        }
        self.remember_gate();
        self.baseline().await
    }

    async fn select(&mut self) -> Result<(), EngineError> {
        // What its tracker says of a task that was left may be its agent's doing.
        if !self.run.no_longer_shown().is_empty() && self.commit().await? == Settled::Rewound {
            return Ok(());
        }
        let Some(selection) = self.selection().await? else { return Ok(()) };
        if let Selection::Task { task, .. } = &selection {
            self.probe(task).await?;
        }
        self.remember_gate();
        self.run.after_select(selection, self.now());
        Ok(())
    }

    async fn think(&mut self, attempt: Attempt) -> Result<(), EngineError> {
        crash_point("think.before");
        self.remember_gate();
        if attempt.number == 1 && self.hooks.may_veto("iteration_started") {
            if self.commit().await? == Settled::Rewound {
                return Ok(());
            }
            let asked = Event::IterationStarted {
                iteration: attempt.iteration,
                max_iterations: self.run.policy.limits.max_iterations.map(Into::into),
                task: attempt.task.clone(),
            };
            match self.ask(&asked).await? {
                Asked::Veto(veto) => self.run.veto(&veto.hook, &veto.why, self.stopwatch.now()),
                Asked::CutShort(_) => self.back_to_the_gate(),
                Asked::Go => {}
            }
        }
        // Whoever was asked, or a person meanwhile, may have decided otherwise.
        if self.run.step == Step::Think(attempt.clone()) {
            self.brief(attempt).await?;
        }
        Ok(())
    }

    async fn brief(&mut self, attempt: Attempt) -> Result<(), EngineError> {
        self.remember_gate();
        let Some(mut recollected) = self.recollect(&attempt).await? else { return Ok(()) };
        let recollection = std::mem::take(&mut recollected.recollection);
        let Some(brief) = self.worded(&attempt, recollection).await? else { return Ok(()) };
        self.recalled(&attempt, recollected, &brief.text);
        crash_point("think.inside");
        self.run.after_think(attempt, brief, self.now());
        crash_point("think.after");
        Ok(())
    }

    /// The run's time may be up, or an abort may have ended it already.
    pub(crate) fn back_to_the_gate(&mut self) {
        if let Step::Think(_) = &self.run.step {
            self.run.after_wait(self.run.step.clone(), self.stopwatch.now());
        }
    }

    async fn code(&mut self, attempt: Attempt, brief: Brief) -> Result<(), EngineError> {
        crash_point("code.before");
        self.keep((attempt.iteration, attempt.number), Occasion::Begin).await?;
        self.sweep_now_and_then().await;
        let pressing = *self.parts.urgency.borrow();
        self.abort_by_signal(pressing).await?;
        self.put_in_force().await;
        if self.commit().await? == Settled::Rewound {
            return Ok(());
        }
        if self.run.cut_short_by().is_some() {
            self.run.after_wait(self.run.step.clone(), self.now());
            return Ok(());
        }
        crash_point("code.inside");
        let outcome = self.attempt(&attempt, &brief).await?;
        crash_point("code.after");
        self.mind_constitution().await?;
        self.run.after_code(attempt, outcome, self.now());
        Ok(())
    }

    /// What a person grants while the last attempt is under way may be seen first by the commit of the stop that it forbids:
    /// then only the decision is made again.
    async fn consolidate(&mut self, attempt: Attempt, verdict: Verdict) -> Result<(), EngineError> {
        crash_point("consolidate.before");
        let judged = (attempt.clone(), verdict.clone());
        if self.consolidated.as_ref() != Some(&judged) {
            if self.put_by(&attempt, &verdict).await? == Settled::Rewound {
                return Ok(());
            }
            self.consolidated = Some(judged);
        }
        let (before, now) = (self.run.clone(), self.now());
        self.run.after_consolidate(attempt, verdict, self.parts.attended, now);
        if matches!(self.run.step, Step::Stop(_)) {
            self.gate.get_or_insert(before);
        }
        crash_point("consolidate.after");
        Ok(())
    }

    /// Whatever an attempt leaves to its tracker, its progress file and its memory.
    async fn put_by(&mut self, attempt: &Attempt, verdict: &Verdict) -> Result<Settled, EngineError> {
        self.intend_commit(attempt, verdict);
        if self.close_task(attempt, verdict).await? == Settled::Rewound {
            return Ok(Settled::Rewound);
        }
        crash_point("consolidate.inside");
        if self.chronicle(attempt, verdict).await? == Settled::Rewound {
            return Ok(Settled::Rewound);
        }
        let commit = self.diary.commit.take();
        self.settle_memory(attempt, verdict, commit).await
    }

    async fn stop(&mut self) -> Result<Settled, EngineError> {
        crash_point("stop.before");
        let settled = self.commit().await?;
        if settled == Settled::Stands {
            self.keep_told().await?;
        }
        crash_point("stop.after");
        Ok(settled)
    }

    /// Ends what is left running, whatever happened, and hands the run back.
    pub(crate) async fn close(mut self, outcome: Result<(), EngineError>) -> Result<Run, EngineError> {
        let is_cut_off = matches!(outcome, Err(EngineError::CutOff));
        if let Some(gate) = self.gate.take().filter(|_| is_cut_off) {
            // Nothing that was decided since has happened.
            self.run = gate;
        }
        let reason = outcome.as_ref().err().and_then(EngineError::stop_reason);
        if let Some(reason) = reason.filter(|_| !is_cut_off || self.run.stop().is_none()) {
            let evidence = outcome.as_ref().err().map(|error| chain(error)).unwrap_or_default();
            self.run.fail(reason, &evidence, self.stopwatch.now());
            // On the disk that failed, the stop may not be written either; the run is resumable all the same.
            let _best_effort = self.commit().await;
        }
        crash_point("close.before");
        if let Some(custody) = self.custody.take() {
            let _nothing_left_either_way = custody.close().await;
        }
        self.lay_down().await;
        crash_point("close.inside");
        self.hooks.finish(&mut self.parts.urgency).await;
        crash_point("close.after");
        match outcome {
            Ok(()) | Err(EngineError::CutOff) => Ok(self.run),
            Err(error) => Err(self.rescue(error)),
        }
    }
}
