//! What a person sees when something is wrong: what, where, and what to do next.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const PLACE: Style = AnsiColor::Blue.on_default().bold();
const NEXT: Style = AnsiColor::Cyan.on_default().bold();

/// As much of a line as a snippet shows; a minified file has lines of a megabyte.
const SNIPPET: usize = 100;

/// Something a person can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Lower case, no full stop: what is wrong and with what.
    pub(crate) what: String,
    pub(crate) place: Option<Box<Place>>,
    /// What to do about it, one suggestion a line.
    pub(crate) next: Vec<String>,
    pub(crate) exit: u8,
}

/// Where in a file; line and column count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) spot: Option<Spot>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The whole line as it stands in the file.
    pub(crate) text: String,
    /// How many characters of it are meant, at least one.
    pub(crate) width: usize,
}

impl Problem {
    /// Usage, configuration, an untrusted project: the caller's to mend.
    pub(crate) const USAGE: u8 = 2;

    pub(crate) fn new(what: impl Into<String>) -> Problem {
        Problem { what: what.into(), place: None, next: Vec::new(), exit: Problem::USAGE }
    }

    pub(crate) fn at(mut self, place: impl Into<Option<Place>>) -> Problem {
        self.place = place.into().map(Box::new);
        self
    }

    pub(crate) fn next(mut self, hint: impl Into<String>) -> Problem {
        self.next.push(hint.into());
        self
    }

    pub(crate) fn exit(mut self, code: u8) -> Problem {
        self.exit = code;
        self
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Place {
        Place { path, spot: None }
    }
}

/// `{}` is plain text, `{:#}` is coloured; print the latter through `anstream`, which strips
/// the colours where there is no terminal.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        label(f, ERROR, "error:")?;
        write!(f, " {}", visible(&self.what))?;
        if let Some(place) = &self.place {
            write_place(f, place)?;
        }
        for hint in &self.next {
            writeln!(f)?;
            label(f, NEXT, "next:")?;
            write!(f, " {}", visible(hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

fn label(f: &mut fmt::Formatter<'_>, style: Style, text: &str) -> fmt::Result {
    if f.alternate() { write!(f, "{style}{text}{style:#}") } else { f.write_str(text) }
}

fn write_place(f: &mut fmt::Formatter<'_>, place: &Place) -> fmt::Result {
    let path = visible(&place.path.to_string_lossy());
    let Some(spot) = &place.spot else {
        write!(f, "\n  ")?;
        label(f, PLACE, "-->")?;
        return write!(f, " {path}");
    };
    let number = spot.line.to_string();
    let indent = number.len();
    let (text, column, width) = window(spot);
    write!(f, "\n{:indent$}", "")?;
    label(f, PLACE, "-->")?;
    writeln!(f, " {path}:{}:{}", spot.line, spot.column)?;
    writeln!(f, "{:indent$} |", "")?;
    writeln!(f, "{number} | {text}")?;
    write!(f, "{:indent$} | {:column$}", "", "")?;
    label(f, ERROR, &"^".repeat(width))
}

/// The part of the line around the spot, with the spot's column in it, counted from 0, and its width.
fn window(spot: &Spot) -> (String, usize, usize) {
    let column = spot.column - 1;
    let start = if column < SNIPPET * 3 / 4 { 0 } else { column - SNIPPET / 4 };
    let text: String = spot.text.chars().skip(start).take(SNIPPET).collect();
    let length = text.chars().count();
    let column = column - start;
    let width = spot.width.min(length.saturating_sub(column)).max(1);
    (visible(&text).replace('\n', "\u{fffd}"), column, width)
}

/// A file's or an argument's text with nothing in it that a terminal obeys or hides; one character
/// stays one character, so that a caret below it still points at the right place.
pub(crate) fn visible(text: &str) -> String {
    let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let shown = |c: char| match c {
        '\n' => '\n',
        '\t' => ' ',
        c if c.is_control() || hidden(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// Everything that is wrong, so that a file is mended in one go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    /// To standard error, in colour where a person can see it.
    pub(crate) fn print(&self) {
        let mut err = anstream::stderr().lock();
        let _nobody_reads_it = writeln!(err, "{self:#}");
    }

    pub(crate) fn exit(&self) -> u8 {
        self.0.iter().map(|problem| problem.exit).max().unwrap_or(Problem::USAGE)
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            if n > 0 {
                write!(f, "\n\n")?;
            }
            fmt::Display::fmt(problem, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::{Place, Problem, Spot};

    fn at(text: &str, column: usize, width: usize) -> Problem {
        let spot = Spot { line: 12, column, text: text.to_owned(), width };
        Problem::new("unknown key").at(Place { path: "a.toml".into(), spot: Some(spot) }).next("mend it")
    }

    #[test]
    fn a_problem_says_what_where_and_what_next() {
        insta::assert_snapshot!(at("colour = 1", 1, 6), @r"
        error: unknown key
          --> a.toml:12:1
           |
        12 | colour = 1
           | ^^^^^^
        next: mend it
        ");
    }

    #[test]
    fn nothing_in_a_file_can_drive_the_terminal() {
        let shown = at("\u{1b}]52;c;x\u{7} \u{202e}\u{9b}31m = 1", 3, 2).to_string();
        assert!(shown.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')), "{shown:?}");
    }

    #[test]
    fn a_line_of_a_megabyte_shows_a_piece_with_the_caret_under_the_spot() {
        let line = format!("{}here{}", "x".repeat(500_000), "y".repeat(500_000));
        let shown = at(&line, 500_001, 4).to_string();
        assert!(shown.len() < 400, "{} bytes", shown.len());
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[3].find("here"), lines[4].find("^^^^"));
    }

    #[test]
    fn colours_appear_only_when_asked_for() {
        assert!(!at("a", 1, 1).to_string().contains('\u{1b}'));
        assert!(format!("{:#}", at("a", 1, 1)).contains('\u{1b}'));
    }
}
