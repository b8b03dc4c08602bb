//! ralph's side of custody: one guard, and at most one job in it at a time.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::pipe2;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep, timeout_at};

use super::cgroup::CgroupUse;
use super::error::{CustodyError, SpawnError};
use super::estate::{self, Estate};
use super::job::{Ending, Exit};
use super::launch::Launch;
use super::link::Link;
use super::wire::{self, Fault, Reply, Request};

/// A guard that has not answered by then is stuck, or stopped: it is killed and ralph does its work.
const READY_WITHIN: Duration = Duration::from_secs(10);
const SPAWN_WITHIN: Duration = Duration::from_secs(30);
const GENTLE_END_WITHIN: Duration = Duration::from_millis(3500);
const END_WITHIN: Duration = Duration::from_millis(2500);

/// How to raise a guard.
#[derive(Debug)]
pub struct GuardOptions {
    /// The binary to re-execute, and the arguments that make it call [`super::guard_main`].
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The run's id; everything started under this guard carries it in its environment.
    pub run: String,
    /// A descriptor of the run's lock. The guard keeps it open as long as it lives.
    pub lock: Option<OwnedFd>,
    pub cgroup: CgroupUse,
}

/// By which means a job is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustodyKind {
    /// Subreaper and cgroup.
    Cgroup,
    Subreaper,
}

impl From<CustodyKind> for ralph_core::event::Custody {
    fn from(kind: CustodyKind) -> ralph_core::event::Custody {
        match kind {
            CustodyKind::Cgroup => ralph_core::event::Custody::Cgroup,
            CustodyKind::Subreaper => ralph_core::event::Custody::Subreaper,
        }
    }
}

/// How a job's two outputs reach ralph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    Apart,
    /// Both as standard output, in the order in which they were written.
    Joined,
}

/// The main process of a job, with its output.
#[derive(Debug)]
pub struct Child {
    pub pid: u32,
    pub stdout: Receiver,
    pub stderr: Receiver,
}

/// One guard process. Dropping this ends whatever it holds, but only [`Custody::close`] waits until it has.
#[derive(Debug)]
pub struct Custody {
    guard: std::process::Child,
    link: Link,
    run: String,
    kind: CustodyKind,
    estate: Estate,
    state: State,
    /// Once its end is asked for: when the job has to be gone.
    end_by: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Starting,
    Running,
    /// The guard is dead; what it held has yet to be ended.
    Lost,
    Settled,
}

impl Custody {
    /// Raises a guard. Makes the calling process a subreaper, on which the answer to a lost guard depends.
    pub async fn open(options: GuardOptions) -> Result<Custody, CustodyError> {
        if !can_mark(&options.run) {
            return Err(CustodyError::RunId(options.run));
        }
        let GuardOptions { program, args, run, lock, cgroup } = options;
        let cannot_start = |source| CustodyError::Start { program: program.clone(), source };
        estate::adopt_orphans().map_err(cannot_start)?;
        let (ours, theirs) = wire::pair().map_err(io::Error::from).map_err(cannot_start)?;
        let link = Link::new(ours).map_err(cannot_start)?;
        // The command holds the guard's end of the socket, so it must be gone before the guard's death can be seen.
        let guard = {
            let mut command = Command::new(&program);
            command
                .args(args)
                .stdin(theirs)
                .stdout(lock.map_or_else(Stdio::null, Stdio::from))
                .stderr(Stdio::null());
            estate::start_guard(&mut command).map_err(cannot_start)?
        };
        let estate = Estate::inherited(&run, None);
        let (kind, state) = (CustodyKind::Subreaper, State::Idle);
        let mut custody = Custody { guard, link, run: run.clone(), kind, estate, state, end_by: None };
        custody.say(&Request::Open { run, cgroup }).await;
        match custody.answer(within(READY_WITHIN)).await {
            Some(Reply::Ready { cgroup }) => Ok(custody.ready(cgroup.as_deref())),
            Some(_) | None => match custody.lost().await {
                CustodyError::GuardLost(_) => Err(CustodyError::NotReady { program }),
                other => Err(other),
            },
        }
    }

    fn ready(mut self, cgroup: Option<&str>) -> Custody {
        if cgroup.is_some() {
            self.kind = CustodyKind::Cgroup;
            self.estate = Estate::inherited(&self.run, cgroup);
        }
        self
    }

    pub fn guard_pid(&self) -> u32 {
        self.guard.id()
    }

    pub fn kind(&self) -> CustodyKind {
        self.kind
    }

    /// Starts a job. Its standard input is `stdin`; it inherits no other descriptor but its output.
    pub async fn spawn(&mut self, launch: &Launch, stdin: impl Into<OwnedFd>) -> Result<Child, SpawnError> {
        self.spawn_with(launch, stdin, Streams::Apart).await
    }

    pub async fn spawn_with(
        &mut self,
        launch: &Launch,
        stdin: impl Into<OwnedFd>,
        streams: Streams,
    ) -> Result<Child, SpawnError> {
        match self.state {
            State::Idle => {}
            State::Starting | State::Running => return Err(SpawnError::Busy(self.run.clone())),
            State::Lost | State::Settled => return Err(self.lost().await.into()),
        }
        let program = || launch.program.clone();
        let cannot_prepare = |source| SpawnError::Prepare { program: program(), source };
        let (stdout, stderr) =
            self.send_spawn(launch, &stdin.into(), streams).await.map_err(cannot_prepare)?;
        match self.answer(within(SPAWN_WITHIN)).await {
            Some(Reply::Spawned { pid }) => {
                self.state = State::Running;
                Ok(Child { pid, stdout, stderr })
            }
            Some(Reply::NotSpawned { fault, errno }) => {
                self.state = State::Idle;
                let source = io::Error::from_raw_os_error(errno);
                Err(match fault {
                    Fault::Program => SpawnError::Program { program: program(), source },
                    Fault::Directory => {
                        SpawnError::Directory { program: program(), dir: launch.dir.clone(), source }
                    }
                    Fault::Request => SpawnError::Prepare { program: program(), source },
                })
            }
            Some(Reply::Ready { .. } | Reply::Exited(_)) | None => Err(self.lost().await.into()),
        }
    }

