//! Processes as `/proc` shows them.

use std::fs;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// Everything on this machine that carries the run's id in its environment.
pub fn survivors(run: &str) -> Vec<(u32, String)> {
    let mark = format!("RALPH_RUN={run}");
    pids()
        .filter(|pid| carries(*pid, mark.as_bytes()) && is_alive(*pid))
        .map(|pid| (pid, command(pid)))
        .collect()
}

/// The guard that a ralph process has opened, if any.
pub fn guard_of(ralph: u32) -> Option<u32> {
    children(ralph).into_iter().find(|pid| command(*pid).contains("__guard"))
}

pub fn children(parent: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split(' ').filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// A zombie is not alive.
pub fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// The most memory that a process has had at once, in bytes; none once it is gone.
pub fn peak_memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// The process may be gone already.
pub fn kill_nine(pid: u32) {
    send(pid, Signal::SIGKILL);
}

/// With everything in the group that it leads.
pub fn kill_group_nine(leader: u32) {
    let _gone = killpg(Pid::from_raw(leader.cast_signed()), Signal::SIGKILL);
}

pub fn send(pid: u32, signal: Signal) {
    let _gone = kill(Pid::from_raw(pid.cast_signed()), signal);
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn carries(pid: u32, mark: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == mark)
}

fn command(pid: u32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}
