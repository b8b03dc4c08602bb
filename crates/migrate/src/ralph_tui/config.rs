//! The keys of ralph-tui's config.toml, and which settings say the same.

use std::collections::BTreeMap;
use std::path::Path;

use ralph_templates::{Origin, Template};

use super::crew::{Crew, our_name};
use super::value::Given;
use crate::fault::Fault;
use crate::leaves::{Leaf, Value};
use crate::plan::Fate;
use crate::predecessor::{Request, Scope};
use crate::shell::quoted;

/// What a key comes to.
pub(super) enum Came {
    Setting { key: String, value: toml::Value, rank: u8, why: String },
    Flag { flag: String, why: String },
    Nothing(String),
    Progress(String),
    Template(String),
}

/// A setting with the place in their file that it comes from.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) key: String,
    pub(super) value: toml::Value,
    rank: u8,
    pub(super) leaf: usize,
}

/// All of their file.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// By the names of ours.
    pub(super) settings: BTreeMap<String, Setting>,
    pub(super) fates: Vec<Fate>,
    pub(super) flags: Vec<String>,
    pub(super) faults: Vec<Fault>,
    pub(super) progress: Option<String>,
    pub(super) template: Option<(usize, String)>,
}

const NOTHING: [(&str, &str); 28] = [
    ("configVersion", "ralph's files have no such number"),
    ("outputDir", "logs are in .ralph/logs"),
    ("errorHandling.continueOnNonZeroExit", "an exit code other than 0 is an error of the agent"),
    ("sandbox.readOnlyPaths", "in a sandbox of ralph's everything but the project can only be read"),
    ("rateLimitHandling.enabled", "limits are always recognised"),
    ("rateLimitHandling.maxRetries", "a limit is waited out three times, and then the fallback goes on"),
    ("rateLimitHandling.baseBackoffMs", "a limit is waited out for 5, 15 and 45 seconds, or until its reset"),
    ("rateLimitHandling.recoverPrimaryBetweenIterations", "the first agent is always taken back"),
    ("envPassthrough", "the agent gets every variable that is not excluded, API keys as well"),
    ("preflightTimeoutMs", "`ralph agents --preflight` has a limit of its own"),
    ("skills_dir", "agents find their skills themselves"),
    ("notifications.enabled", "write a [[hook]] on run_stopped"),
    ("notifications.sound", "write a [[hook]] on run_stopped"),
    ("parallel.mode", "one task is worked on at a time"),
    ("parallel.maxWorkers", "one task is worked on at a time"),
    ("parallel.worktreeDir", "one task is worked on at a time"),
    ("parallel.directMerge", "one task is worked on at a time"),
    ("parallel.targetBranch", "one task is worked on at a time"),
    ("conflictResolution.enabled", "one task is worked on at a time"),
    ("conflictResolution.timeoutMs", "one task is worked on at a time"),
    ("conflictResolution.maxFiles", "one task is worked on at a time"),
    ("defaultTracker", "the backlog is found by its files"),
    ("trackers[].name", "the backlog is found by its files"),
    ("trackers[].default", "the backlog is found by its files"),
    ("agents[].name", "agents go by the names that `ralph agents` lists"),
    ("agents[].default", "`name` in [agent] says which it is"),
    ("agents[].defaultFlags", "write `args` in [agents.NAME] of your own configuration"),
    ("agents[].preflightTimeoutMs", "`ralph agents --preflight` has a limit of its own"),
];

pub(super) fn read(path: &Path, leaves: &[Leaf], request: &Request<'_>) -> Result<Config, Fault> {
    let crew = Crew::of(path, leaves)?;
    let mut config = Config::default();
    for (at, leaf) in leaves.iter().enumerate() {
        let given = Given { path, leaf };
        let came = match nested(&given, &crew) {
            Some(nothing) => nothing,
            None => came(&given, &crew, request, &mut config.faults)?,
        };
        let (became, why) = match came {
            Came::Nothing(why) => (None, why),
            Came::Flag { flag, why } => {
                config.flags.push(flag.clone());
                (Some(format!("ralph run {flag}")), why)
            }
            Came::Progress(file) => {
                config.progress = Some(file);
                (Some(".ralph/progress.md".to_owned()), "ralph's is always there".to_owned())
            }
            Came::Template(file) => {
                config.template = Some((at, file));
                (Some("template".to_owned()), String::new())
            }
            Came::Setting { key, value, rank, why } => {
                let setting = Setting { key: key.clone(), value, rank, leaf: at };
                config.insert(setting);
                (Some(key), why)
            }
        };
        config.fates.push(Fate {
            file: path.display().to_string(),
            line: Some(leaf.spot.line),
            key: given.name(),
            became,
            why,
        });
    }
    config.pass_over_lower();
    Ok(config)
}

