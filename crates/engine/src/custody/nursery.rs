//! Where the guard brings a job's main process into the world.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, getppid, setsid};

use super::RUN_MARK;
use super::launch::Launch;
use super::wire::{Fault, SPAWN_FDS};

/// Starts what the descriptors of a `Spawn` request describe. Must be called on the guard's main thread: the child
/// is killed when the thread that started it ends.
pub(super) fn spawn(fds: Vec<OwnedFd>, run: &str) -> Result<Pid, (Fault, i32)> {
    let [launch, stdin, stdout, stderr] =
        <[OwnedFd; SPAWN_FDS]>::try_from(fds).map_err(|_| (Fault::Request, Errno::EPROTO as i32))?;
    let launch = read(launch).map_err(|error| (Fault::Request, errno(&error)))?;

    let mut command = Command::new(&launch.program);
    command.args(&launch.args).current_dir(&launch.dir);
    command.env_clear().envs(launch.env.iter().map(|(key, value)| (key, value))).env(RUN_MARK, run);
    command.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)).stderr(Stdio::from(stderr));
    detach(&mut command);

    match command.spawn() {
        Ok(child) => Ok(Pid::from_raw(child.id() as i32)),
        Err(error) if !launch.dir.is_dir() => Err((Fault::Directory, errno(&error))),
        Err(error) => Err((Fault::Program, errno(&error))),
    }
}

fn read(launch: OwnedFd) -> io::Result<Launch> {
    let mut file = File::from(launch);
    let mut json = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}

/// The standard library refuses bytes that no system call would take without asking the kernel.
fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EINVAL)
}

/// The child gets a session of its own, dies with the guard, and inherits none of its deafness.
#[expect(unsafe_code, reason = "what the child does before exec has no safe form")]
fn detach(command: &mut Command) {
    let guard = Pid::this();
    let prepare = move || {
        setsid()?;
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // Had the guard died before this line, nothing would ever deliver that signal.
        if getppid() != guard {
            return Err(Errno::ESRCH.into());
        }
        for signal in 1..=64 {
            // SAFETY: async-signal-safe, and installs no function. KILL, STOP and libc's own two are refused.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        SigSet::empty().thread_set_mask()?;
        Ok(())
    };
    // SAFETY: the guard has one thread, and the closure makes nothing but system calls.
    unsafe { command.pre_exec(prepare) };
}
