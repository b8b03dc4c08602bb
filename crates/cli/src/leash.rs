//! The end of a process that is stuck where nothing else would end it.

use std::process::exit;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long what has its own deadline may go on past it.
const GRACE: Duration = Duration::from_secs(5);

/// A thread that ends the process when its time is up. Whatever it has started under a guard ends with it.
#[derive(Debug)]
pub(crate) struct Leash {
    lengthen: Sender<Instant>,
}

impl Leash {
    pub(crate) fn of(time: Duration) -> Leash {
        let (lengthen, lengthened) = channel();
        let mut end = Instant::now() + time;
        thread::spawn(move || {
            loop {
                match lengthened.recv_timeout(end.saturating_duration_since(Instant::now())) {
                    Ok(later) => end = later,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        eprintln!("ralph: this took longer than it may, and was given up");
                        exit(1);
                    }
                }
            }
        });
        Leash { lengthen }
    }

    /// What begins now may take this long.
    pub(crate) fn allow(&self, time: Duration) {
        // Nobody listens once the time is up, and then nothing matters any more.
        let _ending = self.lengthen.send(Instant::now() + time + GRACE);
    }
}