impl Config {
    fn insert(&mut self, new: Setting) {
        match self.settings.get(&new.key) {
            Some(there) if there.rank <= new.rank => {}
            _ => drop(self.settings.insert(new.key.clone(), new)),
        }
    }

    /// Of several keys that say the same, one counts.
    fn pass_over_lower(&mut self) {
        for (at, fate) in self.fates.iter_mut().enumerate() {
            let winner = fate.became.as_ref().and_then(|key| self.settings.get(key));
            if winner.is_some_and(|winner| winner.leaf != at) {
                fate.became = None;
                "another key goes before it".clone_into(&mut fate.why);
            }
        }
    }
}

/// What belongs to an agent that is not the one that works.
fn nested(given: &Given<'_>, crew: &Crew) -> Option<Came> {
    let is_agents = given.leaf.key.starts_with("agents[].");
    let is_other = is_agents && given.leaf.index != crew.chosen;
    is_other.then(|| Came::Nothing("it is of an agent that is not the default".to_owned()))
}

fn came(
    given: &Given<'_>,
    crew: &Crew,
    request: &Request<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Came, Fault> {
    let key = given.leaf.key.as_str();
    if let Some((_, why)) = NOTHING.iter().find(|(name, _)| *name == key) {
        return Ok(Came::Nothing((*why).to_owned()));
    }
    Ok(match key {
        "maxIterations" => match given.whole(0, 1_000)? {
            0 => Came::Nothing("0 was no limit; a run of ralph has one: --max-iterations".to_owned()),
            many => setting("limits.max_iterations", many),
        },
        "iterationDelay" => setting("limits.iteration_delay", given.milliseconds(300_000)?),
        "autoCommit" => setting("commit.auto_commit", given.boolean()?),
        "commitMessageTemplate" => message(given, faults)?,
        "errorHandling.strategy" => {
            let strategy = given.one_of(&["retry", "skip", "abort"])?;
            // Without retries there is nothing to retry.
            let rank = if strategy == "retry" { 2 } else { 0 };
            Came::Setting {
                key: "agent.on_error".to_owned(),
                value: strategy.into(),
                rank,
                why: String::new(),
            }
        }
        "errorHandling.maxRetries" => match given.whole(0, 10)? {
            0 => Came::Setting {
                key: "agent.on_error".to_owned(),
                value: "skip".into(),
                rank: 1,
                why: "no retries".to_owned(),
            },
            many => setting("agent.max_retries", many),
        },
        "errorHandling.retryDelayMs" => setting("agent.retry_delay", given.milliseconds(300_000)?),
        "sandbox.enabled" => sandbox_enabled(given.boolean()?),
        "sandbox.mode" => sandbox_mode(given.one_of(&["auto", "bwrap", "sandbox-exec", "off"])?, crew),
        "sandbox.network" => setting("sandbox.network", given.boolean()?),
        "sandbox.allowPaths" => paths(given, request)?,
        "subagentTracingDetail" => {
            setting("output.detail", given.one_of(&["off", "minimal", "moderate", "full"])?)
        }
        "progressFile" => Came::Progress(given.text()?.to_owned()),
        "prompt_template" => Came::Template(given.text()?.to_owned()),
        "tracker" => tracker(given.text()?),
        "trackers[].plugin" => tracker(given.text()?),
        "trackerOptions.path" | "trackers[].options.path" => prd(given.text()?),
        "trackerOptions.epicId" | "trackers[].options.epicId" => Came::Flag {
            flag: format!("--epic {}", quoted(given.text()?)),
            why: "asked for with each run".to_owned(),
        },
        _ => super::crew::came(given, crew, request)?.unwrap_or_else(|| Came::Nothing(unknown(key))),
    })
}

fn unknown(key: &str) -> String {
    let is_option = ["agentOptions.", "agents[].options.", "trackerOptions.", "trackers[].options."]
        .iter()
        .any(|table| key.starts_with(table));
    if is_option {
        "an option of a plugin; ralph has no such setting".to_owned()
    } else {
        "not a key that ralph-tui is known to have".to_owned()
    }
}

pub(super) fn setting(key: &str, value: impl Into<toml::Value>) -> Came {
    Came::Setting { key: key.to_owned(), value: value.into(), rank: 0, why: String::new() }
}

fn message(given: &Given<'_>, faults: &mut Vec<Fault>) -> Result<Came, Fault> {
    let text = given.text()?;
    match Template::compile(Origin::Given(given.path.to_owned()), text) {
        Ok(_) => Ok(setting("commit.message", text)),
        Err(_) => {
            let what = "this message uses what ralph's templates do not have";
            let next = "write `message` in [commit] yourself; `ralph template vars` lists what there is";
            faults.push(Fault::new(given.path, what, next).at(given.leaf.spot.clone()));
            Ok(Came::Nothing("it uses what ralph's templates do not have".to_owned()))
        }
    }
}

fn sandbox_enabled(is: bool) -> Came {
    let value = if is { "auto" } else { "off" };
    let rank = if is { 1 } else { 0 };
    Came::Setting { key: "sandbox.mode".to_owned(), value: value.into(), rank, why: String::new() }
}

fn sandbox_mode(mode: &str, crew: &Crew) -> Came {
    if !crew.is_sandboxed {
        return Came::Nothing("it is not enabled".to_owned());
    }
    match mode {
        "auto" => setting("sandbox.mode", "auto"),
        "bwrap" => setting("sandbox.mode", "bubblewrap"),
        "off" => setting("sandbox.mode", "off"),
        _ => Came::Nothing("it is of macOS; ralph takes what the machine has".to_owned()),
    }
}

/// Those below the project can be written anyway.
fn paths(given: &Given<'_>, request: &Request<'_>) -> Result<Came, Fault> {
    let (fixed, relative): (Vec<_>, Vec<_>) =
        given.texts()?.into_iter().partition(|path| path.starts_with('/') || path.starts_with("~/"));
    let (up, below): (Vec<_>, Vec<_>) = relative.into_iter().partition(|path| path.contains(".."));
    let mut left = Vec::new();
    if !below.is_empty() && request.scope == Scope::Project {
        left.push(format!("below the project and so allowed already: {}", below.join(", ")));
    } else if !below.is_empty() {
        left.push(format!("not absolute: {}", below.join(", ")));
    }
    if !up.is_empty() {
        left.push(format!("not absolute: {}", up.join(", ")));
    }
    let why = left.join("; ");
    if fixed.is_empty() {
        return Ok(Came::Nothing(why));
    }
    Ok(Came::Setting { key: "sandbox.write".to_owned(), value: fixed.into(), rank: 0, why })
}

fn tracker(plugin: &str) -> Came {
    let why = "the backlog is found by its files; the flag chooses where there are several".to_owned();
    let kind = match plugin {
        "json" => "prd",
        "beads" | "beads-rust" => "beads",
        "beads-bv" | "beads-rust-bv" => "beads-bv",
        known @ ("github" | "linear" | "jira") => known,
        other => return Came::Nothing(format!("ralph has no tracker `{other}`")),
    };
    Came::Flag { flag: format!("--tracker {kind}"), why }
}

fn prd(path: &str) -> Came {
    let why = "asked for with each run, unless it is found".to_owned();
    Came::Flag { flag: format!("--prd {}", quoted(path)), why }
}

/// The agents of a list that ralph knows, and those that it does not.
pub(super) fn known_of(
    names: Vec<String>,
    crew: &Crew,
    request: &Request<'_>,
) -> (Vec<toml::Value>, Vec<String>) {
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for name in names {
        match our_name(crew.plugin_of(&name), request.agents) {
            Some(own) => known.push(own.into()),
            None => unknown.push(name),
        }
    }
    (known, unknown)
}

/// Whether a value is what it stands for in a list of texts.
pub(super) fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Whole(_) | Value::Bool(_) | Value::List(_) | Value::Other => None,
    }
}
