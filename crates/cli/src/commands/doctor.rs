//! `ralph doctor`.

use std::path::Path;

use ralph_agents::Staff;
use ralph_agents::catalog::Catalogue;
use ralph_core::sandbox::Mode;
use ralph_engine::custody::{Custody, CustodyKind, GuardOptions};
use ralph_engine::sandbox::probe;
use ralph_engine::{Place, lock};
use ralph_store::{SqliteStore, Store, StoreError};
use serde::Serialize;

use super::{Outcome, guard};
use crate::crew::{check, crew};
use crate::perform::{cgroup, redactor, staff};
use crate::project::{Project, block_on};
use crate::settings::trust::Trust;
use crate::settings::{CustodyChoice, Given, Settings};
use crate::vault;
use crate::words::{print, print_json, size};

/// Look at this machine and this project: what works, what is missing, what to do about it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  ralph doctor\n  ralph doctor --json | jq '.[] | select(.state == \"bad\")'\n\n\
Exit codes: 0 ralph can work here, if with less than it could have; 1 something is BAD."
)]
pub(crate) struct Args {
    /// Print it as JSON: an array of objects with name, state, finding, next
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Good,
    /// Works, with less.
    Reduced,
    Bad,
}

#[derive(Debug, Serialize)]
struct Finding {
    name: &'static str,
    state: State,
    finding: String,
    next: Option<String>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    let findings = block_on(examine(project));
    if args.json {
        print_json(&findings);
    } else {
        findings.iter().for_each(|finding| print(&tell(finding)));
    }
    Ok(u8::from(findings.iter().any(|finding| finding.state == State::Bad)))
}

async fn examine(project: Project) -> Vec<Finding> {
    let mut findings = vec![
        good("ralph", format!("version {}", env!("CARGO_PKG_VERSION"))),
        good("project", project.place.root.display().to_string()),
        state_directory(&project.state_dir),
        database(&project).await,
        owner(&project),
        snapshots(&project.place),
        vectors(&project).await,
    ];
    let (resolved, choice) = settings(project);
    findings.push(processes(choice).await);
    findings.push(sandboxes());
    findings.push(git());
    findings.extend(resolved);
    findings
}

fn good(name: &'static str, finding: String) -> Finding {
    Finding { name, state: State::Good, finding, next: None }
}

fn bad(name: &'static str, finding: String, next: &str) -> Finding {
    Finding { name, state: State::Bad, finding, next: Some(next.to_owned()) }
}

/// Looks at the nearest directory that exists: looking makes nothing.
fn state_directory(dir: &Path) -> Finding {
    let existing = dir.ancestors().find(|dir| dir.exists()).unwrap_or(dir);
    let free =
        nix::sys::statvfs::statvfs(existing).map(|stat| stat.blocks_available() * stat.fragment_size());
    let writable = nix::unistd::access(existing, nix::unistd::AccessFlags::W_OK);
    match (free, writable) {
        (Ok(free), Ok(())) if free < 64 << 20 => {
            bad("state", format!("{}: only {} free", dir.display(), size(free)), "free some space")
        }
        (Ok(free), Ok(())) => good("state", format!("{}, {} free", dir.display(), size(free))),
        (_, Err(error)) | (Err(error), _) => bad(
            "state",
            format!("{}: {error}", dir.display()),
            "set state_dir, or XDG_STATE_HOME, to a place that can be written",
        ),
    }
}

async fn database(project: &Project) -> Finding {
    let store = match SqliteStore::open_existing(&project.place.state) {
        Ok(store) => store,
        Err(StoreError::NoDatabase { .. }) => {
            return good("database", "none yet; the first run makes it".to_owned());
        }
        Err(error) => return bad("database", error.to_string(), &error.hint().unwrap_or_default()),
    };
    match store.check().await {
        Ok(()) => {
            let runs = store.runs(usize::MAX).await.map_or(0, |runs| runs.len());
            good(
                "database",
                format!("{}, sound, {}", store.path().display(), crate::words::counted(runs as u64, "run")),
            )
        }
        Err(error) => bad("database", error.to_string(), &error.hint().unwrap_or_default()),
    }
}

fn owner(project: &Project) -> Finding {
    match lock::owner(&project.place.owner_file()) {
        Some(owner) => good("run", format!("{} is on, pid {}", owner.run, owner.pid)),
        None => good("run", "none is on in this directory".to_owned()),
    }
}

fn snapshots(place: &Place) -> Finding {
    if !place.snapshots().is_dir() {
        return good("snapshots", "none yet; runs take them".to_owned());
    }
    let looked = vault::existing(place).and_then(|vault| {
        let kept = vault.list().and_then(|kept| Ok((kept.len(), vault.size()?, vault.pending_restore()?)));
        kept.map_err(|error| vault::problem(&error).into())
    });
    match looked {
        Ok((_, _, Some(_))) => bad(
            "snapshots",
            "a rollback was cut short, and some files are not as anybody wants them".to_owned(),
            "`ralph rollback` or `ralph resume` finishes it",
        ),
        Ok((count, bytes, None)) => {
            good("snapshots", format!("{}, {}", crate::words::counted(count as u64, "snapshot"), size(bytes)))
        }
        Err(problems) => {
            bad("snapshots", problems.to_string(), "move the directory `snapshots` beside the database away")
        }
    }
}

