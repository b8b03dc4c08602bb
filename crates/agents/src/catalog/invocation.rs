//! From an entry to program and arguments.

use std::ffi::OsString;

use ralph_engine::agent::{Invocation, Tools};
use serde_json::Value;

use super::entry::{Entry, FileFlag, PromptChannel};
use super::error::Unsupported;

/// Where the arguments of a choice go among the fixed ones.
const SLOTS: [&str; 7] = ["{model}", "{effort}", FILE, "{resume}", MCP, "{yolo}", PROMPT];
/// Where the prompt goes, if it is an argument; it stays there until the prompt is known.
pub(crate) const PROMPT: &str = "{prompt}";
/// Where attached files go; it stays there until they are known.
pub(crate) const FILE: &str = "{file}";
/// Where a server of tools goes; it stays there until the attempt is known.
pub(crate) const MCP: &str = "{mcp}";
const MAILBOX: &str = "{mailbox}";
const VALUE: &str = "{value}";

impl Entry {
    /// Program and arguments for what is chosen; the slots of prompt and files are still among them.
    pub fn invocation(
        &self,
        model: Option<&str>,
        effort: Option<&str>,
        resume: Option<&str>,
    ) -> Result<Invocation, Unsupported> {
        self.refuse(model, effort, resume)?;
        let mut args: Vec<OsString> = Vec::new();
        for arg in &self.args {
            match arg.as_str() {
                "{model}" => args.extend(filled(&self.model, model)),
                "{effort}" => args.extend(filled(&self.effort.args, effort)),
                "{resume}" => args.extend(filled(&self.resume, resume)),
                "{yolo}" => args.extend(self.yolo.iter().map(OsString::from)),
                fixed => args.push(fixed.into()),
            }
        }
        let env = self.environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Ok(Invocation { program: OsString::from(&self.program), args, env })
    }

    /// The arguments that give it ralph's tools.
    pub(crate) fn tools(&self, tools: &Tools) -> Vec<OsString> {
        // What is a string in JSON is one in TOML as well.
        let quoted = |text: &str| Value::from(text).to_string();
        let given = [
            ("{command}", quoted(&tools.program.to_string_lossy())),
            ("{run}", quoted(tools.run.as_str())),
            (MAILBOX, quoted(&tools.mailbox.to_string_lossy())),
        ];
        let filled =
            |arg: &String| given.iter().fold(arg.clone(), |arg, (slot, text)| arg.replace(slot, text));
        self.mcp.iter().map(|arg| filled(arg).into()).collect()
    }

    fn refuse(
        &self,
        model: Option<&str>,
        effort: Option<&str>,
        resume: Option<&str>,
    ) -> Result<(), Unsupported> {
        let agent = || self.name.to_string();
        let takes = |slot: &str, args: &[String]| !args.is_empty() && self.args.iter().any(|arg| arg == slot);
        if model.is_some() && !takes("{model}", &self.model) {
            return Err(Unsupported::Model { agent: agent() });
        }
        if resume.is_some() && !takes("{resume}", &self.resume) {
            return Err(Unsupported::Resume { agent: agent() });
        }
        let Some(given) = effort else { return Ok(()) };
        if !takes("{effort}", &self.effort.args) {
            return Err(Unsupported::Effort { agent: agent() });
        }
        if !self.effort.allowed.is_empty() && !self.effort.allowed.iter().any(|allowed| allowed == given) {
            let known = self.effort.allowed.clone();
            return Err(Unsupported::UnknownEffort { agent: agent(), given: given.to_owned(), known });
        }
        Ok(())
    }
}

impl FileFlag {
    /// The arguments for the files that it takes.
    pub(crate) fn arguments(&self, files: &[String]) -> Vec<OsString> {
        let taken = files.iter().filter(|path| self.takes(path));
        taken.flat_map(|path| filled(&self.args, Some(path))).collect()
    }
}

/// Each argument stays one argument, whatever the value holds.
fn filled(template: &[String], value: Option<&str>) -> Vec<OsString> {
    let Some(value) = value else { return Vec::new() };
    template.iter().map(|arg| OsString::from(arg.replace(VALUE, value))).collect()
}

/// A slot that nothing fills would reach the program, and a choice without its value would say nothing.
pub(super) fn check(entry: &Entry) -> Result<(), String> {
    if let Some(unknown) = entry.args.iter().find(|arg| is_slot(arg) && !SLOTS.contains(&arg.as_str())) {
        return Err(format!("`args` has {unknown}, which is none of {}", SLOTS.join(" ")));
    }
    if entry.prompt == PromptChannel::Stdin && entry.args.iter().any(|arg| arg == PROMPT) {
        return Err(format!("`args` has {PROMPT}, and `prompt` is not \"argument\""));
    }
    if !entry.file.args.is_empty() && !entry.args.iter().any(|arg| arg == FILE) {
        return Err(format!("`file` is given and `args` has no {FILE} for it"));
    }
    if !entry.mcp.is_empty() && !entry.mcp.iter().any(|arg| arg.contains(MAILBOX)) {
        return Err(format!("`mcp` has no {MAILBOX}"));
    }
    let choices = [
        ("model", &entry.model),
        ("effort", &entry.effort.args),
        ("file", &entry.file.args),
        ("resume", &entry.resume),
    ];
    match choices.iter().find(|(_, args)| !args.is_empty() && !args.iter().any(|arg| arg.contains(VALUE))) {
        Some((choice, _)) => Err(format!("`{choice}` has no {VALUE}")),
        None => Ok(()),
    }
}

fn is_slot(arg: &str) -> bool {
    arg.len() > 2
        && arg.starts_with('{')
        && arg.ends_with('}')
        && arg[1..arg.len() - 1].bytes().all(|b| b.is_ascii_lowercase())
}
