//! `ralph trust`.

use std::io::IsTerminal;

use jiff::Timestamp;
use ralph_engine::output::printable;
use ralph_engine::{CONSTITUTION, TRUSTED_CONSTITUTION, changed_constitution};
use ralph_store::{SqliteStore, Store, settle};
use serde::Serialize;

use super::Outcome;
use crate::briefing;
use crate::criteria;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::settings::Given;
use crate::settings::trust::{Digest, executable_digest};
use crate::words::{print, print_json};

/// Allow what this project's files ask to run; asked again when that changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph trust            show what would run, and ask
  ralph trust --yes      allow it without asking
  ralph trust --revoke   take it back")]
pub(crate) struct Args {
    /// Allow without asking
    #[arg(long, conflicts_with_all = ["show", "revoke"])]
    yes: bool,
    /// Only show what is asked for and whether it is allowed
    #[arg(long)]
    show: bool,
    /// Take back what was allowed
    #[arg(long, conflicts_with = "show")]
    revoke: bool,
    /// Print it as JSON; with --show
    #[arg(long, requires = "show")]
    json: bool,
}

/// What `--show --json` prints.
#[derive(Serialize)]
struct Shown<'a> {
    path: &'a str,
    trusted: bool,
    asks_for: &'a [String],
}

pub(crate) fn run(args: Args) -> Outcome {
    if !args.show {
        super::by_a_person("ask the person who started the run")?;
    }
    let project = Project::here(Given::default())?;
    let path = project.loaded.project.path.to_string_lossy().into_owned();
    let asked = asked_by_files(&project);
    settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    let store = project.store()?;
    // The constitution is the project's, whichever tree of it this is.
    let common = project.common_store()?;
    block_on(async {
        let mut asked: Vec<(Asked, &SqliteStore)> = asked.into_iter().map(|one| (one, &store)).collect();
        asked.extend(constitution(&project, &common).await?.map(|one| (one, &common)));
        if args.revoke {
            return revoke(&asked, (&path, &store)).await;
        }
        if asked.is_empty() {
            if args.json {
                print_json(&Shown { path: &path, trusted: true, asks_for: &[] });
            } else {
                print("this project's files ask for nothing that needs trust\n");
            }
            return Ok(0);
        }
        let mut trusted = true;
        for (one, store) in &asked {
            trusted &= store.is_trusted(&one.key, &one.hash).await.map_err(|error| store_problem(&error))?;
        }
        let lines: Vec<String> = asked.iter().flat_map(|(one, _)| one.listing.clone()).collect();
        if args.json {
            print_json(&Shown { path: &path, trusted, asks_for: &lines });
            return Ok(0);
        }
        print(&listing(&path, &lines, trusted));
        if args.show || trusted {
            return Ok(0);
        }
        decide(&asked, args.yes).await
    })
}

/// Something that a project's files ask for.
pub(crate) struct Asked {
    /// What the grant is stored under.
    pub(crate) key: String,
    pub(crate) hash: String,
    listing: Vec<String>,
}

/// What the configuration can do, which commands the project has for checks, and its templates.
pub(crate) fn asked_by_files(project: &Project) -> Vec<Asked> {
    let path = project.loaded.project.path.to_string_lossy();
    let configured = executable_digest(&project.loaded.project).map(|Digest { hash, listing }| Asked {
        key: path.clone().into_owned(),
        hash,
        listing,
    });
    let root = &project.place.root;
    let found =
        criteria::found_digest(root).map(|(hash, listing)| Asked { key: criteria::key(root), hash, listing });
    let named = project.loaded.project.partial.template.as_ref().map(|set| set.value.as_path());
    let templates = briefing::of_project(root, named).into_iter().map(|(key, hash, path)| Asked {
        key,
        hash,
        listing: vec![format!("words what agents are told by {}", path.display())],
    });
    configured.into_iter().chain(found).chain(templates).collect()
}

/// A constitution that was changed while an agent was at work.
async fn constitution(project: &Project, store: &SqliteStore) -> Result<Option<Asked>, Problems> {
    let changed = changed_constitution(store, &project.place.root).await;
    Ok(changed.map_err(|error| store_problem(&error))?.map(|hash| Asked {
        key: TRUSTED_CONSTITUTION.to_owned(),
        hash,
        listing: vec![format!(
            "tells every agent what holds, by {CONSTITUTION}, which changed while one was at work"
        )],
    }))
}

async fn decide(asked: &[(Asked, &SqliteStore)], yes: bool) -> Outcome {
    if !yes && !confirmed()? {
        print("not trusted\n");
        return Ok(Problem::USAGE);
    }
    for (one, store) in asked {
        store.grant(&one.key, &one.hash, Timestamp::now()).await.map_err(|error| store_problem(&error))?;
    }
    print("trusted, until what it can run changes\n");
    Ok(0)
}

async fn revoke(asked: &[(Asked, &SqliteStore)], configured: (&str, &SqliteStore)) -> Outcome {
    let mut had = false;
    for (key, store) in asked.iter().map(|(one, store)| (one.key.as_str(), *store)).chain([configured]) {
        had |= store.revoke(key).await.map_err(|error| store_problem(&error))?;
    }
    print(if had { "no longer trusted\n" } else { "it was not trusted\n" });
    Ok(0)
}

fn listing(path: &str, lines: &[String], trusted: bool) -> String {
    let state = if trusted { "is trusted" } else { "asks for" };
    let mut text = format!("{} {state}:\n", printable(path));
    for line in lines {
        text += &format!("  {}\n", printable(line));
    }
    text
}

/// Asks a person; a pipe is not one.
fn confirmed() -> Result<bool, Problems> {
    if !std::io::stdin().is_terminal() {
        return Err(Problem::new("nobody is there to ask")
            .next("`ralph trust --yes` allows it without asking")
            .into());
    }
    crate::words::confirmed("Allow this? [y/N] ")
}
