//! One run of a program: started in a process group of its own, ended at a deadline, nothing left behind.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::{Program, Programs, end_survivors, offline_env};

/// What to start and where.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    pub program: Program,
    pub programs: &'a Programs,
    /// URL of the model server.
    pub server: &'a str,
    /// An empty directory to be the home.
    pub home: &'a Path,
    /// The project the program works in.
    pub directory: &'a Path,
    pub prompt: &'a str,
    /// The ralph that relays to it by the Agent Client Protocol, instead of it being started by itself.
    pub relay: Option<&'a Path>,
}

/// A program at work. Dropped, it is killed with all it started; a test that is itself killed leaves it behind.
#[derive(Debug)]
pub struct Headless {
    group: Pid,
    mark: String,
    started: Instant,
    output: [PathBuf; 2],
    status: Receiver<io::Result<ExitStatus>>,
    waiter: Option<JoinHandle<()>>,
}

/// How a run came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    /// Command lines of processes that outlived the program and had to be killed.
    pub survivors: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// Killed because its time was up.
    OutOfTime,
}

impl Launch<'_> {
    /// The program or the relay to it, and what that reads.
    fn command(&self) -> io::Result<Command> {
        let program = self.programs.path(self.program);
        let Some(relay) = self.relay else {
            let mut command = Command::new(program);
            command.args(self.program.arguments(self.prompt)).stdin(Stdio::null());
            return Ok(command);
        };
        let speech = self.program.acp_arguments();
        let speech = speech.ok_or_else(|| io::Error::other("the program does not speak the protocol"))?;
        let brief = self.home.join("brief");
        fs::write(&brief, self.prompt)?;
        let mut command = Command::new(relay);
        command.args(["acp-relay", "--permissions=allow", "--"]).arg(program).args(speech);
        command.stdin(File::open(brief)?);
        Ok(command)
    }

    /// Starts the program with no other input, and its output in files beside its home.
    pub fn start(&self) -> io::Result<Headless> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("RALPH_TEST_RUN={}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let output = [self.home.join("stdout"), self.home.join("stderr")];
        fs::create_dir_all(self.home)?;
        let path = std::env::var("PATH").unwrap_or_default();
        let (name, value) = mark.split_once('=').unwrap_or_default();
        let mut child = self
            .command()?
            .env_clear()
            .envs(offline_env(self.program, self.server, self.home)?)
            .env("PATH", path)
            .env("PWD", self.directory)
            .env(name, value)
            .current_dir(self.directory)
            .stdout(File::create(&output[0])?)
            .stderr(File::create(&output[1])?)
            .process_group(0)
            .spawn()?;
        let started = Instant::now();
        let group = Pid::from_raw(child.id().cast_signed());
        let (sender, status) = channel();
        let waiter = std::thread::spawn(move || {
            // The other end is gone only when the program has been killed and nobody asks.
            let _ = sender.send(child.wait());
        });
        Ok(Headless { group, mark, started, output, status, waiter: Some(waiter) })
    }
}

impl Headless {
    /// Sends a signal to the program itself.
    pub fn signal(&self, signal: Signal) -> nix::Result<()> {
        nix::sys::signal::kill(self.group, signal)
    }

    /// Waits for the end, which comes at the deadline at the latest.
    pub fn wait(mut self, within: Duration) -> io::Result<Ended> {
        let end = match self.status.recv_timeout(within) {
            Ok(status) => {
                let status = status?;
                status.code().map(End::Code).or(status.signal().map(End::Signal)).unwrap_or(End::OutOfTime)
            }
            Err(_) => End::OutOfTime,
        };
        let took = self.started.elapsed();
        let survivors = self.clear();
        let read = |path: &PathBuf| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Ended { end, stdout: read(&self.output[0])?, stderr: read(&self.output[1])?, took, survivors })
    }

    /// Ends whatever is left of the run.
    fn clear(&mut self) -> Vec<String> {
        let Some(waiter) = self.waiter.take() else { return Vec::new() };
        if !waiter.is_finished() {
            // Where the group has ended by itself there is nobody to kill.
            let _ = killpg(self.group, Signal::SIGKILL);
        }
        // The waiter cannot panic, and it returns as the program has ended.
        let _ = waiter.join();
        end_survivors(&self.mark)
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        self.clear();
    }
}
