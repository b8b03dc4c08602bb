//! The code graph, for looking: what is kept of it is used, and left as it is.

use ralph_core::note::Note;
use ralph_engine::{chain, doubt_outdated, rests_on_code};
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

/// Notes about code that is another by now are shown as a brief would show them. The code is not looked at for others.
pub(super) fn beside_code<'a>(project: &Project, notes: impl IntoIterator<Item = &'a mut Note>) {
    let mut notes: Vec<&mut Note> = notes.into_iter().filter(|note| rests_on_code(note)).collect();
    if notes.is_empty() {
        return;
    }
    if let Some(graph) = graph_of(project) {
        doubt_outdated(&graph, notes.drain(..));
    }
}
