//! The code phase: one attempt of the agent, watched from start to proof that nothing of it is left.

mod commands;
pub(crate) mod ending;
mod launch;
pub(crate) mod pipes;

use std::time::{Duration, Instant};

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::event::{Event, Stream};
use ralph_core::report::{Fault, Report};
use ralph_memory::stated_before;
use ralph_store::Store;
use tokio::time::MissedTickBehavior;

use crate::agent::{Agent, Heard, Listener, Tools};
use crate::crash::{crash_point, remember_guard};
use crate::custody::{Child, Custody, CustodyError, Ending, Exit, SpawnError};
use crate::drive::Drive;
use crate::error::EngineError;
use crate::mailbox::Letterbox;
use crate::output::Recorder;
use crate::settle::LOOK;
use crate::urgency::{Urgency, pressed};
use crate::watchdog::{Overdue, Watchdog};
pub(crate) use launch::{Reach, assemble};

use commands::Commands;
use ending::{Cause, asked, exit_of, fault_of, last_chars, millis, not_started, unusable};
use pipes::{BUFFER, half, read_either, store_brief};

/// How long what is still in the pipes may take to come out after the agent is gone.
const DRAIN: Duration = Duration::from_secs(2);
/// An attempt that lives this long gets its own line in the journal; a shorter one shares the commit of its end.
const SETTLED_IN: Duration = Duration::from_millis(100);
/// How much of the output's end a report carries.
const REPORTED_TAIL: usize = 8_000;

/// An attempt under way.
struct Shift {
    attempt: Attempt,
    letterbox: Option<Letterbox>,
    child: Child,
    recorder: Recorder,
    listener: Box<dyn Listener>,
    structured: bool,
    commands: Commands,
    watchdog: Watchdog,
    begun: Instant,
    cause: Option<Cause>,
    open: [bool; 2],
    buffer: Box<[u8; BUFFER]>,
}

