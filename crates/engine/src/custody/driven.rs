//! Whether a process is below an agent that ralph drives, whatever its own environment says.
//!
//! Programs hand on what they like of their environment: Codex starts its tools' servers without the mark of the run. But
//! nobody gets out from under a guard: it is a subreaper, and whatever is orphaned below it falls to it.

use std::fs;

use super::RUN_MARK;
use super::proc::lineage;

/// Whether this process or one above it carries the mark of a run, or is a guard: this program with `guard` as its first
/// argument.
pub fn is_driven(guard: &str) -> bool {
    std::env::var_os(RUN_MARK).is_some()
        || lineage().iter().any(|pid| is_marked(*pid) || is_guard(*pid, guard))
}

/// What a process does not let others see is no mark; the guard above it is seen all the same.
fn is_marked(pid: nix::unistd::Pid) -> bool {
    let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environ
        .split(|byte| *byte == 0)
        .any(|entry| entry.strip_prefix(RUN_MARK.as_bytes()).is_some_and(|value| value.starts_with(b"=")))
}

fn is_guard(pid: nix::unistd::Pid, guard: &str) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).nth(1) == Some(guard.as_bytes())
}
