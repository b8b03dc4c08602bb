//! One call of a program: no shell, one deadline, a bound on what it may say, and nothing of it left behind.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::Value;

use crate::error::TrackerError;

const DEADLINE: Duration = Duration::from_secs(60);
/// How long its streams may stay open once it has ended: somebody else has them then.
const DRAIN: Duration = Duration::from_millis(500);
/// As much as is read of either stream.
const MOST: usize = 64 << 20;
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

/// Why there is no answer, with the program's own name for it if it has one.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: TrackerError,
    complaint: Option<Box<Complaint>>,
}

/// What a program says when it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Complaint {
    code: Option<String>,
    message: String,
}

impl Refusal {
    fn without_a_word(error: TrackerError) -> Refusal {
        Refusal { error, complaint: None }
    }

    /// Whether it fails because there was nothing that it could do.
    pub(crate) fn says_that_nothing_was_done(&self) -> bool {
        let code = self.complaint.as_ref().and_then(|complaint| complaint.code.as_deref());
        code.is_some_and(|code| code.eq_ignore_ascii_case("nothing_to_do"))
    }

    /// Whether it fails because it has no such issue.
    pub(crate) fn says_that_there_is_no(&self, id: &str) -> bool {
        let Some(complaint) = &self.complaint else { return false };
        match complaint.code.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some(code) => matches!(code, "issue_not_found" | "not_found"),
            None => {
                let message = complaint.message.to_lowercase();
                let says_so = ["not found", "no issue found", "no issues found"];
                message.contains(&id.to_lowercase()) && says_so.iter().any(|words| message.contains(words))
            }
        }
    }
}

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
        self.succeed(args).map(|(_, asked)| asked).map_err(|refusal| refusal.error)
    }

    fn succeed(&self, args: &[&str]) -> Result<(Vec<u8>, Asked), Refusal> {
        let asked = self.asked(args);
        let (status, out, err) = self.run(args, &asked).map_err(Refusal::without_a_word)?;
        if status.success() {
            return Ok((out, asked));
        }
        let complaint = complaint(&err).or_else(|| complaint(&out));
        let why = complaint.as_ref().map_or_else(|| status.to_string(), |found| found.message.clone());
        let error = asked.failed(format!("failed: {why}"), "try it by hand in the project's directory");
        Err(Refusal { error, complaint: complaint.map(Box::new) })
    }

    pub(crate) fn ask(&self, args: &[&str]) -> Result<(Value, Asked), TrackerError> {
        self.try_to_ask(args).map_err(|refusal| refusal.error)
    }

    /// The JSON that it prints on standard output. On standard error there may be anything.
    pub(crate) fn try_to_ask(&self, args: &[&str]) -> Result<(Value, Asked), Refusal> {
        let (out, asked) = self.succeed(args)?;
        let answer = serde_json::from_slice(&out).map_err(|error| {
            let what = format!("answered with something that is not JSON: {error}");
            Refusal::without_a_word(asked.failed(what, "try it by hand"))
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
        let mut heard = Heard::default();
        match heard.listen(&mut child.0, Instant::now() + self.deadline) {
            Ended::InTime => {}
            Ended::Never => {
                let what = format!("did not end within {} s", self.deadline.as_secs());
                return Err(asked.failed(what, "try it by hand; it may wait for a lock"));
            }
            Ended::SayingTooMuch => {
                let what = format!("said more than {} MiB", MOST >> 20);
                return Err(asked.failed(what, "look at its issues; there may be too many"));
            }
        }
        let status = child.end().map_err(TrackerError::io("wait for", &self.path))?;
        let [out, err] = heard.streams;
        Ok((status, out, err))
    }
}

/// What is heard of a process. The first stream is its output, the second its errors.
enum News {
    Said(usize, Vec<u8>),
    Closed,
    Exited,
}

enum Ended {
    InTime,
    Never,
    SayingTooMuch,
}

#[derive(Default)]
struct Heard {
    streams: [Vec<u8>; 2],
    closed: usize,
    has_exited: bool,
}

impl Heard {
    /// Until the process has ended, which is not when its streams do: one can close them and go on, or leave them to
    /// others and end.
    fn listen(&mut self, child: &mut Child, mut deadline: Instant) -> Ended {
        let (tell, news) = mpsc::sync_channel(16);
        forward(child.stdout.take(), 0, tell.clone());
        forward(child.stderr.take(), 1, tell.clone());
        wait_beside(child, tell);
        while let Some(one) = next(&news, deadline) {
            match one {
                News::Said(stream, bytes) => self.streams[stream].extend(bytes),
                News::Closed => self.closed += 1,
                News::Exited => {
                    self.has_exited = true;
                    deadline = deadline.min(Instant::now() + DRAIN);
                }
            }
            if self.streams.iter().any(|stream| stream.len() > MOST) {
                return Ended::SayingTooMuch;
            }
            if self.has_exited && self.closed == self.streams.len() {
                return Ended::InTime;
            }
        }
        if self.has_exited { Ended::InTime } else { Ended::Never }
    }
}

fn next(news: &Receiver<News>, deadline: Instant) -> Option<News> {
    news.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

/// Reads a stream to its end, or until nobody listens.
fn forward(stream: Option<impl Read + Send + 'static>, no: usize, tell: SyncSender<News>) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut stream = stream;
        while let Some(Ok(length @ 1..)) = stream.as_mut().map(|stream| stream.read(&mut buffer)) {
            if tell.send(News::Said(no, buffer[..length].to_vec())).is_err() {
                return;
            }
        }
        let _nobody_listens_any_more = tell.send(News::Closed);
    });
}

