//! Messages without what differs from one run to the next.
//!
//! Gone are: the project's root, temporary directories, line and column numbers, ports, addresses, long hexadecimal
//! words, UUIDs, dates, clock times, durations, and the numbers of lines, processes, threads and seeds. Kept is every
//! other number: `expected 3, got 4` is not `expected 3, got 5`.

use std::path::Path;

use crate::text::cut;

/// As much of a message as counts.
const LONGEST: usize = 4096;
const TEMPORARY: [&str; 7] = [
    "/private/var/folders/",
    "/private/var/tmp/",
    "/private/tmp/",
    "/var/folders/",
    "/var/tmp/",
    "/dev/shm/",
    "/tmp/",
];
/// A number after one of these says where or who, not what.
const BEFORE_NUMBERS: [&str; 11] =
    ["line", "lines", "column", "col", "pid", "process", "thread", "tid", "port", "seed", "goroutine"];
const UNITS: [&str; 12] =
    ["ms", "us", "µs", "μs", "ns", "s", "sec", "secs", "second", "seconds", "min", "minutes"];

/// The directory that a check ran in, so that absolute paths below it can be told.
#[derive(Debug, Clone, Default)]
pub struct Root(Option<String>);

impl Root {
    pub fn new(path: &Path) -> Root {
        let text = path.to_string_lossy();
        let text = text.trim_end_matches('/');
        Root((text.len() > 1).then(|| text.to_owned()))
    }

    /// No directory is known: absolute paths stay as they are, temporary ones excepted.
    pub fn unknown() -> Root {
        Root(None)
    }

    /// What follows the root in a text that begins with it. Some systems show `/tmp` as `/private/tmp`.
    fn strip<'a>(&self, text: &'a str) -> Option<&'a str> {
        let root = self.0.as_deref()?;
        let rest = [text, text.strip_prefix("/private").unwrap_or(text)].into_iter();
        let rest = rest.filter_map(|text| text.strip_prefix(root)).next()?;
        let goes_on = rest.chars().next().is_some_and(|next| next.is_alphanumeric() || "_-.".contains(next));
        (!goes_on).then_some(rest)
    }

    /// A path as it is shown and compared.
    pub(crate) fn file(&self, path: &str) -> String {
        let path = path.trim().strip_prefix("file://").unwrap_or(path.trim());
        let path = cut(path, LONGEST).replace('\\', "/");
        let below = self.strip(&path).map(str::to_owned);
        let below = below.or_else(|| temporary(&path).map(|rest| format!("<tmp>{rest}")));
        let path = below.as_deref().map_or(path.as_str(), |rest| rest.trim_start_matches('/'));
        path.strip_prefix("./").unwrap_or(path).to_owned()
    }

    pub(crate) fn normal(&self, text: &str) -> String {
        let mut scan = Scan { text: cut(text, LONGEST), at: 0, out: String::new(), token: 0, root: self };
        while scan.at < scan.text.len() {
            scan.step();
        }
        scan.out.trim_end().to_owned()
    }
}

/// What follows the part of a path that is made anew for every run.
fn temporary(path: &str) -> Option<&str> {
    let prefix = TEMPORARY.iter().find(|prefix| path.starts_with(**prefix))?;
    let mut rest = &path[prefix.len()..];
    let random = match rest {
        _ if prefix.ends_with("folders/") => 4,
        _ if rest.starts_with("pytest-of-") => 2,
        _ => 1,
    };
    for number in 0..random {
        let end = rest.find(|next: char| next == '/' || ends_path(next)).unwrap_or(rest.len());
        rest = &rest[end..];
        if number + 1 < random {
            rest = rest.strip_prefix('/').unwrap_or(rest);
        }
    }
    Some(rest)
}

