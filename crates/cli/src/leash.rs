//! The end of a process that is stuck where nothing else would end it.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long what has its own deadline may go on past it.
const GRACE: Duration = Duration::from_secs(5);

/// A thread that ends the process when its time is up. Whatever it has started under a guard ends with it.
#[derive(Debug, Clone)]
pub(crate) struct Leash {
    lengthen: Sender<Instant>,
    answered: Arc<AtomicBool>,
}

impl Leash {
    pub(crate) fn of(time: Duration) -> Leash {
        let (lengthen, lengthened) = channel();
        let leash = Leash { lengthen, answered: Arc::default() };
        let answered = Arc::clone(&leash.answered);
        let mut end = Instant::now() + time;
        thread::spawn(move || {
            loop {
                match lengthened.recv_timeout(end.saturating_duration_since(Instant::now())) {
                    Ok(later) => end = later,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        eprintln!("ralph: this took longer than it may, and was given up");
                        exit(code(&answered).into());
                    }
                }
            }
        });
        leash
    }

    /// The answer is out: hosts take it only from a process that ends well, so whatever follows does not change that.
    pub(crate) fn answered(&self) {
        self.answered.store(true, Ordering::Release);
    }

    /// What a process that failed ends with.
    pub(crate) fn code(&self) -> u8 {
        code(&self.answered)
    }

    /// What begins now may take this long.
    pub(crate) fn allow(&self, time: Duration) {
        // Nobody listens once the time is up, and then nothing matters any more.
        let _ending = self.lengthen.send(Instant::now() + time + GRACE);
    }
}

fn code(answered: &AtomicBool) -> u8 {
    u8::from(!answered.load(Ordering::Acquire))
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
