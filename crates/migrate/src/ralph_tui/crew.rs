//! Which of ralph-tui's agents works, and what is said of it.

use std::collections::BTreeMap;
use std::path::Path;

use super::config::{Came, as_text, known_of, setting};
use super::value::Given;
use crate::fault::Fault;
use crate::leaves::{Leaf, Value};
use crate::predecessor::{Request, Scope};

/// The agents of their file, by the rules by which ralph-tui chooses among them.
#[derive(Debug, Default)]
pub(super) struct Crew {
    plugins: BTreeMap<String, String>,
    /// Which of the `[[agents]]` it is, if it is one.
    pub(super) chosen: Option<usize>,
    plugin: Option<String>,
    /// The key that decides.
    by: String,
    pub(super) is_sandboxed: bool,
}

#[derive(Debug, Default)]
struct Entry {
    name: String,
    plugin: String,
    is_default: bool,
}

impl Crew {
    pub(super) fn of(path: &Path, leaves: &[Leaf]) -> Result<Crew, Fault> {
        let entries = entries(path, leaves)?;
        let top = |key: &str| {
            let leaf = leaves.iter().find(|leaf| leaf.key == key);
            leaf.and_then(|leaf| as_text(&leaf.value)).map(str::to_owned)
        };
        let is_sandboxed =
            leaves.iter().any(|leaf| leaf.key == "sandbox.enabled" && leaf.value == Value::Bool(true));
        let plugins = entries.iter().map(|entry| (entry.name.clone(), entry.plugin.clone())).collect();
        let mut crew = Crew { plugins, is_sandboxed, ..Crew::default() };
        let shorthand =
            ["agent", "agentCommand"].into_iter().find_map(|key| top(key).map(|name| (key, name)));
        if let Some((key, name)) = shorthand {
            key.clone_into(&mut crew.by);
            crew.chosen = entries.iter().position(|one| one.name == name || one.plugin == name);
            crew.plugin = Some(crew.chosen.map_or(name, |at| entries[at].plugin.clone()));
        } else if let Some(name) = top("defaultAgent") {
            "defaultAgent".clone_into(&mut crew.by);
            crew.chosen = entries.iter().position(|one| one.name == name);
            crew.plugin = Some(crew.chosen.map_or(name, |at| entries[at].plugin.clone()));
        } else if !entries.is_empty() {
            "agents[].plugin".clone_into(&mut crew.by);
            let at = entries.iter().position(|one| one.is_default).unwrap_or(0);
            crew.chosen = Some(at);
            crew.plugin = Some(entries[at].plugin.clone());
        }
        Ok(crew)
    }

    pub(super) fn plugin_of<'a>(&'a self, name: &'a str) -> &'a str {
        self.plugins.get(name).map_or(name, String::as_str)
    }
}

fn entries(path: &Path, leaves: &[Leaf]) -> Result<Vec<Entry>, Fault> {
    let mut entries: Vec<Entry> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.key.starts_with("agents[].")) {
        let given = Given { path, leaf };
        let index = leaf.index.expect("what is in a repeated table has its number");
        if entries.len() <= index {
            entries.resize_with(index + 1, Entry::default);
        }
        match leaf.key.as_str() {
            "agents[].name" => given.text()?.clone_into(&mut entries[index].name),
            "agents[].plugin" => given.text()?.clone_into(&mut entries[index].plugin),
            "agents[].default" => entries[index].is_default = given.boolean()?,
            _ => {}
        }
    }
    Ok(entries)
}

/// ralph's name for a plugin of theirs.
pub(super) fn our_name(plugin: &str, agents: &[String]) -> Option<String> {
    let name = if plugin == "github-copilot" { "copilot" } else { plugin };
    agents.iter().find(|own| *own == name).cloned()
}

/// None if the key is not about agents.
pub(super) fn came(given: &Given<'_>, crew: &Crew, request: &Request<'_>) -> Result<Option<Came>, Fault> {
    let key = given.leaf.key.as_str();
    let ranked = |rank: u8, key: &str, value: toml::Value, why: String| Came::Setting {
        key: key.to_owned(),
        value,
        rank,
        why,
    };
    let own = u8::from(!key.starts_with("agents[]."));
    Ok(Some(match key {
        "agent" | "agentCommand" | "defaultAgent" | "agents[].plugin" => agent(given, crew, request)?,
        "model" | "agentOptions.model" => setting("agent.model", given.text()?),
        "agents[].options.model" => ranked(1, "agent.model", given.text()?.into(), String::new()),
        "command" | "agents[].command" => command(given, crew, request, own)?,
        "agents[].timeout" => match given.whole(0, i64::from(u32::MAX))? {
            0 => Came::Nothing("0 was no limit".to_owned()),
            _ => setting("agent.total_timeout", given.milliseconds(i64::from(u32::MAX))?),
        },
        "fallbackAgents" | "agents[].fallbackAgents" => {
            let (known, unknown) = known_of(given.texts()?, crew, request);
            let why = match unknown.as_slice() {
                [] => String::new(),
                names => format!("ralph knows no agent {}", names.join(", ")),
            };
            if known.is_empty() {
                Came::Nothing(why)
            } else {
                ranked(own, "agent.fallback", known.into(), why)
            }
        }
        "envExclude" | "agents[].envExclude" => {
            let (patterns, names): (Vec<_>, Vec<_>) =
                given.texts()?.into_iter().partition(|name| name.contains(['*', '?', '[']));
            let why = match patterns.as_slice() {
                [] => String::new(),
                _ => format!("only whole names are excluded, not {}", patterns.join(", ")),
            };
            if names.is_empty() {
                Came::Nothing(why)
            } else {
                ranked(own, "agent.env_exclude", names.into(), why)
            }
        }
        _ if key.starts_with("agents[].rateLimitHandling.") => {
            Came::Nothing("limits are waited out, and then the fallback goes on".to_owned())
        }
        "agents[].envPassthrough" => {
            Came::Nothing("the agent gets every variable that is not excluded".to_owned())
        }
        _ => return Ok(None),
    }))
}

fn agent(given: &Given<'_>, crew: &Crew, request: &Request<'_>) -> Result<Came, Fault> {
    let name = given.text()?;
    if crew.by != given.leaf.key {
        return Ok(Came::Nothing(format!("`{}` goes before it", crew.by)));
    }
    let plugin = crew.plugin.as_deref().unwrap_or(name);
    Ok(match our_name(plugin, request.agents) {
        Some(own) => setting("agent.name", own),
        None => Came::Nothing(format!(
            "ralph knows no agent `{plugin}`; any program can be one: `command` in [agent]"
        )),
    })
}

/// What is started instead of the agent's own program: a person's to say, not a project's.
fn command(given: &Given<'_>, crew: &Crew, request: &Request<'_>, rank: u8) -> Result<Came, Fault> {
    let program = given.text()?;
    let own = our_name(crew.plugin.as_deref().unwrap_or("claude"), request.agents);
    let is_one_word = !program.contains(char::is_whitespace);
    Ok(match own {
        Some(own) if is_one_word && request.scope == Scope::User => Came::Setting {
            key: format!("agents.{own}.program"),
            value: program.into(),
            rank,
            why: String::new(),
        },
        Some(own) => Came::Nothing(format!(
            "write `program` in [agents.{own}] of your own configuration; several words need a script"
        )),
        None => Came::Nothing("any program can be an agent: `command` in [agent]".to_owned()),
    })
}