fn ends_path(next: char) -> bool {
    next.is_whitespace() || "'\"`:,;()[]{}<>".contains(next)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// Where in `out` the current run of non-blanks begins.
    token: usize,
    root: &'a Root,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(next) = rest.chars().next() else { return };
        if next.is_whitespace() {
            self.at += next.len_utf8();
            if !self.out.is_empty() && !self.out.ends_with(' ') {
                self.out.push(' ');
            }
            self.token = self.out.len();
        } else if !self.path(rest) && !self.place(rest) && !self.word(rest) {
            self.out.push(next);
            self.at += next.len_utf8();
        }
    }

    /// An absolute path, at the beginning of a path.
    fn path(&mut self, rest: &'a str) -> bool {
        if let Some(path) = rest.strip_prefix("file:///") {
            self.at += rest.len() - path.len() - 1;
            return true;
        }
        let begins = !self.out.ends_with(|last: char| last.is_alphanumeric() || "./_-~>".contains(last));
        if !rest.starts_with('/') || !begins {
            return false;
        }
        let (mark, after) = match (self.root.strip(rest), temporary(rest)) {
            (Some(after), _) if after.starts_with('/') => ("", &after[1..]),
            (Some(after), _) => (".", after),
            (None, Some(after)) => ("<tmp>", after),
            (None, None) => return false,
        };
        self.out.push_str(mark);
        self.at = self.text.len() - after.len();
        true
    }

    /// `:12:5` or `(12,5)` behind something that looks like a file or a host.
    fn place(&mut self, rest: &'a str) -> bool {
        let token = &self.out[self.token..];
        let is_place =
            token.contains(['.', '/', '\\']) || token.ends_with("localhost") || token.ends_with('>');
        if !is_place {
            return false;
        }
        let taken = match rest.as_bytes().first() {
            Some(b':') => numbers(&rest[1..], ":").map(|taken| taken + 1),
            Some(b'(') => numbers(&rest[1..], ",")
                .filter(|taken| rest[1 + taken..].starts_with(')'))
                .map(|taken| taken + 2),
            _ => None,
        };
        let Some(taken) = taken else { return false };
        self.out.push_str(":#");
        self.at += taken;
        true
    }

    /// A word of letters and digits, or a number with what belongs to it.
    fn word(&mut self, rest: &'a str) -> bool {
        let word =
            &rest[..rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len())];
        if word.is_empty() {
            return false;
        }
        let found = uuid(rest)
            .or_else(|| address(word, self.out.ends_with('@')))
            .or_else(|| moment(rest))
            .or_else(|| {
                let fraction = self.out.ends_with('.')
                    && self.out[..self.out.len() - 1].ends_with(|last: char| last.is_ascii_digit());
                if fraction { None } else { duration(rest) }
            });
        if let Some(taken) = found {
            self.out.push('#');
            self.at += taken;
            return true;
        }
        self.out.push_str(word);
        self.at += word.len();
        if BEFORE_NUMBERS.iter().any(|before| word.eq_ignore_ascii_case(before)) {
            self.number_after();
        }
        true
    }

    fn number_after(&mut self) {
        let rest = self.rest();
        let gap = rest.bytes().take(3).take_while(|byte| b" :=#('".contains(byte)).count();
        let number = &rest[gap..];
        let hexadecimal =
            number.strip_prefix("0x").map_or(0, |digits| 2 + run(digits, |byte| byte.is_ascii_hexdigit()));
        let digits = hexadecimal.max(run(number, |byte| byte.is_ascii_digit()));
        if gap > 0 && digits > 0 {
            self.out.push_str(" #");
            self.at += gap + digits;
        }
    }
}

fn run(text: &str, is_part: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| is_part(*byte)).count()
}

/// Up to three numbers with this between them.
fn numbers(text: &str, between: &str) -> Option<usize> {
    let mut taken = run(text, |byte| byte.is_ascii_digit());
    if taken == 0 {
        return None;
    }
    for _ in 0..2 {
        let more =
            text[taken..].strip_prefix(between).map_or(0, |rest| run(rest, |byte| byte.is_ascii_digit()));
        if more > 0 {
            taken += between.len() + more;
        }
    }
    Some(taken)
}

fn uuid(text: &str) -> Option<usize> {
    const LENGTH: usize = 36;
    let bytes = text.as_bytes().get(..LENGTH)?;
    let is_right = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    bytes.iter().enumerate().all(is_right).then_some(LENGTH)
}

/// `0x7f…` of an address, a word of at least 16 hexadecimal digits, or one of 6 behind the `@` of a Java object.
fn address(word: &str, behind_at: bool) -> Option<usize> {
    let is_hexadecimal = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_address = match word.strip_prefix("0x") {
        Some(digits) => digits.len() >= 6 && is_hexadecimal(digits),
        None => {
            word.len() >= if behind_at { 6 } else { 16 }
                && is_hexadecimal(word)
                && word.bytes().any(|byte| byte.is_ascii_digit())
        }
    };
    is_address.then_some(word.len())
}

/// `2026-11-15`, `2026-11-15T23:29:34.5Z`, `23:29:34`.
fn moment(text: &str) -> Option<usize> {
    let date = shape(text, "dddd-dd-dd");
    let gap = date.filter(|date| text[*date..].starts_with(['T', ' ']));
    let time_at = gap.map_or(0, |date| date + 1);
    let Some(time) = shape(&text[time_at..], "dd:dd:dd") else { return date };
    let mut end = time_at + time;
    if let Some(fraction) = text[end..].strip_prefix(['.', ',']) {
        let digits = run(fraction, |byte| byte.is_ascii_digit());
        end += if digits > 0 { digits + 1 } else { 0 };
    }
    end += usize::from(text[end..].starts_with('Z'));
    end += shape(&text[end..], "+dd:dd").unwrap_or_default();
    Some(end)
}

/// Whether a text begins with digits where the shape has a `d`, and with its very characters elsewhere.
fn shape(text: &str, shape: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..shape.len())?;
    let is_right = |(have, want): (&u8, u8)| if want == b'd' { have.is_ascii_digit() } else { *have == want };
    let goes_on = text.as_bytes().get(shape.len()).is_some_and(u8::is_ascii_digit);
    (!goes_on && bytes.iter().zip(shape.bytes()).all(is_right)).then_some(shape.len())
}

/// `0.02s`, `12 ms`, `3 seconds`.
fn duration(text: &str) -> Option<usize> {
    let whole = run(text, |byte| byte.is_ascii_digit());
    if whole == 0 {
        return None;
    }
    let fraction = text[whole..].strip_prefix('.').map_or(0, |rest| run(rest, |byte| byte.is_ascii_digit()));
    let number = whole + if fraction > 0 { fraction + 1 } else { 0 };
    let gap = usize::from(text[number..].starts_with(' '));
    let rest = &text[number + gap..];
    let unit = &rest[..rest.find(|next: char| !next.is_alphanumeric()).unwrap_or(rest.len())];
    UNITS.contains(&unit).then_some(number + gap + unit.len())
}
