//! What `git status` says, byte for byte.

/// For every file, none of a submodule's own, and no guesses about renames.
pub(super) const ARGS: [&str; 9] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    "--ignore-submodules=dirty",
    "--no-renames",
    "--",
    ".",
];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) is_detached: bool,
    pub(super) changed: Vec<Changed>,
}

/// A path that differs from HEAD, from the top of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) path: Vec<u8>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tracked,
    Untracked,
    /// Another commit of it is checked out.
    Submodule,
    Unmerged,
}

impl Status {
    pub(super) fn parse(printed: &[u8]) -> Status {
        let mut status = Status::default();
        let mut records = printed.split(|byte| *byte == 0);
        while let Some(record) = records.next() {
            match record.first() {
                Some(b'#') => status.is_detached |= record == b"# branch.head (detached)",
                Some(b'1') => status.changed.extend(tracked(record, 8)),
                Some(b'2') => {
                    status.changed.extend(tracked(record, 9));
                    // Where it came from.
                    let from =
                        records.next().map(|path| Changed { path: path.to_owned(), kind: Kind::Tracked });
                    status.changed.extend(from);
                }
                Some(b'u') => {
                    let unmerged = tracked(record, 10).map(|one| Changed { kind: Kind::Unmerged, ..one });
                    status.changed.extend(unmerged);
                }
                // A repository within, of which git looks at nothing, ends with a slash.
                Some(b'?') if !record.ends_with(b"/") => {
                    let path = record.strip_prefix(b"? ").filter(|path| !path.is_empty());
                    let new = path.map(|path| Changed { path: path.to_owned(), kind: Kind::Untracked });
                    status.changed.extend(new);
                }
                _ => {}
            }
        }
        status
    }
}

/// A record with that many fields before its path.
fn tracked(record: &[u8], fields: usize) -> Option<Changed> {
    let mut parts = record.splitn(fields + 1, |byte| *byte == b' ');
    let kind = if parts.nth(2)?.starts_with(b"S") { Kind::Submodule } else { Kind::Tracked };
    let path = parts.last().filter(|path| !path.is_empty())?.to_owned();
    Some(Changed { path, kind })
}

#[cfg(test)]
mod tests {
    use super::{Changed, Kind, Status};

    #[test]
    fn every_kind_of_record_is_read() {
        let printed = b"# branch.oid (initial)\0# branch.head (detached)\0\
            1 .M N... 100644 100644 100644 aa bb a b\nc\0\
            1 .M SC.. 160000 160000 160000 aa bb sub\0\
            2 R. N... 100644 100644 100644 aa bb R100 new\0old\0\
            u UU N... 100644 100644 100644 100644 aa bb cc torn\0\
            ? \xff\0? nested/\0! ignored\0";
        let changed = |path: &[u8], kind| Changed { path: path.to_owned(), kind };
        let wanted = Status {
            is_detached: true,
            changed: vec![
                changed(b"a b\nc", Kind::Tracked),
                changed(b"sub", Kind::Submodule),
                changed(b"new", Kind::Tracked),
                changed(b"old", Kind::Tracked),
                changed(b"torn", Kind::Unmerged),
                changed(b"\xff", Kind::Untracked),
            ],
        };
        assert_eq!(Status::parse(printed), wanted);
        assert_eq!(Status::parse(b"1 .M\0?\0? \0u\0\0"), Status::default());
    }
}
