//! What became of a tree, to be read: for people as a unified diff or in numbers, for programs as values.

use ralph_snapshot::{Body, Change, ChangeKind, State};
use serde::Serialize;

use crate::render::{BAD, CALM, FAINT, GOOD, HEAD, inert, paint};
use crate::words::{counted, cut, size};

/// How many marks the longest bar of `--stat` has.
const MARKS: u64 = 24;
/// As much of a line as is shown; a minified file has lines of a megabyte.
const LONGEST_LINE: usize = 2_000;

/// One change, as `--json` prints it.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(crate) struct Changed {
    /// From the root of the project; bytes that are no text show as U+FFFD.
    pub(crate) path: String,
    change: How,
    before: Option<Stood>,
    after: Option<Stood>,
    content: Content,
    /// Lines of text that are new, and lines that are gone.
    pub(crate) added: u64,
    pub(crate) removed: u64,
    /// In unified form, where it is text and was asked for.
    diff: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum How {
    Added,
    Removed,
    /// Other content; the mode may have changed as well.
    Modified,
    /// The mode alone.
    Mode,
    /// A file became a directory, or the like.
    Type,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct Stood {
    /// `file`, `link`, `directory` or `pipe`.
    kind: &'static str,
    /// In octal, as `chmod` takes it.
    mode: String,
    size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Content {
    /// There is nothing to read: a directory, a mode alone.
    None,
    Text,
    Binary,
    TooLarge,
}

impl Changed {
    pub(crate) fn new(change: &Change, body: Body) -> Changed {
        let stood = |state: State| Stood {
            kind: state.kind.name(),
            mode: format!("{:04o}", state.mode),
            size: state.size,
        };
        let (content, added, removed, diff) = match body {
            Body::Nothing => (Content::None, 0, 0, None),
            Body::Text { hunks, added, removed } => (Content::Text, added, removed, Some(hunks)),
            Body::Binary { .. } => (Content::Binary, 0, 0, None),
            Body::TooLarge { .. } => (Content::TooLarge, 0, 0, None),
        };
        Changed {
            path: change.path.to_string_lossy().into_owned(),
            change: match change.kind {
                ChangeKind::Added => How::Added,
                ChangeKind::Removed => How::Removed,
                ChangeKind::Modified => How::Modified,
                ChangeKind::Mode => How::Mode,
                ChangeKind::Type => How::Type,
            },
            before: change.before.map(stood),
            after: change.after.map(stood),
            content,
            added,
            removed,
            diff,
        }
    }

    pub(crate) fn without_text(mut self) -> Changed {
        self.diff = None;
        self
    }

    /// A directory is only told of where that is all there is to tell.
    pub(crate) fn is_of_a_directory(&self) -> bool {
        let is = |stood: &Option<Stood>| stood.as_ref().is_none_or(|stood| stood.kind == "directory");
        is(&self.before) && is(&self.after)
    }

    /// Whether it came or went with everything in it.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.change, How::Added | How::Removed)
    }

    /// `+`, `-` or `~`.
    fn mark(&self) -> (&'static str, anstyle::Style) {
        match self.change {
            How::Added => ("+", GOOD),
            How::Removed => ("-", BAD),
            How::Modified | How::Mode | How::Type => ("~", CALM),
        }
    }

    /// What a text cannot show: another mode, another kind, bytes.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        let kind = after.or(before).map_or("file", |stood| stood.kind);
        match (before, after) {
            (Some(before), Some(after)) if before.kind != after.kind => {
                notes.push(format!("{} became {}", before.kind, after.kind));
            }
            _ if kind != "file" => notes.push(kind.to_owned()),
            _ => {}
        }
        if let (Some(before), Some(after)) = (before, after)
            && before.mode != after.mode
        {
            notes.push(format!("mode {} → {}", before.mode, after.mode));
        }
        let sizes = || {
            let of = |stood: Option<&Stood>| stood.map_or(0, |stood| stood.size);
            format!("{} → {}", size(of(before)), size(of(after)))
        };
        match self.content {
            Content::Binary => notes.push(format!("binary, {}", sizes())),
            Content::TooLarge => notes.push(format!("too large to show, {}", sizes())),
            Content::None | Content::Text => {}
        }
        notes
    }

    /// As `git diff` and `patch` know it, safe for a terminal.
    pub(crate) fn unified(&self) -> String {
        let (mark, style) = self.mark();
        let path = inert(&self.path);
        let notes = self.notes();
        let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
        let mut text = format!("{} {}{}\n", paint(style, mark), paint(HEAD, &path), paint(FAINT, &notes));
        let Some(hunks) = self.diff.as_deref().filter(|hunks| !hunks.is_empty()) else { return text };
        let side = |stood: &Option<Stood>, letter| match stood {
            Some(_) => format!("{letter}/{path}"),
            None => "/dev/null".to_owned(),
        };
        text += &paint(FAINT, &format!("--- {}", side(&self.before, "a")));
        text += &paint(FAINT, &format!("\n+++ {}\n", side(&self.after, "b")));
        for line in hunks.split_terminator('\n') {
            text += &(hunk_line(line) + "\n");
        }
        text
    }

    /// One line of `--stat`, with the names in a column of this width.
    pub(crate) fn stat(&self, width: usize, most: u64) -> String {
        let (mark, style) = self.mark();
        let name = cut(&inert(&self.path), width);
        let mut told = self.notes();
        if self.content == Content::Text {
            told.insert(0, self.marks(most));
        }
        format!(" {} {name:<width$}  {}", paint(style, mark), told.join("  ")).trim_end().to_owned() + "\n"
    }

    fn marks(&self, most: u64) -> String {
        let all = self.added + self.removed;
        let scaled = |count: u64| match count {
            0 => 0,
            count if most <= MARKS => count,
            count => (count.saturating_mul(MARKS) / most).max(1),
        };
        let row = |style, mark: &str, count| {
            paint(style, &mark.repeat(usize::try_from(scaled(count)).unwrap_or(0)))
        };
        format!("{all:>5} {}{}", row(GOOD, "+", self.added), row(BAD, "-", self.removed))
    }
}

fn hunk_line(line: &str) -> String {
    let shown = cut(&inert(line), LONGEST_LINE);
    match line.as_bytes().first() {
        Some(b'+') => paint(GOOD, &shown),
        Some(b'-') => paint(BAD, &shown),
        Some(b'@') => paint(CALM, &shown),
        _ => shown,
    }
}

/// `3 changed: 12 lines added, 4 removed`.
pub(crate) fn totals(changed: &[Changed]) -> String {
    let sum = |of: fn(&Changed) -> u64| changed.iter().map(of).fold(0, u64::saturating_add);
    let lines = counted(sum(|one| one.added), "line");
    format!(
        "{} changed: {lines} added, {} removed\n",
        counted(changed.len() as u64, "path"),
        sum(|one| one.removed)
    )
}

/// Every change in a line, and their sum.
pub(crate) fn stat(changed: &[Changed]) -> String {
    let names = changed.iter().map(|one| inert(&one.path).chars().count());
    let width = names.max().unwrap_or(0).min(40);
    let most = changed.iter().map(|one| one.added + one.removed).max().unwrap_or(0);
    changed.iter().map(|one| one.stat(width, most)).collect::<String>() + &totals(changed)
}
