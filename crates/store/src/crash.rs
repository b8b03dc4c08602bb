//! Places at which a test can kill the process, so that every durable step is tried with a crash before,
//! inside and after it. `FAILPOINTS='store.commit.inside=3*off->return(both)'` kills at the fourth pass and takes the
//! guard along. Without the feature `failpoints` nothing of this does anything.

/// The three places of one kind of transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Points {
    pub(crate) before: &'static str,
    /// After the statements, before the commit.
    pub(crate) inside: &'static str,
    /// Durable, but nobody has been told.
    pub(crate) after: &'static str,
}

macro_rules! points {
    ($what:literal) => {
        $crate::crash::Points {
            before: concat!("store.", $what, ".before"),
            inside: concat!("store.", $what, ".inside"),
            after: concat!("store.", $what, ".after"),
        }
    };
}

pub(crate) const CREATE: Points = points!("create");
pub(crate) const COMMIT: Points = points!("commit");
pub(crate) const REQUEST: Points = points!("request");
pub(crate) const MIGRATE: Points = points!("migrate");
pub(crate) const OTHER: Points = points!("other");

/// Dies here if `FAILPOINTS` says so. With `FAILPOINTS_LOG` every pass is written to that file, so that a sweep knows
/// what there is to try.
#[cfg(feature = "failpoints")]
pub fn point(name: &'static str) {
    log(name);
    armed();
    fail::fail_point!(name, |victim: Option<String>| die(victim.as_deref()));
}

#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub fn point(_name: &'static str) {}

/// The guard of the present attempt, for tests that kill it.
#[cfg(feature = "failpoints")]
static GUARD: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);

#[cfg(feature = "failpoints")]
pub fn remember_guard(pid: u32) {
    GUARD.store(pid.cast_signed(), std::sync::atomic::Ordering::Relaxed);
}

#[cfg(not(feature = "failpoints"))]
pub fn remember_guard(_pid: u32) {}

/// Reads `FAILPOINTS` once; the scenario lasts as long as the process.
#[cfg(feature = "failpoints")]
fn armed() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| std::mem::forget(fail::FailScenario::setup()));
}

#[cfg(feature = "failpoints")]
fn log(name: &str) {
    use std::io::Write;
    let Some(path) = std::env::var_os("FAILPOINTS_LOG") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let guarded = GUARD.load(std::sync::atomic::Ordering::Relaxed) > 0;
    let line = format!("{} {name} {guarded}\n", std::process::id());
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a sweep can write its log");
}

/// Kills this process (by default), the `guard`, or `both`. As hard as a power cut: no destructor, no buffer, no
/// handler runs.
#[cfg(feature = "failpoints")]
fn die(victim: Option<&str>) {
    use nix::sys::signal::{Signal, kill};
    let guard = GUARD.load(std::sync::atomic::Ordering::Relaxed);
    if matches!(victim, Some("guard" | "both")) && guard > 0 {
        // It may have been killed at an earlier pass.
        let _ = kill(nix::unistd::Pid::from_raw(guard), Signal::SIGKILL);
    }
    if victim != Some("guard") {
        let _ = kill(nix::unistd::Pid::this(), Signal::SIGKILL);
        std::process::abort()
    }
}
