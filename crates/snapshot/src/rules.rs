//! Which paths are ignored: by the patterns alone, whether git tracks them or not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::beneath::os;
use crate::digest::Digest;

pub(crate) const FILE: &[u8] = b".gitignore";
/// A file of patterns beyond this size is not one.
pub(crate) const LARGEST: u64 = 1 << 20;
/// How many sets of patterns are kept ready.
const READY: usize = 4096;

/// The patterns in force in a directory: its own, and those of the directories above it.
#[derive(Debug)]
pub(crate) struct Rules {
    above: Option<Arc<Rules>>,
    /// How much of a path leads to the directory of these patterns.
    prefix: usize,
    /// What leads from their directory to the tree, where they lie outside of it.
    lead: Vec<u8>,
    patterns: Arc<Gitignore>,
}

impl Rules {
    /// Adds the patterns of a directory to those above it.
    pub(crate) fn within(
        above: Option<Arc<Rules>>,
        directory: &[u8],
        patterns: Arc<Gitignore>,
    ) -> Option<Arc<Rules>> {
        if patterns.is_empty() {
            return above;
        }
        let prefix = if directory.is_empty() { 0 } else { directory.len() + 1 };
        Some(Arc::new(Rules { above, prefix, lead: Vec::new(), patterns }))
    }

    /// Adds patterns that are meant from a directory above the tree.
    pub(crate) fn leading(
        above: Option<Arc<Rules>>,
        lead: Vec<u8>,
        patterns: Arc<Gitignore>,
    ) -> Option<Arc<Rules>> {
        if patterns.is_empty() { above } else { Some(Arc::new(Rules { above, prefix: 0, lead, patterns })) }
    }

    /// Whether this very path is ignored. That nothing above it is ignored is for the caller to know.
    pub(crate) fn ignore(rules: Option<&Arc<Rules>>, path: &[u8], is_directory: bool) -> bool {
        let mut next = rules;
        while let Some(rules) = next {
            let below = &path[rules.prefix..];
            let matched = match rules.lead.is_empty() {
                true => rules.patterns.matched(os(below), is_directory),
                false => rules.patterns.matched(os(&[&rules.lead, below].concat()), is_directory),
            };
            match matched {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = rules.above.as_ref(),
            }
        }
        false
    }
}

/// Patterns that have been read before, by the content of their file: most files never change.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    // Shared by the threads of a walk.
    ready: Mutex<HashMap<Digest, Arc<Gitignore>>>,
}

impl Compiled {
    pub(crate) fn patterns(&self, content: &[u8]) -> Arc<Gitignore> {
        let digest = Digest::of(content);
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(patterns) = ready.get(&digest) {
            return Arc::clone(patterns);
        }
        if ready.len() >= READY {
            ready.clear();
        }
        let patterns = Arc::new(compile(content));
        ready.insert(digest, Arc::clone(&patterns));
        patterns
    }
}

/// Like git, passes over lines that are no pattern. A line that is not UTF-8 matches nothing, so that what it meant to
/// exclude is kept.
fn compile(content: &[u8]) -> Gitignore {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let mut builder = GitignoreBuilder::new(".");
    for line in content.split(|byte| *byte == b'\n') {
        if let Ok(line) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::{Compiled, Rules};

    #[test]
    fn the_nearest_patterns_decide() {
        let compiled = Compiled::default();
        let top = Rules::within(None, b"", compiled.patterns(b"\xef\xbb\xbf*.log\r\n/build/\n\xff\n# x\n"));
        let below = Rules::within(top.clone(), b"a/b", compiled.patterns(b"!keep.log\n/c\n"));
        for (path, is_directory, in_top, in_below) in [
            ("a/b/x.log", false, true, true),
            ("a/b/keep.log", false, true, false),
            ("a/b/c", false, false, true),
            ("a/b/d/c", false, false, false),
            ("a/b/build", true, false, false),
        ] {
            let path = path.as_bytes();
            assert_eq!(Rules::ignore(top.as_ref(), path, is_directory), in_top, "{path:?}");
            assert_eq!(Rules::ignore(below.as_ref(), path, is_directory), in_below, "{path:?}");
        }
        assert!(Rules::ignore(top.as_ref(), b"build", true));
        assert!(!Rules::ignore(top.as_ref(), b"build", false));
        assert!(!Rules::ignore(None, b"build", true));
    }
}
