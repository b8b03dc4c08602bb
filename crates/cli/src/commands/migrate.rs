//! `ralph migrate`: what another loop tool left, as ralph's own files.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use ralph_agents::catalog::Catalogue;
use ralph_migrate::{Fault, Plan, Predecessor, Request, Scope, plan};

use super::{Outcome, here};
use crate::problem::{Place, Problem, Problems, Spot};
use crate::settings::{GITIGNORE, Given, Layer, Sources, project_root, wrong_with};
use crate::taken::{perform, tell};
use crate::words::print_json;

pub(crate) use crate::taken::Taken;

/// Take a project over from another loop tool; its files stay as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph migrate --dry-run    what would be written, and what becomes of every key
  ralph migrate              .ralph/ beside .ralph-tui/
  ralph migrate --user       your own settings and templates, from ~/.config/ralph-tui
  ralph migrate claude-plugin  the loop of .claude/ralph-loop.local.md, in ralph's hands

A file of ralph's that is there already is left as it is, and what would have been written is shown. A loop in a
session is recorded once, with the iterations that it has made.

Exit codes: 1 if something could not be taken over, 2 if a file makes no sense (then nothing is
written; the state of a loop is told and left, which is 1), 4 if there is nothing to take over.")]
pub(crate) struct Args {
    /// Whom to take over from; whoever left something here by default
    #[arg(value_enum)]
    name: Option<Name>,
    /// Take over your own settings instead of the project's
    #[arg(long)]
    user: bool,
    /// Write nothing, and show what would be written
    #[arg(long)]
    dry_run: bool,
    /// Print it as JSON (docs/schema/migrate.json)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    RalphTui,
    OhMyOpencode,
    ClaudePlugin,
    Supercode,
    RalphMem,
}

impl Name {
    fn predecessor(self) -> Predecessor {
        match self {
            Name::RalphTui => Predecessor::RalphTui,
            Name::OhMyOpencode => Predecessor::OhMyOpencode,
            Name::ClaudePlugin => Predecessor::ClaudePlugin,
            Name::Supercode => Predecessor::Supercode,
            Name::RalphMem => Predecessor::RalphMem,
        }
    }
}

/// Where things are taken over from, and to.
struct Ground {
    scope: Scope,
    root: PathBuf,
    ours: PathBuf,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let wanted = args.name.map_or_else(|| Predecessor::ALL.to_vec(), |name| vec![name.predecessor()]);
    let scope = if args.user { Scope::User } else { Scope::Project };
    let ground = Ground::find(scope, &wanted)?;
    let agents: Vec<String> = Catalogue::builtin().names().map(ToString::to_string).collect();
    let request = Request { scope, root: &ground.root, ours: &ground.ours, agents: &agents };
    let found: Vec<Predecessor> =
        wanted.iter().copied().filter(|one| one.found(scope, &ground.root).is_some()).collect();
    if found.is_empty() {
        return Err(nothing(&wanted, &ground).into());
    }
    // All of it is understood before anything is written.
    let mut plans = Vec::new();
    for one in found {
        let plan = plan(one, &request).map_err(|fault| problem(&fault))?;
        ground.check(&plan)?;
        plans.push((one, plan));
    }
    let mut all = Vec::new();
    for (one, plan) in plans {
        match perform(one, scope, &ground.root, plan, args.dry_run) {
            Ok(taken) => all.push(taken),
            Err(problems) => {
                // What was done before is done.
                show(&all, args.json);
                return Err(problems);
            }
        }
    }
    show(&all, args.json);
    Ok(u8::from(!all.iter().all(Taken::is_whole)))
}

fn show(all: &[Taken], json: bool) {
    if json {
        print_json(&all);
    } else {
        all.iter().for_each(tell);
    }
}

impl Ground {
    fn find(scope: Scope, wanted: &[Predecessor]) -> Result<Ground, Problems> {
        let here = here()?;
        let sources = Sources::of_process(&here, Given::default())?;
        if scope == Scope::Project {
            let root = nearest(&here, wanted, &sources.project_root);
            return Ok(Ground { scope, ours: root.join(".ralph"), root });
        }
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        match (home, sources.user_dir) {
            (Some(root), Some(ours)) => Ok(Ground { scope, root, ours }),
            _ => Err(Problem::new("cannot tell where your own settings are").next("set HOME").into()),
        }
    }

    /// Whether ralph would accept what is to be written, and nothing of it would end up elsewhere.
    fn check(&self, plan: &Plan) -> Result<(), Problems> {
        let layer = if self.scope == Scope::User { Layer::User } else { Layer::Project };
        let mut wrong = Vec::new();
        for file in &plan.files {
            if self.scope == Scope::Project {
                self.stays_inside(&file.path)?;
            }
            if file.path.extension().is_some_and(|extension| extension == "toml") {
                for problem in wrong_with(&file.path, layer, &file.text) {
                    wrong.push(traced(problem, file));
                }
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(Problems(wrong)) }
    }

    fn stays_inside(&self, target: &Path) -> Result<(), Problem> {
        let there = target.ancestors().skip(1).find(|dir| dir.symlink_metadata().is_ok());
        let real = there.and_then(|dir| dir.canonicalize().ok());
        let root = self.root.canonicalize().ok();
        match (real, root) {
            (Some(real), Some(root)) if real.starts_with(&root) => Ok(()),
            _ => Err(Problem::new("this would be written outside of the project")
                .at(Place::from(target.to_owned()))
                .next("put a directory where the link is")),
        }
    }
}

/// The nearest directory that one of them left something in, up to the project's root.
fn nearest(start: &Path, wanted: &[Predecessor], project: &Path) -> PathBuf {
    let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    let holds = |dir: &&Path| wanted.iter().any(|one| one.found(Scope::Project, dir).is_some());
    let inside = start.ancestors().take_while(|dir| dir.starts_with(project));
    let found = inside.into_iter().find(holds).map(Path::to_owned);
    found.or_else(|| project_root(&start).ok()).unwrap_or(start)
}

fn nothing(wanted: &[Predecessor], ground: &Ground) -> Problem {
    let places: Vec<&str> = wanted.iter().flat_map(|one| one.leaves(ground.scope)).copied().collect();
    let problem = Problem::new(format!("nothing to take over: no {}", places.join(", ")))
        .at(Place::from(ground.root.clone()))
        .exit(4);
    match ground.scope {
        Scope::Project => {
            problem.next("go to the project's directory; `ralph migrate --user` takes over your own settings")
        }
        Scope::User => problem.next("`ralph migrate` without --user takes over a project"),
    }
}

/// A setting that ralph refuses, where the other tool's file says it.
fn traced(problem: Problem, file: &ralph_migrate::NewFile) -> Problem {
    let line = problem.place.as_ref().and_then(|place| place.spot.as_ref()).map(|spot| spot.line);
    let origin = line.and_then(|line| file.origins.get(&line)).zip(file.from.clone());
    match origin {
        Some((spot, path)) => problem.at(Place { path, spot: Some(shown(spot)) }),
        None => problem,
    }
}

pub(crate) fn problem(fault: &Fault) -> Problem {
    let place = Place { path: fault.path.clone(), spot: fault.spot.as_ref().map(shown) };
    Problem::new(fault.what.clone()).at(place).next(fault.next.clone())
}

fn shown(spot: &ralph_migrate::Spot) -> Spot {
    Spot { line: spot.line, column: spot.column, text: spot.text.clone(), width: spot.width }
}

/// What is there in every project of ralph's.
pub(crate) const IGNORED: (&str, &str) = (".gitignore", GITIGNORE);
