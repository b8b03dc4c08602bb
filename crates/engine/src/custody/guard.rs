//! The guard's own life: it waits for requests and for children, and goes only when both are over.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, killpg, sigaction};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, chdir, dup2_stdin, dup2_stdout, setsid};

use super::cell::Cell;
use super::cgroup::CgroupUse;
use super::job::{Ending, Job, Status, Step};
use super::wire::{self, Fault, Reply, Request};
use super::{nursery, sweep};

/// What the hidden subcommand calls, before any thread or runtime exists. Standard input is the control socket,
/// standard output the run's lock, both as [`super::Custody::open`] hands them over.
pub fn guard_main() -> ExitCode {
    match Guard::settle() {
        Ok(mut guard) => {
            guard.serve();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ralph: the guard could not start: {error} (only ralph itself starts one)");
            ExitCode::from(2)
        }
    }
}

struct Guard {
    control: OwnedFd,
    child_ended: SignalFd,
    run: String,
    cell: Option<Cell>,
    job: Option<Job>,
    /// ralph is gone: end the job, take no other, leave.
    is_abandoned: bool,
    /// Held open, never used: the kernel's lock on the run lasts until the last of ralph and guard has gone.
    _lock: OwnedFd,
}

impl Guard {
    fn settle() -> io::Result<Guard> {
        close_inherited()?;
        let control = io::stdin().as_fd().try_clone_to_owned()?;
        let lock = io::stdout().as_fd().try_clone_to_owned()?;
        let null = File::options().read(true).write(true).open("/dev/null")?;
        dup2_stdin(&null)?;
        dup2_stdout(&null)?;
        // A terminal's Ctrl-C is for ralph, which then asks; the guard hears nothing but its children.
        let _ = setsid();
        SigSet::all().thread_block()?;
        hear_children()?;
        let child_ended = SignalFd::with_flags(
            &SigSet::from_iter([Signal::SIGCHLD]),
            SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK,
        )?;
        prctl::set_child_subreaper(true)?;
        chdir("/")?;
        let (run, cgroup) = await_opening(&control)?;
        let cell = match cgroup {
            CgroupUse::Auto => Cell::make(&run),
            CgroupUse::Never => None,
        };
        let guard = Guard { control, child_ended, run, cell, job: None, is_abandoned: false, _lock: lock };
        let dir = guard.cell.as_ref().map(|cell| cell.dir().display().to_string());
        wire::send(&guard.control, &Reply::Ready { cgroup: dir }, &[])?;
        Ok(guard)
    }

    fn serve(&mut self) {
        while !self.is_abandoned || self.job.is_some() {
            self.wait();
            self.obey();
            self.conclude();
            self.act();
        }
        if let Some(cell) = &mut self.cell {
            cell.remove();
        }
    }

    /// Until a request, the end of a child, or the time of the next step.
    fn wait(&self) {
        let timeout = match self.job.as_ref().and_then(Job::next_due) {
            None => PollTimeout::NONE,
            Some(due) => until(due),
        };
        let mut fds = vec![PollFd::new(self.child_ended.as_fd(), PollFlags::POLLIN)];
        if !self.is_abandoned {
            fds.push(PollFd::new(self.control.as_fd(), PollFlags::POLLIN));
        }
        if poll(&mut fds, timeout).is_err() {
            // Out of memory, perhaps: go on at a walking pace, there may be somebody to end.
            std::thread::sleep(Duration::from_millis(5));
        }
        while let Ok(Some(_)) = self.child_ended.read_signal() {}
    }

