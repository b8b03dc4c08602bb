//! What `/proc` says about a process, and signals that reach only the process it was said of.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Bounds a survey on a machine that never comes to rest.
const CATCH_UPS: usize = 1000;

/// A pid and when its process started: together they never name another process, as a pid alone may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) pid: Pid,
    /// In clock ticks since the machine started.
    pub(super) start: u64,
}

/// When a process started, in clock ticks since the machine did; none if it is not there or has ended.
pub fn process_start(pid: u32) -> Option<u64> {
    let process = Process::read(Pid::from_raw(i32::try_from(pid).ok()?))?;
    (!process.ended).then_some(process.id.start)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) id: Identity,
    pub(super) parent: Pid,
    pub(super) group: Pid,
    pub(super) session: Pid,
    /// A zombie: it runs no more and holds nothing but its pid.
    pub(super) ended: bool,
    /// Its first thread has ended, which makes it look like a zombie, but others run on.
    is_headless: bool,
}

impl Process {
    pub(super) fn read(pid: Pid) -> Option<Process> {
        // One read suffices: the line is short, and the kernel composes it anew for every read.
        let mut line = [0; 1024];
        let length = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut line).ok()?;
        Process::parse(pid, &line[..length])
    }

    fn parse(pid: Pid, line: &[u8]) -> Option<Process> {
        // The name stands in brackets and may itself hold brackets and blanks, so count from the last one.
        let rest = &line[line.iter().rposition(|&byte| byte == b')')? + 1..];
        let fields: Vec<&str> = std::str::from_utf8(rest).ok()?.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<i32>().ok().map(Pid::from_raw);
        let first_ended = matches!(*fields.first()?, "Z" | "X" | "x");
        let has_others = fields.get(17)?.parse::<u32>().ok()? > 1;
        Some(Process {
            id: Identity { pid, start: fields.get(19)?.parse().ok()? },
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            ended: first_ended && !has_others,
            is_headless: first_ended && has_others,
        })
    }

    /// Every process on the machine that can be seen.
    pub(super) fn all() -> Vec<Process> {
        let mut all = Vec::new();
        Process::survey(|process| all.push(process));
        all
    }

    /// Shows every process on the machine to `look`, the newest first, and goes on with those born meanwhile until
    /// none is: so a process that forks and exits again and again cannot run ahead of the survey unseen.
    pub(super) fn survey(mut look: impl FnMut(Process)) {
        let mut last = last_pid();
        pids().into_iter().rev().filter_map(Process::read).for_each(&mut look);
        for _ in 0..CATCH_UPS {
            let now = last_pid();
            match now.cmp(&last) {
                Ordering::Equal => return,
                Ordering::Greater => {
                    (last + 1..=now).map(Pid::from_raw).filter_map(Process::read).for_each(&mut look);
                }
                // The pids have wrapped around.
                Ordering::Less => pids().into_iter().filter_map(Process::read).for_each(&mut look),
            }
            last = now;
        }
    }

    /// Whether its environment, as it was when its program started, holds `mark` (`KEY=value`).
    pub(super) fn carries(&self, mark: &[u8]) -> bool {
        let holds = |path: PathBuf| {
            fs::read(path).is_ok_and(|environ| environ.split(|&byte| byte == 0).any(|entry| entry == mark))
        };
        let dir = PathBuf::from(format!("/proc/{}", self.id.pid));
        let of_threads = || fs::read_dir(dir.join("task")).into_iter().flatten().flatten();
        // A first thread that has ended shows no environment any more, the others do.
        !self.ended
            && (holds(dir.join("environ"))
                || self.is_headless && of_threads().any(|thread| holds(thread.path().join("environ"))))
    }
}

/// The pid given out last, the fifth field of this file.
fn last_pid() -> i32 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_ascii_whitespace().nth(4).and_then(|pid| pid.parse().ok()).unwrap_or_default()
}

fn pids() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw).collect()
}

