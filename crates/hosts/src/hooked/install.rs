//! Hooks in a host's settings and commands beside them, or both as a plugin of their own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::dialect::{Clock, Dialect, What};
use super::event::PLUGIN;
use crate::installed::{self, Edited, File, InstallError, Installed, MARK, Removed, SEAL, sealed};
use crate::settings::{self, Entry, Found, Hooks, Stripped};

/// What a hook that judges nothing may take.
const BRIEFLY: Duration = Duration::from_secs(30);
/// A time that is longer was typed by somebody, and is none.
const LONGEST: u64 = 30 * 24 * 60 * 60;
/// How much longer the host waits than ralph means to take.
const MARGIN: Duration = Duration::from_secs(10);
/// What ends the line: a program of that name that is not ralph, or a shell that finds none, may end with 2, by which
/// hosts are told to stop.
const NEVER_TWO: &str = "|| exit 1";
/// How long a hook may take, in seconds.
const WITHIN: &str = "--within";
const PLUGIN_FOLDERS: [&str; 3] = [".claude-plugin", "hooks", "commands"];

/// What the hooks start, and how long those that run checks may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// None: `ralph` is looked for where programs are.
    pub program: Option<PathBuf>,
    pub judging: Duration,
    /// What the user's own hooks take where nothing is judged.
    pub beside: Vec<(What, Duration)>,
    pub times: Times,
}

/// What becomes of times that are longer than needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    AsNeeded,
    /// They stay: another project may need them.
    NoShorter,
}

impl Command {
    fn time(&self, what: What) -> Duration {
        let beside = self.beside.iter().filter(|(at, _)| *at == what).map(|(_, time)| *time);
        match what {
            What::Prompt | What::Stop => self.judging,
            What::SessionStart
            | What::Tool
            | What::StopFailure
            | What::SubagentStop
            | What::Compact
            | What::SessionEnd => BRIEFLY + beside.sum(),
        }
    }
}

/// How it stands with an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Absent,
    /// It is there, and not as it would be written now: the program has changed, or the checks need more time.
    Stale,
    Present,
}

impl Dialect {
    fn settings_file(&self, folder: &Path) -> PathBuf {
        folder.join(self.settings)
    }

    /// The files that an installation below a folder of the host's touches.
    pub fn places(&self, folder: &Path) -> Vec<PathBuf> {
        let mut places = vec![self.settings_file(folder)];
        places.extend(self.command_paths(folder));
        places
    }

    fn hooks(&self, command: &Command) -> Hooks {
        self.hooks_within(command, |_, what| command.time(what))
    }

    /// The same, with the times that are in a file where those are longer.
    fn hooks_no_shorter(&self, command: &Command, text: &str) -> Hooks {
        let found = settings::commands_in(text, &|command| self.is_ours(command));
        self.hooks_within(command, |event, what| {
            let there = found.iter().filter(|(at, _)| at == event).filter_map(|(_, line)| within(line));
            there.fold(command.time(what), Duration::max)
        })
    }

    fn hooks_within(&self, command: &Command, time: impl Fn(&str, What) -> Duration) -> Hooks {
        let program = command.program.as_ref().map(|path| path.to_string_lossy().into_owned());
        let program = shell_words::quote(program.as_deref().unwrap_or("ralph")).into_owned();
        let entry = |(event, what): &(&'static str, What)| {
            let within = time(event, *what);
            let (name, seconds) = (self.name, within.as_secs());
            let timeout = match self.clock {
                Clock::Seconds => (within + MARGIN).as_secs(),
                Clock::Milliseconds => (within + MARGIN).as_secs() * 1_000,
            };
            Entry { event, command: format!("{program} hook {name} {WITHIN} {seconds} {NEVER_TWO}"), timeout }
        };
        let entries = self.events.iter().map(entry).collect();
        Hooks { entries, variable: self.cap.map(|cap| (cap.variable, cap.raised)) }
    }

    /// Whether a hook's command is ralph's, of whatever time and place. The line as it is written now is known by its shape,
    /// for a program may have any name; what earlier versions wrote, by the name of the program.
    fn is_ours(&self, command: &str) -> bool {
        let Ok(words) = shell_words::split(command) else { return false };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let [program, "hook", host, rest @ ..] = words.as_slice() else { return false };
        let is_ralph = || Path::new(program).file_name().is_some_and(|name| name == "ralph");
        *host == self.name
            && match rest {
                [WITHIN, time, "||", "exit", "1"] => is_ralph() || time.parse::<u64>().is_ok(),
                [] | [WITHIN, _] | ["||", "exit", "1"] => is_ralph(),
                _ => false,
            }
    }

    /// Puts hooks and commands there. Doing it again changes nothing; nothing is written unless all of it can be.
    pub fn install(
        &self,
        folder: &Path,
        command: &Command,
        edited: Edited,
    ) -> Result<Installed, InstallError> {
        let path = self.settings_file(folder);
        let present = settings::read_file(&path)?;
        let hooks = match (&present, command.times) {
            (Some(found), Times::NoShorter) => self.hooks_no_shorter(command, &found.text),
            (Some(_), Times::AsNeeded) | (None, _) => self.hooks(command),
        };
        let text = match &present {
            None => hooks.alone(),
            Some(found) => hooks
                .put_into(&found.text, &|command| self.is_ours(command))
                .map_err(|bad| InstallError::Settings { path: path.clone(), bad })?,
        };
        let is_new = present.as_ref().is_none_or(|found| found.text != text);
        if let Some(found) = present.as_ref().filter(|_| is_new) {
            found.is_writable()?;
        }
        let mut made = self.made(folder);
        for name in self.folders() {
            if !folder.join(name).is_dir() && !made.iter().any(|one| one == name) {
                made.push(name.to_owned());
            }
        }
        let made: Vec<&str> = made.iter().map(String::as_str).collect();
        let former = installed::removable(&self.former_paths(folder), edited)?;
        let mut done = installed::write(&self.command_files(folder, &made), edited)?;
        installed::remove_files(&former)?;
        done.removed = former;
        if is_new {
            settings::write_file(&path, present.as_ref(), &text)?;
            done.written.insert(0, path);
        } else {
            done.unchanged.insert(0, path);
        }
        Ok(done)
    }

