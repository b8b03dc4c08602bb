//! The patterns that hold in a tree and lie outside of it: in the directories of the repository around it, in that
//! repository's `info/exclude`, and in a person's own excludes file. Git is not run for them.

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags};

use crate::beneath::os;
use crate::escape::{escaped, unescaped};
use crate::rules::{self, Compiled, Rules};
use crate::walk::{plain_content, read_patterns};

/// How each file begins where they are kept together; for a reader that does not know it, a comment.
const HEADING: &[u8] = b"# patterns ";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outer {
    /// The nearest last: it decides.
    files: Vec<Patterns>,
}

#[derive(Debug, PartialEq, Eq)]
struct Patterns {
    /// From the directory that the patterns are meant from to the tree, with a slash at the end; empty where they are
    /// the same.
    lead: Vec<u8>,
    content: Vec<u8>,
}

impl Outer {
    /// As git would find them. Where the repository around the tree ignores the tree itself, what it says is not meant
    /// for what is in it: everything would be left out.
    pub(crate) fn read(root: &Path, own: Option<&Path>, compiled: &Compiled) -> Outer {
        let own = own.and_then(read_file);
        let Some(repository) = repository_around(root) else { return Outer::single(own, compiled) };
        let exclude = read_file(&repository.common.join("info/exclude"));
        let way = root.strip_prefix(&repository.top).unwrap_or(Path::new(""));
        let mut directory = PathBuf::new();
        let mut rules = None;
        let mut outer = Outer::default();
        for content in [own.clone(), exclude].into_iter().flatten() {
            rules = outer.add(rules, (way, &directory), content, compiled);
        }
        for part in way {
            if let Some(content) = read_rules(&repository.top.join(&directory)) {
                rules = outer.add(rules, (way, &directory), content, compiled);
            }
            directory.push(part);
            if Rules::ignore(rules.as_ref(), directory.as_os_str().as_bytes(), true) {
                return Outer::single(own, compiled);
            }
        }
        outer
    }

    fn single(own: Option<Vec<u8>>, compiled: &Compiled) -> Outer {
        let mut outer = Outer::default();
        if let Some(content) = own {
            outer.add(None, (Path::new(""), Path::new("")), content, compiled);
        }
        outer
    }

    /// The answer is what holds below `directory`, seen from the top of the repository.
    fn add(
        &mut self,
        above: Option<Arc<Rules>>,
        (way, directory): (&Path, &Path),
        content: Vec<u8>,
        compiled: &Compiled,
    ) -> Option<Arc<Rules>> {
        let patterns = compiled.patterns(&content);
        if !patterns.is_empty() {
            let mut lead = way.strip_prefix(directory).unwrap_or(way).as_os_str().as_bytes().to_vec();
            if !lead.is_empty() {
                lead.push(b'/');
            }
            self.files.push(Patterns { lead, content });
        }
        Rules::within(above, directory.as_os_str().as_bytes(), patterns)
    }

    pub(crate) fn rules(&self, compiled: &Compiled) -> Option<Arc<Rules>> {
        self.files.iter().fold(None, |above, file| {
            Rules::leading(above, file.lead.clone(), compiled.patterns(&file.content))
        })
    }

    /// As they are kept with a snapshot; none where there are none.
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for Patterns { lead, content } in &self.files {
            text.extend_from_slice(HEADING);
            text.extend_from_slice(format!("{} {}\n", content.len(), escaped(lead)).as_bytes());
            text.extend_from_slice(content);
            text.push(b'\n');
        }
        (!text.is_empty()).then_some(text)
    }

    /// Older snapshots keep the content of `info/exclude` and nothing else.
    pub(crate) fn parse(text: Vec<u8>) -> Outer {
        let files = listed(&text).unwrap_or_else(|| vec![Patterns { lead: Vec::new(), content: text }]);
        Outer { files }
    }
}

fn listed(mut rest: &[u8]) -> Option<Vec<Patterns>> {
    let mut files = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let (length, lead) = std::str::from_utf8(rest[..end].strip_prefix(HEADING)?).ok()?.split_once(' ')?;
        let (content, after) = rest[end + 1..].split_at_checked(length.parse().ok()?)?;
        files.push(Patterns { lead: unescaped(lead.as_bytes())?, content: content.to_vec() });
        rest = after.strip_prefix(b"\n")?;
    }
    Some(files)
}

/// The repository that a tree is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Of the work tree.
    pub top: PathBuf,
    /// Where what all its work trees share lies.
    pub common: PathBuf,
}

/// The nearest repository. In a linked work tree and in a submodule `.git` is a file that names a directory.
pub fn repository_around(root: &Path) -> Option<Repository> {
    root.ancestors().find_map(|top| {
        let git = top.join(".git");
        let git = if git.is_dir() { git } else { top.join(named(&git, b"gitdir: ")?) };
        // Above the tree, what is only called like one does not end git's search either.
        if top != root && git.join("HEAD").symlink_metadata().is_err() {
            return None;
        }
        let common = named(&git.join("commondir"), b"").map_or_else(|| git.clone(), |at| git.join(at));
        Some(Repository { top: top.to_owned(), common })
    })
}

/// The path that a file of one line names.
fn named(file: &Path, before: &[u8]) -> Option<PathBuf> {
    let content = read_file(file)?;
    let line = content.split(|byte| *byte == b'\n').next()?;
    let path = line.strip_suffix(b"\r").unwrap_or(line).strip_prefix(before)?;
    (!path.is_empty()).then(|| os(path).into())
}

/// Git follows links to these.
fn read_file(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    plain_content(rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?)
}

fn read_rules(directory: &Path) -> Option<Vec<u8>> {
    read_patterns(std::fs::File::open(directory).ok()?.as_fd(), rules::FILE)
}

#[cfg(test)]
mod tests {
    use super::{Outer, Patterns};
    use crate::rules::{Compiled, Rules};

    fn outer(files: &[(&str, &str)]) -> Outer {
        let files = files.iter().map(|(lead, content)| Patterns {
            lead: lead.as_bytes().to_vec(),
            content: content.as_bytes().to_vec(),
        });
        Outer { files: files.collect() }
    }

    #[test]
    fn patterns_are_kept_with_where_they_are_meant_from() {
        let written = outer(&[("a b/c/", "*.log\n"), ("", ""), ("c/", "# patterns 3 x\n\n")]);
        assert_eq!(Outer::parse(written.text().unwrap()), written);
        assert_eq!(Outer::default().text(), None);
    }

    #[test]
    fn what_an_older_snapshot_kept_is_the_content_of_one_file() {
        for content in ["secret\n", "# patterns of mine\nsecret\n", "# patterns 99 \nsecret\n"] {
            assert_eq!(Outer::parse(content.into()), outer(&[("", content)]));
        }
    }

    #[test]
    fn an_anchored_pattern_is_meant_from_its_own_directory() {
        let compiled = Compiled::default();
        let rules = outer(&[("app/", "/.env\n/app/key\n*.log\n"), ("", "!keep.log\n")]).rules(&compiled);
        for (path, is_ignored) in
            [(".env", false), ("key", true), ("a/key", false), ("a/x.log", true), ("keep.log", false)]
        {
            assert_eq!(Rules::ignore(rules.as_ref(), path.as_bytes(), false), is_ignored, "{path}");
        }
    }
}
