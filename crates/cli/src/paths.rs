//! Paths that people type, and the paths of a project's tree.

use std::path::{Component, Path, PathBuf};

use crate::commands::here;
use crate::problem::{Problem, Problems};

/// From the project's root, as the vault names them; people name them from where they are.
pub(crate) fn below_root(root: &Path, given: &[String]) -> Result<Vec<PathBuf>, Problems> {
    let here = here()?;
    let here = here.canonicalize().unwrap_or(here);
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    given.iter().map(|path| below(&root, &here, path)).collect()
}

/// The same as notes and the code graph name them.
pub(crate) fn files_below_root(root: &Path, given: &[String]) -> Result<Vec<String>, Problems> {
    let paths = below_root(root, given)?;
    Ok(paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

/// A link is meant as itself, so nothing is followed.
fn below(root: &Path, here: &Path, given: &str) -> Result<PathBuf, Problems> {
    let mut plain = PathBuf::new();
    for part in here.join(given).components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain.strip_prefix(root).map(Path::to_owned).map_err(|_| {
        Problem::new(format!("`{given}` is not in the project"))
            .at(crate::problem::Place::from(root.to_owned()))
            .next("name files and directories of the project, from where you are")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::below;
    use std::path::Path;

    #[test]
    fn a_path_is_meant_from_where_it_was_typed() {
        let (root, here) = (Path::new("/p"), Path::new("/p/src"));
        let at = |given: &str| below(root, here, given).ok().map(|path| path.to_string_lossy().into_owned());
        assert_eq!(at("a.rs").as_deref(), Some("src/a.rs"));
        assert_eq!(at("../docs/./b").as_deref(), Some("docs/b"));
        assert_eq!(at("/p/c").as_deref(), Some("c"));
        assert_eq!(at("..").as_deref(), Some(""));
        assert_eq!(at("../../etc/passwd"), None);
    }
}
