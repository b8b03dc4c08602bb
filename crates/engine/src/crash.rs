//! Where a test may kill the process. Without the feature `failpoints` nothing of this is compiled.

/// Dies here if the environment's `FAILPOINTS` says so: `code.before=2*off->return(both)` dies at the third pass and
/// takes the guard along.
#[cfg(feature = "failpoints")]
macro_rules! crash_point {
    ($name:literal) => {
        (|| fail::fail_point!($name, |victim: Option<String>| $crate::crash::die(victim.as_deref())))()
    };
}

#[cfg(not(feature = "failpoints"))]
macro_rules! crash_point {
    ($name:literal) => {};
}

pub(crate) use crash_point;

/// The guard of the present attempt, for tests that kill it.
#[cfg(feature = "failpoints")]
static GUARD: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);

#[cfg(feature = "failpoints")]
pub(crate) fn remember_guard(pid: u32) {
    GUARD.store(pid.cast_signed(), std::sync::atomic::Ordering::Relaxed);
}

#[cfg(not(feature = "failpoints"))]
pub(crate) fn remember_guard(_pid: u32) {}

/// Kills ralph (by default), its `guard`, or `both`, as by `kill -9`.
#[cfg(feature = "failpoints")]
pub(crate) fn die(victim: Option<&str>) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let guard = GUARD.load(std::sync::atomic::Ordering::Relaxed);
    if matches!(victim, Some("guard" | "both")) && guard > 0 {
        kill(Pid::from_raw(guard), Signal::SIGKILL).expect("the guard is a child of this process");
    }
    if victim != Some("guard") {
        kill(Pid::this(), Signal::SIGKILL).expect("a process may kill itself");
    }
}
