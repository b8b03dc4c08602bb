//! `ralph graph`: what the code of a project is, what uses what, and what matters.

mod build;
mod impact;
mod map;
mod progress;
mod refs;
mod shown;
mod symbols;

use std::path::Path;

use ralph_core::nearest::nearest;
use ralph_graph::{Graph, GraphError, Node, Options, Report, Unusable, update};

pub(crate) use build::Built;
pub(crate) use impact::Impact;
pub(crate) use map::Mapped;
pub(crate) use refs::References;
pub(crate) use symbols::Symbols;

use crate::commands::Outcome;
use crate::paths::below_root;
use crate::problem::{Place, Problem, Problems};
use crate::project::Project;
use crate::settings::{Given, excludes_file};

/// Ask the code itself: its symbols, what uses them, what depends on what, and what matters most.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph graph map --budget 2000              the most important symbols, in about 2,000 tokens
  ralph graph map --budget 500 src/main.rs   those that matter to one file
  ralph graph symbols Basket                 what is called so
  ralph graph refs Basket::add               who uses it, and how sure that is
  ralph graph impact src/price.rs            what depends on a file, directly and through others

Every command first brings the graph up to date: only files that changed are parsed again. It knows
Rust, Python, TypeScript, TSX, JavaScript, Go, Java, C, C++, C#, Ruby, PHP and Bash (docs/graph.md).")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Build(build::BuildArgs),
    Symbols(symbols::SymbolsArgs),
    Refs(refs::RefsArgs),
    Impact(impact::ImpactArgs),
    Map(map::MapArgs),
}

pub(crate) fn run(args: &Args) -> Outcome {
    match &args.action {
        Action::Build(args) => build::run(args),
        Action::Symbols(args) => symbols::run(args),
        Action::Refs(args) => refs::run(args),
        Action::Impact(args) => impact::run(args),
        Action::Map(args) => map::run(args),
    }
}

/// A project with its graph, which is as the tree is now.
struct Opened {
    project: Project,
    graph: Graph,
    report: Report,
}

fn open() -> Result<Opened, Problems> {
    let project = Project::here(Given::default())?;
    let excludes_file = excludes_file(&std::env::vars_os().collect(), &project.place.root);
    let options = Options { excludes_file, ..Options::default() };
    let bar = progress::Bar::new();
    let updated = update(&project.place.root, &kept(&project), &options, &|done, all| bar.show(done, all));
    bar.clear();
    let (graph, report) = updated.map_err(|error| graph_problem(&error))?;
    Ok(Opened { project, graph, report })
}

fn kept(project: &Project) -> std::path::PathBuf {
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
fn reason(unusable: Unusable) -> &'static str {
    match unusable {
        Unusable::Damaged => "what was kept was damaged",
        Unusable::OtherEdition => "what was kept is of another version",
    }
}

impl Opened {
    /// What people mean: a file or a directory from where they are, or a symbol.
    fn meant(&self, text: &str) -> Result<Vec<Node>, Problems> {
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

    fn all_meant(&self, texts: &[String]) -> Result<Vec<Node>, Problems> {
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
