//! The end of a process that is stuck where nothing else would end it.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long what has its own deadline may go on past it.
const GRACE: Duration = Duration::from_secs(5);

/// A thread that ends the process when its time is up. Whatever it has started under a guard ends with it.
#[derive(Debug, Clone)]
pub(crate) struct Leash {
    held: Arc<Held>,
    keeper: Thread,
}

#[derive(Debug)]
struct Held {
    end: Mutex<Instant>,
    answered: AtomicBool,
}

impl Leash {
    pub(crate) fn of(time: Duration) -> Leash {
        let end = Mutex::new(Instant::now() + time);
        let held = Arc::new(Held { end, answered: AtomicBool::new(false) });
        let watched = Arc::downgrade(&held);
        let keeper = thread::spawn(move || keep(&watched)).thread().clone();
        Leash { held, keeper }
    }

    /// The answer is out: hosts take it only from a process that ends well, so whatever follows does not change that.
    pub(crate) fn answered(&self) {
        self.held.answered.store(true, Ordering::Release);
    }

    pub(crate) fn has_answered(&self) -> bool {
        self.held.answered.load(Ordering::Acquire)
    }

    /// What a process that failed ends with.
    pub(crate) fn code(&self) -> u8 {
        self.held.code()
    }

    /// What begins now may take this long.
    pub(crate) fn allow(&self, time: Duration) {
        let later = Instant::now() + time + GRACE;
        let before = std::mem::replace(&mut *self.held.end(), later);
        // A longer time it sees when the shorter is up: to be woken costs those who wait for the answer.
        if later < before {
            self.keeper.unpark();
        }
    }
}

/// Until nobody holds the leash any more.
fn keep(watched: &Weak<Held>) {
    while let Some(held) = watched.upgrade() {
        let left = held.end().saturating_duration_since(Instant::now());
        if left.is_zero() {
            eprintln!("ralph: this took longer than it may, and was given up");
            exit(held.code().into());
        }
        drop(held);
        thread::park_timeout(left);
    }
}

impl Held {
    fn end(&self) -> MutexGuard<'_, Instant> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn code(&self) -> u8 {
        u8::from(!self.answered.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Leash;

    #[test]
    fn whoever_has_answered_ends_well_whatever_follows() {
        let leash = Leash::of(Duration::from_secs(3600));
        let held = leash.clone();
        assert_eq!(held.code(), 1);
        leash.answered();
        assert_eq!(held.code(), 0);
    }
}
