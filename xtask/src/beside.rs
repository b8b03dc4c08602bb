//! What is built beside the tests, in the gaps that they leave: most of them wait for processes, and a compiler that gives
//! way to everybody else keeps none of them waiting.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::cargo::line;

/// Commands that run one after the other in a thread of their own.
#[derive(Debug)]
pub(crate) struct Beside(JoinHandle<Vec<Built>>);

/// What became of one of them.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) name: &'static str,
    pub(crate) outcome: anyhow::Result<()>,
    pub(crate) took: Duration,
}

impl Beside {
    pub(crate) fn start(commands: Vec<(&'static str, Command)>) -> Beside {
        let all = move || commands.into_iter().map(|(name, command)| built(name, command)).collect();
        Beside(thread::spawn(all))
    }

    /// Waits for the last of them.
    pub(crate) fn finish(self) -> Vec<Built> {
        self.0.join().expect("what is built beside the tests does not panic")
    }
}

fn built(name: &'static str, mut command: Command) -> Built {
    let begun = Instant::now();
    let outcome = quietly(&mut command);
    Built { name, outcome, took: begun.elapsed() }
}

/// What it prints would stand in the middle of what the tests print: it is shown where it tells of a failure.
fn quietly(command: &mut Command) -> anyhow::Result<()> {
    let mut log = tempfile::tempfile()?;
    let copy = |log: &File| Ok::<_, anyhow::Error>(Stdio::from(log.try_clone()?));
    let started = command.stdin(Stdio::null()).stdout(copy(&log)?).stderr(copy(&log)?).status();
    let status = started.with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let mut said = String::new();
    if !status.success() {
        std::io::Seek::rewind(&mut log)?;
        log.read_to_string(&mut said)?;
    }
    ensure!(status.success(), "{} ended with {status}:\n{said}", line(command));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::Beside;

    #[test]
    fn one_follows_the_other_and_a_failure_is_told_with_what_was_printed() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let commands = vec![("bad", shell("echo the reason >&2; exit 3")), ("good", shell("exit 0"))];
        let built = Beside::start(commands).finish();
        let names: Vec<_> = built.iter().map(|one| (one.name, one.outcome.is_ok())).collect();
        assert_eq!(names, [("bad", false), ("good", true)]);
        let why = built[0].outcome.as_ref().unwrap_err().to_string();
        assert!(why.contains("the reason"), "{why}");
    }
}
