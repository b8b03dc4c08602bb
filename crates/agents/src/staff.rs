//! Every agent that a run may ask for: the catalogue's and any command, each in the protocol that is chosen.

use std::path::PathBuf;
use std::sync::Arc;

use ralph_core::crew::{Member, Protocol};
use ralph_core::id::AgentName;
use ralph_core::policy::Signal;
use ralph_engine::agent::{Agent, Roster};
use ralph_engine::chain;

use crate::acp::{AcpAgent, AcpError, Permissions, Relay};
use crate::catalog::{Catalogue, Entry};
use crate::cli_agent::{Choice, CliAgent};
use crate::command::Command;
use crate::opencode::{Address, Login, ServerAgent, ServerRelay};
use crate::prices::Prices;
use crate::program::{ProgramError, find};
use crate::stream::Format;

#[derive(Debug)]
pub struct Staff {
    catalogue: Catalogue,
    prices: Arc<Prices>,
    /// Where a relative path to a program begins.
    base: PathBuf,
    search_path: String,
    relays: Relays,
}

/// How agents are reached that do not just print.
#[derive(Debug, Clone)]
pub struct Relays {
    pub acp: Relay,
    pub opencode: ServerRelay,
    /// The OpenCode server to adopt, for those that name none themselves.
    pub attach: Option<Address>,
    /// How a server is entered whose address says nothing of it.
    pub login: Option<Login>,
}

impl Staff {
    pub fn new(
        catalogue: Catalogue,
        prices: Prices,
        base: PathBuf,
        search_path: String,
        relays: Relays,
    ) -> Staff {
        Staff { catalogue, prices: Arc::new(prices), base, search_path, relays }
    }

    fn entry_of(&self, member: &Member) -> Result<&Entry, String> {
        self.catalogue.get(member.agent.as_str()).ok_or_else(|| {
            let names: Vec<String> = self.catalogue.names().map(ToString::to_string).collect();
            format!("there is no agent `{}`; there are {}", member.agent, names.join(", "))
        })
    }

    pub fn entry(&self, name: &AgentName) -> Option<&Entry> {
        self.catalogue.get(name.as_str())
    }

    pub fn names(&self) -> impl Iterator<Item = &AgentName> {
        self.catalogue.names()
    }

    /// The agents of the catalogue that have the means to show this, installed or not.
    pub fn able_to_show(&self, signal: Signal) -> impl Iterator<Item = &AgentName> {
        let entries = self.catalogue.names().filter_map(|name| self.catalogue.get(name.as_str()));
        let able = entries.filter(move |entry| entry.format == Format::OpencodeServer || entry.shows(signal));
        able.map(|entry| &entry.name)
    }

    /// Where an agent's program is, if it is there.
    pub fn program(&self, entry: &Entry) -> Result<PathBuf, ProgramError> {
        find(&entry.program, &self.base, &self.search_path)
    }

    fn named(&self, member: &Member, freedom: Freedom) -> Result<CliAgent, String> {
        let prices = Arc::clone(&self.prices);
        let entry = freedom.of(self.entry_of(member)?);
        CliAgent::new(&entry, choice(member), prices, &self.base, &self.search_path)
            .map_err(|error| chain(&error))
    }

    fn serving(&self, entry: &Entry, member: &Member, freedom: Freedom) -> Result<ServerAgent, String> {
        let is_looking = freedom == Freedom::Looking;
        let known = &self.relays.opencode;
        let permissions = if is_looking { Permissions::Deny } else { known.permissions };
        let relay = ServerRelay { permissions, is_looking, ..known.clone() };
        let attach = self.adopted(member);
        let prices = Arc::clone(&self.prices);
        let place = (self.base.as_path(), self.search_path.as_str());
        ServerAgent::new(&freedom.of(entry), choice(member), prices, (&relay, attach.as_ref()), place)
            .map_err(|error| chain(&error))
    }

    /// Whether a member's work is done by a server that may be adopted.
    pub fn is_served(&self, member: &Member) -> bool {
        let entry = self.catalogue.get(member.agent.as_str()).filter(|_| member.command.is_empty());
        entry.is_some_and(|entry| entry.format == Format::OpencodeServer)
    }

    /// The server that a member's work is done by, where it runs already.
    pub fn adopted(&self, member: &Member) -> Option<Address> {
        if !self.is_served(member) {
            return None;
        }
        let (named, set) = (member.server.as_ref(), self.relays.attach.as_ref());
        let url = named.or(set.map(|address| &address.url))?.clone();
        // A login in the settings is for the server that they name.
        let own = set.filter(|address| address.url == url).and_then(|address| address.login.clone());
        Some(Address { url, login: own.or_else(|| self.relays.login.clone()) })
    }

    fn speaking(&self, member: &Member, freedom: Freedom) -> Result<AcpAgent, String> {
        let permissions = match freedom {
            Freedom::Full => self.relays.acp.permissions,
            Freedom::Looking => Permissions::Deny,
        };
        let relay = Relay { permissions, ..self.relays.acp.clone() };
        let place = (self.base.as_path(), self.search_path.as_str());
        let prices = Arc::clone(&self.prices);
        if member.command.is_empty() {
            let entry = freedom.of(self.entry_of(member)?);
            let agent = AcpAgent::of_entry(&entry, choice(member), prices, &relay, place);
            return agent.map_err(|error| self.speechless(&error));
        }
        let known = (self.catalogue.common_manners(), prices);
        let name = member.agent.clone();
        AcpAgent::of_command(name, &member.command, choice(member), known, &relay, place)
            .map_err(|error| chain(&error))
    }

    fn speechless(&self, error: &AcpError) -> String {
        let entries = self.catalogue.names().filter_map(|name| self.catalogue.get(name.as_str()));
        let able = entries.filter(|entry| entry.acp.is_some()).map(|entry| entry.name.to_string());
        match error {
            AcpError::Speechless(_) => format!("{error}; {} do", able.collect::<Vec<_>>().join(", ")),
            AcpError::Empty | AcpError::Program(_) => chain(error),
        }
    }
}

impl Roster for Staff {
    fn agent(&self, member: &Member) -> Result<Arc<dyn Agent>, String> {
        self.engage(member, Freedom::Full)
    }

    fn judge(&self, member: &Member) -> Result<Arc<dyn Agent>, String> {
        self.engage(member, Freedom::Looking)
    }
}

/// Whether an agent may work without asking, or is only to look. In a protocol, whoever asks is then denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freedom {
    Full,
    Looking,
}

impl Freedom {
    fn of(self, entry: &Entry) -> Entry {
        match self {
            Freedom::Full => entry.clone(),
            Freedom::Looking => entry.looking(),
        }
    }
}

impl Staff {
    fn engage(&self, member: &Member, freedom: Freedom) -> Result<Arc<dyn Agent>, String> {
        if member.protocol == Protocol::Acp {
            return Ok(Arc::new(self.speaking(member, freedom)?));
        }
        if member.command.is_empty() {
            let entry = self.entry_of(member)?;
            if entry.format == Format::OpencodeServer {
                return Ok(Arc::new(self.serving(entry, member, freedom)?));
            }
            return Ok(Arc::new(self.named(member, freedom)?));
        }
        let command = Command::new(&member.command, &self.base, &self.search_path);
        Ok(Arc::new(command.map_err(|error| chain(&error))?))
    }
}

fn choice(member: &Member) -> Choice {
    Choice { model: member.model.clone(), effort: member.effort.clone(), resume: member.conversation.clone() }
}
