//! How far a long build is, for whoever sits at a terminal.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is over sooner is not worth a word.
const QUIET: Duration = Duration::from_millis(400);
const REDRAW: u64 = 100;

pub(super) struct Bar {
    begun: Instant,
    is_watched: bool,
    /// When it was last drawn, in milliseconds from the beginning; 0 is never.
    drawn: AtomicU64,
}

impl Bar {
    pub(super) fn new() -> Bar {
        Bar { begun: Instant::now(), is_watched: std::io::stderr().is_terminal(), drawn: AtomicU64::new(0) }
    }

    /// From any thread.
    pub(super) fn show(&self, done: usize, all: usize) {
        let since = self.begun.elapsed();
        if !self.is_watched || since < QUIET {
            return;
        }
        let (now, last) = (since.as_millis() as u64, self.drawn.load(Ordering::Relaxed));
        let mine = self.drawn.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
        if now >= last + REDRAW && mine.is_ok() {
            let _nobody_sees_it = write!(std::io::stderr(), "\r\x1b[Kreading {done} of {all} files");
        }
    }

    pub(super) fn clear(&self) {
        if self.drawn.load(Ordering::Relaxed) > 0 {
            let _nobody_sees_it = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
