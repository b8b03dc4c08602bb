//! `ralph install`, `ralph uninstall`: ralph inside of an agent program.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use ralph_hosts::hooked::{self, Dialect, State};
use ralph_hosts::opencode;
use ralph_hosts::{Edited, InstallError};

use super::hosting::{Seat, Where};
use super::{Outcome, here};
use crate::lasting::{is_on_the_path, lasting_program};
use crate::problem::{Place, Problem, Problems};
use crate::settings::project_root;
use crate::words::{confirmed, print};

/// Put ralph into an agent program: commands, and what tells ralph of each turn.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph install opencode          for this project, in .opencode/
  ralph install opencode --user   for all your projects
  ralph install claude            hooks in .claude/settings.json, and commands beside it
  ralph install claude --plugin   the same as a plugin's directory
  ralph uninstall claude

Installed twice, it is there once. OpenCode's own files are not touched, opencode.json neither. In a settings file of
another host, everything that is not ralph's stays as it is to the byte, comments too; one that cannot be read is left
alone. No file of ralph's own that you have changed is replaced, unless you say --yes. `ralph uninstall` takes out
exactly what was put in.")]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    target: Target,
}

/// Take ralph out of an agent program again, without a trace.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  ralph uninstall opencode --user")]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    target: Target,
}

#[derive(Debug, clap::Args)]
struct Target {
    /// The host, as `ralph hosts` names it
    #[arg(value_parser = ["opencode", "claude", "codex", "gemini", "qwen"])]
    host: String,
    /// For all projects of yours, instead of this one
    #[arg(long, conflicts_with_all = ["project", "plugin"])]
    user: bool,
    /// For this project, as is the default
    #[arg(long, conflicts_with = "plugin")]
    project: bool,
    /// As a directory that Claude Code loads as a plugin; among ralph's own data by default
    #[arg(long, value_name = "DIRECTORY", num_args = 0..=1, require_equals = true)]
    plugin: Option<Option<PathBuf>>,
    /// Do not ask, also where a file of ralph's was changed since
    #[arg(long)]
    yes: bool,
}

impl Target {
    fn dialect(&self) -> Option<&'static Dialect> {
        hooked::of(&self.host)
    }

    fn place(&self) -> Where {
        match (&self.plugin, self.user) {
            (Some(directory), _) => Where::Plugin(directory.clone()),
            (None, true) => Where::User,
            (None, false) => Where::Project,
        }
    }

    fn no_plugin(&self) -> Result<(), Problem> {
        match self.plugin {
            Some(_) => {
                Err(Problem::new("OpenCode's plugin is installed without --plugin").next("leave it out"))
            }
            None => Ok(()),
        }
    }
}

