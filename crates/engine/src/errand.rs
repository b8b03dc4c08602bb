//! A program that the run starts for itself, such as a check: under the run's guard, with a deadline, and given up at
//! once when the run is.

use std::fs::File;
use std::time::{Duration, Instant};

use ralph_core::event::Stream;
use ralph_core::report::Fault;
use ralph_store::Store;
use tokio::time::MissedTickBehavior;

use crate::attempt::pipes::{BUFFER, half, read_either};
use crate::crash::remember_guard;
use crate::custody::{Child, Custody, CustodyError, Ending, Launch, SpawnError, Status, Streams};
use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::settle::LOOK;
use crate::urgency::{Urgency, pressed};

/// How long what is still in the pipes may take to come out after the program is gone.
const DRAIN: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Returned {
    Ended(Status),
    Overdue,
    NotStarted(String),
}

/// What takes in the output as it comes.
pub(crate) type Hear<'a> = &'a mut dyn FnMut(Stream, &[u8]) -> Result<(), EngineError>;

/// Why a program is ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Overdue,
    Given(Fault),
}

struct Way {
    child: Child,
    open: [bool; 2],
    buffer: Box<[u8; BUFFER]>,
    deadline: Instant,
    cut: Option<Cut>,
}

impl<S: Store + 'static> Drive<S> {
    /// Runs a program to its end. A fault is the run's: aborted, out of time, or its guard was lost.
    pub(crate) async fn errand(
        &mut self,
        launch: &Launch,
        stdin: File,
        streams: Streams,
        timeout: Duration,
        hear: Hear<'_>,
    ) -> Result<Result<Returned, Fault>, EngineError> {
        let custody = match &mut self.custody {
            Some(custody) => custody,
            none => none.insert(Custody::open(self.parts.guard.options(&self.run.id)?).await?),
        };
        remember_guard(custody.guard_pid());
        let child = match custody.spawn_with(launch, stdin, streams).await {
            Ok(child) => child,
            Err(SpawnError::Custody(CustodyError::GuardLost(_))) => {
                self.custody = None;
                return Ok(Err(Fault::GuardLost));
            }
            Err(error) => return Ok(Ok(Returned::NotStarted(chain(&error)))),
        };
        let deadline = Instant::now() + timeout;
        let buffer = Box::new([0; BUFFER]);
        let mut way = Way { child, open: [true, true], buffer, deadline, cut: None };
        let status = match self.see_through(&mut way, hear).await {
            Err(EngineError::Custody(CustodyError::GuardLost(_))) => {
                self.custody = None;
                return Ok(Err(Fault::GuardLost));
            }
            other => other?,
        };
        drain(&mut way, hear).await?;
        Ok(match way.cut {
            Some(Cut::Given(fault)) => Err(fault),
            Some(Cut::Overdue) => Ok(Returned::Overdue),
            None => Ok(Returned::Ended(status)),
        })
    }

    async fn see_through(&mut self, way: &mut Way, hear: Hear<'_>) -> Result<Status, EngineError> {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut endured = Urgency::None;
        let run_ends = self.run.time_left(self.stopwatch.running()).map(|left| Instant::now() + left);
        loop {
            let custody = self.custody.as_mut().expect("an errand under way has a guard");
            let (due, cut) = next_due(way.deadline, run_ends);
            let Way { child, buffer, open, cut: was_cut, .. } = way;
            tokio::select! {
                biased;
                exit = custody.exited() => return Ok(exit?.status),
                pressing = pressed(&mut self.parts.urgency, endured) => {
                    endured = pressing;
                    self.press(pressing).await?;
                }
                () = tokio::time::sleep_until(due.into()), if was_cut.is_none() => self.cut(way, cut).await?,
                () = self.bell.rung() => self.look().await?,
                _ = look.tick() => {
                    self.look().await?;
                    self.parts.store.heartbeat(&self.run.id, self.stopwatch.running()).await?;
                }
                (stream, read) = read_either(child, open, buffer.as_mut_slice()) => take_in(way, hear, stream, read)?,
            }
            if let Some(fault) = self.run.cut_short_by() {
                self.cut(way, Cut::Given(fault)).await?;
            }
        }
    }

    async fn cut(&mut self, way: &mut Way, why: Cut) -> Result<(), EngineError> {
        if way.cut.is_none()
            && let Some(custody) = &mut self.custody
        {
            way.cut = Some(why);
            custody.end(Ending::Gently).await?;
        }
        Ok(())
    }
}

fn next_due(deadline: Instant, run_ends: Option<Instant>) -> (Instant, Cut) {
    match run_ends {
        Some(end) if end < deadline => (end, Cut::Given(Fault::TimeUp)),
        _ => (deadline, Cut::Overdue),
    }
}

fn take_in(way: &mut Way, hear: Hear<'_>, stream: Stream, read: usize) -> Result<(), EngineError> {
    if read == 0 {
        way.open[stream as usize] = false;
        return Ok(());
    }
    hear(stream, &half(&way.buffer, stream)[..read])
}

async fn drain(way: &mut Way, hear: Hear<'_>) -> Result<(), EngineError> {
    let give_up = tokio::time::Instant::now() + DRAIN;
    while way.open != [false, false] {
        let Way { child, buffer, open, .. } = way;
        let read = read_either(child, open, buffer.as_mut_slice());
        match tokio::time::timeout_at(give_up, read).await {
            Ok((stream, read)) => take_in(way, hear, stream, read)?,
            Err(_) => break,
        }
    }
    Ok(())
}
