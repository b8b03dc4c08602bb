//! Finds a program before a run, so that a misspelt one costs no attempt.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    #[error("no program `{0}` on the search path")]
    NotOnPath(String),
    #[error("{} is not a program that can be run", .0.display())]
    NotExecutable(PathBuf),
}

/// A name is looked for on the search path, a path is one below `base`.
pub fn find(program: &str, base: &Path, search_path: &str) -> Result<PathBuf, ProgramError> {
    if program.contains('/') {
        let path = base.join(program);
        return if is_executable(&path) { Ok(path) } else { Err(ProgramError::NotExecutable(path)) };
    }
    std::env::split_paths(search_path)
        .map(|dir| base.join(dir).join(program))
        .find(|path| is_executable(path))
        .ok_or_else(|| ProgramError::NotOnPath(program.to_owned()))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
