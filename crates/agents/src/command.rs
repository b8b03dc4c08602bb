//! Any program that reads a brief from its standard input and writes its message to its standard output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::event::Stream;
use ralph_core::id::AgentName;
use ralph_core::promise::Scanner;
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::agent::{Agent, Heard, Invocation, Listener};

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
    #[error("no program `{0}` on the search path")]
    NotOnPath(String),
    #[error("{} is not a program that can be run", .0.display())]
    NotExecutable(PathBuf),
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

fn find(program: &str, base: &Path, search_path: &str) -> Result<PathBuf, CommandError> {
    if program.contains('/') {
        let path = base.join(program);
        return if is_executable(&path) { Ok(path) } else { Err(CommandError::NotExecutable(path)) };
    }
    std::env::split_paths(search_path)
        .map(|dir| base.join(dir).join(program))
        .find(|path| is_executable(path))
        .ok_or_else(|| CommandError::NotOnPath(program.to_owned()))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

impl Agent for Command {
    fn name(&self) -> &AgentName {
        &self.name
    }

    fn invocation(&self, _attempt: &Attempt) -> Invocation {
        Invocation { program: self.program.clone().into(), args: self.args.clone(), env: Vec::new() }
    }

    fn listen(&self, attempt: &Attempt, brief: &Brief) -> Box<dyn Listener> {
        Box::new(PlainText { scanner: Scanner::new(&attempt.promise, &brief.text), partial: Vec::new() })
    }

    fn reports_usage(&self) -> bool {
        false
    }
}

/// Standard output is the message; standard error is only kept.
struct PlainText {
    scanner: Scanner,
    /// The beginning of a character whose rest has not come yet.
    partial: Vec<u8>,
}

impl Listener for PlainText {
    fn hear(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.message(bytes),
            Stream::Err => {}
        }
    }

    fn conclude(self: Box<Self>, _exit: &AgentExit) -> Heard {
        let mut plain = *self;
        plain.scanner.feed(&String::from_utf8_lossy(&plain.partial));
        Heard { claim: plain.scanner.finish(), usage: Usage::default(), message: None, exit: None }
    }
}

impl PlainText {
    fn message(&mut self, bytes: &[u8]) {
        let joined;
        let bytes = if self.partial.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            &joined
        };
        let whole = bytes.len() - unfinished(bytes);
        self.scanner.feed(&String::from_utf8_lossy(&bytes[..whole]));
        self.partial = bytes[whole..].to_vec();
    }
}

/// How many bytes at the end begin a character that is cut off.
fn unfinished(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(4);
    let Err(error) = std::str::from_utf8(&bytes[cut_forward(bytes, start)..]) else { return 0 };
    if error.error_len().is_none() {
        bytes.len() - cut_forward(bytes, start) - error.valid_up_to()
    } else {
        0
    }
}

/// The first position at or after `start` that is not in the middle of a character.
fn cut_forward(bytes: &[u8], start: usize) -> usize {
    (start..bytes.len()).find(|at| bytes[*at] & 0xc0 != 0x80).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::{Command, CommandError, unfinished};
    use std::path::Path;

    #[test]
    fn a_cut_off_character_is_kept_for_the_next_piece() {
        let text = "aé€😀".as_bytes();
        let cuts: Vec<usize> = (0..=text.len()).map(|end| unfinished(&text[..end])).collect();
        assert_eq!(cuts, [0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0]);
        assert_eq!(unfinished(b"\xff\xff\xff\xff\xff"), 0);
        assert_eq!(unfinished(b"\x80\x80\x80\x80\x80"), 0);
    }

    #[test]
    fn a_program_that_is_not_there_is_told_before_the_run() {
        let new = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Command::new(&words, Path::new("/"), "/bin:/usr/bin").map(|command| command.args.len())
        };
        assert_eq!(new(&["sh", "-c", "true"]), Ok(2));
        assert_eq!(new(&["bin/sh"]), Ok(0));
        assert_eq!(new(&[]), Err(CommandError::Empty));
        assert_eq!(new(&["no-such-program"]), Err(CommandError::NotOnPath("no-such-program".to_owned())));
        assert_eq!(new(&["./etc"]), Err(CommandError::NotExecutable("/./etc".into())));
    }
}
