//! A temporary project with a state directory and a configuration of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::journal::entries;
use crate::live::Live;

#[derive(Debug)]
pub struct Project {
    dir: TempDir,
    binary: PathBuf,
    variables: Vec<(String, String)>,
}

/// A command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// None if a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Project {
    /// `binary` is the ralph to try, unless `RALPH_TEST_BINARY` names another, such as the one that is released.
    pub fn new(binary: impl Into<PathBuf>) -> Project {
        let binary = std::env::var_os("RALPH_TEST_BINARY").map_or_else(|| binary.into(), PathBuf::from);
        let dir = tempfile::Builder::new().prefix("ralph-proof-").tempdir().expect("a temporary directory");
        for part in ["tree", "config/ralph", "runtime"] {
            fs::create_dir_all(dir.path().join(part)).expect("a directory in a temporary one");
        }
        let project = Project { dir, binary, variables: Vec::new() };
        project.with("RALPH_SET_AGENT__RETRY_DELAY", "20ms")
    }

    /// Sets a variable for every command from here on.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Project {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// An agent that is a shell script; every run of this project uses it.
    #[must_use]
    pub fn agent(self, script: &str) -> Project {
        let path = self.script("agent.sh", script);
        self.with("RALPH_SET_AGENT__COMMAND", &path.to_string_lossy())
    }

    /// Writes an executable shell script beside the tree.
    pub fn script(&self, name: &str, script: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script can be run");
        path
    }

    /// The directory that agents work in.
    pub fn tree(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    /// The whole temporary directory: tree, state, configuration.
    pub fn base(&self) -> &Path {
        self.dir.path()
    }

    /// Leaves everything in place, for a person to look at.
    pub fn keep(self) -> PathBuf {
        self.dir.keep()
    }

    pub fn state_home(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub fn user_config(&self) -> PathBuf {
        self.dir.path().join("config/ralph/config.toml")
    }

    /// This project's part of the state directory.
    pub fn state(&self) -> PathBuf {
        let projects =
            fs::read_dir(self.state_home().join("ralph/projects")).expect("there is a state directory");
        projects.flatten().next().expect("the state of one project").path()
    }

    pub fn database(&self) -> PathBuf {
        self.state().join("ralph.db")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.outfitted(&self.binary);
        command.args(args);
        command
    }

    /// Any program, in the tree and with the environment that ralph gets here.
    fn outfitted(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.tree())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("UNDER_TEST", &self.binary)
            .env("XDG_STATE_HOME", self.state_home())
            .env("XDG_CONFIG_HOME", self.dir.path().join("config"))
            .env("XDG_RUNTIME_DIR", self.dir.path().join("runtime"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn ralph(&self, args: &[&str]) -> Ran {
        self.command(args).output().expect("ralph starts").into()
    }

    /// Starts a command and goes on.
    pub fn start(&self, args: &[&str]) -> Live {
        Live::start(self.command(args))
    }

    /// Starts a command whose standard output nobody reads.
    pub fn start_unread(&self, args: &[&str]) -> Live {
        Live::start_unread(self.command(args))
    }

    /// Starts a command through another one that becomes it: `nohup`, `nice`.
    pub fn start_through(&self, program: &str, args: &[&str]) -> Live {
        let mut command = self.outfitted(Path::new(program));
        command.arg(&self.binary).args(args);
        Live::start(command)
    }

    /// The latest run as `status --json` tells it; none before there is one.
    pub fn status(&self) -> Option<Value> {
        let ran = self.ralph(&["status", "--json"]);
        serde_json::from_str(&ran.out).ok()
    }

    pub fn run_id(&self) -> Option<String> {
        Some(self.status()?["run"].as_str()?.to_owned())
    }

    /// The journal of the latest run, output left out.
    pub fn journal(&self) -> Vec<Value> {
        let ran = self.ralph(&["logs", "--json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        entries(&ran.out)
    }

    /// The names of the journal's lines.
    pub fn events(&self) -> Vec<String> {
        self.journal().iter().map(|entry| entry["type"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// How many rows of the database a condition holds for, as another program sees it: `"outbox WHERE …"`.
    pub fn rows(&self, from: &str) -> u64 {
        let look = "import sqlite3,sys; c=sqlite3.connect('file:'+sys.argv[1]+'?mode=ro',uri=True); \
                    print(c.execute('SELECT count(*) FROM '+sys.argv[2]).fetchone()[0])";
        let looked = Command::new("python3").args(["-c", look]).arg(self.database()).arg(from).output();
        let counted =
            String::from_utf8(looked.expect("there is a python3").stdout).expect("a number is text");
        counted.trim().parse().expect("a count is a number")
    }

    /// What the agent was told in an attempt of the latest run.
    pub fn brief(&self, iteration: u32, attempt: u32) -> String {
        let run = self.run_id().expect("there is a run");
        let attempt = format!("{iteration:04}-{attempt:02}");
        fs::read_to_string(self.state().join("output").join(run).join(attempt).join("brief.md"))
            .expect("the attempt has a brief")
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
