//! A program that a relay starts: a group of its own, so that a signal for the relay's group reaches the relay alone.

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// How long it has after SIGTERM.
const GRACE: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Pid,
}

impl Process {
    /// Its standard error goes where the relay's goes.
    pub(crate) fn start(
        words: &[OsString],
        env: &[(&str, String)],
    ) -> io::Result<(Process, ChildStdin, ChildStdout)> {
        let (program, args) = words.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
        let mut child = Command::new(program)
            .args(args)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().expect("it was not waited for").cast_signed();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let process = Process { child, group: Pid::from_raw(pid) };
        Ok((process, stdin.expect("a pipe"), stdout.expect("a pipe")))
    }

    /// Returns when it has ended by itself.
    pub(crate) async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Waits for an end of its own accord, and sees to one after that. Its input must be closed.
    pub(crate) async fn end(mut self, within: Duration) -> io::Result<End> {
        if let Ok(status) = tokio::time::timeout(within, self.child.wait()).await {
            return Ok(End::Itself(status?));
        }
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            // Not waited for yet, so the group is still its own.
            let _gone = killpg(self.group, signal);
            if tokio::time::timeout(GRACE, self.child.wait()).await.is_ok() {
                break;
            }
        }
        Ok(End::Forced)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Itself(ExitStatus),
    Forced,
}
