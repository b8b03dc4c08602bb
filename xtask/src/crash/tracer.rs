//! Runs ralph under ptrace and strikes at one of its durable system calls, counted over all of its threads.
//!
//! Only ralph is traced: its guard and its agents run free. A call is durable if it changes a file or directory in the
//! state directory, or flushes one. The blow falls when the call is about to be made.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::libc::{self, c_long};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use ralph_testkit::{guard_of, kill_nine};

use super::points::Call;
use super::trial::Blow;

/// No run of the sweep takes a fraction of this.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Traced {
    /// Every durable call up to the end.
    pub(crate) calls: Vec<Call>,
    /// None if it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) struck: bool,
}

pub(crate) fn trace(mut command: Command, state: &Path, blow: Option<&Blow>) -> Result<Traced> {
    let leader = launch(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
    let (done, over) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if over.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            kill_nine(leader.as_raw().cast_unsigned());
        }
    });
    let mut trace = Trace { leader, state: state.to_owned(), blow, calls: Vec::new(), struck: false };
    let code = trace.follow();
    drop(done);
    watch.join().expect("the watch only waits");
    Ok(Traced { code: code?, calls: trace.calls, struck: trace.struck })
}

#[expect(unsafe_code, reason = "a process asks to be traced before it becomes ralph")]
fn launch(command: &mut Command) -> Result<Pid> {
    // SAFETY: one system call between fork and exec.
    unsafe { command.pre_exec(|| ptrace::traceme().map_err(io::Error::from)) };
    let child = command.spawn().context("cannot start ralph")?;
    let leader = Pid::from_raw(child.id().cast_signed());
    match waitpid(leader, None)? {
        WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
        other => bail!("ralph did not start under the tracer: {other:?}"),
    }
    let options = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(leader, options)?;
    ptrace::syscall(leader, None)?;
    Ok(leader)
}

struct Trace<'a> {
    leader: Pid,
    state: PathBuf,
    blow: Option<&'a Blow>,
    calls: Vec<Call>,
    struck: bool,
}

impl Trace<'_> {
    fn follow(&mut self) -> Result<Option<i32>> {
        // Only this thread's own children: other workers trace theirs.
        let flags = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        loop {
            let status = waitpid(None, Some(flags))?;
            match status {
                WaitStatus::Exited(pid, code) if pid == self.leader => return Ok(Some(code)),
                WaitStatus::Signaled(pid, ..) if pid == self.leader => return Ok(None),
                WaitStatus::PtraceSyscall(thread) => {
                    self.at_call(thread);
                    go_on(thread, None)?;
                }
                // A new thread begins with a stop that nobody sent.
                WaitStatus::Stopped(thread, Signal::SIGSTOP) => go_on(thread, None)?,
                WaitStatus::Stopped(thread, signal) => go_on(thread, Some(signal))?,
                WaitStatus::PtraceEvent(thread, ..) => go_on(thread, None)?,
                WaitStatus::Exited(..)
                | WaitStatus::Signaled(..)
                | WaitStatus::Continued(_)
                | WaitStatus::StillAlive => {}
            }
        }
    }

    fn at_call(&mut self, thread: Pid) {
        let Some(name) = durable_call(thread, &self.state) else { return };
        let nth = self.calls.len();
        let leader = self.leader.as_raw().cast_unsigned();
        let guard = guard_of(leader);
        self.calls.push(Call { name, nth, guarded: guard.is_some() });
        let Some(blow) = self.blow.filter(|blow| blow.nth == nth) else { return };
        self.struck = true;
        if let Some(guard) = guard.filter(|_| blow.victim.takes_guard()) {
            kill_nine(guard);
        }
        if blow.victim.takes_ralph() {
            kill_nine(leader);
        }
    }
}

/// A thread may have been killed meanwhile.
fn go_on(thread: Pid, signal: Option<Signal>) -> Result<()> {
    match ptrace::syscall(thread, signal) {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The name of the call that a thread is about to make, if it changes or flushes something in `state`.
fn durable_call(thread: Pid, state: &Path) -> Option<&'static str> {
    let registers = ptrace::getregs(thread).ok()?;
    // The kernel marks the way in like this; the way out has a result.
    if registers.rax.cast_signed() != -i64::from(libc::ENOSYS) {
        return None;
    }
    let number = c_long::try_from(registers.orig_rax).ok()?;
    let is_open = |fd: u64| {
        std::fs::read_link(format!("/proc/{thread}/fd/{fd}")).is_ok_and(|path| path.starts_with(state))
    };
    let is_named = |address: u64| path_at(thread, address).is_some_and(|path| path.starts_with(state));
    let (name, is_durable) = match number {
        libc::SYS_write => ("write", is_open(registers.rdi)),
        libc::SYS_writev => ("writev", is_open(registers.rdi)),
        libc::SYS_pwrite64 => ("pwrite64", is_open(registers.rdi)),
        libc::SYS_fsync => ("fsync", is_open(registers.rdi)),
        libc::SYS_fdatasync => ("fdatasync", is_open(registers.rdi)),
        libc::SYS_ftruncate => ("ftruncate", is_open(registers.rdi)),
        libc::SYS_unlink => ("unlink", is_named(registers.rdi)),
        libc::SYS_unlinkat => ("unlinkat", is_named(registers.rsi)),
        libc::SYS_rename => ("rename", is_named(registers.rdi)),
        libc::SYS_mkdir => ("mkdir", is_named(registers.rdi)),
        libc::SYS_openat => ("openat", creates(registers.rdx) && is_named(registers.rsi)),
        _ => return None,
    };
    is_durable.then_some(name)
}

fn creates(flags: u64) -> bool {
    flags & libc::O_CREAT as u64 != 0
}

fn path_at(thread: Pid, address: u64) -> Option<PathBuf> {
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut bytes = [0; 512];
    let read = memory.read_at(&mut bytes, address).ok()?;
    let path = bytes[..read].split(|byte| *byte == 0).next()?;
    Some(PathBuf::from(std::str::from_utf8(path).ok()?))
}
