//! An entry as it is written: any field may be missing, and what is written later takes its place.

use std::collections::BTreeMap;
use std::sync::Arc;

use ralph_core::id::AgentName;
use serde::Deserialize;

use super::entry::{Effort, Entry, FileFlag, Look, PromptChannel, Provenance, Version};
use super::invocation;
use crate::limit::{Pattern, Rule};
use crate::stream::{Format, Manners};

macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(super) struct Fields {
            $($(#[$doc])* pub(super) $field: Option<$type>,)*
            provenance: BTreeMap<String, Provenance>,
        }

        impl Fields {
            pub(super) const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// A field that is given and of which nothing says where it comes from.
            fn unfounded(&self) -> Option<&'static str> {
                let is_founded = |field: &str| ["all", field].iter().any(|key| self.provenance.contains_key(*key));
                $(if self.$field.is_some() && !is_founded(stringify!($field)) {
                    return Some(stringify!($field));
                })*
                None
            }

            /// Lays these fields over others; each one given is `origin`'s, where there is one.
            pub(super) fn over(self, under: Fields, origin: Option<&Provenance>) -> Fields {
                let mut provenance = under.provenance;
                provenance.extend(self.provenance);
                $(if self.$field.is_some() && let Some(origin) = origin {
                    provenance.insert(stringify!($field).to_owned(), origin.clone());
                })*
                Fields { $($field: self.$field.or(under.$field),)* provenance }
            }
        }
    };
}

fields! {
    program: String,
    install: String,
    version: Version,
    args: Vec<String>,
    prompt: PromptChannel,
    format: Format,
    model: Vec<String>,
    effort: Effort,
    file: FileFlag,
    resume: Vec<String>,
    yolo: Vec<String>,
    look: Look,
    environment: BTreeMap<String, String>,
    reports_usage: bool,
    reports_cost: bool,
    state: Vec<String>,
    skills: Vec<String>,
    acp: Vec<String>,
    acp_reports_usage: bool,
    models: Vec<String>,
    login: String,
    signals: Vec<Rule>,
    waiting: Vec<Pattern>,
    sub_agent_tools: Vec<String>,
    question_tools: Vec<String>,
    mcp: Vec<String>,
}

impl Fields {
    /// Checks what only makes sense together.
    pub(super) fn entry(&self, name: &AgentName, common: &[Rule]) -> Result<Entry, String> {
        let program =
            self.program.clone().filter(|program| !program.is_empty()).ok_or("it needs a `program`")?;
        if let Some(unknown) =
            self.provenance.keys().find(|key| *key != "all" && !Self::NAMES.contains(&key.as_str()))
        {
            return Err(format!("`provenance` speaks of `{unknown}`, which is no field"));
        }
        if let Some(field) = self.unfounded() {
            return Err(format!("`provenance` does not say where `{field}` comes from"));
        }
        if let Some((field, source)) = self.provenance.iter().find(|(_, source)| !source.is_checkable()) {
            return Err(format!("`provenance` of `{field}` names no version and no page: {source:?}"));
        }
        let entry = Entry {
            name: name.clone(),
            program,
            install: self.install.clone(),
            version: self.version.clone(),
            args: self.args.clone().unwrap_or_default(),
            prompt: self.prompt.unwrap_or_default(),
            format: self.format.unwrap_or_default(),
            model: self.model.clone().unwrap_or_default(),
            effort: self.effort.clone().unwrap_or_default(),
            file: self.file.clone().unwrap_or_default(),
            resume: self.resume.clone().unwrap_or_default(),
            yolo: self.yolo.clone().unwrap_or_default(),
            look: self.look.clone().unwrap_or_default(),
            environment: self.environment.clone().unwrap_or_default(),
            reports_usage: self.reports_usage.unwrap_or_default(),
            reports_cost: self.reports_cost.unwrap_or_default(),
            state: self.state.clone().unwrap_or_default(),
            skills: self.skills.clone().unwrap_or_default(),
            acp: self.acp.clone(),
            acp_reports_usage: self.acp_reports_usage.unwrap_or_default(),
            models: self.models.clone(),
            mcp: self.mcp.clone().unwrap_or_default(),
            manners: Arc::new(self.manners(common)),
            provenance: self.provenance.clone(),
        };
        invocation::check(&entry)?;
        Ok(entry)
    }

    pub(super) fn manners(&self, common: &[Rule]) -> Manners {
        Manners {
            rules: self.signals.iter().flatten().chain(common).cloned().collect(),
            waiting: self.waiting.clone().unwrap_or_default(),
            sub_agent_tools: self.sub_agent_tools.clone().unwrap_or_default(),
            question_tools: self.question_tools.clone().unwrap_or_default(),
            login: self.login.clone().unwrap_or_else(|| "log in with the agent's own program".to_owned()),
        }
    }
}
