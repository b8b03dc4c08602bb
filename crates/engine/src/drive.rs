//! The loop: performs the steps that the machine decides, one match over `Step`.
//!
//! Nothing is done before it is journalled: a step that touches the world (start the agent, wait, stop) first
//! commits what led to it. Decisions that touch nothing share that commit.

use std::sync::Arc;
use std::time::Duration;

use ralph_core::attempt::Attempt;
use ralph_core::brief::{self, Brief};
use ralph_core::control::{Control, ControlNo};
use ralph_core::event::Event;
use ralph_core::moment::Moment;
use ralph_core::report::{Fault, Report};
use ralph_core::run::{Run, Step, Until};
use ralph_core::verdict::{self, Verdict};
use ralph_store::{Commit, Store};
use tokio::sync::watch;

use crate::agent::Agent;
use crate::crash::crash_point;
use crate::custody::Custody;
use crate::environment::Variables;
use crate::error::{EngineError, chain};
use crate::feed::Feed;
use crate::hooks::Hooks;
use crate::place::Place;
use crate::stopwatch::Stopwatch;
use crate::wake::Bell;

/// How pressing it is to end: what signals say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    None,
    /// End the agent properly and stop.
    Abort,
    /// Kill it at once.
    Kill,
}

/// Everything a run is performed with.
#[derive(Debug)]
pub struct Parts<S> {
    pub store: Arc<S>,
    pub place: Place,
    pub agent: Box<dyn Agent>,
    pub redactor: ralph_core::redact::Redactor,
    pub caps: crate::output::Caps,
    /// What agents and hooks inherit.
    pub environment: Variables,
    pub guard: crate::guard::Guard,
    pub hooks: Vec<crate::hooks::Hook>,
    /// Where what is in memory may be put when the state directory is gone, the best first.
    pub rescue: Vec<std::path::PathBuf>,
    pub feed: Feed,
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
    gate: Option<Run>,
}

/// Whether a commit stands, or a control came first and the run went back to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    Stands,
    Rewound,
}

