//! Which directory a project is.

use std::io;
use std::path::{Path, PathBuf};

/// The nearest ancestor with `.ralph/`, else the top of the git work tree, else the directory itself;
/// without symbolic links.
pub(crate) fn project_root(start: &Path) -> io::Result<PathBuf> {
    let start = start.canonicalize()?;
    let nearest = |holds: fn(&Path) -> bool| start.ancestors().find(|dir| holds(dir)).map(Path::to_owned);
    let marked = || nearest(|dir| dir.join(".ralph").is_dir());
    // In a linked work tree and in a submodule `.git` is a file.
    let versioned = || nearest(|dir| dir.join(".git").exists());
    Ok(marked().or_else(versioned).unwrap_or(start))
}

#[cfg(test)]
mod tests {
    use super::project_root;
    use std::fs::{create_dir_all, write};

    #[test]
    fn the_root_is_the_nearest_ralph_then_git_then_here() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let deep = top.join("a/b/c");
        create_dir_all(&deep).unwrap();
        assert_eq!(project_root(&deep).unwrap(), deep);
        write(top.join("a/b/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(project_root(&deep).unwrap(), top.join("a/b"));
        create_dir_all(top.join(".ralph")).unwrap();
        assert_eq!(project_root(&deep).unwrap(), top);
        write(top.join("a/.ralph"), "a file is no project").unwrap();
        assert_eq!(project_root(&deep).unwrap(), top);
    }

    #[test]
    fn the_root_has_no_symbolic_links() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        create_dir_all(top.join("real/.ralph")).unwrap();
        std::os::unix::fs::symlink(top.join("real"), top.join("link")).unwrap();
        assert_eq!(project_root(&top.join("link")).unwrap(), top.join("real"));
    }
}
