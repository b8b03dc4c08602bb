//! Places at which a test can kill the process. `FAILPOINTS='snapshot.take.pack=2*off->return'` kills at the third
//! pass. Without the feature `failpoints` nothing of this does anything.

/// Dies here if `FAILPOINTS` says so. With `FAILPOINTS_LOG` every pass is written to that file, so that a sweep knows
/// what there is to try.
#[cfg(feature = "failpoints")]
pub(crate) fn point(name: &'static str) {
    log(name);
    armed();
    fail::fail_point!(name, |_| die());
}

#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub(crate) fn point(_name: &'static str) {}

/// Reads the vault's own part of `FAILPOINTS` once. Another crate of the same process may have set up a scenario, and there is
/// only one.
#[cfg(feature = "failpoints")]
fn armed() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let points = std::env::var("FAILPOINTS").unwrap_or_default();
        let own = points.split(';').filter_map(|point| point.trim().split_once('='));
        for (name, actions) in own.filter(|(name, _)| name.starts_with("snapshot.")) {
            fail::cfg(name, actions).expect("FAILPOINTS can be read");
        }
    });
}

#[cfg(feature = "failpoints")]
fn log(name: &str) {
    use std::io::Write;
    let Some(path) = std::env::var_os("FAILPOINTS_LOG") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| writeln!(file, "{name}")).expect("a sweep can write its log");
}

/// As hard as a power cut: no destructor, no buffer, no handler runs.
#[cfg(feature = "failpoints")]
fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}
