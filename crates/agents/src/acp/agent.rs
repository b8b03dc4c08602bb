//! An agent behind the relay, as the engine drives it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::id::AgentName;
use ralph_core::report::Usage;
use ralph_engine::agent::{Agent, Invocation, Listener};

use super::permission::Permissions;
use crate::catalog::Entry;
use crate::cli_agent::{Choice, CliListener};
use crate::prices::Prices;
use crate::program::{ProgramError, find};
use crate::stream::{Format, Hearing, Manners};

/// How ralph's own program is started as the relay, and what it answers agents that ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relay {
    pub program: PathBuf,
    /// The arguments that make it the relay.
    pub args: Vec<OsString>,
    pub permissions: Permissions,
}

#[derive(Debug, Clone)]
pub struct AcpAgent {
    name: AgentName,
    invocation: Invocation,
    choice: Choice,
    manners: Arc<Manners>,
    prices: Arc<Prices>,
    reports_usage: bool,
    state: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcpError {
    #[error("{0} does not speak the Agent Client Protocol, as far as ralph knows")]
    Speechless(AgentName),
    #[error("the agent's command is empty")]
    Empty,
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl AcpAgent {
    /// An agent of the catalogue that can speak the protocol instead of printing its own events.
    pub fn of_entry(
        entry: &Entry,
        choice: Choice,
        prices: Arc<Prices>,
        relay: &Relay,
        (base, search_path): (&Path, &str),
    ) -> Result<AcpAgent, AcpError> {
        let speech = entry.acp.as_ref().ok_or_else(|| AcpError::Speechless(entry.name.clone()))?;
        let program = find(&entry.program, base, search_path)?;
        let words = std::iter::once(program.into()).chain(speech.iter().map(OsString::from)).collect();
        let mut invocation = relay.invocation(&choice, words);
        invocation.env = entry.environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Ok(AcpAgent {
            name: entry.name.clone(),
            invocation,
            choice,
            manners: Arc::clone(&entry.manners),
            prices,
            reports_usage: entry.acp_reports_usage,
            state: entry.state.clone(),
        })
    }

    /// Any program that speaks the protocol on its standard input and output.
    pub fn of_command(
        name: AgentName,
        words: &[String],
        choice: Choice,
        (manners, prices): (Manners, Arc<Prices>),
        relay: &Relay,
        (base, search_path): (&Path, &str),
    ) -> Result<AcpAgent, AcpError> {
        let (program, args) = words.split_first().ok_or(AcpError::Empty)?;
        let program = find(program, base, search_path)?;
        let words = std::iter::once(program.into()).chain(args.iter().map(OsString::from)).collect();
        Ok(AcpAgent {
            name,
            invocation: relay.invocation(&choice, words),
            choice,
            manners: Arc::new(manners),
            prices,
            reports_usage: false,
            state: Vec::new(),
        })
    }
}

impl Relay {
    fn invocation(&self, choice: &Choice, words: Vec<OsString>) -> Invocation {
        let resume = choice.resume.as_ref().map(|conversation| conversation.id.as_str());
        let choices = [
            ("permissions", Some(self.permissions.name())),
            ("model", choice.model.as_deref()),
            ("effort", choice.effort.as_deref()),
            ("resume", resume),
        ];
        let given =
            |(name, value): (&str, Option<&str>)| value.map(|value| format!("--{name}={value}").into());
        let mut args = self.args.clone();
        args.extend(choices.into_iter().filter_map(given));
        args.push("--".into());
        args.extend(words);
        Invocation { program: self.program.clone().into(), args, env: Vec::new() }
    }
}

impl Agent for AcpAgent {
    fn name(&self) -> &AgentName {
        &self.name
    }

    fn invocation(&self, _attempt: &Attempt) -> Invocation {
        self.invocation.clone()
    }

    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener> {
        let hearing = Hearing {
            promise: attempt.promise.clone(),
            brief: brief.text.clone(),
            model: self.choice.model.clone(),
            counter: Usage::default(),
            manners: Arc::clone(&self.manners),
            prices: Arc::clone(&self.prices),
        };
        Box::new(CliListener::new(Format::Acp.parser(hearing)))
    }

    fn state(&self) -> &[String] {
        &self.state
    }

    fn reports_usage(&self) -> bool {
        self.reports_usage
    }

    fn is_structured(&self) -> bool {
        true
    }
}
