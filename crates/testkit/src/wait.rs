//! Waiting for what another process does: look again and again until a deadline, never a fixed sleep.

use std::time::{Duration, Instant};

/// Long enough for a loaded machine; only a failing test waits this long.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The first answer that `look` gives.
///
/// # Panics
/// When there is none in time; `what` says what was waited for.
pub fn until<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let give_up = Instant::now() + patience;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < give_up, "{what}: not within {patience:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
