//! What passes between ralph and the agent of one attempt while it works: its task, and what it says by ralph's tools.
//!
//! A directory for each attempt, in the temporary files: that is the one place that an agent in a sandbox may write and
//! that is not its tree. It goes with the attempt, so what an earlier one said is never there.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ralph_core::assignment::Assignment;
use ralph_core::policy::Signal;
use ralph_core::redact::Redactor;
use serde::{Deserialize, Serialize};

use crate::window::{self, Librarian, Window};

/// The variable by which an agent's programs find it.
pub const VARIABLE: &str = "RALPH_MAILBOX";

const TASK: &str = "task.json";
const SAID: &str = "said.jsonl";

/// An agent may write anything there; this much of it is read.
const MOST: u64 = 1 << 20;
/// A question and a summary are a few sentences.
const LONGEST: usize = 8_000;

/// What an agent said, one line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    TaskComplete { summary: Option<String> },
    Asked { question: String },
}

impl Said {
    /// What stands in the answer to an agent whose word counts, and in no other: hosts show ralph that answer.
    pub fn noted(&self) -> &'static str {
        match self {
            Said::TaskComplete { .. } => "is noted that the task is done",
            Said::Asked { .. } => "question is noted",
        }
    }

    pub fn is_short(&self) -> Result<(), MailboxError> {
        let (what, text) = match self {
            Said::TaskComplete { summary } => ("the summary", summary.as_deref().unwrap_or_default()),
            Said::Asked { question } => ("the question", question.as_str()),
        };
        if text.chars().count() > LONGEST { Err(MailboxError::TooLong { what }) } else { Ok(()) }
    }
}

/// What all of it comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heard {
    pub signals: BTreeSet<Signal>,
    pub summary: Option<String>,
    pub question: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    #[error("ralph's mailbox {path} cannot be used; the attempt that it belongs to may be over")]
    Unusable { path: PathBuf, source: io::Error },
    #[error(
        "ralph does not answer here: the attempt that {path} belongs to may be over, or its socket cannot be reached"
    )]
    Unanswered { path: PathBuf, source: io::Error },
    #[error("{what} is longer than {LONGEST} characters")]
    TooLong { what: &'static str },
}

/// The agent's side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    dir: PathBuf,
}

impl Mailbox {
    pub fn at(dir: PathBuf) -> Mailbox {
        Mailbox { dir }
    }

    pub fn task(&self) -> Result<Assignment, MailboxError> {
        let path = self.dir.join(TASK);
        let text = read(&path, u64::MAX).map_err(|source| unusable(&path, source))?;
        serde_json::from_slice(&text).map_err(|error| unusable(&path, error.into()))
    }

    /// What ralph knows of something: one line for one.
    pub fn ask(&self, line: &str) -> Result<String, MailboxError> {
        window::ask(&self.dir, line)
            .map_err(|source| MailboxError::Unanswered { path: self.dir.clone(), source })
    }

    /// Durable for as long as anybody may want to know: once this is answered, the one who drives the attempt finds it.
    pub fn say(&self, said: &Said) -> Result<(), MailboxError> {
        said.is_short()?;
        let path = self.dir.join(SAID);
        let mut line = serde_json::to_vec(said).expect("what is said is JSON");
        line.push(b'\n');
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW);
        let written = options.open(&path).and_then(|mut file| file.write_all(&line));
        written.map_err(|source| unusable(&path, source))
    }
}

/// ralph's side: it makes the directory, and takes it away.
#[derive(Debug)]
pub(crate) struct Letterbox {
    dir: PathBuf,
    /// None where nobody answers questions.
    window: Option<Window>,
}

impl Letterbox {
    /// Below a directory for temporary files.
    pub(crate) fn open(temporary: &Path, task: &Assignment) -> Result<Letterbox, io::Error> {
        let dir = temporary.join(format!("ralph-attempt-{:016x}", crate::entropy()));
        DirBuilder::new().mode(0o700).create(&dir)?;
        let letterbox = Letterbox { dir, window: None };
        let text = serde_json::to_vec(task).expect("a task is JSON");
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(letterbox.dir.join(TASK))?;
        file.write_all(&text)?;
        Ok(letterbox)
    }

