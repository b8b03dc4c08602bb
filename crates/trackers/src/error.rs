//! Why a backlog could not be read or written, and what a person can do about it.

use std::path::{Path, PathBuf};

use ralph_core::id::TaskId;
use ralph_store::StoreError;

use crate::tracker::Kind;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrackerError {
    #[error("{}{}: {what}", .path.display(), at(.spot.as_ref()))]
    Malformed { path: PathBuf, spot: Option<Spot>, what: String, next: String },
    #[error("cannot {action} {}: {detail}", .path.display())]
    Io { action: &'static str, path: PathBuf, detail: String },
    #[error("{} has {size} bytes; a backlog may have {most}", .path.display())]
    TooLarge { path: PathBuf, size: u64, most: u64 },
    #[error("{} is no file", .path.display())]
    NoFile { path: PathBuf },
    #[error("{} is changed by another program again and again", .path.display())]
    Contended { path: PathBuf },
    #[error("there is no task {id} in {tracker}")]
    NoTask { id: TaskId, tracker: String },
    #[error("{} was changed, and has several tasks like {id}: which one it was cannot be told", .path.display())]
    Ambiguous { path: PathBuf, id: TaskId },
    #[error("no backlog in {}", .root.display())]
    NoBacklog { root: PathBuf },
    #[error("no program {program} to reach the backlog in {} with", .root.display())]
    NoProgram { program: String, root: PathBuf },
    #[error("`{command}` {what}")]
    Program { command: String, what: String, next: String },
    #[error("{asked} {what}")]
    Server { asked: String, what: String, next: String },
    #[error("the tracker {tracker} needs {what}")]
    Unset { tracker: Kind, what: String, next: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where in a file, counted from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub line: usize,
    pub column: usize,
    /// The line itself, unless it is too long to show.
    pub text: Option<String>,
}

/// The longest line that goes with an error, in bytes.
const LONGEST_LINE: usize = 4_096;

fn at(spot: Option<&Spot>) -> String {
    spot.map(|spot| format!(":{}:{}", spot.line, spot.column)).unwrap_or_default()
}

impl Spot {
    /// Of a byte of a file, which may be just behind its end.
    pub(crate) fn of(bytes: &[u8], at: usize) -> Spot {
        let at = at.min(bytes.len());
        let begin = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        let line = memchr::memchr_iter(b'\n', &bytes[..begin]).count() + 1;
        let column = String::from_utf8_lossy(&bytes[begin..at]).chars().count() + 1;
        let text = &bytes[begin..end];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let is_short = text.len() <= LONGEST_LINE;
        Spot { line, column, text: is_short.then(|| String::from_utf8_lossy(text).into_owned()) }
    }
}

impl TrackerError {
    pub(crate) fn malformed(
        path: &Path,
        spot: impl Into<Option<Spot>>,
        what: impl Into<String>,
        next: impl Into<String>,
    ) -> TrackerError {
        TrackerError::Malformed {
            path: path.to_owned(),
            spot: spot.into(),
            what: what.into(),
            next: next.into(),
        }
    }

    pub(crate) fn server(asked: &str, what: impl Into<String>, next: &str) -> TrackerError {
        TrackerError::Server { asked: asked.to_owned(), what: what.into(), next: next.to_owned() }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> TrackerError {
        move |error| TrackerError::Io { action, path: path.to_owned(), detail: error.to_string() }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            TrackerError::Malformed { next, .. }
            | TrackerError::Program { next, .. }
            | TrackerError::Server { next, .. }
            | TrackerError::Unset { next, .. } => next.clone(),
            TrackerError::Io { path, .. } => {
                format!("see to it that {} can be read and written", path.display())
            }
            TrackerError::TooLarge { .. } => "split it, or name another file with --prd FILE".to_owned(),
            TrackerError::NoFile { .. } => "name a file with --prd FILE".to_owned(),
            TrackerError::Contended { .. } => "end the other program, and try again".to_owned(),
            TrackerError::NoTask { .. } => "`ralph tasks` lists those that are there".to_owned(),
            TrackerError::Ambiguous { .. } => {
                "give each of them an id: `- [ ] ID: title`, or check the right one by hand".to_owned()
            }
            TrackerError::NoBacklog { .. } => {
                "write a prd.json or a TASKS.md with `- [ ] ID: title` lines, name a file with --prd FILE, or let \
                 ralph keep the tasks: `ralph tasks add \"TITLE\"`"
                    .to_owned()
            }
            TrackerError::NoProgram { program, .. } => {
                format!("install {program}, or name a file with --prd FILE")
            }
            TrackerError::Store(error) => error.hint().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spot;

    #[test]
    fn a_spot_is_a_line_and_a_column_of_characters() {
        let text = "eins\r\nzwei äh!\n".as_bytes();
        let spot = |at| {
            let spot = Spot::of(text, at);
            (spot.line, spot.column, spot.text.unwrap())
        };
        assert_eq!(spot(0), (1, 1, "eins".to_owned()));
        assert_eq!(spot(14), (2, 8, "zwei äh!".to_owned()));
        assert_eq!(spot(99), (3, 1, String::new()));
        assert_eq!(Spot::of(&[b'x'; 100_000], 70_000).text, None);
    }
}
