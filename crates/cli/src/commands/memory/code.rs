//! The code graph, for looking: what is kept of it is used, and left as it is.

use ralph_engine::chain;
use ralph_graph::{Graph, Options, examine};

use crate::project::Project;
use crate::settings::excludes_file;

/// None where there is none to be had, which is no reason to find nothing.
pub(super) fn graph_of(project: &Project) -> Option<Graph> {
    let place = &project.place;
    let excludes_file = excludes_file(&std::env::vars_os().collect(), &place.root);
    let options = Options { excludes_file, ..Options::default() };
    match examine(&place.root, &place.graph(), &options) {
        Ok(graph) => Some(graph),
        Err(error) => {
            eprintln!("ralph: the code cannot be looked at: {}", chain(&error));
            None
        }
    }
}
