//! Lets a test listen to an agent of the catalogue.
#![expect(dead_code, reason = "no test needs all of it")]

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use ralph_agents::catalog::Catalogue;
use ralph_agents::prices::Prices;
use ralph_agents::stream::{Conclusion, Format, Hearing, Parser};
use ralph_core::agent_event::AgentEvent;
use ralph_core::promise::Word;
use ralph_core::report::{AgentExit, Usage};
use serde::Deserialize;

pub(crate) const CLEAN: AgentExit = AgentExit::Code { code: 0 };

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recording {
    pub(crate) agent: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) args: String,
    exit: Exit,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Exit {
    Code(i32),
    Said(String),
}

impl Exit {
    pub(crate) fn exit(&self) -> AgentExit {
        match self {
            Exit::Code(code) => AgentExit::Code { code: *code },
            Exit::Said(said) => match said.strip_prefix("signal ") {
                Some(signal) => AgentExit::Signal { signal: signal.parse().expect("a signal") },
                None => AgentExit::SilenceTimeout,
            },
        }
    }
}

pub(crate) struct Heard {
    pub(crate) events: Vec<AgentEvent>,
    pub(crate) conclusion: Conclusion,
}

pub(crate) fn recordings() -> Vec<Recording> {
    #[derive(Deserialize)]
    struct Index {
        recording: Vec<Recording>,
    }
    let text = std::fs::read_to_string(folder().join("index.toml")).expect("the index");
    toml::from_str::<Index>(&text).expect("the index").recording
}

impl Recording {
    pub(crate) fn exit(&self) -> AgentExit {
        self.exit.exit()
    }

    pub(crate) fn stdout(&self) -> Vec<u8> {
        self.channel("out")
    }

    pub(crate) fn stderr(&self) -> Vec<u8> {
        self.channel("err")
    }

    pub(crate) fn heard(&self) -> Heard {
        hear(self.parser(), &self.stdout(), &self.stderr(), &self.exit())
    }

    /// A recording without JSON is one of plain text.
    pub(crate) fn parser(&self) -> Box<dyn Parser> {
        let is_text = self.agent == "claude" && !self.args.contains("json");
        parser(&if is_text { format!("{}-text", self.agent) } else { self.agent.clone() })
    }

    fn channel(&self, suffix: &str) -> Vec<u8> {
        let path = folder().join(&self.agent).join(format!("{}.{suffix}", self.name));
        std::fs::read(path).unwrap_or_default()
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

pub(crate) fn recording(agent: &str, name: &str) -> Recording {
    let wanted = |recording: &Recording| recording.agent == agent && recording.name == name;
    recordings().into_iter().find(wanted).expect("a recording")
}

static PRICES: LazyLock<Arc<Prices>> = LazyLock::new(|| Arc::new(Prices::builtin()));

pub(crate) fn hearing(catalogue: &Catalogue, agent: &str) -> Hearing {
    Hearing {
        promise: Word::parse("COMPLETE").expect("a word"),
        brief: "Do the work.".to_owned(),
        model: None,
        counter: Usage::default(),
        manners: Arc::clone(&catalogue.get(agent).expect("an entry").manners),
        prices: Arc::clone(&PRICES),
    }
}

/// `NAME-text` is the agent in its plain text mode, `NAME-acp` the agent behind the relay.
pub(crate) fn parser(agent: &str) -> Box<dyn Parser> {
    static BUILTIN: LazyLock<Catalogue> = LazyLock::new(Catalogue::builtin);
    let (name, format) = match (agent.strip_suffix("-text"), agent.strip_suffix("-acp")) {
        (Some(name), _) => (name, Format::Text),
        (None, Some(name)) => (name, Format::Acp),
        (None, None) => (agent, BUILTIN.get(agent).expect("an entry").format),
    };
    format.parser(hearing(&BUILTIN, name))
}

pub(crate) fn hear(mut parser: Box<dyn Parser>, stdout: &[u8], stderr: &[u8], exit: &AgentExit) -> Heard {
    let mut events = Vec::new();
    parser.push(stdout, &mut |event| events.push(event));
    parser.overhear(stderr, &mut |event| events.push(event));
    let conclusion = parser.conclude(exit, &String::from_utf8_lossy(stderr));
    Heard { events, conclusion }
}

/// What these lines of an agent amount to.
pub(crate) fn lines(agent: &str, lines: &[&str], exit: &AgentExit) -> Heard {
    hear(parser(agent), (lines.join("\n") + "\n").as_bytes(), b"", exit)
}