    fn obey(&mut self) {
        while !self.is_abandoned {
            match wire::receive::<Request>(&self.control) {
                Ok(Some((Request::Spawn, fds))) => self.spawn(fds),
                Ok(Some((Request::End(ending), _))) => {
                    // A job that ended while the request was on its way is no error.
                    if let Some(job) = &mut self.job {
                        job.ask(ending, Instant::now());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(Some((Request::Open { .. }, _)) | None) | Err(_) => self.abandon(),
            }
        }
    }

    fn abandon(&mut self) {
        self.is_abandoned = true;
        if let Some(job) = &mut self.job {
            job.ask(Ending::AtOnce, Instant::now());
        }
    }

    fn spawn(&mut self, fds: Vec<OwnedFd>) {
        if let Some(cell) = &mut self.cell {
            cell.step_in();
        }
        let spawned = match &self.job {
            Some(_) => Err((Fault::Request, Errno::EBUSY as i32)),
            None => nursery::spawn(fds, &self.run),
        };
        match spawned {
            Ok(main) => {
                self.job = Some(Job::new(main));
                self.reply(&Reply::Spawned { pid: main.as_raw().unsigned_abs() });
            }
            Err((fault, errno)) => self.reply(&Reply::NotSpawned { fault, errno }),
        }
    }

    fn reply(&mut self, reply: &Reply) {
        if wire::send(&self.control, reply, &[]).is_err() {
            self.abandon();
        }
    }

    /// Reports the job's end once there is nothing left of it. In the ordinary case this is all that happens: the
    /// main process has ended, there are no other children, and nobody has to look for any.
    fn conclude(&mut self) {
        let Some(job) = &mut self.job else { return };
        if has_children(job) {
            return;
        }
        if let Some(exit) = job.exit() {
            self.job = None;
            self.reply(&Reply::Exited(exit));
        }
    }

    fn act(&mut self) {
        let Some(job) = &mut self.job else { return };
        match job.due(Instant::now()) {
            None => {}
            Some(Step::Interrupt) => interrupt(job),
            Some(Step::Terminate) => {
                job.saw(sweep::signal_all(Signal::SIGTERM));
                // A stopped process gets its chance to end itself as well.
                sweep::signal_all(Signal::SIGCONT);
            }
            Some(Step::Kill) => {
                if !job.is_main_alive() {
                    job.saw(sweep::living());
                }
                if !self.cell.as_mut().is_some_and(Cell::kill) {
                    kill_below(job);
                }
            }
            // Whoever is left now is not in the cgroup, or forks faster than it dies.
            Some(Step::KillAgain) => kill_below(job),
        }
    }
}

/// Reaps whoever has ended and says whether anybody is left.
fn has_children(job: &mut Job) -> bool {
    loop {
        match reap_one() {
            Ok(Some((pid, status))) if pid == job.main => job.main_ended(status, Instant::now()),
            Ok(Some(_)) => {}
            Ok(None) => return true,
            // There is no other error without an argument that could be wrong.
            Err(_no_children) => return false,
        }
    }
}

/// `None` when children are left but none has ended.
#[expect(unsafe_code, reason = "nix reaps a child ended by a real-time signal without saying which")]
fn reap_one() -> Result<Option<(Pid, Status)>, Errno> {
    let mut raw = 0;
    // SAFETY: the pointer is to a local that outlives the call.
    let pid = Errno::result(unsafe { libc::waitpid(-1, &raw mut raw, libc::WNOHANG | libc::__WALL) })?;
    let status = if libc::WIFSIGNALED(raw) {
        Status::Signal(libc::WTERMSIG(raw))
    } else {
        Status::Code(libc::WEXITSTATUS(raw))
    };
    Ok((pid != 0).then_some((Pid::from_raw(pid), status)))
}

fn interrupt(job: &Job) {
    // While the main process is not reaped, its pid and so its group cannot be anybody else's.
    if job.is_main_alive() {
        let _ = killpg(job.main, Signal::SIGINT);
        let _ = killpg(job.main, Signal::SIGCONT);
    }
}

fn kill_below(job: &mut Job) {
    job.saw(sweep::kill_all(sweep::living));
    sweep::chase(|| has_children(job), |_child| true);
}

fn await_opening(control: &OwnedFd) -> io::Result<(String, CgroupUse)> {
    poll(&mut [PollFd::new(control.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE)?;
    match wire::receive(control)? {
        Some((Request::Open { run, cgroup }, _)) => Ok((run, cgroup)),
        Some(_) | None => Err(io::Error::new(io::ErrorKind::InvalidData, "no opening on standard input")),
    }
}

/// Descriptors that ralph itself inherited without knowing: neither the guard nor an agent may hold them open.
fn close_inherited() -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|fd| fd.file_name().to_str()?.parse().ok())
        .collect();
    for fd in open.into_iter().filter(|&fd| fd > 2) {
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}

/// Where SIGCHLD is ignored, as a parent may have arranged, the kernel throws away how children ended.
#[expect(unsafe_code, reason = "sigaction has no safe form")]
fn hear_children() -> nix::Result<()> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: installs no function.
    unsafe { sigaction(Signal::SIGCHLD, &default) }.map(drop)
}

/// Rounded up, so that the step is due when the wait is over.
fn until(due: Instant) -> PollTimeout {
    let left = due.saturating_duration_since(Instant::now());
    PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
}
