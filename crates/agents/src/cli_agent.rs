//! An agent program of the catalogue, as the engine drives it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use ralph_core::Timestamp;
use ralph_core::agent_event::AgentEvent;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::Conversation;
use ralph_core::event::Stream;
use ralph_core::id::{AgentName, SessionId};
use ralph_core::policy::Signal;
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::agent::{Agent, Equipment, Heard, Invocation, Listener, Prompt};
use ralph_engine::output::Tail;

use crate::catalog::{Entry, FILE, MCP, PROMPT, PromptChannel, Unsupported};
use crate::prices::Prices;
use crate::program::{ProgramError, find};
use crate::stream::{Conclusion, Format, Hearing, Outcome, Parser};
use crate::trouble::ended;

/// What is kept of standard error; agents print their reasons at its end.
const STDERR_CHARACTERS: usize = 16_000;

#[derive(Debug, Clone)]
pub struct CliAgent {
    entry: Entry,
    invocation: Invocation,
    prompt: Prompt,
    /// Before which argument files and tools go, the last place first.
    slots: Vec<(usize, Slot)>,
    choice: Choice,
    prices: Arc<Prices>,
}

/// What an attempt puts among the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Files,
    Tools,
}

/// What is asked of the agent beyond the work itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    pub model: Option<String>,
    pub effort: Option<String>,
    /// The session to go on with, and where its counter stood.
    pub resume: Option<Conversation>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CliAgentError {
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl CliAgent {
    /// Finds the program now, so that one that is not there costs no attempt.
    pub fn new(
        entry: &Entry,
        choice: Choice,
        prices: Arc<Prices>,
        base: &Path,
        search_path: &str,
    ) -> Result<CliAgent, CliAgentError> {
        let resume = choice.resume.as_ref().map(|conversation| conversation.id.as_str());
        let mut invocation = entry.invocation(choice.model.as_deref(), choice.effort.as_deref(), resume)?;
        let program: PathBuf = find(&entry.program, base, search_path)?;
        invocation.program = program.into();
        let (slots, prompt_at) = take_slots(&mut invocation.args);
        let prompt = match entry.prompt {
            PromptChannel::Stdin => Prompt::Stdin,
            PromptChannel::Argument => Prompt::Argument(prompt_at),
        };
        Ok(CliAgent { entry: entry.clone(), invocation, prompt, slots, choice, prices })
    }

    /// Where the agent's own counter stands before the attempt.
    fn counter(&self) -> Usage {
        let resumed = self.choice.resume.as_ref().filter(|_| self.entry.format.counts_conversation());
        resumed.map(|conversation| conversation.counter).unwrap_or_default()
    }

    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Listens with all that there is to hear: events while it works, an outcome at the end.
    pub fn attend(&self, attempt: &Attempt, brief: &Brief) -> CliListener {
        let hearing = Hearing {
            promise: attempt.promise.clone(),
            brief: brief.text.clone(),
            model: self.choice.model.clone(),
            counter: self.counter(),
            manners: Arc::clone(&self.entry.manners),
            prices: Arc::clone(&self.prices),
        };
        CliListener::new(self.entry.parser(hearing))
    }
}

impl Agent for CliAgent {
    fn name(&self) -> &AgentName {
        &self.entry.name
    }

    fn invocation(&self, _attempt: &Attempt) -> Invocation {
        self.invocation.clone()
    }

    fn prompt(&self) -> Prompt {
        self.prompt
    }

    fn equip(&self, with: Equipment<'_>, invocation: &mut Invocation, prompt: &mut Prompt) {
        for &(at, slot) in &self.slots {
            let flags = match slot {
                Slot::Files => self.entry.file.arguments(with.files),
                Slot::Tools => with.tools.map(|tools| self.entry.tools(tools)).unwrap_or_default(),
            };
            if let Prompt::Argument(place) = prompt
                && *place >= at
            {
                *place += flags.len();
            }
            invocation.args.splice(at..at, flags);
        }
    }

    fn shows(&self, signal: Signal) -> bool {
        self.entry.shows(signal)
    }

    fn state(&self) -> &[String] {
        &self.entry.state
    }

    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener> {
        Box::new(self.attend(attempt, brief))
    }

    fn reports_usage(&self) -> bool {
        self.entry.reports_usage
    }

    fn can_continue(&self) -> bool {
        self.is_structured() && self.entry.invocation(None, None, Some("x")).is_ok()
    }

    fn is_structured(&self) -> bool {
        self.entry.format != Format::Text
    }
}

/// Takes the slots that an attempt fills out of the arguments, and says where they and the prompt were.
fn take_slots(args: &mut Vec<OsString>) -> (Vec<(usize, Slot)>, usize) {
    let (mut slots, mut prompt_at, mut kept) = (Vec::new(), None, Vec::new());
    for arg in args.drain(..) {
        match arg.to_str() {
            Some(FILE) => slots.insert(0, (kept.len(), Slot::Files)),
            Some(MCP) => slots.insert(0, (kept.len(), Slot::Tools)),
            Some(PROMPT) if prompt_at.is_none() => prompt_at = Some(kept.len()),
            Some(_) | None => kept.push(arg),
        }
    }
    *args = kept;
    (slots, prompt_at.unwrap_or(args.len()))
}

pub struct CliListener {
    parser: Box<dyn Parser>,
    stderr: Tail,
    /// The latest thing the agent itself said, for those that never came to a final message.
    message: String,
    zone: TimeZone,
}

impl CliListener {
    pub(crate) fn new(parser: Box<dyn Parser>) -> CliListener {
        CliListener {
            parser,
            stderr: Tail::new(STDERR_CHARACTERS),
            message: String::new(),
            zone: TimeZone::system(),
        }
    }
}

impl std::fmt::Debug for CliListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CliListener").finish_non_exhaustive()
    }
}

impl Listener for CliListener {
    fn hear(&mut self, stream: Stream, bytes: &[u8], tell: &mut dyn FnMut(AgentEvent)) {
        let message = &mut self.message;
        let mut told = |event: AgentEvent| {
            if let AgentEvent::Message { text, parent: None } = &event {
                message.clone_from(text);
            }
            tell(event);
        };
        match stream {
            Stream::Out => self.parser.push(bytes, &mut told),
            Stream::Err => {
                self.stderr.push(bytes);
                self.parser.overhear(bytes, &mut told);
            }
        }
    }

    fn conclude(self: Box<Self>, exit: &AgentExit) -> Heard {
        let Conclusion { claim, signals, message, usage, outcome, session, counter, .. } =
            self.parser.conclude(exit, &self.stderr.text());
        let message = Some(message.unwrap_or(self.message));
        let question = match &outcome {
            Outcome::Asked { question } => Some(question.clone()),
            _ => None,
        };
        let exit = ended(outcome, exit, Timestamp::now(), &self.zone);
        let id = session.and_then(|session| safe(&session));
        let conversation = id.map(|id| Conversation::new(id, counter));
        Heard { claim, signals, question, usage, message, exit: Some(exit), conversation }
    }
}

/// It becomes an argument of the agent, so nothing that could be taken for an option.
fn safe(session: &str) -> Option<SessionId> {
    SessionId::parse(session).ok().filter(|id| !id.as_str().starts_with('-'))
}

#[cfg(test)]
mod tests;