    async fn send_spawn(
        &mut self,
        launch: &Launch,
        stdin: &OwnedFd,
        streams: Streams,
    ) -> io::Result<(Receiver, Receiver)> {
        let mut memory = File::from(memfd_create(c"ralph-launch", MFdFlags::MFD_CLOEXEC)?);
        memory.write_all(&serde_json::to_vec(launch)?)?;
        let (stdout, stdout_end) = pipe2(OFlag::O_CLOEXEC)?;
        let (stderr, stderr_end) = pipe2(OFlag::O_CLOEXEC)?;
        let (stdout, stderr) = (Receiver::from_owned_fd(stdout)?, Receiver::from_owned_fd(stderr)?);
        let stderr_end = match streams {
            Streams::Apart => stderr_end.as_fd(),
            // The pipe that nobody writes to is at its end from the beginning.
            Streams::Joined => stdout_end.as_fd(),
        };
        let fds = [memory.as_fd(), stdin.as_fd(), stdout_end.as_fd(), stderr_end];
        match self.link.send(&Request::Spawn, &fds).await {
            Ok(()) => self.state = State::Starting,
            Err(_guard_gone) => self.state = State::Lost,
        }
        Ok((stdout, stderr))
    }

    /// Resolves when the job's main process has ended and no descendant of it is left. Cancel-safe.
    pub async fn exited(&mut self) -> Result<Exit, CustodyError> {
        loop {
            match self.state {
                State::Idle => return Err(CustodyError::NoJob(self.run.clone())),
                State::Lost | State::Settled => return Err(self.lost().await),
                State::Starting | State::Running => {}
            }
            match self.answer(self.end_by).await {
                Some(Reply::Exited(exit)) => {
                    self.state = State::Idle;
                    self.end_by = None;
                    return Ok(exit);
                }
                // The answers to a spawn that was cancelled.
                Some(Reply::Spawned { .. }) => self.state = State::Running,
                Some(Reply::NotSpawned { .. }) => self.state = State::Idle,
                Some(Reply::Ready { .. }) | None => self.state = State::Lost,
            }
        }
    }

    /// Asks for the job's end; [`Custody::exited`] then resolves. Asking again, or without a job, is harmless.
    pub async fn end(&mut self, how: Ending) -> Result<(), CustodyError> {
        if !matches!(self.state, State::Starting | State::Running) {
            return Ok(());
        }
        let by = match how {
            Ending::Gently => within(GENTLE_END_WITHIN),
            Ending::AtOnce => within(END_WITHIN),
        };
        self.end_by = self.end_by.or(by).min(by);
        self.say(&Request::End(how)).await;
        Ok(())
    }

    /// The guard ends whatever is there and goes; returns when both are gone.
    pub async fn close(mut self) -> Result<(), CustodyError> {
        if self.state == State::Settled {
            return Ok(());
        }
        self.link.hang_up();
        let by = within(END_WITHIN);
        while self.answer(by).await.is_some() {}
        self.settle().await
    }

    async fn say(&mut self, request: &Request) {
        if self.link.send(request, &[]).await.is_err() {
            self.state = State::Lost;
        }
    }

    /// The guard's next reply, or `None` when it is dead. One that is stuck is killed, and so is dead.
    async fn answer(&mut self, by: Option<Instant>) -> Option<Reply> {
        let received = match by {
            Some(by) => timeout_at(by, self.link.receive()).await,
            None => Ok(self.link.receive().await),
        };
        match received {
            Ok(Ok(Some(reply))) => return Some(reply),
            Ok(Ok(None)) => {}
            // Stuck, stopped, or not a guard of ours at all.
            Ok(Err(_)) | Err(_) => drop(self.guard.kill()),
        }
        self.state = State::Lost;
        None
    }

    async fn lost(&mut self) -> CustodyError {
        let _ = self.guard.kill();
        match self.settle().await {
            Ok(()) => CustodyError::GuardLost(self.run.clone()),
            Err(error) => error,
        }
    }

    /// Reaps the guard, which is dead or about to be, and ends whatever it has left behind. Cancel-safe: the next
    /// call goes on.
    async fn settle(&mut self) -> Result<(), CustodyError> {
        if self.state == State::Settled {
            return Ok(());
        }
        let has_finished = self.guard.wait().is_ok_and(|status| status.success());
        estate::forget_guard(&self.guard);
        self.state = State::Lost;
        // A guard that leaves in good order has proven that nothing is left.
        while !has_finished && !self.estate.pass()? {
            sleep(estate::PAUSE).await;
        }
        self.state = State::Settled;
        Ok(())
    }
}

fn within(time: Duration) -> Option<Instant> {
    Some(Instant::now() + time)
}

/// The id becomes part of a file name and of an environment entry.
fn can_mark(run: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !run.is_empty() && run.len() <= 128 && run.bytes().all(is_plain)
}
