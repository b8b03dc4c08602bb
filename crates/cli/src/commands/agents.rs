//! `ralph agents`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ralph_agents::catalog::{Entry, Provenance};
use serde::Serialize;

use super::Outcome;
use crate::project::Project;
use crate::settings::Given;
use crate::words::{print, print_json};

/// A program that takes longer to say its version is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// List the agents that ralph knows: which are installed, where, which version, and what is known of them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ralph agents\n  ralph agents --json | jq '.[] | select(.installed).name'"
)]
pub(crate) struct Args {
    /// Print it as JSON: an array of objects with name, installed, path, version, acp, verified
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Known {
    name: String,
    installed: bool,
    path: Option<PathBuf>,
    /// What the program says of itself.
    version: Option<String>,
    /// Whether it can be spoken with by `--acp`.
    acp: bool,
    reports_usage: bool,
    reports_cost: bool,
    /// The version of the program that the catalogue's entry was tried with.
    verified: Option<String>,
    /// Where it was read, if it was not tried.
    read: Option<String>,
    /// What a person does when it is not logged in.
    login: String,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    let (catalogue, _) = project.loaded.agents()?;
    let entries = catalogue.names().filter_map(|name| catalogue.get(name.as_str()));
    let agents: Vec<Known> = entries.map(known).collect();
    if args.json {
        print_json(&agents);
    } else {
        print(&agents.iter().map(line).collect::<String>());
        if agents.iter().all(|agent| !agent.installed) {
            print(
                "\nNone is installed. Any program will do as well: ralph run … --agent-command 'PROGRAM ARGS'\n",
            );
        }
    }
    Ok(0)
}

fn known(entry: &Entry) -> Known {
    let path = crate::agents::program(entry);
    let (verified, read) = match entry.provenance_of("all") {
        Some(Provenance::Verified(version)) => (Some(version.clone()), None),
        Some(Provenance::Read(page)) => (None, Some(page.clone())),
        None => (None, None),
    };
    Known {
        name: entry.name.to_string(),
        installed: path.is_some(),
        version: path.as_deref().and_then(|path| version(entry, path)),
        path,
        acp: entry.acp.is_some(),
        reports_usage: entry.reports_usage,
        reports_cost: entry.reports_cost,
        verified,
        read,
        login: entry.manners.login.clone(),
    }
}

/// Asks the program, and gives up on one that does not answer.
fn version(entry: &Entry, program: &Path) -> Option<String> {
    let asked = entry.version.as_ref()?;
    let mut child = Command::new(program)
        .args(&asked.args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let give_up = Instant::now() + PATIENCE;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() >= give_up {
            child.kill().ok()?;
            child.wait().ok()?;
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let printed = std::io::read_to_string(child.stdout.take()?).ok()?;
    asked.read(printed.trim()).map(str::to_owned)
}

fn line(agent: &Known) -> String {
    let there = match (&agent.path, &agent.version) {
        (Some(path), Some(version)) => format!("{version:<12} {}", path.display()),
        (Some(path), None) => format!("{:<12} {}", "?", path.display()),
        (None, _) => format!("{:<12} -", "-"),
    };
    let basis = match (&agent.verified, &agent.read) {
        (Some(version), _) => format!("tried with {version}"),
        (None, Some(page)) => format!("as read in {page}"),
        (None, None) => String::new(),
    };
    let acp = if agent.acp { "acp" } else { "-" };
    format!("{:<10} {acp:<4} {there}  ({basis})\n", agent.name)
}
