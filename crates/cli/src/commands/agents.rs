//! `ralph agents`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

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
    /// Print it as JSON: an array of objects with name, installed, path, version,
    /// verified, read, install, login
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
    reports_usage: bool,
    reports_cost: bool,
    /// The version of the program that the catalogue's entry was tried with.
    verified: Option<String>,
    /// Where it was read, if it was not tried.
    read: Option<String>,
    /// What a person does to get it.
    install: Option<String>,
    /// What a person does when it is not logged in.
    login: String,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    let (catalogue, _) = project.loaded.agents()?;
    let entries = catalogue.names().filter_map(|name| catalogue.get(name.as_str()));
    let agents = all_known(entries.collect());
    if args.json {
        print_json(&agents);
    } else {
        print(&agents.iter().map(line).collect::<String>());
        if agents.iter().all(|agent| !agent.installed) {
            print(&format!("\nNone is installed; {}\n", crate::agents::how_to_get_one(&catalogue)));
        }
    }
    Ok(0)
}

/// Asked all at once: a program of Node.js takes its time to say its version.
fn all_known(entries: Vec<&Entry>) -> Vec<Known> {
    std::thread::scope(|scope| {
        let asked: Vec<_> = entries.into_iter().map(|entry| scope.spawn(|| known(entry))).collect();
        asked.into_iter().map(|asked| asked.join().expect("asking a program does not panic")).collect()
    })
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
        reports_usage: entry.reports_usage,
        reports_cost: entry.reports_cost,
        verified,
        read,
        install: entry.install.clone(),
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
    // Whatever it leaves running may hold its output open: the first line is all that is waited for.
    let output = BufReader::new(child.stdout.take()?);
    let (found, version) = mpsc::channel();
    let asked = asked.clone();
    std::thread::spawn(move || {
        let mut lines = output.lines().map_while(Result::ok);
        let read = lines.find_map(|line| asked.read(&line).map(str::to_owned));
        let _nobody_waits_any_more = found.send(read);
    });
    let version = version.recv_timeout(PATIENCE).ok().flatten();
    let _already_over = child.kill();
    let _already_over = child.wait();
    version
}

fn line(agent: &Known) -> String {
    let there = match (&agent.path, &agent.version) {
        (Some(path), Some(version)) => format!("{version:<12} {}", path.display()),
        (Some(path), None) => format!("{:<12} {}", "?", path.display()),
        (None, _) => format!("{:<12} {}", "-", agent.install.as_deref().unwrap_or("-")),
    };
    let basis = match (&agent.verified, &agent.read) {
        (Some(version), _) => format!("tried with {version}"),
        (None, Some(page)) => format!("as read in {page}"),
        (None, None) => String::new(),
    };
    format!("{:<10} {there}  ({basis})\n", agent.name)
}