/// Those of `all` for which `is_root` holds, and everything below them.
pub(super) fn trees(all: &[Process], is_root: impl Fn(&Process) -> bool) -> Vec<Process> {
    let mut starts = HashMap::new();
    let mut found = Vec::new();
    loop {
        let before = found.len();
        for process in all {
            // A parent is never younger than its child; if it seems so, the pid passed to a stranger mid-scan.
            let below = |starts: &HashMap<Pid, u64>| {
                starts.get(&process.parent).is_some_and(|&start| start <= process.id.start)
            };
            if !starts.contains_key(&process.id.pid) && (is_root(process) || below(&starts)) {
                starts.insert(process.id.pid, process.id.start);
                found.push(*process);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// This process and those above it.
pub(super) fn lineage() -> Vec<Pid> {
    let mut line = vec![Pid::this()];
    while let Some(process) = line.last().copied().and_then(Process::read) {
        if process.parent.as_raw() == 0 {
            break;
        }
        line.push(process.parent);
    }
    line
}

/// The children of this process, by the kernel's own list where it is built in: far quicker than a scan.
pub(super) fn children() -> Vec<Pid> {
    if !Path::new("/proc/thread-self/children").exists() {
        let me = Pid::this();
        return Process::all()
            .iter()
            .filter(|process| process.parent == me)
            .map(|process| process.id.pid)
            .collect();
    }
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    // A thread that has ended by now has passed its children to another.
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists.flat_map(|list| parse_pids(&list)).collect()
}

fn parse_pids(list: &str) -> Vec<Pid> {
    list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect()
}

impl Identity {
    /// Signals this very process and says whether it was there; a stranger who holds its pid by now is left alone.
    pub(super) fn signal(self, signal: Signal) -> bool {
        // The descriptor pins whoever holds the pid now; only then is it worth asking who that is.
        let pinned = pin(self.pid);
        if Process::read(self.pid).is_none_or(|now| now.id != self) {
            return false;
        }
        match pinned {
            Ok(pidfd) => send(&pidfd, signal).is_ok(),
            // Sandboxes without this system call: the check just made is the best there is.
            Err(Errno::ENOSYS | Errno::EPERM) => kill(self.pid, signal).is_ok(),
            Err(_) => false,
        }
    }
}

#[expect(unsafe_code, reason = "pidfd_open has no wrapper in nix")]
fn pin(pid: Pid) -> Result<OwnedFd, Errno> {
    // SAFETY: takes two integers, touches no memory of ours.
    let fd = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) })?;
    // SAFETY: the kernel has just made this descriptor for us, close-on-exec, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

#[expect(unsafe_code, reason = "pidfd_send_signal has no wrapper in nix")]
fn send(pidfd: &OwnedFd, signal: Signal) -> Result<(), Errno> {
    let no_details = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: the descriptor is open, and a null siginfo means the same as kill(2).
    let sent = unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, pidfd.as_raw_fd(), signal as i32, no_details, 0)
    };
    Errno::result(sent).map(drop)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let line = b"7 (a) S 9 9) Z 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        let process = Process::parse(Pid::from_raw(7), line).unwrap();
        assert_eq!(process.parent.as_raw(), 3);
        assert_eq!(process.group.as_raw(), 4);
        assert_eq!(process.session.as_raw(), 5);
        assert_eq!(process.id.start, 777);
        assert!(process.ended);
    }

    #[test]
    fn a_stranger_with_the_same_pid_is_never_signalled() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let now = Process::read(Pid::from_raw(child.id() as i32)).unwrap().id;
        let before = Identity { start: now.start - 1, ..now };

        assert!(!before.signal(Signal::SIGKILL));
        assert!(child.try_wait().unwrap().is_none());

        assert!(now.signal(Signal::SIGKILL));
        child.wait().unwrap();
        assert!(!now.signal(Signal::SIGKILL));
    }

    #[test]
    fn a_tree_holds_no_child_older_than_its_parent() {
        let process = |pid, parent, start| Process {
            id: Identity { pid: Pid::from_raw(pid), start },
            parent: Pid::from_raw(parent),
            group: Pid::from_raw(1),
            session: Pid::from_raw(1),
            ended: false,
            is_headless: false,
        };
        let all =
            [process(5, 4, 30), process(4, 2, 20), process(2, 1, 10), process(6, 4, 15), process(7, 1, 9)];
        let mut found: Vec<i32> =
            trees(&all, |process| process.id.pid.as_raw() == 2).iter().map(|p| p.id.pid.as_raw()).collect();
        found.sort_unstable();
        assert_eq!(found, [2, 4, 5]);
    }
}
