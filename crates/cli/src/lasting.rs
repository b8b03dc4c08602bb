//! Ralph's own program, by the path that what is installed elsewhere starts it with.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::perform::own_program;
use crate::problem::Problem;

/// None where it lies inside the project, and so has to be looked for where programs are.
pub(crate) fn lasting_program(root: Option<&Path>) -> Result<Option<PathBuf>, Problem> {
    let own = own_program()?;
    if !is_trusted(&own, root) {
        return Ok(None);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(Some(on_the_path(&own, &path, root).unwrap_or(own)))
}

/// Package managers keep a link where programs are, and change what it leads to: the link outlasts an upgrade, and the
/// file that it leads to does not.
fn on_the_path(own: &Path, path: &OsStr, root: Option<&Path>) -> Option<PathBuf> {
    let file = own.canonicalize().ok()?;
    let names = [OsStr::new("ralph"), own.file_name()?];
    let places = std::env::split_paths(path).filter(|dir| dir.is_absolute());
    let mut found = places.flat_map(|dir| names.map(|name| dir.join(name)));
    found.find(|place| place.canonicalize().is_ok_and(|leads| leads == file) && is_trusted(place, root))
}

/// A program inside the project is the agent's to change, and so is a link, so nothing is made to start it, for a user's
/// other projects neither.
fn is_trusted(program: &Path, root: Option<&Path>) -> bool {
    let Some(root) = root else { return true };
    let folder = program.parent().and_then(|folder| folder.canonicalize().ok());
    !program.starts_with(root) && folder.is_none_or(|folder| !folder.starts_with(root))
}

pub(crate) fn is_on_the_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.is_absolute() && dir.join("ralph").is_file())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{is_trusted, on_the_path};

    #[test]
    fn nothing_starts_a_program_that_the_agent_could_change() {
        let program = Path::new("/p/target/debug/ralph");
        assert!(!is_trusted(program, Some(Path::new("/p"))));
        assert!(is_trusted(program, Some(Path::new("/p/other"))) && is_trusted(program, None));
    }

    #[test]
    fn the_link_that_leads_to_it_is_taken_before_the_file_itself() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let [own, bin, project, other] =
            ["cellar/0.1/ralph-x86", "bin", "project/bin", "other"].map(|name| base.join(name));
        for folder in [own.parent().unwrap(), &bin, &project, &other] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(&own, "").unwrap();
        std::fs::write(other.join("ralph"), "").unwrap();
        symlink(&own, bin.join("ralph")).unwrap();
        symlink(&own, project.join("ralph")).unwrap();
        let path = std::env::join_paths([Path::new("relative"), &project, &other, &bin]).unwrap();
        let root = base.join("project");
        assert_eq!(on_the_path(&own, &path, Some(&root)), Some(bin.join("ralph")));
        let path = std::env::join_paths([&other, &project]).unwrap();
        assert_eq!(on_the_path(&own, &path, Some(&root)), None);
    }
}
