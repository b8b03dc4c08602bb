//! What is known of each agent program, as data: ours in `catalog.toml`, a person's in `[agents.NAME]` of the configuration.
//!
//! Nothing in this crate asks for an agent's name; whatever differs between agents is a field of an entry.

mod entry;
mod error;
mod fields;
mod invocation;

use std::collections::BTreeMap;

use ralph_core::id::AgentName;
use serde::Deserialize;

use crate::limit::Rule;
use crate::stream::Manners;

pub use entry::{Effort, Entry, FileFlag, Look, PromptChannel, Provenance, Version};
pub use error::{CatalogueError, Unsupported};
use fields::Fields;
pub(crate) use invocation::{FILE, MCP, PROMPT};

#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    entries: BTreeMap<AgentName, Entry>,
    fields: BTreeMap<AgentName, Fields>,
    /// Signs that mean the same whichever agent shows them; they come after an entry's own.
    common: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    agents: BTreeMap<toml::Spanned<String>, Fields>,
    #[serde(default)]
    signals: Vec<Rule>,
}

impl Catalogue {
    pub fn builtin() -> Catalogue {
        Catalogue::read(include_str!("../../catalog.toml")).expect("the built-in catalogue")
    }

    /// A catalogue that says of every field where it comes from.
    fn read(text: &str) -> Result<Catalogue, CatalogueError> {
        let file: File = toml::from_str(text).map_err(CatalogueError::Unreadable)?;
        let empty = Catalogue { entries: BTreeMap::new(), fields: BTreeMap::new(), common: file.signals };
        empty.with(text, file.agents, None)
    }

    /// Adds the `[agents.NAME]` tables of a configuration: a field given there takes the place of ours, and a new name
    /// makes a new agent. Other sections of the text are not looked at.
    pub fn with_user(self, config: &str) -> Result<Catalogue, CatalogueError> {
        #[derive(Deserialize)]
        struct Config {
            #[serde(default)]
            agents: BTreeMap<toml::Spanned<String>, Fields>,
        }
        let config_file: Config = toml::from_str(config).map_err(CatalogueError::Unreadable)?;
        let yours = Provenance::Read("your configuration".to_owned());
        self.with(config, config_file.agents, Some(&yours))
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|(known, _)| known.as_str() == name).map(|(_, entry)| entry)
    }

    /// For an agent that nothing is known of: what means the same whoever shows it.
    pub fn common_manners(&self) -> Manners {
        Fields::default().manners(&self.common)
    }

    pub fn names(&self) -> impl Iterator<Item = &AgentName> {
        self.entries.keys()
    }

    fn with(
        mut self,
        text: &str,
        agents: BTreeMap<toml::Spanned<String>, Fields>,
        origin: Option<&Provenance>,
    ) -> Result<Catalogue, CatalogueError> {
        for (spanned, fields) in agents {
            let place = |what: String| CatalogueError::at(text, spanned.span(), spanned.get_ref(), what);
            let name = AgentName::parse(spanned.get_ref()).map_err(|error| place(error.to_string()))?;
            let fields = match self.fields.remove(&name) {
                Some(ours) => fields.over(ours, origin),
                None => fields.over(Fields::default(), origin),
            };
            let entry = fields.entry(&name, &self.common).map_err(place)?;
            self.entries.insert(name.clone(), entry);
            self.fields.insert(name, fields);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