impl<S: Store + 'static> Drive<S> {
    /// Runs the agent once. An `Err` is ralph's own trouble; whatever the agent does is a value.
    pub(crate) async fn attempt(
        &mut self,
        attempt: &Attempt,
        brief: &Brief,
    ) -> Result<Result<Report, Fault>, EngineError> {
        let begun = Instant::now();
        let agent = match self.parts.roster.agent(self.run.crew.at_work()) {
            Ok(agent) => agent,
            Err(why) => return Ok(Ok(unusable(why, begun))),
        };
        let letterbox = self.letterbox(attempt)?;
        let tools = letterbox.as_ref().map(|letterbox| self.tools(letterbox));
        let spawned = match self.spawn(&*agent, attempt, brief, tools.as_ref()).await {
            Ok(child) => child,
            Err(AttemptError::Spawn(error)) => return Ok(Ok(not_started(&error, begun))),
            Err(AttemptError::Lost) => return Ok(Err(Fault::GuardLost)),
            Err(AttemptError::Engine(error)) => return Err(error),
        };
        crash_point("code.spawned");
        let mut shift = self.shift(&*agent, (attempt, brief), (spawned, letterbox), begun)?;
        let attended = self.attend(&mut shift).await;
        crash_point("code.exited");
        self.leave(shift, attended).await
    }

    /// Asks the guard for the agent, opening a guard first where there is none.
    async fn spawn(
        &mut self,
        agent: &dyn Agent,
        attempt: &Attempt,
        brief: &Brief,
        tools: Option<&Tools>,
    ) -> Result<Child, AttemptError> {
        let file = store_brief(&self.parts.place.output_of(&self.run.id, attempt), brief)?;
        let (launch, stdin) = self.launch(agent, attempt, brief, Some(&file), (Reach::Work, tools))?;
        let custody = match &mut self.custody {
            Some(custody) => custody,
            none => none.insert(Custody::open(self.parts.guard.options(&self.run.id)?).await?),
        };
        remember_guard(custody.guard_pid());
        crash_point("code.guarded");
        match custody.spawn(&launch, stdin).await {
            Ok(child) => Ok(child),
            Err(SpawnError::Custody(CustodyError::GuardLost(_))) => {
                self.custody = None;
                Err(AttemptError::Lost)
            }
            Err(error) => Err(AttemptError::Spawn(error)),
        }
    }

    fn shift(
        &mut self,
        agent: &dyn Agent,
        (attempt, brief): (&Attempt, &Brief),
        (child, letterbox): (Child, Option<Letterbox>),
        begun: Instant,
    ) -> Result<Shift, EngineError> {
        let place = self.parts.place.output_of(&self.run.id, attempt);
        let recorder = Recorder::create(&place, &self.parts.redactor, self.parts.caps)?;
        let left = self.run.time_left(self.stopwatch.running());
        self.run.note(
            jiff::Timestamp::now(),
            Event::AgentSpawned {
                iteration: attempt.iteration,
                attempt: attempt.number,
                pid: child.pid,
                custody: self.custody.as_ref().expect("a child has a guard").kind().into(),
            },
        );
        Ok(Shift {
            attempt: attempt.clone(),
            letterbox,
            child,
            recorder,
            listener: agent.listen(attempt, brief),
            structured: agent.is_structured(),
            commands: Commands::default(),
            watchdog: Watchdog::new(begun, self.run.policy.deadlines, left),
            begun,
            cause: None,
            open: [true, true],
            buffer: Box::new([0; BUFFER]),
        })
    }

    /// Reads, watches the clock and the controls, until the agent and all its descendants are gone.
    ///
    /// Reading comes last: an agent that never pauses for breath must not drown out deadlines, signals and controls.
    async fn attend(&mut self, shift: &mut Shift) -> Result<Exit, EngineError> {
        let mut look = tokio::time::interval_at(tokio::time::Instant::now() + SETTLED_IN, LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut endured = Urgency::None;
        loop {
            let custody = self.custody.as_mut().expect("an attempt under way has a guard");
            let overdue = shift.watchdog.next().filter(|_| shift.cause.is_none());
            let Shift { child, buffer, open, .. } = shift;
            tokio::select! {
                biased;
                exit = custody.exited() => return Ok(exit?),
                pressing = pressed(&mut self.parts.urgency, endured) => {
                    endured = pressing;
                    self.press(pressing).await?;
                }
                () = due(overdue) => self.end(shift, overdue.map(|(_, which)| Cause::Overdue(which))).await?,
                () = self.bell.rung() => self.look().await?,
                _ = look.tick() => {
                    self.look().await?;
                    self.parts.store.heartbeat(&self.run.id, self.stopwatch.running()).await?;
                }
                read = read_either(child, open, buffer.as_mut_slice()) => self.take_in(shift, read)?,
            }
            if let Some(fault) = self.run.cut_short_by() {
                self.end(shift, Some(Cause::Asked(fault))).await?;
            }
        }
    }

    pub(crate) async fn press(&mut self, pressing: Urgency) -> Result<(), EngineError> {
        self.abort_by_signal(pressing).await?;
        self.look().await?;
        if pressing == Urgency::Kill
            && let Some(custody) = &mut self.custody
        {
            custody.end(Ending::AtOnce).await?;
        }
        Ok(())
    }

    /// Ends the agent once, for the first cause that comes up.
    async fn end(&mut self, shift: &mut Shift, cause: Option<Cause>) -> Result<(), EngineError> {
        if shift.cause.is_none()
            && let (Some(cause), Some(custody)) = (cause, &mut self.custody)
        {
            shift.cause = Some(cause);
            custody.end(Ending::Gently).await?;
        }
        Ok(())
    }

    fn take_in(&mut self, shift: &mut Shift, (stream, read): (Stream, usize)) -> Result<(), EngineError> {
        let released = if read == 0 {
            shift.open[stream as usize] = false;
            shift.recorder.flush(stream)?
        } else {
            shift.watchdog.heard(Instant::now());
            shift.recorder.push(stream, &half(&shift.buffer, stream)[..read])?
        };
        if !released.is_empty() {
            let position = (shift.attempt.iteration, shift.attempt.number);
            let (feed, watchdog) = (&mut self.parts.feed, &mut shift.watchdog);
            let commands = &mut shift.commands;
            shift.listener.hear(stream, released, &mut |event| {
                watchdog.told(&event, Instant::now());
                commands.hear(&event);
                feed.agent(position, event);
            });
            if !shift.structured {
                feed.output(position, stream, released);
            }
        }
        Ok(())
    }

    /// Takes in what is left in the pipes and closes the attempt.
    async fn leave(
        &mut self,
        mut shift: Shift,
        attended: Result<Exit, EngineError>,
    ) -> Result<Result<Report, Fault>, EngineError> {
        let exit = match attended {
            Ok(exit) => exit,
            Err(EngineError::Custody(CustodyError::GuardLost(_))) => {
                self.custody = None;
                self.drain(&mut shift).await?;
                shift.recorder.finish()?;
                return Ok(Err(Fault::GuardLost));
            }
            Err(error) => {
                self.put_down().await;
                return Err(error);
            }
        };
        self.drain(&mut shift).await?;
        for stream in [Stream::Out, Stream::Err] {
            // What a held-open pipe never ended.
            self.take_in(&mut shift, (stream, 0))?;
        }
        let recorded = shift.recorder.finish()?;
        let leftovers = exit.leftovers;
        let ended = exit_of(shift.cause, exit.status);
        let mut heard = shift.listener.conclude(&ended);
        if let Some(fault) = shift.cause.and_then(fault_of) {
            return Ok(Err(fault));
        }
        if let Some(letterbox) = &shift.letterbox {
            self.take_letters(letterbox, &mut heard);
        }
        let exit = heard.exit.clone().filter(|_| shift.cause.is_none()).unwrap_or(ended);
        let message = heard.message.as_ref().unwrap_or(&recorded.tail);
        let tail = last_chars(message, REPORTED_TAIL);
        Ok(Ok(Report {
            question: asked(&heard, &exit, message),
            exit,
            claim: heard.claim,
            signals: heard.signals,
            usage: heard.usage,
            duration_ms: millis(shift.begun.elapsed()),
            output_bytes: recorded.bytes,
            stated: stated_before(message, &tail),
            tail,
            leftovers,
            conversation: heard.conversation.map(Box::new),
            ran: shift.commands.ran(),
        }))
    }

    /// What the agent said by ralph's tools.
    fn take_letters(&mut self, letterbox: &Letterbox, heard: &mut Heard) {
        let letters = letterbox.heard(&self.parts.redactor);
        heard.signals.extend(letters.signals);
        heard.question = letters.question.or(heard.question.take());
        if let Some(summary) = letters.summary {
            let text = format!("the agent called `task_complete`: {summary}");
            self.run.note(jiff::Timestamp::now(), Event::Notice { text });
        }
    }

    async fn drain(&mut self, shift: &mut Shift) -> Result<(), EngineError> {
        let give_up = tokio::time::Instant::now() + DRAIN;
        while shift.open != [false, false] {
            let Shift { child, buffer, open, .. } = shift;
            let read = read_either(child, open, buffer.as_mut_slice());
            match tokio::time::timeout_at(give_up, read).await {
                Ok(read) => self.take_in(shift, read)?,
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// ralph itself is in trouble: the agent goes at once, whatever else can still be done.
    async fn put_down(&mut self) {
        if let Some(mut custody) = self.custody.take() {
            let _guard_may_be_gone = custody.end(Ending::AtOnce).await;
            let _nothing_left_either_way = custody.close().await;
        }
    }
}

enum AttemptError {
    Spawn(SpawnError),
    Lost,
    Engine(EngineError),
}

impl<E: Into<EngineError>> From<E> for AttemptError {
    fn from(error: E) -> AttemptError {
        AttemptError::Engine(error.into())
    }
}

async fn due(overdue: Option<(Instant, Overdue)>) {
    match overdue {
        Some((at, _)) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
