//! The directories that are still to be listed. Empty is not the end while somebody may still find more.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::digest::Digest;
use crate::rules::Rules;

/// From this many waiting directories on, more threads are worth starting.
const LONG: usize = 24;

#[derive(Debug)]
pub(super) struct Task {
    pub(super) number: u32,
    pub(super) path: Box<[u8]>,
    pub(super) rules: Option<Arc<Rules>>,
    /// Inside the `.git` of a nested repository, where no rules apply.
    pub(super) is_of_git: bool,
    /// The same directory in the cache.
    pub(super) cached: Option<u32>,
    /// The same directory in the tree that is covered in any case.
    pub(super) cover: Option<Digest>,
    /// The rules ignore this directory; only what that tree holds of it counts.
    pub(super) only_covered: bool,
}

#[derive(Debug)]
pub(super) struct Queue {
    // Every thread takes from it and adds to it.
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Debug)]
struct State {
    waiting: Vec<Task>,
    in_work: usize,
    /// How many threads wait for something to do: to wake nobody costs a system call as well.
    idle: usize,
    next: u32,
    has_failed: bool,
}

impl Queue {
    pub(super) fn new(root: Task) -> Queue {
        let state = State { waiting: vec![root], in_work: 0, idle: 0, next: 1, has_failed: false };
        Queue { state: Mutex::new(state), news: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_long(&self) -> bool {
        self.state().waiting.len() >= LONG
    }

    /// The next directory; none when all are done or one has failed.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            if state.has_failed {
                return None;
            }
            if let Some(task) = state.waiting.pop() {
                state.in_work += 1;
                return Some(task);
            }
            if state.in_work == 0 {
                return None;
            }
            state.idle += 1;
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Numbers for this many directories: higher than that of any directory listed so far.
    pub(super) fn numbers(&self, count: u32) -> u32 {
        let mut state = self.state();
        let first = state.next;
        state.next += count;
        first
    }

    /// One directory is listed, and these are in it.
    pub(super) fn done(&self, found: Vec<Task>) {
        let mut state = self.state();
        state.in_work -= 1;
        state.waiting.extend(found);
        if state.idle > 0 && (!state.waiting.is_empty() || state.in_work == 0) {
            self.news.notify_all();
        }
    }

    pub(super) fn fail(&self) {
        self.state().has_failed = true;
        self.news.notify_all();
    }
}
