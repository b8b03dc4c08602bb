//! An agent program of the catalogue, as the engine drives it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use ralph_core::Timestamp;
use ralph_core::agent_event::AgentEvent;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::event::Stream;
use ralph_core::id::AgentName;
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::agent::{Agent, Heard, Invocation, Listener};
use ralph_engine::output::Tail;

use crate::catalog::{Entry, PromptChannel, Unsupported};
use crate::prices::Prices;
use crate::program::{ProgramError, find};
use crate::stream::{Conclusion, Format, Hearing, Outcome, Parser};

/// What is kept of standard error; agents print their reasons at its end.
const STDERR_CHARACTERS: usize = 16_000;

#[derive(Debug, Clone)]
pub struct CliAgent {
    entry: Entry,
    invocation: Invocation,
    choice: Choice,
    prices: Arc<Prices>,
}

/// What is asked of the agent beyond the work itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    pub model: Option<String>,
    pub effort: Option<String>,
    /// The session to go on with, and where its counter stood.
    pub resume: Option<(String, Usage)>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CliAgentError {
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("{0} takes its prompt as an argument, which is not supported yet")]
    PromptByArgument(AgentName),
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
        if entry.prompt == PromptChannel::Argument {
            return Err(CliAgentError::PromptByArgument(entry.name.clone()));
        }
        let resume = choice.resume.as_ref().map(|(session, _)| session.as_str());
        let mut invocation = entry.invocation(choice.model.as_deref(), choice.effort.as_deref(), resume)?;
        let program: PathBuf = find(&entry.program, base, search_path)?;
        invocation.program = program.into();
        Ok(CliAgent { entry: entry.clone(), invocation, choice, prices })
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
            counter: self.choice.resume.as_ref().map(|(_, counter)| *counter).unwrap_or_default(),
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

    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener> {
        Box::new(self.attend(attempt, brief))
    }

    fn reports_usage(&self) -> bool {
        self.entry.reports_usage
    }

    fn is_structured(&self) -> bool {
        self.entry.format != Format::Text
    }
}

pub struct CliListener {
    parser: Box<dyn Parser>,
    stderr: Tail,
    /// The latest thing the agent itself said.
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
        let Conclusion { claim, usage, outcome, .. } = self.parser.conclude(exit, &self.stderr.text());
        let exit = ended(outcome, exit, &self.zone);
        Heard { claim, usage, message: Some(self.message), exit: Some(exit) }
    }
}

/// The agent's own word for its end, where it has one.
fn ended(outcome: Outcome, exit: &AgentExit, zone: &TimeZone) -> AgentExit {
    match outcome {
        Outcome::Finished => exit.clone(),
        Outcome::Unfinished if exit.is_clean() => AgentExit::Unfinished,
        Outcome::Unfinished => exit.clone(),
        Outcome::Limited { reset, what } => {
            AgentExit::Limited { what, reset: reset.map(|reset| reset.resolve(Timestamp::now(), zone)) }
        }
        Outcome::Overloaded { what } => AgentExit::Overloaded { what },
        Outcome::Network { what } => AgentExit::Network { what },
        Outcome::Unauthenticated { what, next } => AgentExit::Unauthenticated { what, next },
        Outcome::Misconfigured { what, next } => AgentExit::Misconfigured { what, next },
        Outcome::Failed { what } => AgentExit::Failed { what },
        // A question that nobody answered is an end like any other: the next brief says that it was not done.
        Outcome::Asked { .. } => exit.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, CliAgent, CliAgentError};
    use crate::catalog::Catalogue;
    use ralph_core::attempt::Attempt;
    use ralph_core::brief::Brief;
    use ralph_core::event::Stream;
    use ralph_core::id::{AgentName, TaskId};
    use ralph_core::promise::{Claim, Word};
    use ralph_core::report::{AgentExit, Usage};
    use ralph_engine::agent::Agent;
    use std::path::Path;
    use std::sync::Arc;

    const RESULT: &str = concat!(
        r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"<promise>DONE-1</promise>","#,
        r#""usage":{"input_tokens":7,"output_tokens":3},"total_cost_usd":0.5,"session_id":"s1"}"#,
        "\n"
    );

    fn agent(user: &str, choice: Choice) -> Result<CliAgent, CliAgentError> {
        let catalogue = Catalogue::builtin().with_user(user).expect("a catalogue");
        let entry = catalogue.get("claude").expect("claude");
        CliAgent::new(entry, choice, Arc::default(), Path::new("/"), "/bin:/usr/bin")
    }

    fn attempt() -> (Attempt, Brief) {
        let attempt = Attempt {
            iteration: 1,
            number: 1,
            task: TaskId::parse("t1").expect("a task"),
            agent: AgentName::parse("claude").expect("a name"),
            promise: Word::parse("DONE-1").expect("a word"),
        };
        (attempt, Brief { text: "Do it.".to_owned() })
    }

    #[test]
    fn the_engine_hears_events_claim_usage_and_end() {
        let agent = agent("[agents.claude]\nprogram = \"sh\"", Choice::default()).expect("an agent");
        let (attempt, brief) = attempt();
        let mut listener = agent.listen(&attempt, &brief);
        let mut events = 0;
        listener.hear(Stream::Out, RESULT.as_bytes(), &mut |_| events += 1);
        listener.hear(Stream::Err, b"noise", &mut |_| events += 1);
        let heard = listener.conclude(&AgentExit::Code { code: 0 });
        assert_eq!((events, heard.exit), (4, Some(AgentExit::Code { code: 0 })));
        assert_eq!(heard.claim, Claim::Made { line: 1 });
        assert_eq!((heard.usage.tokens(), f64::from(heard.usage.cost)), (10, 0.5));
        assert!(agent.reports_usage());
    }

    #[test]
    fn what_cannot_work_is_told_before_the_run() {
        let refused = |user: &str, choice: Choice| agent(user, choice).expect_err("refused").to_string();
        let none = Choice::default;
        assert_eq!(
            refused("[agents.claude]\nprogram = \"no-such-agent\"", none()),
            "no program `no-such-agent` on the search path"
        );
        let resume = Some(("s".to_owned(), Usage::default()));
        assert_eq!(
            refused("[agents.claude]\nprogram = \"sh\"\nresume = []", Choice { resume, ..none() }),
            "claude cannot resume a session"
        );
        assert_eq!(
            refused("[agents.claude]\nprogram = \"sh\"\nprompt = \"argument\"", none()),
            "claude takes its prompt as an argument, which is not supported yet"
        );
    }
}
