//! Which agents of the catalogue are on this machine.

use std::path::{Path, PathBuf};

use ralph_agents::catalog::{Catalogue, Entry};

/// Where an agent's program is, if it is there.
pub(crate) fn program(entry: &Entry) -> Option<PathBuf> {
    let search_path = std::env::var("PATH").unwrap_or_default();
    ralph_agents::find(&entry.program, Path::new("/"), &search_path).ok()
}

/// The names of those that are there.
pub(crate) fn installed() -> Vec<String> {
    let catalogue = Catalogue::builtin();
    let there = |name: &String| catalogue.get(name).is_some_and(|entry| program(entry).is_some());
    catalogue.names().map(ToString::to_string).filter(there).collect()
}

/// What someone does who has none.
pub(crate) fn how_to_get_one(catalogue: &Catalogue) -> String {
    let mut entries = catalogue.names().filter_map(|name| catalogue.get(name.as_str()));
    let such_as = entries.find_map(|entry| entry.install.as_ref());
    let such_as = such_as.map_or(String::new(), |install| format!(", such as: {install}"));
    format!(
        "install one{such_as} (`ralph agents` lists them); or give any program: --agent-command 'PROGRAM ARGS'"
    )
}
