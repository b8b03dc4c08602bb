//! From an entry to program and arguments.

use std::ffi::OsString;

use ralph_engine::agent::Invocation;

use super::entry::Entry;
use super::error::Unsupported;

/// Where the arguments of a choice go among the fixed ones.
const SLOTS: [&str; 4] = ["{model}", "{effort}", "{resume}", "{yolo}"];
const VALUE: &str = "{value}";

impl Entry {
    /// Program and arguments for what is chosen; the prompt goes in by [`Entry::prompt`].
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

    fn refuse(
        &self,
        model: Option<&str>,
        effort: Option<&str>,
        resume: Option<&str>,
    ) -> Result<(), Unsupported> {
        let agent = || self.name.to_string();
        if model.is_some() && self.model.is_empty() {
            return Err(Unsupported::Model { agent: agent() });
        }
        if resume.is_some() && self.resume.is_empty() {
            return Err(Unsupported::Resume { agent: agent() });
        }
        let Some(given) = effort else { return Ok(()) };
        if self.effort.args.is_empty() {
            return Err(Unsupported::Effort { agent: agent() });
        }
        if !self.effort.allowed.is_empty() && !self.effort.allowed.iter().any(|allowed| allowed == given) {
            let known = self.effort.allowed.clone();
            return Err(Unsupported::UnknownEffort { agent: agent(), given: given.to_owned(), known });
        }
        Ok(())
    }
}

/// Each argument stays one argument, whatever the value holds.
fn filled(template: &[String], value: Option<&str>) -> Vec<OsString> {
    let Some(value) = value else { return Vec::new() };
    template.iter().map(|arg| OsString::from(arg.replace(VALUE, value))).collect()
}

/// A choice without a slot would be lost, a slot without a choice would reach the program.
pub(super) fn check(entry: &Entry) -> Result<(), String> {
    let choices: [(&str, &[String]); 4] = [
        (SLOTS[0], &entry.model),
        (SLOTS[1], &entry.effort.args),
        (SLOTS[2], &entry.resume),
        (SLOTS[3], &entry.yolo),
    ];
    for (slot, template) in choices {
        let has_slot = entry.args.iter().any(|arg| arg == slot);
        if !template.is_empty() && !has_slot {
            return Err(format!(
                "`args` has no {slot}, so `{}` would never be used",
                slot.trim_matches(['{', '}'])
            ));
        }
        if slot != "{yolo}" && !template.is_empty() && !template.iter().any(|arg| arg.contains(VALUE)) {
            return Err(format!("`{}` has no {VALUE}", slot.trim_matches(['{', '}'])));
        }
    }
    match entry.args.iter().find(|arg| is_slot(arg) && !SLOTS.contains(&arg.as_str())) {
        Some(unknown) => Err(format!("`args` has {unknown}, which is none of {}", SLOTS.join(" "))),
        None => Ok(()),
    }
}

fn is_slot(arg: &str) -> bool {
    arg.len() > 2
        && arg.starts_with('{')
        && arg.ends_with('}')
        && arg[1..arg.len() - 1].bytes().all(|b| b.is_ascii_lowercase())
}
