//! What a dead guard leaves behind, found and ended by whoever is still there.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::prctl;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgid, getsid};

use super::RUN_MARK;
use super::cgroup::{self, Cgroup};
use super::proc::{self, Identity, Process};
use super::sweep;

/// The pause between two passes.
pub(super) const PAUSE: Duration = Duration::from_millis(3);
/// A process is invisible for an instant while its program is being replaced, so one empty pass proves nothing.
const EMPTY_PASSES: u32 = 2;
/// So many passes end everything but what forks as fast as it is killed.
const PATIENT_PASSES: u32 = 2;
/// Beyond this and so many passes, on a machine however slow, whoever is left cannot be killed at all, and people have
/// to know.
const PATIENCE: Duration = Duration::from_secs(5);
const ENOUGH_PASSES: u32 = 20;

/// The guards this process has started and not yet reaped. A lock because the operating system's table of children,
/// which it annotates, is shared by the whole process too: none may be swept between its birth and its entry here.
static GUARDS: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

#[derive(thiserror::Error, Debug)]
#[error("processes of run {run} cannot be killed: {pids:?}")]
pub struct ReapError {
    pub run: String,
    pub pids: Vec<u32>,
}

/// Makes the calling process a child subreaper: the orphans of a guard it started fall to it, not to init.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(prctl::set_child_subreaper(true)?)
}

/// Ends everything on this machine that carries the run's id, when neither its guard nor its ralph is there to do
/// so, and removes the cgroup they left. Spares the caller and its ancestors. Returns how many it killed.
pub fn reap_run(run: &str) -> Result<u32, ReapError> {
    let mut estate = Estate::abandoned(run);
    while !estate.pass()? {
        std::thread::sleep(PAUSE);
    }
    Ok(u32::try_from(estate.killed.len()).unwrap_or(u32::MAX))
}

pub(super) fn start_guard(command: &mut Command) -> io::Result<Child> {
    let mut guards = guards();
    let guard = command.spawn()?;
    guards.insert(Pid::from_raw(guard.id() as i32));
    Ok(guard)
}

/// To be called once it is reaped.
pub(super) fn forget_guard(guard: &Child) {
    guards().remove(&Pid::from_raw(guard.id() as i32));
}

fn guards() -> MutexGuard<'static, BTreeSet<Pid>> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub(super) struct Estate {
    run: String,
    cgroups: Vec<Cgroup>,
    heir: Heir,
    killed: HashSet<Identity>,
    passes: u32,
    empty_passes: u32,
    since: Option<Instant>,
}

/// To whom the orphans fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heir {
    /// To init; only the marks and the cgroup tell.
    Nobody,
    /// To this process, which had started the guard.
    Us,
}

impl Estate {
    /// Of a guard that this process has started.
    pub(super) fn inherited(run: &str, cgroup: Option<&str>) -> Estate {
        Estate::new(run, cgroup.map(Cgroup::at).into_iter().collect(), Heir::Us)
    }

    fn abandoned(run: &str) -> Estate {
        Estate::new(run, cgroup::left_over(run), Heir::Nobody)
    }

    fn new(run: &str, cgroups: Vec<Cgroup>, heir: Heir) -> Estate {
        let run = run.to_owned();
        Estate { run, cgroups, heir, killed: HashSet::new(), passes: 0, empty_passes: 0, since: None }
    }