/// Tells when the process has ended, and leaves it to be waited for: until then its number is nobody else's.
fn wait_beside(child: &Child, tell: SyncSender<News>) {
    let pid = pid(child);
    std::thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(pid), options).is_ok() {
            let _nobody_listens_any_more = tell.send(News::Exited);
        }
    });
}

fn pid(child: &Child) -> Pid {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process has a number")
}

/// A process that is ended with all that it started.
struct Group(Child);

impl Group {
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        // It has not been waited for, so that the group's number is not yet somebody else's.
        let _ = kill_process_group(pid(&self.0), Signal::KILL);
        self.0.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.end();
        }
    }
}

/// The message of an error in JSON, which may stand between lines of a log; else the first line that speaks of a failure,
/// or else the last.
fn complaint(bytes: &[u8]) -> Option<Complaint> {
    let text = String::from_utf8_lossy(bytes);
    let objects = text.match_indices('{').filter(|(at, _)| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    let told = objects.take(20).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let object = values.next()?.ok()?;
        let error = object.get("error")?;
        let code = error.get("code").or_else(|| object.get("code")).and_then(Value::as_str);
        let message = error.get("message").unwrap_or(error).as_str()?.to_owned();
        let hint = error.get("hint").and_then(Value::as_str).map(|hint| format!(" ({hint})"));
        Some(Complaint { code: code.map(str::to_owned), message: message + &hint.unwrap_or_default() })
    });
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let failure = lines().find(|line| {
        let words = line.get(..7).unwrap_or(line).to_lowercase();
        ["error", "failed", "graphql", "unknown"].iter().any(|word| words.starts_with(word))
    });
    let line = || failure.or_else(|| lines().next_back());
    let plain = || line().map(|line| Complaint { code: None, message: line.to_owned() });
    told.or_else(plain)
        .map(|found| Complaint { message: found.message.chars().take(SHOWN).collect(), ..found })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::{Program, Refusal, complaint};
    use crate::error::TrackerError;

    #[test]
    fn a_complaint_is_found_between_lines_of_a_log() {
        let log = b"2026 DEBUG {x}\n{\n \"error\": {\"message\": \"Issue not found: x\", \"hint\": \"try list\"}\n}\nbye\n";
        assert_eq!(complaint(log).unwrap().message, "Issue not found: x (try list)");
        assert_eq!(complaint(b"first\nlast\n\n").unwrap().message, "last");
        assert_eq!(complaint(b"{\"error\": \"plain\"}").unwrap().message, "plain");
        assert_eq!(complaint(b"\n"), None);
        let told = b"Unknown JSON field: \"x\"\nAvailable fields:\n  url\n";
        assert_eq!(complaint(told).unwrap().message, "Unknown JSON field: \"x\"");
        assert_eq!(
            complaint("ä\nfailed to update 1: 'y' not found\nfailed to update 1 issue".as_bytes())
                .unwrap()
                .message,
            "failed to update 1: 'y' not found"
        );
    }

    #[test]
    fn only_what_says_so_of_the_issue_means_that_it_is_not_there() {
        let says = |err: &str| {
            let error = TrackerError::NoFile { path: "x".into() };
            Refusal { error, complaint: complaint(err.as_bytes()).map(Box::new) }
                .says_that_there_is_no("bd-1")
        };
        assert!(says(r#"{"error": {"code": "ISSUE_NOT_FOUND", "message": "Issue not found: bd-1"}}"#));
        assert!(says(r#"{"error": "no issue found matching \"bd-1\""}"#));
        assert!(says("Error: issue BD-1 not found"));
        assert!(!says(r#"{"error": {"code": "CONFIG", "message": "config.yaml not found (bd-1)"}}"#));
        assert!(!says("database not found") && !says(""));
    }

    /// A program of that text, its directory and how long it may take.
    fn program(text: &str, deadline: Duration) -> (tempfile::TempDir, Program) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("br");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let mut program = Program::new(path, dir.path().to_owned());
        program.deadline = deadline;
        (dir, program)
    }

    /// Waits until the process whose number is in a file is gone.
    fn is_gone(dir: &Path) {
        let child = fs::read_to_string(dir.join("child")).unwrap();
        let state = || fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        let begun = Instant::now();
        while !(state().is_empty() || state().contains(") Z ")) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{}", state());
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_program_that_does_not_end_is_ended_with_what_it_started() {
        let (dir, program) = program("sleep 300 & echo $! > child; wait", Duration::from_secs(2));
        let error = program.ask(&["list"]).unwrap_err().to_string();
        assert!(error.contains("did not end within 2 s"), "{error}");
        is_gone(dir.path());
    }

    #[test]
    fn a_program_has_ended_when_it_exits_whoever_holds_its_streams() {
        let (dir, program) = program("sleep 300 & echo $! > child; echo '[]'", Duration::from_secs(60));
        let begun = Instant::now();
        assert_eq!(program.ask(&["list"]).unwrap().0, serde_json::json!([]));
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        is_gone(dir.path());
    }

    #[test]
    fn a_program_that_closes_its_streams_and_goes_on_is_ended_too() {
        let (dir, program) = program("echo $$ > child; exec >&- 2>&-; sleep 300", Duration::from_secs(2));
        let error = program.ask(&["list"]).unwrap_err().to_string();
        assert!(error.contains("did not end within 2 s"), "{error}");
        is_gone(dir.path());
    }

    #[test]
    fn the_deadline_is_one_for_all() {
        let slow = "sleep 2; echo x >&2; exec 2>&-; sleep 300";
        let (_dir, program) = program(slow, Duration::from_secs(3));
        let begun = Instant::now();
        assert!(program.ask(&["list"]).is_err());
        assert!(begun.elapsed() < Duration::from_millis(4_900), "{:?}", begun.elapsed());
    }
}