    /// With somebody who answers questions. Where there can be no socket, whoever asks is told so.
    #[must_use]
    pub(crate) fn answering(mut self, task: Assignment, librarian: Option<Arc<dyn Librarian>>) -> Letterbox {
        self.window = librarian.and_then(|librarian| Window::open(&self.dir, task, librarian).ok());
        self
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What the agent said.
    pub(crate) fn heard(&self, redactor: &Redactor) -> Heard {
        // Nothing was said, or the agent took the file away: neither counts for anything.
        let text = read(&self.dir.join(SAID), MOST).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        Heard::of(lines, redactor)
    }
}

impl Heard {
    /// With what is secret in it replaced. Of a completion and a question, the later counts.
    pub fn of(said: impl IntoIterator<Item = Said>, redactor: &Redactor) -> Heard {
        let clean = |text: String| redactor.text(&text).chars().take(LONGEST).collect::<String>();
        said.into_iter().fold(Heard::default(), |_, said| match said {
            Said::TaskComplete { summary } => Heard {
                signals: BTreeSet::from([Signal::Tool]),
                summary: summary.map(clean).filter(|summary| !summary.trim().is_empty()),
                question: None,
            },
            Said::Asked { question } => Heard {
                question: Some(clean(question)).filter(|question| !question.trim().is_empty()),
                ..Heard::default()
            },
        })
    }
}

impl Drop for Letterbox {
    fn drop(&mut self) {
        self.window = None;
        // What is left is a small directory among the temporary files.
        let _left = fs::remove_dir_all(&self.dir);
    }
}

/// An agent may have put anything in the place of a file: a link is not followed, and a pipe is not waited for.
fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unusable(path: &Path, source: io::Error) -> MailboxError {
    MailboxError::Unusable { path: path.to_owned(), source }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Heard, LONGEST, Letterbox, Mailbox, MailboxError, SAID, Said};
    use ralph_core::assignment::Assignment;
    use ralph_core::id::{RunId, TaskId};
    use ralph_core::policy::Signal;
    use ralph_core::redact::Redactor;
    use std::collections::BTreeSet;

    pub(crate) fn task() -> Assignment {
        Assignment {
            run: RunId::new(jiff::Timestamp::UNIX_EPOCH, 7),
            task: TaskId::parse("T-1").unwrap(),
            title: "a title".to_owned(),
            body: "a body".to_owned(),
            iteration: 2,
            max_iterations: Some(9),
            attempt: 1,
            require: vec![Signal::Tool],
            criteria: Vec::new(),
            tried: Vec::new(),
            answers: Vec::new(),
            steering: Vec::new(),
            waits_for_answers: true,
            withheld: None,
        }
    }

    fn complete(summary: Option<&str>) -> Said {
        Said::TaskComplete { summary: summary.map(str::to_owned) }
    }

    fn ask(question: &str) -> Said {
        Said::Asked { question: question.to_owned() }
    }

    /// What an attempt comes to in which all this was said.
    fn heard(said: &[Said]) -> Heard {
        let dir = tempfile::tempdir().unwrap();
        let letterbox = Letterbox::open(dir.path(), &task()).unwrap();
        let mailbox = Mailbox::at(letterbox.dir().to_owned());
        assert_eq!(mailbox.task().unwrap(), task());
        said.iter().for_each(|said| mailbox.say(said).unwrap());
        letterbox.heard(&Redactor::new([("MY_API_TOKEN".to_owned(), "s3cr3t-value-1234".to_owned())]))
    }

    #[test]
    fn what_is_said_last_counts_and_no_secret_is_in_it() {
        let done = |summary: Option<&str>| Heard {
            signals: BTreeSet::from([Signal::Tool]),
            summary: summary.map(str::to_owned),
            question: None,
        };
        assert_eq!(heard(&[]), Heard::default());
        assert_eq!(heard(&[complete(Some("all of it"))]), done(Some("all of it")));
        assert_eq!(heard(&[ask("which?"), complete(Some(" "))]), done(None));
        let asked = heard(&[complete(None), ask("is it s3cr3t-value-1234?")]);
        assert!(asked.signals.is_empty());
        let question = asked.question.unwrap();
        assert!(question.starts_with("is it ") && !question.contains("s3cr3t"), "{question}");
    }

    #[test]
    fn what_is_no_word_of_ours_counts_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let letterbox = Letterbox::open(dir.path(), &task()).unwrap();
        let said = letterbox.dir().join(SAID);
        let heard = || letterbox.heard(&Redactor::new([]));
        std::fs::write(&said, b"{\"said\":\"task_complete\"").unwrap();
        assert_eq!(heard(), Heard::default(), "a line that was cut short");
        std::fs::write(&said, b"\xff\n[]\n{\"said\":\"task_complete\",\"as\":\"root\"}\n").unwrap();
        assert_eq!(heard(), Heard::default(), "garbage");
        std::fs::remove_file(&said).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        std::fs::write(&elsewhere, b"{\"said\":\"task_complete\",\"summary\":null}\n").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &said).unwrap();
        assert_eq!(heard(), Heard::default(), "a link");
        let refused = Mailbox::at(letterbox.dir().to_owned()).say(&complete(None));
        assert!(matches!(refused, Err(MailboxError::Unusable { .. })));
        std::fs::remove_file(&said).unwrap();
        nix::unistd::mkfifo(&said, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(heard(), Heard::default(), "a pipe that nobody writes to");
    }

    #[test]
    fn a_mailbox_goes_with_its_attempt() {
        let dir = tempfile::tempdir().unwrap();
        let letterbox = Letterbox::open(dir.path(), &task()).unwrap();
        let mailbox = Mailbox::at(letterbox.dir().to_owned());
        let long = "x".repeat(LONGEST + 1);
        assert!(matches!(mailbox.say(&ask(&long)), Err(MailboxError::TooLong { .. })));
        drop(letterbox);
        assert!(mailbox.say(&complete(None)).is_err() && mailbox.task().is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
