//! A loop in a session of a host, as another tool left it: what of it goes on in ralph's hands, and what does not.

use std::path::{Path, PathBuf};

use ralph_core::id::SessionId;
use ralph_core::in_session::Strategy;
use ralph_core::promise::Word;

use crate::fault::Fault;
use crate::fields::Fields;
use crate::plan::{Fate, Plan};
use crate::shell::quoted;
use crate::source;

const PROMPTLESS: &str = "it has no prompt";
const UNINHABITABLE: &str = "ralph lives in no session of this tool's";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLoop {
    /// The file that says so.
    pub file: PathBuf,
    /// The host whose session it is in.
    pub host: &'static str,
    /// Whether ralph can live in that host's sessions.
    pub is_inhabitable: bool,
    pub session: Option<SessionId>,
    pub is_active: bool,
    pub prompt: String,
    /// The iteration that it is in, from 1.
    pub iteration: u32,
    /// None where it has no bound.
    pub max_iterations: Option<u32>,
    pub promise: Option<Word>,
    pub strategy: Strategy,
}

impl FoundLoop {
    /// Why it does not go on in its session; none if it does.
    pub fn obstacle(&self) -> Option<&'static str> {
        if self.prompt.is_empty() {
            Some(PROMPTLESS)
        } else if !self.is_active {
            Some("it is not active")
        } else if self.max_iterations.is_some_and(|max| self.iteration > max) {
            Some("its iterations are used up")
        } else if self.session.is_none() {
            Some("it names no session")
        } else if !self.is_inhabitable {
            Some(UNINHABITABLE)
        } else {
            None
        }
    }
}

impl FoundLoop {
    /// The run of ralph's that would do the same; none where there is nothing to do.
    pub fn command(&self) -> Option<String> {
        if self.prompt.is_empty() {
            return None;
        }
        let word =
            self.promise.as_ref().map(|word| format!(" --promise {} --no-nonce", quoted(word.as_str())));
        let max = self.max_iterations.map(|max| format!(" --max-iterations {max}"));
        let flags = max.unwrap_or_default() + &word.unwrap_or_default();
        let prompt = quoted(&self.prompt);
        // It would be taken for a flag.
        let is_like_a_flag = self.prompt.starts_with('-');
        Some(match is_like_a_flag {
            true => format!("ralph run{flags} -- {prompt}"),
            false => format!("ralph run {prompt}{flags}"),
        })
    }
}

/// What a tool calls the things that every loop has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) host: &'static str,
    /// Whether the host's own program tells ralph of its sessions.
    pub(crate) is_inhabitable: bool,
    pub(crate) read: fn(&Path, &str) -> Result<Fields, Fault>,
    pub(crate) iteration: &'static str,
    pub(crate) max_iterations: &'static str,
    pub(crate) promise: &'static str,
    pub(crate) session: &'static str,
    /// The key with the prompt; none where it follows the front matter.
    pub(crate) prompt: Option<&'static str>,
    /// What a missing bound means.
    pub(crate) default_max: Option<u32>,
    /// What a missing word means.
    pub(crate) default_promise: Option<&'static str>,
    /// Keys that are no part of a loop of ralph's, with the reason.
    pub(crate) dropped: &'static [(&'static str, &'static str)],
}

impl Dialect {
    /// Adds what a file says to the plan. One that makes no sense is told, and keeps nothing else from being taken over.
    pub(crate) fn take(&self, root: &Path, path: &Path, plan: &mut Plan) {
        let read = source::text(root, path, source::WRITTEN);
        let read = read.and_then(|text| text.map(|text| (self.read)(path, &text)).transpose());
        let found = read.and_then(|fields| match fields {
            Some(fields) => self.found(&fields).map(|found| Some((found, fields))),
            None => Ok(None),
        });
        match found {
            Ok(Some((found, fields))) => {
                plan.fates.extend(self.fates(&fields, &found));
                plan.loops.push(found);
            }
            Ok(None) => {}
            Err(fault) => plan.faults.push(fault),
        }
    }

