//! The files of a host's own commands: what a person sees of them, and what an agent reads if no hook answers.

use std::path::{Path, PathBuf};

use super::dialect::{Commands, Dialect};
use crate::installed::{File, MARK, SEAL, sealed};

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
        let text = self.command_paths(folder).first().map(std::fs::read_to_string);
        let Some(Ok(text)) = text else { return Vec::new() };
        let line = text.lines().find(|line| line.contains(MARK)).unwrap_or_default();
        let named = line.split_once(MADE).map_or("", |(_, named)| named).trim_end_matches("-->");
        named.split_whitespace().filter(|name| *name != "nothing").map(str::to_owned).collect()
    }
}