/// The directory that OpenCode reads, and the project that this is said in.
pub(super) fn directory(user: bool) -> Result<(PathBuf, Option<PathBuf>), Problems> {
    let root =
        project_root(&here()?).map_err(|error| Problem::new(format!("cannot find the project: {error}")))?;
    if !user {
        return Ok((root.join(".opencode"), Some(root)));
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let config = config.ok_or_else(|| Problem::new("HOME is not set").next("set it, or leave out --user"))?;
    let project = marked(&root).map(Path::to_owned);
    Ok((config.join("opencode"), project))
}

/// The project that something is installed in for more than that: a directory that nothing marks as one is none.
pub(super) fn marked(root: &Path) -> Option<&Path> {
    Some(root).filter(|root| [".git", ".ralph"].iter().any(|mark| root.join(mark).exists()))
}

fn install_problem(error: &InstallError) -> Problem {
    let problem = Problem::new(ralph_engine::chain(error));
    match error {
        InstallError::Foreign { path } => {
            problem.at(Place::from(path.clone())).next("rename it or move it away; nothing was written")
        }
        InstallError::Edited { path } => problem
            .at(Place::from(path.clone()))
            .next("nothing was touched; keep what you need of it, then say it again with --yes"),
        InstallError::Settings { path, .. } => problem
            .at(Place::from(path.clone()))
            .next("repair it; it was left as it is, and nothing was written"),
        InstallError::ReadOnly { path } => {
            problem.at(Place::from(path.clone())).next("make it writable; nothing was written")
        }
        InstallError::Io { .. } => problem.exit(1),
    }
}

fn agreed(target: &Target, question: &str) -> Result<bool, Problems> {
    if target.yes || !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    confirmed(question)
}

/// Somebody's changes go only where that is said: beforehand, or when asked at a terminal.
fn perform<T>(
    target: &Target,
    work: impl Fn(Edited) -> Result<T, InstallError>,
) -> Result<Option<T>, Problems> {
    let edited = if target.yes { Edited::Replace } else { Edited::Keep };
    match work(edited) {
        Err(InstallError::Edited { path }) if std::io::stdin().is_terminal() => {
            let question = format!("{} was changed since ralph wrote it. Lose that? [y/N] ", path.display());
            if !confirmed(&question)? {
                return Ok(None);
            }
            Ok(Some(work(Edited::Replace).map_err(|error| install_problem(&error))?))
        }
        done => Ok(Some(done.map_err(|error| install_problem(&error))?)),
    }
}

pub(crate) fn install(args: &InstallArgs) -> Outcome {
    if let Some(dialect) = args.target.dialect() {
        return install_hooks(dialect, &args.target);
    }
    args.target.no_plugin()?;
    let (directory, root) = directory(args.target.user)?;
    let question =
        format!("Put {} files into {}? [y/N] ", opencode::places(&directory).len(), directory.display());
    if !agreed(&args.target, &question)? {
        print("nothing was written\n");
        return Ok(0);
    }
    let program = lasting_program(root.as_deref())?;
    let Some(done) =
        perform(&args.target, |edited| opencode::install(&directory, program.as_deref(), edited))?
    else {
        print("nothing was written\n");
        return Ok(0);
    };
    for path in &done.written {
        print(&format!("wrote {}\n", path.display()));
    }
    if done.written.is_empty() {
        print(&format!("everything is in {} already\n", directory.display()));
    }
    if program.is_none() {
        let found = if is_on_the_path() { "" } else { "; it is not there, so put it there first" };
        print(&format!(
            "ralph's own program lies inside the project, so the plugin looks for `ralph` on the PATH{found}\n"
        ));
    }
    print("start OpenCode again, then: /ralph TASK\n");
    Ok(0)
}

fn install_hooks(dialect: &'static Dialect, target: &Target) -> Outcome {
    let seat = Seat::of(dialect, &target.place())?;
    let question = format!("Put hooks and commands into {}? [y/N] ", seat.folder().display());
    if !agreed(target, &question)? {
        print("nothing was written\n");
        return Ok(0);
    }
    let Some(done) = perform(target, |edited| seat.install(edited))? else {
        print("nothing was written\n");
        return Ok(0);
    };
    for path in &done.written {
        print(&format!("wrote {}\n", path.display()));
    }
    for path in &done.removed {
        print(&format!("removed what an earlier version had written: {}\n", path.display()));
    }
    if done.written.is_empty() {
        print(&format!("everything is in {} already\n", seat.folder().display()));
    }
    if seat.looks_for_program() {
        print("ralph's own program lies inside the project, so the hooks look for `ralph` on the PATH\n");
    }
    let other = match target.place() {
        Where::Project => Where::User,
        Where::User | Where::Plugin(_) => Where::Project,
    };
    // Whoever has no home has nothing there, and in a home both are one.
    let is_elsewhere = |other: Seat| other.folder() != seat.folder() && other.state() != State::Absent;
    if Seat::of(dialect, &other).is_ok_and(is_elsewhere) {
        print(
            "it is installed in another place too, so that a hook may be told twice: uninstall one of them\n",
        );
    }
    print(&seat.next());
    Ok(0)
}

fn uninstall_hooks(dialect: &'static Dialect, target: &Target) -> Outcome {
    let seat = Seat::of(dialect, &target.place())?;
    if !agreed(target, &format!("Take ralph out of {}? [y/N] ", seat.folder().display()))? {
        print("nothing was removed\n");
        return Ok(0);
    }
    let Some(done) = perform(target, |edited| seat.uninstall(edited))? else {
        print("nothing was removed\n");
        return Ok(0);
    };
    for path in &done.removed {
        print(&format!("removed what is ralph's: {}\n", path.display()));
    }
    if done.removed.is_empty() {
        print(&format!("nothing of ralph's is in {}\n", seat.folder().display()));
    }
    Ok(0)
}

pub(crate) fn uninstall(args: &UninstallArgs) -> Outcome {
    if let Some(dialect) = args.target.dialect() {
        return uninstall_hooks(dialect, &args.target);
    }
    args.target.no_plugin()?;
    let (directory, _) = directory(args.target.user)?;
    if !agreed(&args.target, &format!("Take ralph out of {}? [y/N] ", directory.display()))? {
        print("nothing was removed\n");
        return Ok(0);
    }
    let Some(done) = perform(&args.target, |edited| opencode::uninstall(&directory, edited))? else {
        print("nothing was removed\n");
        return Ok(0);
    };
    for path in &done.removed {
        print(&format!("removed {}\n", path.display()));
    }
    if done.removed.is_empty() {
        print(&format!("nothing of ralph's is in {}\n", directory.display()));
    }
    Ok(0)
}
