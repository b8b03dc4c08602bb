//! The files of a host's own commands: what a person sees of them, and what an agent reads if no hook answers.

use std::path::{Path, PathBuf};

use super::beyond::STRATEGIES;
use super::dialect::{Commands, Dialect};
use crate::installed::{File, MARK, SEAL, sealed};
use crate::manner::Manner;

/// Each command with what a host shows of it, and what it takes.
const ALL: [(&str, &str, &str); 3] = [
    (
        "ralph",
        "Keep at a task until it is done: /ralph TASK, stop, status, rollback",
        "TASK | stop | status | rollback",
    ),
    ("ralph-loop", "Keep at a task until it is done: /ralph-loop TASK", "TASK"),
    ("cancel-ralph", "Stop the ralph loop of this session", ""),
];
const MADE: &str = "made with it: ";

const NAMES: [&str; 3] = ["/ralph", "/ralph-loop", "/cancel-ralph"];
const TYPED_NAMES: [&str; 3] = ["ralph:", "ralph-loop:", "cancel-ralph:"];

impl Dialect {
    /// What a person types.
    pub fn command_names(&self) -> [&'static str; 3] {
        match self.commands {
            Commands::Markdown { .. } | Commands::Toml { .. } | Commands::Written { .. } => NAMES,
            Commands::Typed => TYPED_NAMES,
        }
    }

    pub fn manner(&self) -> Manner {
        let [command, ..] = self.command_names();
        Manner { command, strategies: &STRATEGIES }
    }

    fn command_path(&self, folder: &Path, name: &str) -> Option<PathBuf> {
        match self.commands {
            Commands::Markdown { folder: within } | Commands::Written { folder: within } => {
                Some(folder.join(within).join(format!("{name}.md")))
            }
            Commands::Toml { folder: within } => Some(folder.join(within).join(format!("{name}.toml"))),
            Commands::Typed => None,
        }
    }

    /// The files there are below a folder of the host's.
    pub(super) fn command_paths(&self, folder: &Path) -> Vec<PathBuf> {
        ALL.iter().filter_map(|(name, _, _)| self.command_path(folder, name)).collect()
    }

    /// Where an earlier version had them: they were TOML where they are Markdown now.
    pub(super) fn former_paths(&self, folder: &Path) -> Vec<PathBuf> {
        match self.commands {
            Commands::Written { folder: within } => {
                ALL.iter().map(|(name, _, _)| folder.join(within).join(format!("{name}.toml"))).collect()
            }
            Commands::Markdown { .. } | Commands::Toml { .. } | Commands::Typed => Vec::new(),
        }
    }

    pub(super) fn command_files(&self, folder: &Path, made: &[&str]) -> Vec<File> {
        let file = |(name, about, takes): &(&str, &str, &str)| {
            let path = self.command_path(folder, name)?;
            let text = match self.commands {
                Commands::Toml { .. } => self.toml(name, about, made),
                Commands::Written { .. } => self.written(name, about, made),
                Commands::Markdown { .. } | Commands::Typed => self.markdown(about, takes, made),
            };
            Some(File { path, text: sealed(&text) })
        };
        ALL.iter().filter_map(file).collect()
    }

    fn mark(&self, made: &[&str]) -> String {
        let made = if made.is_empty() { "nothing".to_owned() } else { made.join(" ") };
        let name = self.name;
        format!("{MARK} {name}`; `ralph uninstall {name}` removes it; {SEAL}; {MADE}{made}")
    }

    fn markdown(&self, about: &str, takes: &str, made: &[&str]) -> String {
        let hint = if takes.is_empty() { String::new() } else { format!("argument-hint: \"{takes}\"\n") };
        format!(
            "---\ndescription: \"{about}\"\n{hint}disable-model-invocation: true\n---\n\n<!-- {} -->\n\n{}\n",
            self.mark(made),
            self.fallback()
        )
    }

    /// The hook sees what a command says, so it says what was typed.
    fn toml(&self, name: &str, about: &str, made: &[&str]) -> String {
        format!("# {}\ndescription = \"{about}\"\nprompt = '''/{name} {{{{args}}}}'''\n", self.mark(made))
    }

    /// The same in Markdown: whatever stands below the head is said, so the mark is a remark in it.
    fn written(&self, name: &str, about: &str, made: &[&str]) -> String {
        format!("---\n# {}\ndescription: \"{about}\"\n---\n\n/{name} {{{{args}}}}\n", self.mark(made))
    }

    fn fallback(&self) -> String {
        format!(
            "Do what ralph's hook says beside this. If it says nothing, tell the person to run `ralph install {}`, and do \
             nothing else.",
            self.name
        )
    }

    /// Which folders were made when the commands were installed; they say so themselves.
    pub(super) fn made(&self, folder: &Path) -> Vec<String> {
        let known = [self.command_paths(folder), self.former_paths(folder)];
        let mut first = known.iter().filter_map(|paths| paths.first());
        let Some(text) = first.find_map(|path| std::fs::read_to_string(path).ok()) else { return Vec::new() };
        let line = text.lines().find(|line| line.contains(MARK)).unwrap_or_default();
        let named = line.split_once(MADE).map_or("", |(_, named)| named).trim_end_matches("-->");
        named.split_whitespace().filter(|name| *name != "nothing").map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{ALL, sealed};
    use crate::hooked::install::{Command, Times};
    use crate::hooked::of;
    use crate::installed::{Edited, InstallError};

    fn command() -> Command {
        let judging = Duration::from_secs(60);
        Command { program: None, judging, beside: Vec::new(), times: Times::AsNeeded }
    }

    /// Qwen's commands as they were once installed, in a folder that was made for them.
    fn earlier(folder: &Path) {
        let qwen = of("qwen").unwrap();
        std::fs::create_dir_all(folder.join("commands")).unwrap();
        for (name, about, _) in ALL {
            let text = sealed(&qwen.toml(name, about, &["commands", "."]));
            std::fs::write(folder.join("commands").join(format!("{name}.toml")), text).unwrap();
        }
    }

    #[test]
    fn commands_of_an_earlier_version_are_replaced_and_removed() {
        let (dir, qwen) = (tempfile::tempdir().unwrap(), of("qwen").unwrap());
        let folder = dir.path().join(".qwen");
        let command = command();
        earlier(&folder);
        qwen.uninstall(&folder, &command, Edited::Keep).unwrap();
        assert!(!folder.exists());
        earlier(&folder);
        let done = qwen.install(&folder, &command, Edited::Keep).unwrap();
        assert_eq!((done.written.len(), done.removed), (4, qwen.former_paths(&folder)));
        assert!(qwen.former_paths(&folder).iter().all(|path| !path.exists()));
        qwen.uninstall(&folder, &command, Edited::Keep).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn a_command_of_an_earlier_version_that_a_person_changed_keeps_everything_where_it_is() {
        let (dir, qwen) = (tempfile::tempdir().unwrap(), of("qwen").unwrap());
        let command = command();
        earlier(dir.path());
        let path = dir.path().join("commands/ralph.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}# mine\n")).unwrap();
        let refused = qwen.install(dir.path(), &command, Edited::Keep);
        assert!(matches!(refused, Err(InstallError::Edited { .. })), "{refused:?}");
        assert!(!dir.path().join("commands/ralph.md").exists() && path.exists());
    }
}
