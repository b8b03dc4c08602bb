//! What in a project's tree is ralph's business and not the agent's work: neither kept, nor put back, nor compared.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ralph_chronicle::OWN;
use ralph_engine::Place;

/// All of it, from the root. The files of a backlog stay in the list: an older snapshot that lacks one must not take
/// it away.
pub(crate) fn paths(place: &Place) -> Vec<PathBuf> {
    let noted = fs::read(list(place)).unwrap_or_default();
    let noted = noted.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let noted = noted.map(|path| PathBuf::from(OsStr::from_bytes(path)));
    OWN.iter().map(PathBuf::from).chain(noted).collect()
}

/// Adds the files of a backlog, as far as they are in the tree.
pub(crate) fn add(place: &Place, files: &[PathBuf]) -> io::Result<()> {
    let mut all = paths(place);
    let before = all.len();
    for file in files.iter().filter_map(|file| beneath(&place.root, file)) {
        if !all.contains(&file) {
            all.push(file);
        }
    }
    if all.len() == before {
        return Ok(());
    }
    let mut text = Vec::new();
    for path in &all[OWN.len()..] {
        text.extend_from_slice(path.as_os_str().as_bytes());
        text.push(0);
    }
    fs::create_dir_all(&place.state)?;
    let fresh = list(place).with_extension("new");
    fs::write(&fresh, text)?;
    fs::rename(fresh, list(place))
}

fn list(place: &Place) -> PathBuf {
    place.state.join("own-paths")
}

fn beneath(root: &Path, file: &Path) -> Option<PathBuf> {
    let parent = file.parent()?.canonicalize().ok()?;
    Some(parent.strip_prefix(root).ok()?.join(file.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::{add, paths};
    use ralph_engine::Place;
    use std::path::PathBuf;

    #[test]
    fn the_files_of_every_backlog_are_remembered_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("tree");
        let place = Place { state: root.join("../state"), root: root.clone() };
        std::fs::create_dir_all(root.join("plans")).unwrap();
        let written = paths(&place);
        let files = [root.join("plans/../prd.json"), root.join("plans/a b.md"), PathBuf::from("/elsewhere")];
        add(&place, &files).unwrap();
        add(&place, &files[..1]).unwrap();
        let own: Vec<PathBuf> = [PathBuf::from("prd.json"), PathBuf::from("plans/a b.md")].into();
        assert_eq!(paths(&place), [written, own].concat());
    }
}