    /// The folders that files are in, the innermost first.
    fn folders(&self) -> Vec<&'static str> {
        use super::dialect::Commands::{Markdown, Toml, Typed, Written};
        match self.commands {
            Markdown { folder } | Toml { folder } | Written { folder } => vec![folder, "."],
            Typed => vec!["."],
        }
    }

    /// Takes out what was put in, and the folders that were made for it, if nothing else is in those.
    pub fn uninstall(
        &self,
        folder: &Path,
        command: &Command,
        edited: Edited,
    ) -> Result<Removed, InstallError> {
        let path = self.settings_file(folder);
        let found = settings::read_file(&path)?;
        let stripped = match &found {
            None => None,
            Some(found) => {
                let stripped = self.hooks(command).strip(&found.text, &|command| self.is_ours(command));
                Some(stripped.map_err(|bad| InstallError::Settings { path: path.clone(), bad })?)
            }
        };
        let is_new = |stripped: &Stripped, found: &Found| match stripped {
            Stripped::Text(text) => *text != found.text,
            Stripped::Nothing => true,
        };
        let change = found.zip(stripped).filter(|(found, stripped)| is_new(stripped, found));
        if let Some((found, _)) = &change {
            found.is_writable()?;
        }
        let mut made = self.made(folder);
        // What a person has changed is found here, before anything is touched.
        let paths = [self.command_paths(folder), self.former_paths(folder)].concat();
        let commands = installed::remove(&paths, edited)?;
        let mut done = Removed::default();
        let is_gone = matches!(change, Some((_, Stripped::Nothing)));
        if let Some((found, stripped)) = change {
            match stripped {
                Stripped::Text(text) => settings::write_file(&path, Some(&found), &text)?,
                Stripped::Nothing => settings::remove_file(&path, &found)?,
            }
            done.removed.push(path);
        }
        done.removed.extend(commands.removed);
        if is_gone && self.command_paths(folder).is_empty() {
            made.push(".".to_owned());
        }
        for name in self.folders().into_iter().filter(|name| made.iter().any(|one| one == name)) {
            let path = if name == "." { folder.to_owned() } else { folder.join(name) };
            let _is_in_use = std::fs::remove_dir(path);
        }
        Ok(done)
    }

    /// Whether it is installed below a folder.
    pub fn state(&self, folder: &Path, command: &Command) -> State {
        let Ok(Some(found)) = settings::read_file(&self.settings_file(folder)) else { return State::Absent };
        let hooks = self.hooks_no_shorter(command, &found.text);
        let is_ours = |command: &str| self.is_ours(command);
        match hooks.strip(&found.text, &is_ours) {
            Ok(Stripped::Text(text)) if text == found.text => State::Absent,
            Err(_) => State::Absent,
            Ok(_) if hooks.are_in(&found.text, &is_ours) => State::Present,
            Ok(_) => State::Stale,
        }
    }

    fn plugin_files(&self, directory: &Path, command: &Command) -> Vec<File> {
        let about =
            format!("Keeps the agent at a task until it is done ({MARK} {} --plugin`; {SEAL})", self.name);
        let about = serde_json::Value::from(about);
        let version = env!("CARGO_PKG_VERSION");
        let manifest = format!(
            "{{\n  \"name\": \"{PLUGIN}\",\n  \"version\": \"{version}\",\n  \"description\": {about}\n}}\n"
        );
        let hooks = Hooks { variable: None, ..self.hooks(command) };
        let hooks = hooks.alone().replacen("{\n", &format!("{{\n  \"description\": {about},\n"), 1);
        let mut files = vec![
            File { path: directory.join(".claude-plugin/plugin.json"), text: sealed(&manifest) },
            File { path: directory.join("hooks/hooks.json"), text: sealed(&hooks) },
        ];
        files.extend(self.command_files(directory, &[]));
        files
    }
}

/// Writes hooks and commands as a plugin of their own.
pub fn plugin(
    dialect: &Dialect,
    directory: &Path,
    command: &Command,
    edited: Edited,
) -> Result<Installed, InstallError> {
    installed::write(&dialect.plugin_files(directory, command), edited)
}

/// Removes such a plugin, with its directory, if nothing else is in it.
pub fn unplug(
    dialect: &Dialect,
    directory: &Path,
    command: &Command,
    edited: Edited,
) -> Result<Removed, InstallError> {
    let files = dialect.plugin_files(directory, command);
    let done = installed::remove(&files.into_iter().map(|file| file.path).collect::<Vec<_>>(), edited)?;
    if !done.removed.is_empty() {
        for folder in
            PLUGIN_FOLDERS.map(|name| directory.join(name)).into_iter().chain([directory.to_owned()])
        {
            let _is_in_use = std::fs::remove_dir(folder);
        }
    }
    Ok(done)
}

/// The time that an installed line gives its hook.
fn within(line: &str) -> Option<Duration> {
    let words = shell_words::split(line).ok()?;
    let given = words.iter().skip_while(|word| *word != WITHIN).nth(1)?;
    Some(Duration::from_secs(given.parse().ok().filter(|seconds| *seconds <= LONGEST)?))
}
