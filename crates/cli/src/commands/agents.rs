//! `ralph agents`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use ralph_agents::Staff;
use ralph_agents::catalog::{Entry, Provenance};
use ralph_core::id::AgentName;
use ralph_engine::environment::{self, Variables};
use serde::Serialize;

use super::Outcome;
use crate::models::{self, Asking, Listing};
use crate::perform::staff;
use crate::preflight;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on};
use crate::settings::Given;
use crate::words::{print, print_json};

/// A program that takes longer to say its version is not waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// List the agents that ralph knows: which are installed, where, which version, and what is known of them.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Examples:
  ralph agents
  ralph agents --preflight                 ask each that is installed one small question
  ralph agents --preflight claude codex
  ralph agents models opencode
  ralph agents --json | jq '.[] | select(.installed).name'")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<AgentsCommand>,

    /// Send one small prompt to each agent that is installed, or to those named, and say what came of it; exit 1 if one
    /// does not answer
    #[arg(long, value_name = "NAME", num_args = 0.., value_parser = AgentName::parse)]
    preflight: Option<Vec<AgentName>>,

    /// How many seconds each has to answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "preflight")]
    patience: u32,

    /// Print it as JSON: an array of objects with name, installed, path, version, acp, reports_usage, reports_cost, verified,
    /// read, provenance (field by field), install, login; for --preflight with name, result, seconds, detail, next
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum AgentsCommand {
    /// List the models that an agent has, as its own program does
    Models {
        /// The agent, as `ralph agents` names it
        #[arg(value_parser = AgentName::parse)]
        name: AgentName,
        /// Print it as JSON: an object with agent, models (null where the program prints no plain list), text
        #[arg(long)]
        json: bool,
    },
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
    /// Where each field of the entry comes from; `all` speaks for those that are not named.
    provenance: BTreeMap<String, Provenance>,
    /// What a person does to get it.
    install: Option<String>,
    /// What a person does when it is not logged in.
    login: String,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    match (args.command, args.preflight) {
        (Some(AgentsCommand::Models { name, json }), _) => list_models(project, &name, json),
        (None, Some(names)) => try_out(project, names, Duration::from_secs(args.patience.into()), args.json),
        (None, None) => list_agents(&project, args.json),
    }
}

fn list_models(project: Project, name: &AgentName, json: bool) -> Outcome {
    let (staff, root, environment) = surroundings(project)?;
    let asking = Asking { staff: &staff, root: &root, environment: &environment };
    let Some(entry) = staff.entry(name) else {
        let problem = Problem::new(format!("there is no agent `{name}`"));
        return Err(problem.next("`ralph agents` lists them").into());
    };
    let listing = block_on(models::list(entry, asking))?;
    let (names, text) = match listing {
        Listing::Names(names) => (Some(names), None),
        Listing::Text(text) => (None, Some(text)),
    };
    match (json, names, text) {
        (true, names, text) => {
            print_json(&serde_json::json!({ "agent": name, "models": names, "text": text }));
        }
        (false, Some(names), _) => print(&names.iter().map(|name| format!("{name}\n")).collect::<String>()),
        (false, None, text) => print(&ralph_engine::output::printable(&text.unwrap_or_default())),
    }
    Ok(0)
}

/// One after the other, so that each has the machine to itself and its time means something.
fn try_out(project: Project, names: Vec<AgentName>, patience: Duration, json: bool) -> Outcome {
    let (staff, root, environment) = surroundings(project)?;
    let asking = Asking { staff: &staff, root: &root, environment: &environment };
    let is_there = |name: &&AgentName| staff.entry(name).is_some_and(|entry| staff.program(entry).is_ok());
    let names = if names.is_empty() { staff.names().filter(is_there).cloned().collect() } else { names };
    if names.is_empty() {
        let problem = Problem::new("none of the agents that ralph knows is installed");
        return Err(problem.next("`ralph agents` lists them").exit(5).into());
    }
    let mut all = Vec::new();
    for name in &names {
        let tried = block_on(preflight::ask(name, asking, patience));
        if !json {
            print(&tried.line());
        }
        all.push(tried);
    }
    if json {
        print_json(&all);
    }
    Ok(u8::from(!all.iter().all(preflight::Tried::answered)))
}

/// The agents and what they would inherit. A project's own file has no say in it.
fn surroundings(project: Project) -> Result<(Staff, PathBuf, Variables), Problems> {
    let staff = staff(&project.loaded, &project.place.root)?;
    let exclude = project.loaded.merged.agent.env_exclude.as_ref().map(|set| set.value.clone());
    let environment = environment::inherited(std::env::vars_os(), &exclude.unwrap_or_default());
    Ok((staff, project.place.root, environment))
}

fn list_agents(project: &Project, json: bool) -> Outcome {
    let (catalogue, _) = project.loaded.agents()?;
    let entries = catalogue.names().filter_map(|name| catalogue.get(name.as_str()));
    let agents = all_known(entries.collect());
    if json {
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
        acp: entry.acp.is_some(),
        reports_usage: entry.reports_usage,
        reports_cost: entry.reports_cost,
        verified,
        read,
        provenance: entry.provenance.clone(),
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
    let acp = if agent.acp { "acp" } else { "-" };
    format!("{:<15} {acp:<4} {there}  ({basis})\n", agent.name)
}
