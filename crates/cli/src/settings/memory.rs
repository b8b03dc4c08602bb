//! What is remembered, and how much of it a brief may have.

use std::num::NonZeroU32;

use schemars::JsonSchema;

use super::origin::Set;
use super::raw::Raw;
use super::reader::Reader;
use super::value::{Refused, count::count_u32, plain};

/// What a brief may have of it where nothing else is said.
const BUDGET: NonZeroU32 = NonZeroU32::new(8_000).expect("it is not zero");
const MOST: u32 = 200_000;

/// What is remembered from one iteration, task and run to the next.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct MemoryPart {
    /// Whether anything is put down, and put into briefs.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) enabled: Option<Set<bool>>,
    /// How many tokens of a brief the constitution, notes and the code at hand may take up.
    #[schemars(with = "Option<u32>", range(min = 1, max = MOST), extend("default" = 8000))]
    pub(crate) budget: Option<Set<NonZeroU32>>,
    /// In which share of the briefs one note is left out, so that `ralph memory report` can say whether notes help.
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 0.5), extend("default" = 0.0, "examples" = [0.1]))]
    pub(crate) holdout: Option<Set<Holdout>>,
    /// Whether agents are given ralph's own tools (search, remember, graph) even where `--require tool` does not ask for it.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(crate) tools: Option<Set<bool>>,
    /// Whether a person is asked about a task that names files or symbols which are not there.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    pub(crate) questions: Option<Set<bool>>,
}

/// A share in thousandths, so that it can be compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Holdout(u16);

impl Holdout {
    pub(crate) fn share(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

/// What is remembered, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) enabled: bool,
    pub(crate) budget: NonZeroU32,
    pub(crate) holdout: Holdout,
    pub(crate) tools: bool,
    pub(crate) questions: bool,
}

impl MemoryPart {
    pub(super) fn take(from: &mut Reader<'_>) -> MemoryPart {
        MemoryPart {
            enabled: from.take("memory", "enabled", plain::boolean),
            budget: from.take("memory", "budget", |raw| count_u32(raw, MOST)),
            holdout: from.take("memory", "holdout", holdout),
            tools: from.take("memory", "tools", plain::boolean),
            questions: from.take("memory", "questions", plain::boolean),
        }
    }

    pub(super) fn over(self, lower: MemoryPart) -> MemoryPart {
        MemoryPart {
            enabled: self.enabled.or(lower.enabled),
            budget: self.budget.or(lower.budget),
            holdout: self.holdout.or(lower.holdout),
            tools: self.tools.or(lower.tools),
            questions: self.questions.or(lower.questions),
        }
    }

    pub(super) fn defaults() -> MemoryPart {
        MemoryPart {
            enabled: Set::default(true),
            budget: Set::default(BUDGET),
            holdout: Set::default(Holdout::default()),
            tools: Set::default(false),
            questions: Set::default(true),
        }
    }

    pub(super) fn resolve(&self) -> Memory {
        fn value<T: Copy>(set: &Option<Set<T>>) -> T {
            set.as_ref().expect("the lowest layer sets it").value
        }
        Memory {
            enabled: value(&self.enabled),
            budget: value(&self.budget),
            holdout: value(&self.holdout),
            tools: value(&self.tools),
            questions: value(&self.questions),
        }
    }
}

fn holdout(raw: &Raw) -> Result<Holdout, Refused> {
    const RULE: &str = "a share from 0 to 0.5, such as 0.1";
    let (Raw::Given(text) | Raw::Number(text)) = raw else { return Err(Refused::kind(raw, RULE)) };
    match text.parse::<f64>() {
        Ok(share) if (0.0..=0.5).contains(&share) => Ok(Holdout((share * 1000.0).round() as u16)),
        Ok(_) | Err(_) => Err(Refused::new(format!("`{text}` is not {RULE}"), format!("write {RULE}"))),
    }
}
