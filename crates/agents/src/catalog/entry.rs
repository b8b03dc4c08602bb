//! One agent program.

use std::collections::BTreeMap;
use std::sync::Arc;

use ralph_core::id::AgentName;
use ralph_core::policy::Signal;
use serde::{Deserialize, Serialize};

use super::invocation::MCP;
use crate::stream::{Format, Hearing, Manners, Parser};

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: AgentName,
    pub program: String,
    /// The command that installs it.
    pub install: Option<String>,
    pub version: Option<Version>,
    /// With `{model}`, `{effort}`, `{file}`, `{resume}`, `{mcp}` and `{yolo}` where the arguments below go.
    pub args: Vec<String>,
    pub prompt: PromptChannel,
    pub format: Format,
    /// With `{value}` for the model's name.
    pub model: Vec<String>,
    pub effort: Effort,
    pub file: FileFlag,
    /// With `{value}` for the session.
    pub resume: Vec<String>,
    /// Lets it work without asking.
    pub yolo: Vec<String>,
    pub look: Look,
    pub environment: BTreeMap<String, String>,
    pub reports_usage: bool,
    pub reports_cost: bool,
    /// Where it keeps what it has to write to, below the home directory where it begins with `~`.
    pub state: Vec<String>,
    /// Where it looks for skills, below the project where it is not absolute.
    pub skills: Vec<String>,
    /// Arguments that make it speak the Agent Client Protocol.
    pub acp: Option<Vec<String>>,
    /// Whether it tells all tokens of an attempt there too.
    pub acp_reports_usage: bool,
    /// Arguments that make it list its models.
    pub models: Option<Vec<String>>,
    /// Arguments that give it ralph's own server of the Model Context Protocol, with `{command}`, `{run}` and `{mailbox}`
    /// for what that needs, each as a JSON string.
    pub mcp: Vec<String>,
    pub manners: Arc<Manners>,
    /// Where each field comes from.
    pub provenance: BTreeMap<String, Provenance>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    pub args: Vec<String>,
    /// What it prints, with `{version}` where the version stands.
    pub pattern: String,
}

impl Version {
    /// The version in what the program printed.
    pub fn read<'a>(&self, printed: &'a str) -> Option<&'a str> {
        let (before, after) = self.pattern.split_once("{version}")?;
        printed.lines().map(str::trim).find_map(|line| {
            let rest = line.strip_prefix(before)?;
            let end = if after.is_empty() { rest.len() } else { rest.find(after)? };
            Some(&rest[..end]).filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptChannel {
    #[default]
    Stdin,
    /// The argument where `{prompt}` stands, or the last.
    Argument,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Effort {
    /// With `{value}` for the effort.
    pub args: Vec<String>,
    pub allowed: Vec<String>,
}

/// What lets it look and change nothing, in the place of what lets it work without asking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Look {
    pub args: Vec<String>,
    pub environment: BTreeMap<String, String>,
}

/// How it takes files, if it does; once for each file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileFlag {
    /// With `{value}` for the path.
    pub args: Vec<String>,
    /// The endings of names that it takes; none stands for any.
    pub only: Vec<String>,
}

impl FileFlag {
    pub(crate) fn takes(&self, path: &str) -> bool {
        let ending = std::path::Path::new(path).extension().unwrap_or_default();
        !self.args.is_empty()
            && (self.only.is_empty() || self.only.iter().any(|only| ending.eq_ignore_ascii_case(only)))
    }
}

/// How far a field can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Seen with the program of this version.
    Verified(String),
    /// Read in this place and not tried.
    Read(String),
}

impl Provenance {
    /// Whether somebody could look it up: a version begins with a digit, and a page is more than a word.
    pub(super) fn is_checkable(&self) -> bool {
        match self {
            Provenance::Verified(version) => version.starts_with(|c: char| c.is_ascii_digit()),
            Provenance::Read(page) => page.starts_with("https://") || page.trim().contains(' '),
        }
    }
}

impl Entry {
    /// The same agent, to look and to change nothing.
    #[must_use]
    pub fn looking(&self) -> Entry {
        let Look { args, environment } = self.look.clone();
        let mut entry = self.clone();
        entry.yolo = args;
        entry.environment.extend(environment);
        entry
    }

    /// Whether it has the means to show this, as a program that prints.
    pub(crate) fn shows(&self, signal: Signal) -> bool {
        match signal {
            Signal::Promise | Signal::Criteria | Signal::Tracker => true,
            Signal::Tool => !self.mcp.is_empty() && self.args.iter().any(|arg| arg == MCP),
            Signal::Todo => false,
        }
    }

    /// Listens to one attempt.
    pub fn parser(&self, hearing: Hearing) -> Box<dyn Parser> {
        self.format.parser(hearing)
    }

    /// Where a field comes from: what is said of it, or of all.
    pub fn provenance_of(&self, field: &str) -> Option<&Provenance> {
        self.provenance.get(field).or_else(|| self.provenance.get("all"))
    }
}
