//! A ralph that is running: watched, and killed if the test ends first.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::processes::{guard_of, is_alive, peak_memory};
use crate::project::Ran;
use crate::wait::until;

#[derive(Debug)]
pub struct Live {
    child: Child,
    out: std::path::PathBuf,
    err: std::path::PathBuf,
    _dir: tempfile::TempDir,
    /// The other end of a standard output that nobody reads.
    _unread: Option<std::io::PipeReader>,
}

/// The most memory that each had at once, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Peaks {
    pub ralph: u64,
    pub guard: u64,
}

impl Live {
    pub(crate) fn start(mut command: Command) -> Live {
        // Files instead of pipes: nobody has to read them for ralph to go on.
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (out, err) = (dir.path().join("out"), dir.path().join("err"));
        let file = |path| Stdio::from(std::fs::File::create(path).expect("a file in a temporary directory"));
        let child = command.stdout(file(&out)).stderr(file(&err)).spawn().expect("ralph starts");
        Live { child, out, err, _dir: dir, _unread: None }
    }

    /// As [`start`](Live::start), with a standard output that is a pipe which nobody reads or closes.
    pub(crate) fn start_unread(mut command: Command) -> Live {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (out, err) = (dir.path().join("out"), dir.path().join("err"));
        let told = std::fs::File::create(&err).expect("a file in a temporary directory");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let child = command.stdout(writer).stderr(told).spawn().expect("ralph starts");
        Live { child, out, err, _dir: dir, _unread: Some(reader) }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its guard, once there is one.
    pub fn guard(&self) -> u32 {
        until(crate::PATIENCE, "a guard", || guard_of(self.pid()))
    }

    pub fn is_over(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    pub fn out(&self) -> String {
        read(&self.out)
    }

    pub fn err(&self) -> String {
        read(&self.err)
    }

    /// Waits for the end.
    pub fn end(&mut self, patience: Duration) -> Ran {
        let what = format!("the end of ralph, {}", self.pid());
        let status = until(patience, &what, || self.child.try_wait().expect("a child can be waited for"));
        Ran { code: status.code(), out: self.out(), err: self.err() }
    }

    /// Waits for the end and answers with the most memory that ralph and its guard had as well.
    pub fn end_and_peaks(&mut self, patience: Duration) -> (Ran, Peaks) {
        let mut peaks = Peaks::default();
        let what = format!("the end of ralph, {}", self.pid());
        let status = until(patience, &what, || {
            // After the end there is nothing to read any more.
            let of = |pid| peak_memory(pid).unwrap_or(0);
            peaks.ralph = peaks.ralph.max(of(self.pid()));
            peaks.guard = peaks.guard.max(guard_of(self.pid()).map_or(0, of));
            self.child.try_wait().expect("a child can be waited for")
        });
        (Ran { code: status.code(), out: self.out(), err: self.err() }, peaks)
    }

    /// As `kill -9`.
    pub fn kill(&mut self) {
        let _already_over = self.child.kill();
        let _already_waited_for = self.child.wait();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if is_alive(self.pid()) {
            self.kill();
        }
    }
}

fn read(path: &std::path::Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}
