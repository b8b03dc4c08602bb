//! Any program that reads a brief from its standard input and writes its message to its standard output.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ralph_core::agent_event::AgentEvent;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::event::Stream;
use ralph_core::id::AgentName;
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::agent::{Agent, Heard, Invocation, Listener};

use crate::program::{ProgramError, find};
use crate::stream::{Conclusion, Format, Hearing, Parser};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    name: AgentName,
    program: PathBuf,
    args: Vec<OsString>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("the agent's command is empty")]
    Empty,
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl Command {
    /// Finds the program now, so that a misspelt one costs no attempt. A relative path is one below `base`.
    pub fn new(words: &[String], base: &Path, search_path: &str) -> Result<Command, CommandError> {
        let (program, args) = words.split_first().ok_or(CommandError::Empty)?;
        if program.is_empty() {
            return Err(CommandError::Empty);
        }
        Ok(Command {
            name: AgentName::parse("command").expect("a legal name"),
            program: find(program, base, search_path)?,
            args: args.iter().map(OsString::from).collect(),
        })
    }
}

impl Agent for Command {
    fn name(&self) -> &AgentName {
        &self.name
    }

    fn invocation(&self, _attempt: &Attempt) -> Invocation {
        Invocation { program: self.program.clone().into(), args: self.args.clone(), env: Vec::new() }
    }

    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener> {
        let hearing = Hearing {
            promise: attempt.promise.clone(),
            brief: brief.text.clone(),
            model: None,
            counter: Usage::default(),
            manners: Arc::default(),
            prices: Arc::default(),
        };
        Box::new(PlainText(Format::Text.parser(hearing)))
    }

    fn reports_usage(&self) -> bool {
        false
    }

    fn is_structured(&self) -> bool {
        false
    }
}

/// Standard output is the message; standard error is only kept.
struct PlainText(Box<dyn Parser>);

impl Listener for PlainText {
    fn hear(&mut self, stream: Stream, bytes: &[u8], _tell: &mut dyn FnMut(AgentEvent)) {
        match stream {
            Stream::Out => self.0.push(bytes, &mut |_| {}),
            Stream::Err => {}
        }
    }

    fn conclude(self: Box<Self>, exit: &AgentExit) -> Heard {
        let Conclusion { claim, usage, .. } = self.0.conclude(exit, "");
        Heard {
            claim,
            signals: BTreeSet::new(),
            question: None,
            usage,
            message: None,
            exit: None,
            conversation: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, CommandError};
    use crate::program::ProgramError;
    use std::path::Path;

    #[test]
    fn a_program_that_is_not_there_is_told_before_the_run() {
        let new = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Command::new(&words, Path::new("/"), "/bin:/usr/bin").map(|command| command.args.len())
        };
        assert_eq!(new(&["sh", "-c", "true"]), Ok(2));
        assert_eq!(new(&["bin/sh"]), Ok(0));
        assert_eq!(new(&[]), Err(CommandError::Empty));
        assert_eq!(
            new(&["no-such-program"]),
            Err(ProgramError::NotOnPath("no-such-program".to_owned()).into())
        );
        assert_eq!(new(&["./etc"]), Err(ProgramError::NotExecutable("/./etc".into()).into()));
    }
}
