//! A tree in a temporary directory, with a place for its graph beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_graph::{Graph, Options, Report, update};

pub(crate) struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Project {
        let project = Project { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(project.root()).unwrap();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// A copy of what is kept with the tests.
    pub(crate) fn fixture(name: &str) -> Project {
        let project = Project::new(&[]);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
        copy(&from, &project.root());
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    pub(crate) fn kept(&self) -> PathBuf {
        self.dir.path().join("state/graph")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        let _may_be_gone = fs::remove_file(self.root().join(path));
    }

    pub(crate) fn update(&self) -> (Graph, Report) {
        self.update_with(&options())
    }

    pub(crate) fn update_with(&self, options: &Options) -> (Graph, Report) {
        update(&self.root(), &self.kept(), options, &|_, _| {}).unwrap()
    }

    /// As if there had never been another.
    pub(crate) fn built_anew(&self) -> Graph {
        let elsewhere = tempfile::tempdir().unwrap();
        update(&self.root(), &elsewhere.path().join("graph"), &options(), &|_, _| {}).unwrap().0
    }
}

/// A machine that is busy with other tests is slow, and that is not what is tested.
pub(crate) fn options() -> Options {
    Options { patience: Duration::from_secs(60), ..Options::default() }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
