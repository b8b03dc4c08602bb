//! Places at which a test can kill the process, so that every durable step is tried with a crash before,
//! inside and after it. `FAILPOINTS='store.commit.inside=3*off->return'` kills at the fourth.

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

#[cfg(feature = "failpoints")]
pub(crate) fn point(name: &'static str) {
    fail::fail_point!(name, |_| die());
}

#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub(crate) fn point(_name: &'static str) {}

/// As hard as a power cut for this process: no destructor, no buffer, no handler runs.
#[cfg(feature = "failpoints")]
fn die() -> ! {
    let _ = nix::sys::signal::kill(nix::unistd::Pid::this(), nix::sys::signal::Signal::SIGKILL);
    std::process::abort()
}
