//! Every agent that a run may ask for: the catalogue's and any command.

use std::path::PathBuf;
use std::sync::Arc;

use ralph_core::crew::Member;
use ralph_core::id::AgentName;
use ralph_engine::agent::{Agent, Roster};
use ralph_engine::chain;

use crate::catalog::{Catalogue, Entry};
use crate::cli_agent::{Choice, CliAgent};
use crate::command::Command;
use crate::prices::Prices;
use crate::program::{ProgramError, find};

#[derive(Debug)]
pub struct Staff {
    catalogue: Catalogue,
    prices: Arc<Prices>,
    /// Where a relative path to a program begins.
    base: PathBuf,
    search_path: String,
}

impl Staff {
    pub fn new(catalogue: Catalogue, prices: Prices, base: PathBuf, search_path: String) -> Staff {
        Staff { catalogue, prices: Arc::new(prices), base, search_path }
    }

    pub fn entry(&self, name: &AgentName) -> Option<&Entry> {
        self.catalogue.get(name.as_str())
    }

    pub fn names(&self) -> impl Iterator<Item = &AgentName> {
        self.catalogue.names()
    }

    /// Where an agent's program is, if it is there.
    pub fn program(&self, entry: &Entry) -> Result<PathBuf, ProgramError> {
        find(&entry.program, &self.base, &self.search_path)
    }

    fn named(&self, member: &Member) -> Result<CliAgent, String> {
        let Some(entry) = self.catalogue.get(member.agent.as_str()) else {
            let names: Vec<String> = self.catalogue.names().map(ToString::to_string).collect();
            return Err(format!("there is no agent `{}`; there are {}", member.agent, names.join(", ")));
        };
        let choice = Choice {
            model: member.model.clone(),
            effort: member.effort.clone(),
            resume: member.conversation.clone(),
        };
        CliAgent::new(entry, choice, Arc::clone(&self.prices), &self.base, &self.search_path)
            .map_err(|error| chain(&error))
    }
}

impl Roster for Staff {
    fn agent(&self, member: &Member) -> Result<Arc<dyn Agent>, String> {
        if member.command.is_empty() {
            return Ok(Arc::new(self.named(member)?));
        }
        let command = Command::new(&member.command, &self.base, &self.search_path);
        Ok(Arc::new(command.map_err(|error| chain(&error))?))
    }
}
