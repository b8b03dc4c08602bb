//! One call of a program: no shell, a deadline, a bound on what it may say, and nothing of it left behind.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::error::TrackerError;

const DEADLINE: Duration = Duration::from_secs(60);
/// As much as is read of either stream.
const MOST: u64 = 64 << 20;
/// As much of an error as people are shown.
const SHOWN: usize = 500;

#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    root: PathBuf,
    deadline: Duration,
}

/// What was asked, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked(String);

impl Asked {
    pub(crate) fn failed(&self, what: impl Into<String>, next: &str) -> TrackerError {
        TrackerError::Program { command: self.0.clone(), what: what.into(), next: next.to_owned() }
    }
}

impl Program {
    pub(crate) fn new(path: PathBuf, root: PathBuf) -> Program {
        Program { path, root, deadline: DEADLINE }
    }

    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(crate) fn asked(&self, args: &[&str]) -> Asked {
        let shown: String = args.join(" ").chars().take(SHOWN).collect();
        Asked(format!("{} {shown}", self.name()))
    }

    /// What it prints is for people, and of no use.
    pub(crate) fn tell(&self, args: &[&str]) -> Result<Asked, TrackerError> {
        self.succeed(args).map(|(_, asked)| asked)
    }

    fn succeed(&self, args: &[&str]) -> Result<(Vec<u8>, Asked), TrackerError> {
        let asked = self.asked(args);
        let (status, out, err) = self.run(args, &asked)?;
        if status.success() {
            return Ok((out, asked));
        }
        let why = complaint(&err).or_else(|| complaint(&out)).unwrap_or_else(|| status.to_string());
        Err(asked.failed(format!("failed: {why}"), "try it by hand in the project's directory"))
    }

    /// The JSON that it prints on standard output. On standard error there may be anything.
    pub(crate) fn ask(&self, args: &[&str]) -> Result<(Value, Asked), TrackerError> {
        let (out, asked) = self.succeed(args)?;
        let answer = serde_json::from_slice(&out).map_err(|error| {
            asked.failed(format!("answered with something that is not JSON: {error}"), "try it by hand")
        })?;
        Ok((answer, asked))
    }

    pub(crate) fn understood<T>(&self, asked: &Asked, read: Result<T, String>) -> Result<T, TrackerError> {
        let next = format!("see whether {} is a version that ralph knows", self.name());
        read.map_err(|error| {
            asked.failed(format!("answered with something else than expected: {error}"), &next)
        })
    }

    fn run(&self, args: &[&str], asked: &Asked) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), TrackerError> {
        let mut command = Command::new(&self.path);
        command.args(args).current_dir(&self.root).process_group(0);
        // What they log must not be mixed with what they complain of, and nobody is there to be asked.
        command.env("RUST_LOG", "error").env("BD_NON_INTERACTIVE", "1").env("NO_COLOR", "1");
        command.env("GH_PROMPT_DISABLED", "1").env("GH_NO_UPDATE_NOTIFIER", "1").env("GH_PAGER", "cat");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Group(command.spawn().map_err(TrackerError::io("start", Path::new(&self.path)))?);
        let (done, ended) = mpsc::channel();
        let out = listen(child.0.stdout.take(), done.clone());
        let err = listen(child.0.stderr.take(), done);
        for _ in 0..2 {
            let Ok(within) = ended.recv_timeout(self.deadline) else {
                let what = format!("did not end within {} s", self.deadline.as_secs());
                return Err(asked.failed(what, "try it by hand; it may wait for a lock"));
            };
            if !within {
                let what = format!("said more than {} MiB", MOST >> 20);
                return Err(asked.failed(what, "look at its issues; there may be too many"));
            }
        }
        let status = child.0.wait().map_err(TrackerError::io("wait for", &self.path))?;
        let collect = |listener: std::thread::JoinHandle<Vec<u8>>| listener.join().unwrap_or_default();
        Ok((status, collect(out), collect(err)))
    }
}

/// Reads a stream to its end, and tells whether it was within the bound.
fn listen(
    stream: Option<impl Read + Send + 'static>,
    done: mpsc::Sender<bool>,
) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.map(|stream| stream.take(MOST + 1).read_to_end(&mut bytes));
        let is_whole = matches!(read, Some(Ok(_))) && bytes.len() as u64 <= MOST;
        let _nobody_waits_any_more = done.send(is_whole);
        bytes
    })
}

/// A process that is ended with all that it started.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // One that has been waited for is gone, and its number may be somebody else's.
        if matches!(self.0.try_wait(), Ok(None)) {
            if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(pid, Signal::KILL);
            }
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// The message of an error in JSON, which may stand between lines of a log; else the first line that speaks of a failure,
/// or else the last.
fn complaint(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let objects = text.match_indices('{').filter(|(at, _)| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    let message = objects.take(20).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let error = values.next()?.ok()?.get("error")?.clone();
        let message = error.get("message").unwrap_or(&error).as_str()?.to_owned();
        let hint = error.get("hint").and_then(Value::as_str).map(|hint| format!(" ({hint})"));
        Some(message + &hint.unwrap_or_default())
    });
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let failure = lines().find(|line| {
        let words = line.get(..7).unwrap_or(line).to_lowercase();
        ["error", "failed", "graphql", "unknown"].iter().any(|word| words.starts_with(word))
    });
    let line = || failure.or_else(|| lines().next_back()).map(str::to_owned);
    message.or_else(line).map(|message| message.chars().take(SHOWN).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    use super::{Program, complaint};

    #[test]
    fn a_complaint_is_found_between_lines_of_a_log() {
        let log = b"2026 DEBUG {x}\n{\n \"error\": {\"message\": \"Issue not found: x\", \"hint\": \"try list\"}\n}\nbye\n";
        assert_eq!(complaint(log).unwrap(), "Issue not found: x (try list)");
        assert_eq!(complaint(b"first\nlast\n\n").unwrap(), "last");
        assert_eq!(complaint(b"{\"error\": \"plain\"}").unwrap(), "plain");
        assert_eq!(complaint(b"\n"), None);
        let told = b"Unknown JSON field: \"x\"\nAvailable fields:\n  url\n";
        assert_eq!(complaint(told).unwrap(), "Unknown JSON field: \"x\"");
        assert_eq!(
            complaint("ä\nfailed to update 1: 'y' not found\nfailed to update 1 issue".as_bytes()).unwrap(),
            "failed to update 1: 'y' not found"
        );
    }

    #[test]
    fn a_program_that_does_not_end_is_ended_with_what_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("br");
        fs::write(&path, "#!/bin/sh\nsleep 300 &\necho $! > child\nwait\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let mut program = Program::new(path, dir.path().to_owned());
        program.deadline = Duration::from_millis(500);
        let begun = Instant::now();
        let error = program.ask(&["list"]).unwrap_err().to_string();
        assert!(error.contains("did not end within"), "{error}");
        let child = fs::read_to_string(dir.path().join("child")).unwrap();
        let state = || fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        let is_gone = || state().is_empty() || state().contains(") Z ");
        while !is_gone() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{}", state());
            std::thread::yield_now();
        }
    }
}
