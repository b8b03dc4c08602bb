//! Processes that a program left behind, found by a mark in their environment.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Kills every process whose environment holds `NAME=value` and returns their command lines. Tools start
/// sessions of their own, so that no process group reaches them.
pub fn end_survivors(mark: &str) -> Vec<String> {
    let mut ended = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
        if !environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            continue;
        }
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok() {
            ended.push(String::from_utf8_lossy(&command).replace('\0', " ").trim().to_owned());
        }
    }
    ended
}
