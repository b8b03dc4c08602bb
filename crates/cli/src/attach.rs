//! Files that go with a prompt: small texts are put into it, everything else is named by its path.

use std::io::Read;
use std::path::{Path, PathBuf};

use ralph_core::brief::fence_for;

use crate::problem::{Place, Problem, Problems};
use crate::words::size;

/// As much of a file's text as is put into a prompt.
const MOST_INLINED: u64 = 100 * 1024;

/// A file as a prompt tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) text: String,
    /// Where it is, if its content is not in the text: agents that take files get it from there.
    pub(crate) path: Option<String>,
}

pub(crate) fn attach(path: &Path) -> Result<Attached, Problems> {
    let problem = |what: String| {
        let place = Place::from(path.to_owned());
        Problem::new(what).at(place).next("check the path given with --file; it counts from where you are")
    };
    let io = |error: std::io::Error| problem(format!("cannot attach the file: {error}"));
    let whole: PathBuf = path.canonicalize().map_err(io)?;
    let metadata = whole.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(problem("only regular files can be attached".to_owned()).into());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&whole)
        .and_then(|file| file.take(MOST_INLINED + 1).read_to_end(&mut bytes))
        .map_err(io)?;
    let Some(named) = whole.to_str() else {
        return Err(problem("a path that is not UTF-8 cannot be put into a prompt".to_owned()).into());
    };
    let is_small = bytes.len() as u64 <= MOST_INLINED;
    match String::from_utf8(bytes) {
        Ok(text) if is_small && !text.contains('\0') => Ok(inlined(path, &text)),
        _ => Ok(Attached { text: pointer(named, metadata.len()), path: Some(named.to_owned()) }),
    }
}

fn inlined(path: &Path, text: &str) -> Attached {
    let fence = fence_for(text);
    let text = format!("\n\n`{}`:\n\n{fence}\n{}\n{fence}\n", path.display(), text.trim_end());
    Attached { text, path: None }
}

fn pointer(path: &str, bytes: u64) -> String {
    format!(
        "\n\nThe file `{path}` ({}) belongs to this; it is not shown here, look at it there.\n",
        size(bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::{MOST_INLINED, attach};

    #[test]
    fn small_texts_are_put_in_and_everything_else_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let small = attach(&file("small.md", b"```\nfenced\n```\n")).unwrap();
        assert_eq!(small.path, None);
        assert!(small.text.contains("````\n```\nfenced\n```\n````\n"), "{}", small.text);
        let longest = attach(&file("longest", &vec![b'x'; MOST_INLINED as usize])).unwrap();
        assert_eq!(longest.path, None);
        for (name, bytes) in [
            ("long", vec![b'x'; MOST_INLINED as usize + 1]),
            ("latin1", b"caf\xe9".to_vec()),
            ("nul", b"a\0b".to_vec()),
        ] {
            let path = file(name, &bytes).canonicalize().unwrap().to_string_lossy().into_owned();
            let named = attach(std::path::Path::new(&path)).unwrap();
            assert!(named.text.contains(&path) && named.text.len() < 500, "{}", named.text);
            assert_eq!(named.path, Some(path));
        }
    }

    #[test]
    fn what_cannot_be_attached_is_told_with_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |path: &std::path::Path| attach(path).unwrap_err().to_string();
        let missing = refused(&dir.path().join("none"));
        assert!(
            missing.contains("cannot attach the file: No such file") && missing.contains("none"),
            "{missing}"
        );
        assert!(missing.contains("check the path given with --file"), "{missing}");
        assert!(refused(dir.path()).contains("only regular files"));
    }
}