impl<S: Store + 'static> Drive<S> {
    fn new(parts: Parts<S>, run: Run) -> Result<Drive<S>, EngineError> {
        let hooks = Hooks::new(&parts, &run.id)?;
        let stopwatch = Stopwatch::from(run.tally.running);
        let bell = Bell::hang(&run.id);
        Ok(Drive { parts, run, stopwatch, bell, custody: None, hooks, gate: None })
    }

    async fn perform(&mut self) -> Result<(), EngineError> {
        loop {
            match self.run.step.clone() {
                Step::Select => self.select(),
                Step::Think(attempt) => self.think(attempt).await?,
                Step::Code(attempt, brief) => self.code(attempt, brief).await?,
                Step::Verify(attempt, report) => self.verify(attempt, report).await?,
                Step::Consolidate(attempt, verdict) => self.consolidate(attempt, verdict),
                Step::Wait(until, then) => self.wait(until, *then).await?,
                Step::Abandon(_, stop) => self.run.after_abandon(&stop, self.stopwatch.now()),
                Step::Stop(_) => {
                    if self.stop().await? == Settled::Stands {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn now(&self) -> Moment {
        self.stopwatch.now()
    }

    /// A prompt is its own only task.
    fn select(&mut self) {
        self.remember_gate();
        let task = self.run.task.clone();
        self.run.after_select(Some(task), self.now());
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
            if let Some(veto) = self.hooks.ask(&asked, &mut self.parts.urgency).await? {
                self.run.veto(&veto.hook, &veto.why, self.stopwatch.now());
                return Ok(());
            }
            self.remember_gate();
        }
        let brief = brief::compose(&self.run, &attempt);
        crash_point("think.inside");
        self.run.after_think(attempt, brief, self.now());
        crash_point("think.after");
        Ok(())
    }

    async fn code(&mut self, attempt: Attempt, brief: Brief) -> Result<(), EngineError> {
        crash_point("code.before");
        if self.commit().await? == Settled::Rewound {
            return Ok(());
        }
        crash_point("code.inside");
        let outcome = self.attempt(&attempt, &brief).await?;
        crash_point("code.after");
        self.run.after_code(attempt, outcome, self.now());
        Ok(())
    }

    async fn verify(&mut self, attempt: Attempt, report: Report) -> Result<(), EngineError> {
        crash_point("verify.before");
        let mut verdict = verdict::judge(&self.run.policy.completion, &report);
        if verdict.is_complete() && self.hooks.may_veto("verdict") {
            self.commit().await?;
            let (iteration, number) = (attempt.iteration, attempt.number);
            let asked = Event::Verdict { iteration, attempt: number, verdict: verdict.clone() };
            if let Some(veto) = self.hooks.ask(&asked, &mut self.parts.urgency).await? {
                verdict = Verdict::Incomplete { findings: vec![format!("{}: {}", veto.hook, veto.why)] };
            }
        }
        crash_point("verify.inside");
        self.run.after_verify(attempt, Ok::<_, Fault>(verdict), &report.tail, self.now());
        crash_point("verify.after");
        Ok(())
    }

    fn consolidate(&mut self, attempt: Attempt, verdict: Verdict) {
        crash_point("consolidate.before");
        let now = self.now();
        crash_point("consolidate.inside");
        self.run.after_consolidate(attempt, verdict, now);
        crash_point("consolidate.after");
    }

    async fn wait(&mut self, until: Until, then: Step) -> Result<(), EngineError> {
        crash_point("wait.before");
        if self.commit().await? == Settled::Rewound {
            return Ok(());
        }
        crash_point("wait.inside");
        let waited = match until {
            Until::Time { from, to } => self.wait_until(remaining(from, to)).await?,
            Until::Told => self.wait_paused().await?,
        };
        crash_point("wait.after");
        if waited == Waited::Out {
            self.run.after_wait(then, self.now());
        }
        Ok(())
    }

    async fn stop(&mut self) -> Result<Settled, EngineError> {
        crash_point("stop.before");
        let settled = self.commit().await?;
        crash_point("stop.after");
        Ok(settled)
    }

    async fn wait_paused(&mut self) -> Result<Waited, EngineError> {
        self.stopwatch.hold();
        let waited = self.wait_until(None).await;
        self.stopwatch.go_on();
        waited
    }

    /// Waits for the time or for a control that moves the run on.
    async fn wait_until(&mut self, remaining: Option<Duration>) -> Result<Waited, EngineError> {
        let step = self.run.step.clone();
        let end = remaining.map(|remaining| tokio::time::Instant::now() + remaining);
        loop {
            let time_is_up = async {
                match end {
                    Some(end) => tokio::time::sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = time_is_up => return Ok(Waited::Out),
                () = self.bell.rung() => {}
                () = tokio::time::sleep(LOOK) => {}
                pressing = pressed(&mut self.parts.urgency, Urgency::None) => self.abort_by_signal(pressing).await?,
            }
            self.look().await?;
            if self.run.step != step {
                return Ok(Waited::Moved);
            }
        }
    }

    fn remember_gate(&mut self) {
        if self.gate.is_none() {
            self.gate = Some(self.run.clone());
        }
    }

    /// Writes what is fresh. Controls that arrived meanwhile come first: nothing that they forbid is begun.
    pub(crate) async fn commit(&mut self) -> Result<Settled, EngineError> {
        loop {
            if self.run.fresh.is_empty() {
                self.gate = None;
                return Ok(Settled::Stands);
            }
            self.run.tally.running = self.stopwatch.running();
            let deliveries = self.hooks.deliveries(&self.run);
            let at = self.now().at;
            match self.parts.store.commit(&self.run, at, &deliveries).await? {
                Commit::Written(entries) => {
                    self.run.fresh.clear();
                    self.gate = None;
                    self.parts.feed.entries(entries).await;
                    self.hooks.poke();
                    return Ok(Settled::Stands);
                }
                Commit::Controls(controls) => {
                    let rewound = self.gate.take().map(|gate| self.run = gate).is_some();
                    self.obey(&controls);
                    if rewound {
                        return Ok(Settled::Rewound);
                    }
                }
            }
        }
    }

    /// Looks for controls and at the state directory, as the loop does once a second and when told to.
    pub(crate) async fn look(&mut self) -> Result<(), EngineError> {
        if !self.parts.store.still_there() {
            return Err(EngineError::StateVanished { path: self.parts.place.state.clone() });
        }
        let controls = self.parts.store.waiting_controls(&self.run.id, self.run.controls_seen).await?;
        self.obey(&controls);
        if !self.run.fresh.is_empty() {
            self.commit().await?;
        }
        Ok(())
    }

    fn obey(&mut self, controls: &[(ControlNo, Control)]) {
        let now = self.now();
        for (no, control) in controls {
            crash_point("control.before");
            self.run.apply(*no, control, now);
            crash_point("control.after");
        }
    }

    /// A signal is a control like any other: durable first.
    pub(crate) async fn abort_by_signal(&mut self, pressing: Urgency) -> Result<(), EngineError> {
        if pressing >= Urgency::Abort {
            self.parts.store.request(&self.run.id, &Control::Abort, self.now().at).await?;
        }
        Ok(())
    }

    /// Ends what is left running, whatever happened, and hands the run back.
    async fn close(mut self, outcome: Result<(), EngineError>) -> Result<Run, EngineError> {
        if let Some(reason) = outcome.as_ref().err().and_then(EngineError::stop_reason) {
            let evidence = outcome.as_ref().err().map(|error| chain(error)).unwrap_or_default();
            self.run.fail(reason, &evidence, self.stopwatch.now());
            // On the disk that failed, the stop may not be written either; the run is resumable all the same.
            let _best_effort = self.commit().await;
        }
        crash_point("close.before");
        if let Some(custody) = self.custody.take() {
            let _nothing_left_either_way = custody.close().await;
        }
        crash_point("close.inside");
        self.hooks.finish().await;
        crash_point("close.after");
        match outcome {
            Ok(()) => Ok(self.run),
            Err(error) => Err(self.rescue(error)),
        }
    }
}

/// How often the loop looks for controls that no datagram announced.
pub(crate) const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    Out,
    Moved,
}

/// What is left to wait; never more than was meant, should the clock have been turned back.
fn remaining(from: ralph_core::Timestamp, to: ralph_core::Timestamp) -> Option<Duration> {
    let now = ralph_core::Timestamp::now();
    let left = |from: ralph_core::Timestamp| Duration::try_from(to.duration_since(from)).unwrap_or_default();
    Some(left(now).min(left(from)))
}

/// Resolves when matters are more pressing than `than`.
pub(crate) async fn pressed(urgency: &mut watch::Receiver<Urgency>, than: Urgency) -> Urgency {
    match urgency.wait_for(|now| *now > than).await {
        Ok(now) => *now,
        // Nobody can press any more.
        Err(_) => std::future::pending().await,
    }
}
