//! Where one project's lasting things are kept: outside its tree, because agents delete what they find in it.

use std::path::PathBuf;

use ralph_core::attempt::Attempt;
use ralph_core::id::RunId;
use ralph_store::Origin;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The project's tree.
    pub root: PathBuf,
    /// The project's part of the state directory.
    pub state: PathBuf,
}

impl Place {
    pub fn owner_file(&self) -> PathBuf {
        self.state.join("owner.json")
    }

    /// Where the project's notes and own tasks are kept: with the tree that this one was made from, if it was.
    pub fn common(&self) -> PathBuf {
        Origin::of(&self.state).map_or_else(|| self.state.clone(), |origin| origin.common)
    }

    pub fn snapshots(&self) -> PathBuf {
        self.state.join("snapshots")
    }

    /// The code graph, which can be made again from the tree.
    pub fn graph(&self) -> PathBuf {
        self.state.join("graph")
    }

    pub fn output(&self, run: &RunId, iteration: u32, attempt: u32) -> PathBuf {
        self.state.join("output").join(run.as_str()).join(format!("{iteration:04}-{attempt:02}"))
    }

    pub(crate) fn output_of(&self, run: &RunId, attempt: &Attempt) -> PathBuf {
        self.output(run, attempt.iteration, attempt.number)
    }
}