    fn found(&self, fields: &Fields) -> Result<FoundLoop, Fault> {
        let session = fields.text(self.session).map(SessionId::parse).transpose();
        let promise = self.word(fields).or(self.default_promise).map(Word::parse).transpose();
        let max = fields.number(self.max_iterations)?;
        let strategy = match fields.text("strategy") {
            None => Strategy::default(),
            Some(name) => Strategy::parse(name)
                .ok_or_else(|| fields.wrong("strategy", "`strategy` is \"continue\" or \"reset\""))?,
        };
        Ok(FoundLoop {
            file: fields.path.clone(),
            host: self.host,
            is_inhabitable: self.is_inhabitable,
            session: session.map_err(|error| fields.wrong(self.session, error.to_string()))?,
            is_active: fields.truth("active")?.unwrap_or(true),
            prompt: self.prompt.map_or(&*fields.body, |key| fields.text(key).unwrap_or_default()).to_owned(),
            iteration: fields.number(self.iteration)?.unwrap_or(1).max(1),
            max_iterations: if max == Some(0) { None } else { max.or(self.default_max) },
            promise: promise.map_err(|error| fields.wrong(self.promise, error.to_string()))?,
            strategy,
        })
    }

    /// While a loop waits to be verified, its word is another one.
    fn word<'f>(&self, fields: &'f Fields) -> Option<&'f str> {
        let first = fields.text("initial_completion_promise");
        let is_waiting = fields.text("verification_pending") == Some("true");
        first.filter(|_| is_waiting).or_else(|| fields.text(self.promise))
    }

    fn fates(&self, fields: &Fields, found: &FoundLoop) -> Vec<Fate> {
        let fate = |(key, field): (&str, &crate::fields::Field)| {
            let (became, why) = self.fate(key, found);
            let file = fields.path.display().to_string();
            Fate { file, line: Some(field.line), key: key.to_owned(), became, why: why.to_owned() }
        };
        let mut fates: Vec<Fate> = fields.keys().map(fate).collect();
        fates.sort_by_key(|fate| fate.line);
        fates
    }

    fn fate(&self, key: &str, found: &FoundLoop) -> (Option<String>, &'static str) {
        let obstacle = found.obstacle();
        let goes_on = obstacle.is_none();
        if obstacle == Some(PROMPTLESS) && !self.is_dropped(key) {
            return (None, PROMPTLESS);
        }
        if key == self.iteration {
            let made = goes_on.then(|| format!("iteration {}", found.iteration));
            return (
                made,
                if goes_on { "those before it count as made" } else { "a new loop counts from 1" },
            );
        }
        if key == self.max_iterations {
            let max = found.max_iterations.map(|max| format!("--max-iterations {max}"));
            let why = if max.is_some() {
                ""
            } else {
                "a loop of ralph's has a bound: what the settings say, from here on"
            };
            return (max, why);
        }
        if key == self.promise || key == "initial_completion_promise" {
            let word = found.promise.as_ref().map(|word| format!("--completion-promise {:?}", word.as_str()));
            let why = if word.is_some() {
                "the bare word, as the agent was told"
            } else {
                "ralph's own word counts"
            };
            return (word, why);
        }
        if key == self.session {
            let why = if found.is_inhabitable { obstacle } else { Some(UNINHABITABLE) };
            let session = found.session.as_ref().map(|id| format!("--session {id} --host {}", found.host));
            return (session.filter(|_| goes_on), why.unwrap_or_default());
        }
        match key {
            "active" => (goes_on.then(|| "a loop that goes on".to_owned()), obstacle.unwrap_or_default()),
            "strategy" => (Some(format!("--strategy {}", name(found.strategy))), ""),
            _ if self.prompt == Some(key) => (Some("the prompt".to_owned()), ""),
            _ => {
                let known = self.dropped.iter().find(|(name, _)| *name == key);
                (None, known.map_or("ralph knows no such key", |(_, why)| *why))
            }
        }
    }

    fn is_dropped(&self, key: &str) -> bool {
        self.dropped.iter().any(|(name, _)| *name == key)
    }
}

fn name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Continue => "continue",
        Strategy::Reset => "reset",
        Strategy::Compact => "compact",
    }
}
