//! A directory as text: one line per entry, sorted by name. Its digest stands for everything beneath it.

use crate::digest::Digest;
use crate::escape::{push_escaped, unescaped};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    File,
    Link,
    Directory,
    Pipe,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Link => "link",
            Kind::Directory => "directory",
            Kind::Pipe => "pipe",
        }
    }

    pub(crate) fn letter(self) -> u8 {
        match self {
            Kind::File => b'f',
            Kind::Link => b'l',
            Kind::Directory => b'd',
            Kind::Pipe => b'p',
        }
    }

    pub(crate) fn of_letter(letter: u8) -> Option<Kind> {
        [Kind::File, Kind::Link, Kind::Directory, Kind::Pipe].into_iter().find(|kind| kind.letter() == letter)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: Box<[u8]>,
    pub(crate) kind: Kind,
    /// The low twelve bits.
    pub(crate) mode: u16,
    /// The content of a file, the target of a link, the manifest of a directory.
    pub(crate) digest: Digest,
    pub(crate) size: u64,
}

pub(crate) fn push_line(entry: &Entry, text: &mut Vec<u8>) {
    text.extend([entry.kind.letter(), b' ']);
    text.extend([9, 6, 3, 0].map(|shift| b'0' + (entry.mode >> shift & 7) as u8));
    text.push(b' ');
    entry.digest.push_hex(text);
    text.extend(format!(" {} ", entry.size).as_bytes());
    push_escaped(&entry.name, text);
    text.push(b'\n');
}

/// None if the text is not a manifest: a name that leads elsewhere is not one either.
pub(crate) fn parse(text: &[u8]) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    if text.is_empty() {
        return Some(entries);
    }
    for line in text.strip_suffix(b"\n")?.split(|byte| *byte == b'\n') {
        let entry = parse_line(line)?;
        if entries.last().is_some_and(|last| last.name >= entry.name) {
            return None;
        }
        entries.push(entry);
    }
    Some(entries)
}

fn parse_line(line: &[u8]) -> Option<Entry> {
    let mut words = line.split(|byte| *byte == b' ');
    let [kind] = words.next()? else { return None };
    let kind = Kind::of_letter(*kind)?;
    let mode = std::str::from_utf8(words.next()?).ok()?;
    let mode = u16::from_str_radix(mode, 8).ok().filter(|bits| *bits <= 0o7777)?;
    let digest = Digest::from_hex(words.next()?)?;
    let size = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    let name = unescaped(words.next()?)?;
    let leads_elsewhere =
        name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') || name.contains(&0);
    (!leads_elsewhere && words.next().is_none()).then(|| Entry {
        name: name.into(),
        kind,
        mode,
        digest,
        size,
    })
}

#[cfg(test)]
mod tests {
    use super::{Entry, Kind, parse, push_line};
    use crate::digest::Digest;

    #[test]
    fn a_manifest_is_read_back_and_a_name_that_leads_elsewhere_is_none() {
        let entry = |name: &[u8], kind, mode| Entry {
            name: name.into(),
            kind,
            mode,
            digest: Digest::of(name),
            size: 3,
        };
        let entries = vec![
            entry(b"\xff\n", Kind::Pipe, 0o7777),
            entry(b"a b", Kind::Directory, 0),
            entry(b"c", Kind::Link, 0o777),
        ];
        let mut sorted = entries;
        sorted.sort_by(|one, other| one.name.cmp(&other.name));
        let mut text = Vec::new();
        sorted.iter().for_each(|entry| push_line(entry, &mut text));
        assert_eq!(parse(&text), Some(sorted));
        assert_eq!(parse(b""), Some(Vec::new()));
        for name in ["", ".", "..", "a/b", "a\\0000b"] {
            let line = format!("f 0644 {} 1 {name}\n", Digest::of(b""));
            assert_eq!(parse(line.as_bytes()), None, "{name}");
        }
    }
}
