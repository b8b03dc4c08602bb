//! OpenCode's server as the engine drives it: behind the relay.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::id::AgentName;
use ralph_core::policy::Signal;
use ralph_core::report::Usage;
use ralph_engine::agent::{Agent, Equipment, Invocation, Listener, Prompt};

use super::address::{Address, AddressError, PASSWORD_VARIABLE, USER_VARIABLE};
use crate::acp::Permissions;
use crate::catalog::Entry;
use crate::cli_agent::{Choice, CliListener};
use crate::prices::Prices;
use crate::program::{ProgramError, find};
use crate::stream::Hearing;

/// How ralph's own program is started as the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRelay {
    pub program: PathBuf,
    /// The arguments that make it the relay.
    pub args: Vec<OsString>,
    pub permissions: Permissions,
    /// It is to change nothing.
    pub is_looking: bool,
}

#[derive(Debug, Clone)]
pub struct ServerAgent {
    entry: Entry,
    invocation: Invocation,
    /// Before which argument files go.
    files_at: usize,
    /// A server is started for each attempt.
    is_started: bool,
    choice: Choice,
    prices: Arc<Prices>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("`{0}` is no model of OpenCode: write provider/model")]
    Model(String),
}

impl ServerAgent {
    /// `attach` is the server to adopt; without one the entry's program is started as a server for each attempt.
    pub fn new(
        entry: &Entry,
        choice: Choice,
        prices: Arc<Prices>,
        (relay, attach): (&ServerRelay, Option<&Address>),
        (base, search_path): (&Path, &str),
    ) -> Result<ServerAgent, ServerError> {
        if let Some(model) = choice.model.as_ref().filter(|model| !model.contains('/')) {
            return Err(ServerError::Model(model.clone()));
        }
        let mut args = relay.args.clone();
        args.extend(relay.choices(&choice));
        let files_at = args.len();
        match attach {
            Some(address) => {
                address.checked()?;
                args.push(format!("--attach={}", address.url).into());
            }
            None => {
                args.extend(["--".into(), find(&entry.program, base, search_path)?.into()]);
                // What is chosen goes with the prompt, so its places among the arguments stay empty.
                args.extend(entry.args.iter().filter(|arg| !arg.starts_with('{')).map(OsString::from));
            }
        }
        let named = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
        let mut env: Vec<_> = entry.environment.iter().map(|(name, value)| named((name, value))).collect();
        // The relay alone is told: it starts nothing where the server runs already.
        if let Some(login) = attach.and_then(|address| address.login.as_ref()) {
            env.extend([(USER_VARIABLE, &*login.user), (PASSWORD_VARIABLE, &*login.password)].map(named));
        }
        let invocation = Invocation { program: relay.program.clone().into(), args, env };
        let is_started = attach.is_none();
        Ok(ServerAgent { entry: entry.clone(), invocation, files_at, is_started, choice, prices })
    }
}

impl ServerRelay {
    fn choices(&self, choice: &Choice) -> Vec<OsString> {
        let resume = choice.resume.as_ref();
        let how = if resume.is_some_and(|talk| talk.is_to_be_summarised) { "compact" } else { "continue" };
        let named = [
            ("permissions", Some(self.permissions.name())),
            ("model", choice.model.as_deref()),
            ("effort", choice.effort.as_deref()),
            (how, resume.map(|talk| talk.id.as_str())),
        ];
        let given =
            |(name, value): (&str, Option<&str>)| value.map(|value| format!("--{name}={value}").into());
        let mut args: Vec<OsString> = named.into_iter().filter_map(given).collect();
        args.extend(self.is_looking.then(|| "--look".into()));
        args
    }
}

impl Agent for ServerAgent {
    fn name(&self) -> &AgentName {
        &self.entry.name
    }

    fn invocation(&self, _attempt: &Attempt) -> Invocation {
        self.invocation.clone()
    }

    fn equip(&self, with: Equipment<'_>, invocation: &mut Invocation, _prompt: &mut Prompt) {
        let flags = self.entry.file.arguments(with.files);
        // The relay is of this attempt, and has its mailbox in its environment. A server that runs already is not changed.
        let tools = with.tools.filter(|_| self.is_started).map(|_| "--tools".into());
        invocation.args.splice(self.files_at..self.files_at, flags.into_iter().chain(tools));
    }

    fn state(&self) -> &[String] {
        &self.entry.state
    }

    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener> {
        let hearing = Hearing {
            promise: attempt.promise.clone(),
            brief: brief.text.clone(),
            model: self.choice.model.clone(),
            counter: Usage::default(),
            manners: Arc::clone(&self.entry.manners),
            prices: Arc::clone(&self.prices),
        };
        Box::new(CliListener::new(self.entry.parser(hearing)))
    }

    fn reports_usage(&self) -> bool {
        self.entry.reports_usage
    }

    fn can_continue(&self) -> bool {
        true
    }

    fn can_compact(&self) -> bool {
        true
    }

    fn shows(&self, signal: Signal) -> bool {
        match signal {
            Signal::Promise | Signal::Criteria | Signal::Tracker | Signal::Tool | Signal::Todo => true,
        }
    }

    fn is_structured(&self) -> bool {
        true
    }
}
