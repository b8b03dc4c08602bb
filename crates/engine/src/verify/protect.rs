//! Which files a person protects: patterns as in a `.gitignore`, below the root.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use walkdir::WalkDir;

/// What programs leave beside the files they read, whoever starts them. No test consists of it.
const CACHES: [&str; 7] =
    ["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".nyc_output", ".git"];

/// The files that patterns protect, as paths below the root; ignored ones too, for an agent can change them as well.
pub(super) fn protected(root: &Path, patterns: &[String]) -> Vec<PathBuf> {
    let Some(matcher) = matcher(root, patterns).filter(|_| !patterns.is_empty()) else { return Vec::new() };
    files(root).filter(|file| is_match(&matcher, file)).collect()
}

/// The patterns that protect nothing as the tree is now.
pub fn patterns_without_files(root: &Path, patterns: &[String]) -> Vec<String> {
    let single = |pattern: &String| Some((pattern.clone(), matcher(root, std::slice::from_ref(pattern))?));
    let mut left: Vec<(String, Gitignore)> = patterns.iter().filter_map(single).collect();
    if left.is_empty() {
        return Vec::new();
    }
    for file in files(root) {
        left.retain(|(_, matcher)| !is_match(matcher, &file));
    }
    left.into_iter().map(|(pattern, _)| pattern).collect()
}

fn matcher(root: &Path, patterns: &[String]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(root);
    for pattern in patterns {
        // Who writes `./tests` means the one at the root, as a shell does.
        let line = pattern.strip_prefix('.').filter(|rest| rest.starts_with('/')).unwrap_or(pattern);
        builder.add_line(None, line).ok()?;
    }
    builder.build().ok()
}

fn is_match(matcher: &Gitignore, file: &Path) -> bool {
    matcher.matched_path_or_any_parents(file, false).is_ignore()
}

fn files(root: &Path) -> impl Iterator<Item = PathBuf> {
    let is_cache = |name: &std::ffi::OsStr| CACHES.iter().any(|cache| name == *cache);
    let walk = WalkDir::new(root).into_iter().filter_entry(move |entry| !is_cache(entry.file_name()));
    let found = walk.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir());
    found.filter_map(move |entry| Some(entry.path().strip_prefix(root).ok()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{patterns_without_files, protected};
    use std::fs;
    use tempfile::TempDir;

    fn laid() -> TempDir {
        let dir = TempDir::new().expect("a directory");
        for name in ["tests/t.sh", "tests/__pycache__/t.pyc", "src/tests/u.py", "a.py"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, name).expect("a file");
        }
        dir
    }

    #[test]
    fn patterns_mean_what_they_mean_in_a_gitignore() {
        let dir = laid();
        let names = |pattern: &str| {
            let mut found = protected(dir.path(), &[pattern.to_owned()]);
            found.sort();
            found.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        for pattern in ["tests", "tests/"] {
            assert_eq!(names(pattern), ["src/tests/u.py", "tests/t.sh"], "{pattern}");
        }
        for pattern in ["/tests", "/tests/", "/tests/**", "./tests", "./tests/t.sh", "tests/**", "tests/*.sh"]
        {
            assert_eq!(names(pattern), ["tests/t.sh"], "{pattern}");
        }
        assert_eq!(names("*.py"), ["a.py", "src/tests/u.py"]);
    }

    #[test]
    fn a_pattern_that_protects_nothing_is_told() {
        let dir = laid();
        let given = ["tests", "test/**", "*.rb"].map(str::to_owned);
        assert_eq!(patterns_without_files(dir.path(), &given), ["test/**", "*.rb"]);
    }
}
