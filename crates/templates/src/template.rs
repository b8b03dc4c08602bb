//! A template that was found to be right.

use std::path::PathBuf;

use ralph_core::brief::Brief;

use crate::check::check;
use crate::error::{Flaw, RenderError, TemplateError};
use crate::find::Origin;
use crate::parse::parse;
use crate::render::render;
use crate::tree::Node;
use crate::vars::Vars;

/// As much as a template may be, in bytes.
pub const LARGEST: usize = 256 * 1024;

/// Read and checked: whatever it names is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    origin: Origin,
    text: String,
    nodes: Vec<Node>,
    uses_promise: bool,
}

impl Template {
    /// Everything that is wrong with it is reported at once, apart from what keeps it from being understood at all.
    pub fn compile(origin: Origin, text: &str) -> Result<Template, TemplateError> {
        let faulty = |flaws: Vec<Flaw>| TemplateError::Faulty {
            label: origin.to_string(),
            path: origin.path().cloned(),
            faults: flaws.into_iter().map(|flaw| flaw.in_source(text)).collect(),
        };
        if text.len() > LARGEST {
            let what = format!("a template has {LARGEST} bytes at most, and this one {}", text.len());
            return Err(faulty(vec![Flaw::new(0..0, what)]));
        }
        // An editor's mark at the beginning of a file is no part of the brief.
        let own = text.strip_prefix('\u{feff}').unwrap_or(text);
        let nodes = parse(own).map_err(|flaw| faulty(vec![flaw]))?;
        let checked = check(&nodes);
        if !checked.flaws.is_empty() {
            return Err(faulty(checked.flaws));
        }
        let uses_promise = checked.written.iter().any(|name| ["promise", "claim"].contains(name));
        Ok(Template { origin, text: own.to_owned(), nodes, uses_promise })
    }

    /// The brief of one attempt.
    pub fn render(&self, vars: &Vars) -> Result<Brief, RenderError> {
        let root =
            serde_json::to_value(vars).expect("variables are text, numbers, lists and objects of these");
        let text = render(&self.nodes, &root)?;
        Ok(Brief { text: format!("{}\n", text.trim()) })
    }

    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    pub fn path(&self) -> Option<&PathBuf> {
        self.origin.path()
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the agent is told the word that it is to promise with, in `{{promise}}` or `{{claim}}`. Where it is not,
    /// the word must be one that the template's author could know: without a nonce.
    pub fn uses_promise(&self) -> bool {
        self.uses_promise
    }
}
