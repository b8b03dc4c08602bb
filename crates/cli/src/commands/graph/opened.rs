//! The graph of the project that a command is about, and what people mean by a name in it.

use std::path::{Path, PathBuf};

use ralph_core::nearest::nearest;
use ralph_graph::{Graph, GraphError, Node, Options, Report, Unusable, update};

use super::progress::Bar;
use crate::paths::below_root;
use crate::problem::{Place, Problem, Problems};
use crate::project::Project;
use crate::settings::{Given, excludes_file};

/// A project with its graph, which is as the tree is now.
pub(super) struct Opened {
    pub(super) project: Project,
    pub(super) graph: Graph,
    pub(super) report: Report,
}

pub(super) fn open() -> Result<Opened, Problems> {
    let project = Project::here(Given::default())?;
    let excludes_file = excludes_file(&std::env::vars_os().collect(), &project.place.root);
    let options = Options { excludes_file, ..Options::default() };
    let bar = Bar::new();
    let updated = update(&project.place.root, &kept(&project), &options, &|done, all| bar.show(done, all));
    bar.clear();
    let (graph, report) = updated.map_err(|error| graph_problem(&error))?;
    Ok(Opened { project, graph, report })
}

pub(super) fn kept(project: &Project) -> PathBuf {
    project.place.state.join("graph")
}

fn graph_problem(error: &GraphError) -> Problem {
    let problem = Problem::new(ralph_engine::chain(error)).exit(1);
    match error {
        GraphError::Walk { .. } => {
            problem.next("name what is not code in .gitignore, or go to the project's root")
        }
        GraphError::Read { path, .. } => {
            problem.next(format!("remove {}: it is made again from the files", path.display()))
        }
        GraphError::Write { .. } => problem.next("make room or give write access there, and try again"),
    }
}

/// Why all files had to be read.
pub(super) fn reason(unusable: Unusable) -> &'static str {
    match unusable {
        Unusable::Damaged => "what was kept was damaged",
        Unusable::OtherEdition => "what was kept is of another version",
    }
}

impl Opened {
    /// What people mean: a file or a directory from where they are, or a symbol.
    pub(super) fn meant(&self, text: &str) -> Result<Vec<Node>, Problems> {
        let (path, rest) = match text.split_once(':') {
            Some((path, rest)) if !rest.starts_with(':') && self.below(path).is_some() => (path, Some(rest)),
            _ => (text, None),
        };
        let found = match (self.below(path), rest) {
            (Some(path), Some(rest)) => self.graph.find(&format!("{path}:{rest}")),
            (Some(path), None) => self.inside(&path),
            (None, _) => self.graph.find(text),
        };
        if found.is_empty() { Err(self.unknown(text).into()) } else { Ok(found) }
    }

    pub(super) fn all_meant(&self, texts: &[String]) -> Result<Vec<Node>, Problems> {
        let mut nodes = Vec::new();
        for text in texts {
            nodes.extend(self.meant(text)?);
        }
        Ok(nodes)
    }

    /// Below the root, if there is such a thing.
    fn below(&self, given: &str) -> Option<String> {
        let here = crate::commands::here().ok()?;
        if given.is_empty() || !here.join(given).exists() {
            return None;
        }
        let below = below_root(&self.project.place.root, &[given.to_owned()]).ok()?;
        Some(below.first()?.to_str()?.to_owned())
    }

    /// The file, or all files of the directory.
    fn inside(&self, path: &str) -> Vec<Node> {
        if let Some(file) = self.graph.file(path) {
            return vec![Node::File(file)];
        }
        let is_inside = |file: &str| path.is_empty() || Path::new(file).starts_with(path);
        let files = self.graph.files().filter(|(_, file, _)| is_inside(file));
        files.map(|(id, _, _)| Node::File(id)).collect()
    }

    fn unknown(&self, text: &str) -> Problem {
        let problem = Problem::new(format!("no symbol and no file with code is called `{text}`"));
        let problem = problem.at(Place::from(self.project.place.root.clone())).exit(4);
        let name = text.rsplit([':', '.', '/']).next().unwrap_or(text);
        let near = nearest(name, self.graph.symbols().map(|symbol| symbol.name));
        match near {
            Some(near) => problem.next(format!("did you mean `{near}`?")),
            None => problem.next("look for it with `ralph graph symbols PART_OF_A_NAME`"),
        }
    }
}
