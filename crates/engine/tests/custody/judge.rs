//! Looks for survivors on its own, without a line of the code under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Living processes on this machine that carry `mark` in their environment.
pub(crate) fn carriers(mark: &str) -> Vec<u32> {
    let mut pids = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A zombie has no environment, but its first thread may be all that is dead.
        for thread in fs::read_dir(entry.path().join("task")).into_iter().flatten().flatten() {
            let environ = fs::read(thread.path().join("environ")).unwrap_or_default();
            if environ.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes()) {
                pids.push(pid);
                break;
            }
        }
    }
    pids
}

/// Waits until `is_so`, and says how long that took, or `None` if it took too long.
pub(crate) fn wait_until(limit: Duration, is_so: impl Fn() -> bool) -> Option<Duration> {
    let start = Instant::now();
    while !is_so() {
        if start.elapsed() > limit {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Some(start.elapsed())
}

/// Whether a process with this pid is there and more than a zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

/// Control groups anywhere whose name starts so.
pub(crate) fn cgroups(prefix: &str) -> Vec<PathBuf> {
    fn walk(dir: &Path, prefix: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(prefix) {
                    found.push(entry.path());
                }
                walk(&entry.path(), prefix, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new("/sys/fs/cgroup"), prefix, &mut found);
    found
}
