//! A job on its way from running to gone: what is due, and when. Knows the time only as an argument.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::proc::Identity;

/// How long an interrupted, then a terminated job has to end itself.
const GRACE: Duration = Duration::from_millis(1200);
/// How long leftovers of an ended main process have after SIGTERM.
const LEFTOVER_GRACE: Duration = Duration::from_millis(200);
/// The pause between two passes of killing grows from the first to the second.
const KILL_PAUSE: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(64));

/// How a job is to be ended.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Interrupt, then terminate, then kill, all within 5 s.
    Gently,
    /// Kill now.
    AtOnce,
}

/// How the main process of a job ended.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Code(i32),
    Signal(i32),
}

/// The end of a job: its main process has ended and no descendant is left.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    pub status: Status,
    /// How many processes were found alive after the main one had ended, and were ended too.
    pub leftovers: u32,
}

#[derive(Debug)]
pub(super) struct Job {
    pub(super) main: Pid,
    status: Option<Status>,
    stage: Stage,
    leftovers: HashSet<Identity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Running,
    InterruptNow,
    TerminateAt(Instant),
    KillAt(Instant),
    Killing { next: Instant, pause: Duration },
}

/// What the guard has to do to its job now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Interrupt,
    Terminate,
    /// The first pass of killing, then one after another until nothing is left.
    Kill,
    KillAgain,
}

impl Job {
    pub(super) fn new(main: Pid) -> Job {
        Job { main, status: None, stage: Stage::Running, leftovers: HashSet::new() }
    }

    pub(super) fn main_ended(&mut self, status: Status, now: Instant) {
        self.status = Some(status);
        self.stage = match self.stage {
            Stage::Running | Stage::InterruptNow | Stage::TerminateAt(_) => Stage::TerminateAt(now),
            Stage::KillAt(at) => Stage::KillAt(at.min(now + LEFTOVER_GRACE)),
            killing @ Stage::Killing { .. } => killing,
        };
    }

    pub(super) fn ask(&mut self, ending: Ending, now: Instant) {
        self.stage = match (ending, self.stage) {
            (Ending::Gently, Stage::Running) => Stage::InterruptNow,
            (Ending::Gently, under_way) => under_way,
            (Ending::AtOnce, killing @ Stage::Killing { .. }) => killing,
            (Ending::AtOnce, _) => Stage::KillAt(now),
        };
    }

    /// The step that is due, if any; the one after it is scheduled.
    pub(super) fn due(&mut self, now: Instant) -> Option<Step> {
        let (step, stage) = match self.stage {
            Stage::InterruptNow => (Step::Interrupt, Stage::TerminateAt(now + GRACE)),
            Stage::TerminateAt(at) if at <= now => {
                let grace = if self.status.is_some() { LEFTOVER_GRACE } else { GRACE };
                (Step::Terminate, Stage::KillAt(now + grace))
            }
            Stage::KillAt(at) if at <= now => (Step::Kill, killing(now, KILL_PAUSE.0)),
            Stage::Killing { next, pause } if next <= now => {
                (Step::KillAgain, killing(now, (pause * 2).min(KILL_PAUSE.1)))
            }
            Stage::Running | Stage::TerminateAt(_) | Stage::KillAt(_) | Stage::Killing { .. } => return None,
        };
        self.stage = stage;
        Some(step)
    }

    /// When [`Job::due`] is worth asking again, if nothing else happens.
    pub(super) fn next_due(&self) -> Option<Instant> {
        match self.stage {
            Stage::Running | Stage::InterruptNow => None,
            Stage::TerminateAt(at) | Stage::KillAt(at) | Stage::Killing { next: at, .. } => Some(at),
        }
    }

    pub(super) fn is_main_alive(&self) -> bool {
        self.status.is_none()
    }

    /// Notes processes that were alive; they count only if the main process was not.
    pub(super) fn saw(&mut self, alive: impl IntoIterator<Item = Identity>) {
        if self.status.is_some() {
            self.leftovers.extend(alive);
        }
    }

    /// The job's end, given that its guard has no children left.
    pub(super) fn exit(&self) -> Option<Exit> {
        let leftovers = u32::try_from(self.leftovers.len()).unwrap_or(u32::MAX);
        Some(Exit { status: self.status?, leftovers })
    }
}

fn killing(now: Instant, pause: Duration) -> Stage {
    Stage::Killing { next: now + pause, pause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> (Job, Instant) {
        (Job::new(Pid::from_raw(4711)), Instant::now())
    }

    #[test]
    fn a_gentle_end_interrupts_terminates_and_kills() {
        let (mut job, start) = job();
        assert_eq!(job.due(start), None);
        job.ask(Ending::Gently, start);
        assert_eq!(job.due(start), Some(Step::Interrupt));
        assert_eq!(job.due(start + GRACE / 2), None);
        job.ask(Ending::Gently, start + GRACE / 2);
        assert_eq!(job.next_due(), Some(start + GRACE));
        assert_eq!(job.due(start + GRACE), Some(Step::Terminate));
        assert_eq!(job.due(start + GRACE * 2), Some(Step::Kill));
        assert_eq!(job.due(start + GRACE * 2), None);
        assert_eq!(job.due(start + GRACE * 2 + KILL_PAUSE.0), Some(Step::KillAgain));
    }

    #[test]
    fn at_once_overtakes_gently() {
        let (mut job, start) = job();
        job.ask(Ending::Gently, start);
        assert_eq!(job.due(start), Some(Step::Interrupt));
        job.ask(Ending::AtOnce, start);
        assert_eq!(job.due(start), Some(Step::Kill));
    }

    #[test]
    fn leftovers_of_an_ended_job_get_a_short_grace() {
        let (mut job, start) = job();
        job.saw([Identity { pid: job.main, start: 1 }]);
        job.main_ended(Status::Code(3), start);
        assert_eq!(job.due(start), Some(Step::Terminate));
        job.saw([Identity { pid: Pid::from_raw(4712), start: 1 }]);
        job.saw([Identity { pid: Pid::from_raw(4712), start: 1 }]);
        assert_eq!(job.due(start + LEFTOVER_GRACE), Some(Step::Kill));
        assert_eq!(job.exit(), Some(Exit { status: Status::Code(3), leftovers: 1 }));
    }
}
