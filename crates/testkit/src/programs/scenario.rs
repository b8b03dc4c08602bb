//! What the programs are put through, the same for the tests and for the recordings.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use ralph_core::promise::{Word, instruction};

use super::{Ended, Launch, Program, Programs, final_message};
use crate::models::{Call, Fault, Script, Seen, Server, Turn};

/// One thing that happens to a program at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Says a text.
    Text,
    /// Writes `out.txt`, then gives the promise.
    Write,
    /// Runs a command that fails with 3.
    FailingCommand,
    /// A 429 that says to come back after a second, then a text.
    LimitedOnce,
    /// 429 without end.
    Limited,
    /// 401 without end.
    Unauthorized,
    /// 500 without end.
    ServerError,
    /// The first stream breaks in the middle.
    CutOnce,
    /// Every stream breaks in the middle.
    CutStream,
    /// The prompt does not fit.
    ContextTooLong,
    /// A sub-agent says a text.
    SubAgent,
    /// SIGINT while a command runs.
    Interrupt,
}

/// What came of it.
#[derive(Debug)]
pub struct Play {
    pub ended: Ended,
    pub final_message: Option<String>,
    /// What the model server was asked.
    pub seen: Vec<Seen>,
    /// What `out.txt` in the project holds in the end.
    pub written: Option<String>,
}

impl Scenario {
    pub const ALL: [Scenario; 12] = [
        Scenario::Text,
        Scenario::Write,
        Scenario::FailingCommand,
        Scenario::LimitedOnce,
        Scenario::Limited,
        Scenario::Unauthorized,
        Scenario::ServerError,
        Scenario::CutOnce,
        Scenario::CutStream,
        Scenario::ContextTooLong,
        Scenario::SubAgent,
        Scenario::Interrupt,
    ];
    /// What `out.txt` is to hold.
    pub const WRITTEN: &'static str = "it's \"written\"\n";
    /// The promise word of every prompt.
    pub const WORD: &'static str = "DONE-7f3a";

    pub fn name(self) -> &'static str {
        match self {
            Scenario::Text => "text",
            Scenario::Write => "write",
            Scenario::FailingCommand => "failing-command",
            Scenario::LimitedOnce => "limited-once",
            Scenario::Limited => "limited",
            Scenario::Unauthorized => "unauthorized",
            Scenario::ServerError => "server-error",
            Scenario::CutOnce => "cut-once",
            Scenario::CutStream => "cut-stream",
            Scenario::ContextTooLong => "context-too-long",
            Scenario::SubAgent => "sub-agent",
            Scenario::Interrupt => "interrupt",
        }
    }

    /// The brief: the marker, and the sentence that asks for the promise.
    ///
    /// # Panics
    /// Never: the word is one.
    pub fn prompt(self) -> String {
        let word = Word::parse(Scenario::WORD).expect("the word of the scenarios is a word");
        format!("Play the scene {}.\n\n{}", self.name(), instruction(&word))
    }

    pub fn script(self, program: Program) -> Script {
        let turns = self.turns(program);
        let script = Script::default().on(&format!("Play the scene {}.", self.name()), turns);
        script.on("Play the child.", [Turn::say("The child has spoken.")])
    }

    fn turns(self, program: Program) -> Vec<Turn> {
        let always = Fault::ALWAYS;
        match self {
            Scenario::Text => vec![Turn::say("Hello from the scripted model.")],
            Scenario::Write => vec![
                Turn::call(
                    "I write the file.",
                    Call::Write { path: "out.txt".into(), content: Scenario::WRITTEN.into() },
                ),
                Turn::say("The file is written.\n\n<promise>{promise}</promise>"),
            ],
            Scenario::FailingCommand => vec![
                Turn::call("I run a command.", Call::Shell("echo oops >&2; exit 3".into())),
                Turn::say("The command failed."),
            ],
            Scenario::LimitedOnce => vec![
                Turn::fault(Fault::RateLimit { retry_after: Some(1), times: 1 }),
                Turn::say("Hello after the limit."),
            ],
            Scenario::Limited => vec![Turn::fault(Fault::RateLimit { retry_after: Some(1), times: always })],
            Scenario::Unauthorized => vec![Turn::fault(Fault::Status { code: 401, times: always })],
            Scenario::ServerError => vec![Turn::fault(Fault::Status { code: 500, times: always })],
            Scenario::CutOnce => vec![cut(1), Turn::say("Hello after the cut.")],
            Scenario::CutStream => vec![cut(always)],
            Scenario::ContextTooLong => vec![Turn::fault(Fault::ContextTooLong)],
            Scenario::SubAgent => sub_agent(program),
            Scenario::Interrupt => vec![
                Turn::call("I wait for a minute.", Call::Shell("echo waiting > started; sleep 61".into())),
                Turn::say("A minute has passed."),
            ],
        }
    }

    /// Plays the scene in a new git repository within an empty directory.
    pub fn play(
        self,
        programs: &Programs,
        program: Program,
        within: Duration,
        directory: &Path,
    ) -> io::Result<Play> {
        self.play_by(None, programs, program, within, directory)
    }

    /// The same, with a ralph that relays to the program where one is given.
    pub fn play_by(
        self,
        relay: Option<&Path>,
        programs: &Programs,
        program: Program,
        within: Duration,
        directory: &Path,
    ) -> io::Result<Play> {
        let (home, project) = (directory.join("home"), directory.join("project"));
        std::fs::create_dir_all(&project)?;
        let repository = Command::new("git").args(["init", "--quiet"]).current_dir(&project).status()?;
        if !repository.success() {
            return Err(io::Error::other("git init failed"));
        }
        let server = Server::start(self.script(program))?;
        let prompt = self.prompt();
        let url = server.url();
        let launch = Launch {
            program,
            programs,
            server: &url,
            home: &home,
            directory: &project,
            prompt: &prompt,
            relay,
        };
        let headless = launch.start()?;
        if self == Scenario::Interrupt {
            // The command has begun when its file is there.
            if !appears(&project.join("started"), within) {
                return Err(io::Error::other("the command that is to be interrupted did not begin in time"));
            }
            headless.signal(Signal::SIGINT)?;
        }
        let ended = headless.wait(within)?;
        Ok(Play {
            final_message: final_message(program, &ended.stdout),
            ended,
            seen: server.seen(),
            written: std::fs::read_to_string(project.join("out.txt")).ok(),
        })
    }
}

fn cut(times: u32) -> Turn {
    let say = "A sentence that is cut short before it comes to its end.".into();
    Turn::fault(Fault::BrokenStream { say, times })
}

/// Codex starts sub-agents in the background.
fn sub_agent(program: Program) -> Vec<Turn> {
    let mut turns = vec![Turn::call("I delegate.", Call::Delegate("Play the child.".into()))];
    if program == Program::Codex {
        turns.push(Turn::call("I wait for it.", Call::Join));
    }
    turns.push(Turn::say("The sub-agent is done."));
    turns
}

/// Looks for a file that another process makes, which has no way to tell.
fn appears(path: &Path, within: Duration) -> bool {
    let deadline = std::time::Instant::now() + within;
    while std::time::Instant::now() < deadline {
        if path.exists() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