/// Whether notes are also found by what they mean: whoever says so is asked for a word.
async fn vectors(project: &Project) -> Finding {
    let reduced = |finding: String, next: String| Finding {
        name: "vectors",
        state: State::Reduced,
        finding: format!("{finding}; notes are found by their words"),
        next: Some(next),
    };
    match crate::vectors::tried(project).await {
        Ok(None) => good("vectors", "none; notes are found by their words".to_owned()),
        Ok(Some(answered)) => good("vectors", answered),
        Err(problem) => reduced(problem.what.replace('\n', "; "), problem.next.join("; ")),
    }
}

/// Raises a guard as a run would, and asks it what it holds processes by.
async fn processes(choice: CustodyChoice) -> Finding {
    let Ok(program) = std::env::current_exe() else {
        return bad("processes", "ralph's own program cannot be found".to_owned(), "install ralph anew");
    };
    let options = GuardOptions {
        program,
        args: vec![guard::NAME.into()],
        run: format!("doctor-{}", std::process::id()),
        lock: None,
        cgroup: cgroup(choice),
    };
    let custody = match Custody::open(options).await {
        Ok(custody) => custody,
        Err(error) => {
            return bad("processes", ralph_engine::chain(&error), "no agent can be held safely here");
        }
    };
    let kind = custody.kind();
    let _nothing_was_started = custody.close().await;
    match kind {
        CustodyKind::Cgroup => good("processes", "held by a guard: subreaper and cgroup".to_owned()),
        CustodyKind::Subreaper => Finding {
            name: "processes",
            state: State::Reduced,
            finding: "held by a guard: subreaper alone, no cgroup could be made".to_owned(),
            next: Some("nothing escapes it; a cgroup would end a fork bomb faster".to_owned()),
        },
    }
}

/// What an agent could be kept inside by.
fn sandboxes() -> Finding {
    let (there, missing): (Vec<_>, Vec<_>) = [Mode::Landlock, Mode::Bubblewrap]
        .into_iter()
        .map(|mode| (mode, probe(mode)))
        .partition(|(_, why)| why.is_ok());
    let names: Vec<&str> = there.iter().map(|(mode, _)| mode.name()).collect();
    let reasons: Vec<String> =
        missing.iter().filter_map(|(_, why)| why.as_ref().err()).map(ToString::to_string).collect();
    let mut finding = if names.is_empty() { "none".to_owned() } else { names.join(" and ") };
    if !reasons.is_empty() {
        finding += &format!("; {}", reasons.join("; "));
    }
    match missing.into_iter().find_map(|(_, why)| why.err()) {
        None => good("sandbox", finding),
        Some(first) => Finding {
            name: "sandbox",
            state: State::Reduced,
            finding,
            next: Some(format!("only where you want a sandbox: {}", first.next)),
        },
    }
}

fn git() -> Finding {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    match std::env::split_paths(&paths).map(|dir| dir.join("git")).find(|git| git.is_file()) {
        Some(git) => good("git", git.display().to_string()),
        None => Finding {
            name: "git",
            state: State::Reduced,
            finding: "not found; ralph does not need it".to_owned(),
            next: None,
        },
    }
}

/// The configuration and the agent that it names, and how it wants processes held.
fn settings(project: Project) -> (Vec<Finding>, CustodyChoice) {
    let staff = staff(&project.loaded, &project.place.root);
    let settings = match project.loaded.resolve(Trust::Granted) {
        Ok(settings) => settings,
        Err(problems) => {
            let wrong = bad("settings", problems.to_string(), "`ralph config check`");
            return (vec![wrong], CustodyChoice::Auto);
        }
    };
    let agent = match staff {
        Ok(staff) => agent(&settings, &staff),
        Err(problems) => bad("agent", problems.to_string(), "mend [agents] in your configuration"),
    };
    (vec![good("settings", "sound".to_owned()), agents(), agent], settings.agent.custody)
}

fn agents() -> Finding {
    let there = crate::agents::installed();
    if there.is_empty() {
        let finding = "none that ralph knows is installed".to_owned();
        let next = Some(crate::agents::how_to_get_one(&Catalogue::builtin()));
        return Finding { name: "agents", state: State::Reduced, finding, next };
    }
    good("agents", there.join(", "))
}

/// The agent that a run here would have.
fn agent(settings: &Settings, staff: &Staff) -> Finding {
    let chosen = crew(settings, staff, &redactor());
    let usable = chosen.and_then(|crew| {
        let policy = settings.policy(Vec::new(), None);
        check(&crew, staff, &policy.limits, &policy.completion.require)?;
        Ok(crew.at_work().agent.to_string())
    });
    match usable {
        Ok(name) => good("agent", name),
        Err(problems) => Finding {
            name: "agent",
            state: State::Reduced,
            finding: problems.to_string().replace('\n', "; "),
            next: None,
        },
    }
}

fn tell(finding: &Finding) -> String {
    let mark = match finding.state {
        State::Good => "ok ",
        State::Reduced => "-- ",
        State::Bad => "BAD",
    };
    let mut text = format!("{mark}  {:<10} {}\n", finding.name, finding.finding);
    if let Some(next) = &finding.next {
        text += &format!("                next: {next}\n");
    }
    text
}
