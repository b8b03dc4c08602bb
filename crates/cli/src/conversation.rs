//! What a person and an agent have said about a backlog that is being drafted.

use std::io::{BufRead, Write};

use ralph_core::draft::{MOST_TURNS, Turn};
use ralph_core::redact::Redactor;

use crate::problem::{Problem, Problems};
use crate::render::{CALM, HEAD, inert, paint};

/// As much as a person types for one thing, in bytes.
const LONGEST: usize = 256 * 1024;

/// What is wanted, and whether whoever said it is still there.
pub(crate) enum Description {
    Whole(String),
    Told(String),
}

pub(crate) struct Conversation<'a> {
    description: String,
    is_answered: bool,
    turns: Vec<Turn>,
    rounds: usize,
    askings: u32,
    redactor: &'a Redactor,
}

impl<'a> Conversation<'a> {
    pub(crate) fn new(description: Description, redactor: &'a Redactor) -> Conversation<'a> {
        let (text, is_answered) = match description {
            Description::Whole(text) => (text, false),
            Description::Told(text) => (text, true),
        };
        let description = redactor.text(&text).into_owned();
        if description != text {
            say("what looks like a secret in it was replaced, and the agent does not get it");
        }
        Conversation { description, is_answered, turns: Vec::new(), rounds: 0, askings: 0, redactor }
    }

    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    pub(crate) fn turns(&self) -> &[Turn] {
        &self.turns
    }

    pub(crate) fn askings(&self) -> u32 {
        self.askings
    }

    /// Whether the agent may still ask.
    pub(crate) fn may_ask(&self) -> bool {
        self.is_answered && self.rounds < MOST_TURNS
    }

    pub(crate) fn count_asking(&mut self, agent: &str) {
        self.askings += 1;
        say(&format!("{agent} is asked, for the {}", nth(self.askings)));
    }

    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.text(text).into_owned()
    }

    /// Puts questions to the person, one line each for the answer.
    pub(crate) fn put(&mut self, questions: Vec<String>) -> Result<(), Problems> {
        self.rounds += 1;
        for question in questions {
            err(&format!("\n{}\n> ", paint(HEAD, &inert(&question))));
            let answer = line()?;
            // Whoever went away answers nothing more.
            self.is_answered &= answer.is_some();
            let answer = self.redact(answer.unwrap_or_default().trim());
            self.turns.push(Turn { question, answer });
        }
        Ok(())
    }
}

/// What is wanted, up to an empty line.
pub(crate) fn described(is_terminal: bool) -> Result<String, Problems> {
    if is_terminal {
        err(&paint(HEAD, "What is to be built? An empty line ends it.\n> "));
    }
    let mut text = String::new();
    while let Some(line) = line()? {
        if line.trim().is_empty() && !text.trim().is_empty() {
            break;
        }
        text += &line;
        if text.len() > LONGEST {
            let next = "write it into a file, and name that with --from";
            return Err(Problem::new("that is too long to be typed").next(next).into());
        }
    }
    if text.trim().is_empty() {
        return Err(Problem::new("nothing is described")
            .next("say what is to be built, or name a file with --from FILE")
            .into());
    }
    Ok(text)
}

/// The next line of standard input; none at its end.
fn line() -> Result<Option<String>, Problems> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match read.map_err(|error| Problem::new(format!("cannot read the answer: {error}")))? {
        0 => Ok(None),
        _ => Ok(Some(line)),
    }
}

/// To whoever waits: standard output is for the result.
pub(crate) fn say(text: &str) {
    err(&format!("{} {}\n", paint(CALM, "ralph:"), inert(text)));
}

fn err(text: &str) {
    let mut err = anstream::stderr().lock();
    let _nobody_reads_it = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

fn nth(number: u32) -> String {
    match number {
        1 => "first time".to_owned(),
        2 => "second time".to_owned(),
        3 => "third time".to_owned(),
        other => format!("{other}th time"),
    }
}
