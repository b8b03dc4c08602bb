//! How every descendant is reached, however it has detached itself.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getpgid, getpgrp};

use super::proc::{self, Identity, Process};

/// Forking while being stopped can bring to light only so many generations per pass; the next pass goes on.
const STOP_ROUNDS: usize = 8;
/// How long one pass chases processes that fork and exit faster than a scan takes.
const CHASE: Duration = Duration::from_millis(4);

/// Signals every living descendant once and returns whom it found.
pub(super) fn signal_all(signal: Signal) -> Vec<Identity> {
    let found = living();
    for process in &found {
        process.signal(signal);
    }
    found
}

/// One pass of killing: what is stopped cannot fork, so stop until `living` finds nobody new, and only then kill.
/// Returns whom it found. What slips through is for the next pass.
pub(super) fn kill_all(living: impl Fn() -> Vec<Identity>) -> Vec<Identity> {
    let mut held = HashSet::new();
    for _ in 0..STOP_ROUNDS {
        let fresh: Vec<Identity> = living().into_iter().filter(|&process| held.insert(process)).collect();
        if fresh.is_empty() {
            break;
        }
        for process in fresh {
            process.signal(Signal::SIGSTOP);
        }
    }
    for process in &held {
        process.signal(Signal::SIGKILL);
    }
    held.into_iter().collect()
}

/// Kills the caller's own children as fast as they come, each with its process group: the kernel signals a group as a
/// whole, so not even a process that forks and exits at once can run ahead of that, as it can of a scan. Its orphans
/// fall to the subreaper one after another. `reap` says whether any child is left, and so does this.
pub(super) fn chase(mut reap: impl FnMut() -> bool, is_prey: impl Fn(Pid) -> bool) -> bool {
    let until = Instant::now() + CHASE;
    while reap() {
        if Instant::now() > until {
            return true;
        }
        for child in proc::children().into_iter().filter(|&child| is_prey(child)) {
            // Nobody else reaps a child, and until it is reaped neither its pid nor its group can be a stranger's.
            let _ = kill(child, Signal::SIGKILL);
            match getpgid(Some(child)) {
                Ok(group) if group != getpgrp() => drop(killpg(group, Signal::SIGKILL)),
                Ok(_) | Err(_) => {}
            }
        }
        std::thread::yield_now();
    }
    false
}

/// Every descendant of the guard that is still running.
pub(super) fn living() -> Vec<Identity> {
    let guard = Pid::this();
    let below = proc::trees(&Process::all(), |process| process.parent == guard);
    below.into_iter().filter(|process| !process.ended).map(|process| process.id).collect()
}
