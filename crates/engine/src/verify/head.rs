//! What git's HEAD points at, read from its files: running git in a tree that an agent may have written would run what
//! the agent chose.

use std::fs;
use std::path::{Path, PathBuf};

/// A reference is a line; a file that is longer is none.
const LONGEST: u64 = 4 << 20;

/// The commit, or the name of a branch without one. `None` where there is no repository.
pub fn commit(root: &Path) -> Option<String> {
    let git = git_dir(root)?;
    let head = line(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head) };
    let common = line(&git.join("commondir")).map_or_else(|| git.clone(), |common| git.join(common));
    let loose = is_plain(name).then(|| line(&git.join(name)).or_else(|| line(&common.join(name)))).flatten();
    loose.or_else(|| packed(&common.join("packed-refs"), name)).or_else(|| Some(name.to_owned()))
}

/// The branch that is worked on. `None` where there is none.
pub(crate) fn branch(root: &Path) -> Option<String> {
    let head = line(&git_dir(root)?.join("HEAD"))?;
    head.strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// `.git` is a directory, or in a work tree a file that names one.
pub(super) fn git_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let target = line(&git)?;
    Some(root.join(target.strip_prefix("gitdir: ")?))
}

fn is_plain(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !part.is_empty() && part != "..")
}

fn line(path: &Path) -> Option<String> {
    Some(text(path)?.lines().next()?.trim().to_owned())
}

fn text(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= LONGEST).then(|| fs::read_to_string(path).ok()).flatten()
}

fn packed(path: &Path, name: &str) -> Option<String> {
    let text = text(path)?;
    let found = text.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned));
    found.filter(|commit| !commit.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::commit;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    fn git(dir: &Path, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.current_dir(dir).args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@e",
            "-c",
            "init.defaultBranch=main",
        ]);
        let out = git.args(args).output().expect("there is a git");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("text").trim().to_owned()
    }

    #[test]
    fn head_is_read_as_git_reads_it() {
        let temp = tempfile::tempdir().expect("a directory");
        let root = temp.path().join("project");
        fs::create_dir(&root).expect("a directory");
        assert_eq!(commit(&root), None);
        git(&root, &["init", "-q"]);
        assert_eq!(commit(&root), Some("refs/heads/main".to_owned()));
        git(&root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let head = || Some(git(&root, &["rev-parse", "HEAD"]));
        assert_eq!(commit(&root), head());
        git(&root, &["pack-refs", "--all"]);
        assert_eq!(commit(&root), head(), "packed");
        git(&root, &["checkout", "-q", "--detach"]);
        assert_eq!(commit(&root), head(), "detached");
        let other = temp.path().join("other");
        git(&root, &["worktree", "add", "-q", "-b", "side", other.to_str().expect("text")]);
        git(&other, &["commit", "-q", "--allow-empty", "-m", "two"]);
        assert_eq!(commit(&other), Some(git(&other, &["rev-parse", "HEAD"])), "a work tree");
    }
}
