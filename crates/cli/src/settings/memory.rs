//! What is remembered, and how much of it a brief may have.

use std::num::NonZeroU32;
use std::time::Duration;

use ralph_core::id::AgentName;
use ralph_core::judge::Judging;
use ralph_core::nearest::shortened;
use schemars::JsonSchema;

use super::catalogue::{DurationText, ExtractName};
use super::origin::Set;
use super::raw::Raw;
use super::reader::Reader;
use super::value::{Refused, count::count_u32, duration::deadline, plain};
use super::vectors::VectorsPart;

/// What a brief may have of it where nothing else is said.
const BUDGET: NonZeroU32 = NonZeroU32::new(8_000).expect("it is not zero");
const MOST: u32 = 200_000;
/// What a question and its answer may have where nothing else is said.
const EXTRACT: NonZeroU32 = NonZeroU32::new(2_000).expect("it is not zero");
const DAY: Duration = Duration::from_secs(86_400);

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
    /// What a completed task leaves to its project: "rules" takes what was put down while it was worked on, "agent" also asks
    /// an agent, once for each task, what it was worth knowing for. Loops inside a host ask none.
    #[schemars(with = "Option<ExtractName>", extend("default" = "rules"))]
    pub(crate) extract: Option<Set<Extract>>,
    /// How many tokens such a question may have, and how many are read of the notes in the answer.
    #[schemars(with = "Option<u32>", range(min = 1, max = MOST), extend("default" = 2000))]
    pub(crate) extract_tokens: Option<Set<NonZeroU32>>,
    /// The agent that is asked, as `ralph agents` names it (unset: the run's own). It is there to look, as a judge is, and
    /// what it uses counts towards the limits.
    #[schemars(with = "Option<String>", extend("examples" = ["claude"]))]
    pub(crate) extract_agent: Option<Set<AgentName>>,
    /// The model it is asked with (unset: the agent's own, or that of the run for the same agent).
    #[schemars(with = "Option<String>", extend("examples" = ["haiku"]))]
    pub(crate) extract_model: Option<Set<String>>,
    /// How long it may take. The task is completed whatever comes of it.
    #[schemars(with = "Option<DurationText>", extend("default" = "2m"))]
    pub(crate) extract_timeout: Option<Set<Duration>>,
    #[schemars(with = "Option<VectorsPart>")]
    pub(crate) vectors: VectorsPart,
}

/// Who says what a task was worth knowing for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Extract {
    #[default]
    Rules,
    Agent,
}

impl Extract {
    const ALL: [Extract; 2] = [Extract::Rules, Extract::Agent];
    /// How long an agent may take that is asked.
    const TIMEOUT: Duration = Duration::from_secs(120);

    pub(crate) fn name(self) -> &'static str {
        match self {
            Extract::Rules => "rules",
            Extract::Agent => "agent",
        }
    }

    pub(super) fn names() -> [&'static str; 2] {
        Extract::ALL.map(Extract::name)
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) enabled: bool,
    pub(crate) budget: NonZeroU32,
    pub(crate) holdout: Holdout,
    pub(crate) tools: bool,
    pub(crate) questions: bool,
    /// Who is asked what a completed task was worth knowing for, and in how many tokens; none where nobody is.
    pub(crate) extract: Option<(Judging, NonZeroU32)>,
}

impl MemoryPart {
    pub(super) fn take(from: &mut Reader<'_>) -> MemoryPart {
        MemoryPart {
            enabled: from.take("memory", "enabled", plain::boolean),
            budget: from.take("memory", "budget", |raw| count_u32(raw, MOST)),
            holdout: from.take("memory", "holdout", holdout),
            tools: from.take("memory", "tools", plain::boolean),
            questions: from.take("memory", "questions", plain::boolean),
            extract: from.take("memory", "extract", extract),
            extract_tokens: from.take("memory", "extract_tokens", |raw| count_u32(raw, MOST)),
            extract_agent: from.take("memory", "extract_agent", plain::agent_name),
            extract_model: from.take("memory", "extract_model", |raw| {
                plain::text(raw, "the name of a model").map(str::to_owned)
            }),
            extract_timeout: from.take("memory", "extract_timeout", |raw| deadline(raw, DAY)),
            vectors: VectorsPart::take(from),
        }
    }

    pub(super) fn over(self, lower: MemoryPart) -> MemoryPart {
        MemoryPart {
            enabled: self.enabled.or(lower.enabled),
            budget: self.budget.or(lower.budget),
            holdout: self.holdout.or(lower.holdout),
            tools: self.tools.or(lower.tools),
            questions: self.questions.or(lower.questions),
            extract: self.extract.or(lower.extract),
            extract_tokens: self.extract_tokens.or(lower.extract_tokens),
            extract_agent: self.extract_agent.or(lower.extract_agent),
            extract_model: self.extract_model.or(lower.extract_model),
            extract_timeout: self.extract_timeout.or(lower.extract_timeout),
            vectors: self.vectors.over(lower.vectors),
        }
    }

    pub(super) fn defaults() -> MemoryPart {
        MemoryPart {
            enabled: Set::default(true),
            budget: Set::default(BUDGET),
            holdout: Set::default(Holdout::default()),
            tools: Set::default(false),
            questions: Set::default(true),
            extract: Set::default(Extract::Rules),
            extract_tokens: Set::default(EXTRACT),
            extract_agent: None,
            extract_model: None,
            extract_timeout: Set::default(Extract::TIMEOUT),
            vectors: VectorsPart::defaults(),
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
            extract: match value(&self.extract) {
                Extract::Rules => None,
                Extract::Agent => {
                    Some((self.asked(value(&self.extract_timeout)), value(&self.extract_tokens)))
                }
            },
        }
    }

    fn asked(&self, timeout: Duration) -> Judging {
        let agent = self.extract_agent.as_ref().map(|set| set.value.clone());
        let model = self.extract_model.as_ref().map(|set| set.value.clone());
        Judging { agent, model, timeout }
    }
}

fn extract(raw: &Raw) -> Result<Extract, Refused> {
    const RULE: &str = "\"rules\" or \"agent\"";
    let text = plain::text(raw, RULE)?;
    Extract::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| {
        Refused::new(format!("`{}` says nothing of a task", shortened(text)), format!("write {RULE}"))
    })
}

fn holdout(raw: &Raw) -> Result<Holdout, Refused> {
    const RULE: &str = "a share from 0 to 0.5, such as 0.1";
    let (Raw::Given(text) | Raw::Number(text)) = raw else { return Err(Refused::kind(raw, RULE)) };
    match text.parse::<f64>() {
        Ok(share) if (0.0..=0.5).contains(&share) => Ok(Holdout((share * 1000.0).round() as u16)),
        Ok(_) | Err(_) => Err(Refused::new(format!("`{text}` is not {RULE}"), format!("write {RULE}"))),
    }
}