    /// Kills what it finds and says whether the estate is settled. To be called until it is, with a pause between.
    pub(super) fn pass(&mut self) -> Result<bool, ReapError> {
        let since = *self.since.get_or_insert_with(Instant::now);
        for cgroup in self.cgroups.iter().filter(|cgroup| !cgroup.holds_caller()) {
            self.killed
                .extend(cgroup.members().into_iter().filter_map(Process::read).map(|process| process.id));
            let _ = cgroup.kill();
        }
        let found = sweep::kill_all(|| self.living());
        let is_empty = match self.heir {
            Heir::Us => !self.bury() && found.is_empty(),
            Heir::Nobody => found.is_empty(),
        };
        self.empty_passes = if is_empty { self.empty_passes + 1 } else { 0 };
        self.passes += 1;
        if self.heir == Heir::Nobody && self.passes > PATIENT_PASSES && !is_empty {
            self.strike_on_sight();
        }
        if self.empty_passes >= EMPTY_PASSES {
            self.cgroups.retain(|cgroup| !cgroup.holds_caller() && cgroup.remove().is_err());
            // The kernel may take a moment to let go of members that have just ended.
            return Ok(self.cgroups.is_empty() || since.elapsed() > PATIENCE);
        }
        if since.elapsed() > PATIENCE && self.passes > ENOUGH_PASSES && !found.is_empty() {
            let pids = found.iter().map(|process| process.pid.as_raw().unsigned_abs()).collect();
            return Err(ReapError { run: self.run.clone(), pids });
        }
        self.killed.extend(found);
        Ok(false)
    }

    /// Everything of this run that is still running: the orphans that fell to us, members of the cgroup, whoever
    /// carries the mark, and all below them.
    fn living(&self) -> Vec<Identity> {
        let guards = guards();
        let members: HashSet<Pid> = self.cgroups.iter().flat_map(Cgroup::members).collect();
        let mark = self.mark();
        let (mut all, mut ours) = (Vec::new(), HashSet::new());
        Process::survey(|process| {
            all.push(process);
            // To be asked at once: a moment later the process may be gone, and its child not yet looked at.
            if self.is_orphan(&process) || members.contains(&process.id.pid) || process.carries(&mark) {
                ours.insert(process.id);
            }
        });
        // What another living guard of ours holds is in good hands.
        let held = proc::trees(&all, |process| guards.contains(&process.id.pid));
        let spared: HashSet<Pid> = held.iter().map(|process| process.id.pid).chain(proc::lineage()).collect();
        let is_root = |process: &Process| ours.contains(&process.id) && !spared.contains(&process.id.pid);
        let found = proc::trees(&all, is_root);
        found.into_iter().filter(|process| !process.ended).map(|process| process.id).collect()
    }

    /// Agents start in a session of their own and nobody can join a session from outside, so a child of ours in
    /// another session than ours is no child that ralph has started itself.
    fn is_orphan(&self, process: &Process) -> bool {
        self.heir == Heir::Us && process.parent == Pid::this() && getsid(None) != Ok(process.session)
    }

    /// Kills and reaps our orphans until none is left, or time is up, and says whether any is. Reaps one by one, never
    /// just anybody: the other children of this process have owners who wait for them.
    fn bury(&self) -> bool {
        let guards = guards();
        let is_ours = |pid: Pid| {
            !guards.contains(&pid) && Process::read(pid).is_some_and(|process| self.is_orphan(&process))
        };
        let ours = || proc::children().into_iter().filter(|&child| is_ours(child));
        let has_ended = |child| {
            waitpid(child, Some(WaitPidFlag::WNOHANG)).is_ok_and(|status| status != WaitStatus::StillAlive)
        };
        let reap = || {
            // Whoever is reaped may have left us a child of its own, so look again until nobody is.
            while ours().filter(|&child| has_ended(child)).count() > 0 {}
            ours().next().is_some()
        };
        sweep::chase(reap, is_ours)
    }

    /// For processes that fork and exit faster than a scan takes: kills the whole group of whoever carries the mark,
    /// the moment it is seen. Only a last resort, since nothing pins a group: the moment in which it
    /// could end and its number become a stranger's is short, but there is one.
    fn strike_on_sight(&self) {
        let spared: HashSet<Pid> =
            proc::lineage().into_iter().filter_map(|pid| getpgid(Some(pid)).ok()).collect();
        let mark = self.mark();
        Process::survey(|process| {
            let is_spared = spared.contains(&process.group) || getsid(None) == Ok(process.session);
            if !is_spared && process.carries(&mark) {
                let _ = killpg(process.group, Signal::SIGKILL);
            }
        });
    }

    fn mark(&self) -> Vec<u8> {
        format!("{RUN_MARK}={}", self.run).into_bytes()
    }
}
