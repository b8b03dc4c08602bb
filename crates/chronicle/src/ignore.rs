//! `.ralph/.gitignore`: what ralph writes for people on this machine is no part of the repository, unless they say so.

use std::path::Path;

use crate::beneath::{Missing, Spot};
use crate::error::ChronicleError;
use crate::{IGNORE, LOGS, PROGRESS};

const MOST: u64 = 1 << 20;

/// Adds the lines that are missing, and keeps all others.
pub(crate) fn ensure(root: &Path) -> Result<(), ChronicleError> {
    let Some(spot) = Spot::find(root, Path::new(IGNORE), Missing::Make)? else {
        return Err(ChronicleError::LeadsOut { path: root.join(IGNORE) });
    };
    spot.edit(MOST, |before| Ok(with_lines(before.unwrap_or_default())))?;
    Ok(())
}

/// None where nothing is missing.
fn with_lines(before: &[u8]) -> Option<Vec<u8>> {
    let name = |path: &'static str| path.rsplit('/').next().unwrap_or(path);
    let wanted = [name(PROGRESS).to_owned(), format!("{}/", name(LOGS))];
    let mut missing = wanted.iter().filter(|line| !mentions(before, plain(line.as_bytes()))).peekable();
    missing.peek()?;
    let mut after = before.to_owned();
    if !after.is_empty() && !after.ends_with(b"\n") {
        after.push(b'\n');
    }
    for line in missing {
        after.extend_from_slice(line.as_bytes());
        after.push(b'\n');
    }
    Some(after)
}

/// Whether a line decides about the name, either way: `!progress.md` is a person's word that it is to be kept.
fn mentions(text: &[u8], name: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| plain(line.trim_ascii()) == name)
}

fn plain(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"!").unwrap_or(line);
    let line = line.strip_prefix(b"/").unwrap_or(line);
    let line = line.strip_suffix(b"*").map_or(line, |line| line.strip_suffix(b"*").unwrap_or(line));
    line.strip_suffix(b"/").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::with_lines;

    #[test]
    fn lines_are_added_where_they_are_missing_and_others_are_kept() {
        for (before, after) in [
            ("", Some("progress.md\nlogs/\n")),
            ("# mine\r\n*.tmp", Some("# mine\r\n*.tmp\nprogress.md\nlogs/\n")),
            ("/logs/**\n", Some("/logs/**\nprogress.md\n")),
            ("!progress.md\nlogs\n", None),
            ("  progress.md\r\n/logs/\r\n", None),
            ("progress.md.bak\nlogs.old/\n", Some("progress.md.bak\nlogs.old/\nprogress.md\nlogs/\n")),
        ] {
            let wanted = after.map(|after| after.as_bytes().to_vec());
            assert_eq!(with_lines(before.as_bytes()), wanted, "{before:?}");
        }
        assert!(with_lines(b"\xff\xfe\n").is_some_and(|after| after.starts_with(b"\xff\xfe\nprogress.md\n")));
    }
}
