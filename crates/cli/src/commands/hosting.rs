//! Hosts that start a command at each event: what is put into their settings, and how it stands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_engine::{Hook, allowance};
use ralph_hosts::hooked::{CLAUDE, Command, Dialect, State, Times, What, plugin, unplug};
use ralph_hosts::{Edited, InstallError, Installed, Removed};

use super::here;
use super::install::marked;
use crate::lasting::lasting_program;
use crate::perform::hook;
use crate::problem::{Problem, Problems};
use crate::project::Project;
use crate::settings::{Given, project_root};

/// What judging takes beside the checks, the judge and the user's own hooks.
const BESIDE: Duration = Duration::from_secs(30);

/// Where something is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Where {
    Project,
    User,
    Plugin(Option<PathBuf>),
}

/// One installation of one host, there or not.
pub(crate) struct Seat {
    dialect: &'static Dialect,
    folder: PathBuf,
    is_plugin: bool,
    command: Command,
}

impl Seat {
    pub(crate) fn of(dialect: &'static Dialect, place: &Where) -> Result<Seat, Problems> {
        let root = project_root(&here()?)
            .map_err(|error| Problem::new(format!("cannot find the project: {error}")))?;
        let folder = match place {
            Where::Project => root.join(dialect.folder),
            Where::User => user_folder(dialect)?,
            Where::Plugin(_) if dialect.name != CLAUDE.name => {
                let what = format!("{} takes no plugin from ralph", dialect.title);
                return Err(Problem::new(what).next("leave out --plugin").into());
            }
            Where::Plugin(Some(folder)) => here()?.join(folder),
            Where::Plugin(None) => data_folder()?.join("claude-plugin"),
        };
        let within = match place {
            Where::Project => Some(root.as_path()),
            Where::User | Where::Plugin(_) => marked(&root),
        };
        let program = lasting_program(within)?;
        let loaded = Project::at(&root, Given::default())?.loaded;
        let own: Vec<_> = loaded.merged.hooks.iter().map(|set| hook(&set.value)).collect();
        let judging = loaded.judging_time() + allowance(&own) + BESIDE;
        let times = match place {
            Where::Project => Times::AsNeeded,
            Where::User | Where::Plugin(_) => Times::NoShorter,
        };
        let is_plugin = matches!(place, Where::Plugin(_));
        let command = Command { program, judging, beside: beside(&own), times };
        Ok(Seat { dialect, folder, is_plugin, command })
    }

    /// The directory, for people.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn looks_for_program(&self) -> bool {
        self.command.program.is_none()
    }

    pub(crate) fn install(&self, edited: Edited) -> Result<Installed, InstallError> {
        match self.is_plugin {
            true => plugin(self.dialect, &self.folder, &self.command, edited),
            false => self.dialect.install(&self.folder, &self.command, edited),
        }
    }

    pub(crate) fn uninstall(&self, edited: Edited) -> Result<Removed, InstallError> {
        match self.is_plugin {
            true => unplug(self.dialect, &self.folder, &self.command, edited),
            false => self.dialect.uninstall(&self.folder, &self.command, edited),
        }
    }

    pub(crate) fn state(&self) -> State {
        self.dialect.state(&self.folder, &self.command)
    }

    /// What to do next.
    pub(crate) fn next(&self) -> String {
        let title = self.dialect.title;
        if self.is_plugin {
            return format!("start Claude Code with: claude --plugin-dir {}\n", self.folder.display());
        }
        let remark = self.dialect.remark.map_or(String::new(), |remark| format!("{remark}\n"));
        let [command, ..] = self.dialect.command_names();
        format!("start {title} again, then: {command} TASK\n{remark}")
    }
}

/// What the user's own hooks take at events at which nothing is judged: they are called one after the other.
fn beside(own: &[Hook]) -> Vec<(What, Duration)> {
    let told = [
        ("session_start", What::SessionStart),
        ("post_tool_use", What::Tool),
        ("session_end", What::SessionEnd),
    ];
    let time = |name: &str| {
        own.iter().filter(|hook| hook.on.iter().any(|on| on == name)).map(|hook| hook.timeout).sum()
    };
    told.map(|(name, what)| (what, time(name))).to_vec()
}

fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn homeless() -> Problem {
    Problem::new("HOME is not set").next("set it, or leave out --user")
}

fn user_folder(dialect: &Dialect) -> Result<PathBuf, Problem> {
    let own = dialect.home_variable.and_then(absolute);
    own.or_else(|| Some(absolute("HOME")?.join(dialect.folder))).ok_or_else(homeless)
}

fn data_folder() -> Result<PathBuf, Problem> {
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    Ok(data.ok_or_else(homeless)?.join("ralph"))
}
