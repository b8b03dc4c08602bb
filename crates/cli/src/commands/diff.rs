//! `ralph diff`.

use std::path::{Path, PathBuf};

use ralph_core::event::Occasion;
use ralph_core::id::RunId;
use ralph_snapshot::{SnapshotId, TextLimits, Vault};
use serde::Serialize;

use super::Outcome;
use crate::difference::{self, Changed};
use crate::history::{End, History, Taken};
use crate::paths::below_root;
use crate::pointed::{Pointed, Span};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, run_to_look_at};
use crate::render::faint;
use crate::settings::Given;
use crate::vault;
use crate::words::{print, print_json};

/// Show what a run, or an iteration of it, has changed in the project.
///
/// A run that is over is shown from before its first iteration to its end; one that is not, to the tree as it is now. What
/// git ignores is not kept, and not shown. Git is not used.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "ralph diff [OPTIONS] [RUN] [N[..M]] [PATH]...\n       ralph diff [OPTIONS] [RUN] [N[..M]] -- <PATH>..."
)]
#[command(after_help = "\
Examples:
  ralph diff                   what the latest run has changed
  ralph diff 2                 what its iteration 2 did
  ralph diff 2..4 --stat       its iterations 2 to 4, in numbers
  ralph diff 1nfm src          what another run did below src
  ralph diff --json | jq -r '.changes[].path'")]
pub(crate) struct Args {
    /// The run, by its id or the beginning of it (the latest by default); then an iteration N, or several: N..M; then
    /// paths
    #[arg(value_name = "RUN, N[..M], PATH")]
    words: Vec<String>,
    /// Only these files, and what is below these directories
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Compare with the tree as it is now
    #[arg(long)]
    now: bool,
    /// One line for each file, with how much was added and removed
    #[arg(long)]
    stat: bool,
    /// Print it as JSON (docs/schema/diff.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Difference {
    run: RunId,
    from: Edge,
    to: Edge,
    /// Sorted by path.
    changes: Vec<Changed>,
}

#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
struct Edge {
    /// The iteration; 0 is before the first; null is now.
    iteration: Option<u32>,
    /// When in the iteration.
    occasion: Option<Occasion>,
    snapshot: String,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    let here = super::here()?;
    let is_path = |word: &str| word.contains(['/', '.']) || here.join(word).exists();
    let mut pointed = Pointed::parse(args.words, is_path);
    pointed.paths.extend(args.paths);
    let wanted = below_root(&project.place.root, &pointed.paths)?;
    let history = history(&project, pointed.run.as_deref())?;
    let (from, to) = history.ends(pointed.span.unwrap_or(Span { first: None, last: None }))?;
    let to = if args.now { End::Now } else { to };
    let vault = vault::existing(&project.place)?;
    let edges = (Edge::kept(&from), Edge::of(&to, &vault)?);
    let ids = (from.id, edges.1.id()?);
    let mut changes = Vec::new();
    let (text, json) = (!args.stat, args.json);
    let told = |to: &Edge| faint(&format!("{} → {}\n", edges.0, to));
    if !json {
        print(&told(&edges.1));
    }
    compare(&vault, ids, &wanted, |changed| {
        if text && !json {
            print(&changed.unified());
        }
        changes.push(if text && json { changed } else { changed.without_text() });
    })?;
    if json {
        print_json(&Difference { run: history.run, from: edges.0, to: edges.1, changes });
    } else if changes.is_empty() {
        print("nothing has changed\n");
    } else if text {
        print(&faint(&difference::totals(&changes)));
    } else {
        print(&difference::stat(&changes));
    }
    Ok(0)
}

fn history(project: &Project, named: Option<&str>) -> Result<History, Problems> {
    block_on(async {
        let store = project.existing_store()?;
        let id = run_to_look_at(&store, &project.place, named).await.map_err(|mut problems: Problems| {
            if let (Some(named), Some(problem)) = (named, problems.0.first_mut()) {
                problem.next.push(format!("or a path is meant: `ralph diff -- {named}`"));
            }
            problems
        })?;
        History::read(&store, &id).await
    })
}

/// What is added or removed with a directory says enough of the directory.
fn compare(
    vault: &Vault,
    ids: (SnapshotId, SnapshotId),
    wanted: &[PathBuf],
    mut each: impl FnMut(Changed),
) -> Result<(), Problems> {
    let is_wanted = |path: &Path| wanted.is_empty() || wanted.iter().any(|one| path.starts_with(one));
    let mut directory: Option<Changed> = None;
    let compared = vault.compare(ids, &TextLimits::default(), is_wanted, |change, body| {
        let changed = Changed::new(&change, body);
        if let Some(earlier) = directory.take()
            && !Path::new(&changed.path).starts_with(&earlier.path)
        {
            each(earlier);
        }
        if changed.is_of_a_directory() && changed.is_whole() {
            directory = Some(changed);
        } else {
            each(changed);
        }
    });
    directory.into_iter().for_each(each);
    compared.map_err(|error| vault::problem(&error).into())
}

impl Edge {
    fn kept(taken: &Taken) -> Edge {
        let (iteration, occasion) = (Some(taken.iteration), Some(taken.occasion));
        Edge { iteration, occasion, snapshot: taken.id.to_string() }
    }

    fn of(end: &End, vault: &Vault) -> Result<Edge, Problems> {
        match end {
            End::Kept(taken) => Ok(Edge::kept(taken)),
            End::Now => {
                let now = vault.take().map_err(|error| vault::problem(&error))?;
                Ok(Edge { iteration: None, occasion: None, snapshot: now.id.to_string() })
            }
        }
    }

    fn id(&self) -> Result<SnapshotId, Problems> {
        let parsed = self.snapshot.parse();
        parsed.map_err(|_| Problem::new(format!("`{}` is no snapshot", self.snapshot)).exit(1).into())
    }
}

impl std::fmt::Display for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.iteration, self.occasion) {
            (Some(0), Some(Occasion::End)) => f.write_str("after the first checks"),
            (Some(0), _) => f.write_str("before the first iteration"),
            (Some(n), Some(Occasion::Begin)) => write!(f, "before iteration {n}"),
            (Some(n), _) => write!(f, "after iteration {n}"),
            (None, _) => f.write_str("now"),
        }
    }
}
