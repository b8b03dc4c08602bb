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
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::agent::{Agent, Heard, Invocation, Listener, Prompt};
use ralph_engine::output::Tail;

use crate::catalog::{Entry, FILE, PROMPT, PromptChannel, Unsupported};
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
    /// Before which argument files go.
    files_at: Option<usize>,
    choice: Choice,
    prices: Arc<Prices>,
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
        let files_at = take_slot(FILE, &mut invocation.args);
        let prompt_at = take_slot(PROMPT, &mut invocation.args).unwrap_or(invocation.args.len());
        let prompt = match entry.prompt {
            PromptChannel::Stdin => Prompt::Stdin,
            PromptChannel::Argument => Prompt::Argument(prompt_at),
        };
        let files_at = files_at.map(|at| if at > prompt_at { at - 1 } else { at });
        Ok(CliAgent { entry: entry.clone(), invocation, prompt, files_at, choice, prices })
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

    fn attach(&self, files: &[String], invocation: &mut Invocation, prompt: &mut Prompt) {
        let Some(at) = self.files_at else { return };
        let flags = self.entry.file.arguments(files);
        if let Prompt::Argument(place) = prompt
            && *place >= at
        {
            *place += flags.len();
        }
        invocation.args.splice(at..at, flags);
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

/// Takes a slot out of the arguments and says where it was.
fn take_slot(slot: &str, args: &mut Vec<OsString>) -> Option<usize> {
    let at = args.iter().position(|arg| arg == slot)?;
    args.remove(at);
    Some(at)
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
mod tests {
    use super::{Choice, CliAgent, CliAgentError, safe};
    use crate::catalog::Catalogue;
    use ralph_core::attempt::Attempt;
    use ralph_core::brief::Brief;
    use ralph_core::crew::Conversation;
    use ralph_core::event::Stream;
    use ralph_core::id::{AgentName, SessionId, TaskId};
    use ralph_core::promise::{Claim, Word};
    use ralph_core::report::{AgentExit, Usage};
    use ralph_engine::agent::{Agent, Prompt};
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

    /// What is heard of these lines of an agent of the catalogue.
    fn message(name: &str, lines: &str) -> Option<String> {
        let user = format!("[agents.{name}]\nprogram = \"sh\"");
        let catalogue = Catalogue::builtin().with_user(&user).expect("a catalogue");
        let entry = catalogue.get(name).expect("an entry");
        let agent = CliAgent::new(entry, Choice::default(), Arc::default(), Path::new("/"), "/bin:/usr/bin");
        let (attempt, brief) = attempt();
        let mut listener = agent.expect("an agent").listen(&attempt, &brief);
        listener.hear(Stream::Out, lines.as_bytes(), &mut |_| {});
        listener.conclude(&AgentExit::Code { code: 0 }).message
    }

    #[test]
    fn a_message_that_comes_in_pieces_is_heard_whole_and_nothing_before_it() {
        let said = |text: &str| {
            format!("{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\",\"delta\":true}}\n")
        };
        let tool = "{\"type\":\"tool_use\",\"tool_name\":\"ls\",\"tool_id\":\"1\"}\n";
        let result = "{\"type\":\"result\",\"status\":\"success\"}\n";
        let lines = [&said("I look."), tool, &said("It is "), &said("not "), &said("done."), result].concat();
        assert_eq!(message("gemini", &lines).as_deref(), Some("It is not done."));
        let part = |text: &str| {
            format!("{{\"type\":\"text\",\"sessionID\":\"s\",\"part\":{{\"text\":\"{text}\"}}}}\n")
        };
        let step = "{\"type\":\"step_start\",\"sessionID\":\"s\",\"part\":{}}\n";
        let end = "{\"type\":\"step_finish\",\"sessionID\":\"s\",\"part\":{\"reason\":\"stop\"}}\n";
        let lines = [step, &part("before"), step, &part("one"), &part("two"), end].concat();
        assert_eq!(message("opencode", &lines).as_deref(), Some("one\ntwo"));
    }

    fn conversation(id: &str) -> Conversation {
        let counter = Usage { input_tokens: 5, cached_tokens: 1, output_tokens: 2, ..Usage::default() };
        Conversation::new(SessionId::parse(id).expect("an id"), counter)
    }

    #[test]
    fn a_conversation_is_heard_of_and_gone_on_with() {
        let heard = |choice: Choice| {
            let agent = agent("[agents.claude]\nprogram = \"sh\"", choice).expect("an agent");
            let (attempt, brief) = attempt();
            let mut listener = agent.listen(&attempt, &brief);
            listener.hear(Stream::Out, RESULT.as_bytes(), &mut |_| {});
            (agent, listener.conclude(&AgentExit::Code { code: 0 }))
        };
        let (agent, first) = heard(Choice::default());
        let talk = first.conversation.expect("a conversation");
        assert_eq!((talk.id.as_str(), talk.counter.tokens(), agent.can_continue()), ("s1", 10, true));
        let (agent, second) = heard(Choice { resume: Some(conversation("s1")), ..Choice::default() });
        let args = agent.invocation(&attempt().0).args;
        assert!(args.ends_with(&["--resume".into(), "s1".into()]), "{args:?}");
        assert_eq!(second.usage.tokens(), 10, "its counter begins anew with every process");
        assert_eq!(safe("--yolo"), None);
        assert_eq!(safe("a b"), None);
    }

    #[test]
    fn what_cannot_work_is_told_before_the_run() {
        let refused = |user: &str, choice: Choice| agent(user, choice).expect_err("refused").to_string();
        let none = Choice::default;
        assert_eq!(
            refused("[agents.claude]\nprogram = \"no-such-agent\"", none()),
            "no program `no-such-agent` on the search path"
        );
        let resume = Some(conversation("s"));
        assert_eq!(
            refused("[agents.claude]\nprogram = \"sh\"\nresume = []", Choice { resume, ..none() }),
            "claude cannot resume a session"
        );
    }

    #[test]
    fn a_prompt_by_argument_goes_where_its_slot_is_or_to_the_end() {
        let prompt = |args: &str| {
            let user = format!("[agents.claude]\nprogram = \"sh\"\nprompt = \"argument\"\nargs = {args}");
            let agent = agent(&user, Choice::default()).expect("an agent");
            let (attempt, _) = attempt();
            (agent.prompt(), agent.invocation(&attempt).args)
        };
        assert_eq!(
            prompt(r#"["-p", "{prompt}", "-x"]"#),
            (Prompt::Argument(1), vec!["-p".into(), "-x".into()])
        );
        assert_eq!(prompt(r#"["{yolo}", "--"]"#).0, Prompt::Argument(2));
    }

    #[test]
    fn files_go_where_their_slot_is_one_flag_each_and_the_prompt_keeps_its_place() {
        let attached = |args: &str, only: &str| {
            let user = format!(
                "[agents.claude]\nprogram = \"sh\"\nprompt = \"argument\"\nargs = {args}\n\
                 file = {{ args = [\"-f\", \"{{value}}\"], only = {only} }}"
            );
            let agent = agent(&user, Choice::default()).expect("an agent");
            let (mut invocation, mut prompt) = (agent.invocation(&attempt().0), agent.prompt());
            let files = ["/a b.png".to_owned(), "/c.bin".to_owned()];
            agent.attach(&files, &mut invocation, &mut prompt);
            let Prompt::Argument(at) = prompt else { panic!("{prompt:?}") };
            invocation.args.insert(at, "PROMPT".into());
            invocation.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(attached(r#"["x", "{file}", "{prompt}", "y"]"#, "[]"), "x|-f|/a b.png|-f|/c.bin|PROMPT|y");
        assert_eq!(attached(r#"["x", "{prompt}", "y", "{file}"]"#, r#"["PNG"]"#), "x|PROMPT|y|-f|/a b.png");
    }
}
