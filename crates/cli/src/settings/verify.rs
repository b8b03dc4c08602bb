//! How the result is verified.

use std::time::Duration;

use ralph_core::check::{Judge, Verification};
use ralph_core::id::AgentName;
use ralph_core::judge::Judging;
use schemars::JsonSchema;

use super::catalogue::{DurationText, JudgeName};
use super::check::{self, Wanted};
use super::origin::{Layer, Set};
use super::reader::Reader;
use super::value::{duration::deadline, plain};

const DAY: Duration = Duration::from_secs(86_400);

/// How the result is verified.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct VerifyPart {
    /// What must hold: test_pass, build_success, lint_clean, type_check with the project's own commands, or any of these
    /// and custom with a command, as in "custom=make check".
    #[schemars(with = "Option<Vec<String>>", extend("default" = [], "examples" = [["test_pass"]]))]
    pub(crate) criteria: Option<Set<Vec<Wanted>>>,
    /// How long a check may take.
    #[schemars(with = "Option<DurationText>", extend("default" = "10m"))]
    pub(crate) timeout: Option<Set<Duration>>,
    /// Who judges: "exit" is the exit status and the output of the checks, "agent" an agent that is shown them and what
    /// was changed, and which alone may overrule a failed check, "both" needs both to agree. An agent can judge without
    /// any checks; it then stands for the criteria.
    #[schemars(with = "Option<JudgeName>", extend("default" = "exit"))]
    pub(crate) judge: Option<Set<Judge>>,
    /// The agent that judges, as `ralph agents` names it (unset: the run's own). It is there to look, and
    /// is started so that it cannot write where the agent can be; its answer does not count where something changed meanwhile.
    #[schemars(with = "Option<String>", extend("examples" = ["claude"]))]
    pub(crate) judge_agent: Option<Set<AgentName>>,
    /// The model it judges with (unset: the agent's own, or that of the run for the same agent).
    #[schemars(with = "Option<String>", extend("examples" = ["sonnet"]))]
    pub(crate) judge_model: Option<Set<String>>,
    /// How long it may take. An answer that comes late or cannot be read is asked for once more, and is never success.
    #[schemars(with = "Option<DurationText>", extend("default" = "5m"))]
    pub(crate) judge_timeout: Option<Set<Duration>>,
    /// Whether every check must fail before the first iteration.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(crate) red_first: Option<Set<bool>>,
    /// Files that are part of the checks, by patterns as in a `.gitignore`; when the agent changes, removes or adds one, the
    /// verdict fails. What a project's own file protects comes on top of what the user's does.
    #[schemars(with = "Option<Vec<String>>", extend("default" = [], "examples" = [["tests/**"]]))]
    pub(crate) protect: Option<Set<Vec<String>>>,
    /// Whether a change of what the checks consist of is only reported. In a project's own file it needs trust.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(crate) allow_tampering: Option<Set<bool>>,
}

/// A project's file can protect more than the person does, and not less.
fn united(own: Option<Set<Vec<String>>>, lower: Option<Set<Vec<String>>>) -> Option<Set<Vec<String>>> {
    match (own, lower) {
        (Some(mut own), Some(lower)) if own.origin.layer() == Layer::Project => {
            let more: Vec<String> =
                lower.value.into_iter().filter(|pattern| !own.value.contains(pattern)).collect();
            own.value.extend(more);
            Some(own)
        }
        (own, lower) => own.or(lower),
    }
}

impl VerifyPart {
    pub(super) fn take(from: &mut Reader<'_>) -> VerifyPart {
        VerifyPart {
            criteria: from.take("verify", "criteria", check::wanted),
            timeout: from.take("verify", "timeout", |raw| deadline(raw, DAY)),
            judge: from.take("verify", "judge", check::judge),
            judge_agent: from.take("verify", "judge_agent", plain::agent_name),
            judge_model: from.take("verify", "judge_model", |raw| {
                plain::text(raw, "the name of a model").map(str::to_owned)
            }),
            judge_timeout: from.take("verify", "judge_timeout", |raw| deadline(raw, DAY)),
            red_first: from.take("verify", "red_first", plain::boolean),
            protect: from.take("verify", "protect", check::patterns),
            allow_tampering: from.take("verify", "allow_tampering", plain::boolean),
        }
    }

    pub(super) fn over(self, lower: VerifyPart) -> VerifyPart {
        VerifyPart {
            criteria: self.criteria.or(lower.criteria),
            timeout: self.timeout.or(lower.timeout),
            judge: self.judge.or(lower.judge),
            judge_agent: self.judge_agent.or(lower.judge_agent),
            judge_model: self.judge_model.or(lower.judge_model),
            judge_timeout: self.judge_timeout.or(lower.judge_timeout),
            red_first: self.red_first.or(lower.red_first),
            protect: united(self.protect, lower.protect),
            allow_tampering: self.allow_tampering.or(lower.allow_tampering),
        }
    }

    pub(super) fn defaults() -> VerifyPart {
        VerifyPart {
            criteria: Set::default(Vec::new()),
            timeout: Set::default(check::TIMEOUT),
            judge: Set::default(Judge::Exit),
            judge_timeout: Set::default(Judging::TIMEOUT),
            judge_agent: None,
            judge_model: None,
            red_first: Set::default(false),
            protect: Set::default(Vec::new()),
            allow_tampering: Set::default(false),
        }
    }

    /// Everything but the checks themselves.
    pub(super) fn verification(&self) -> Verification {
        fn value<T: Clone + Default>(set: &Option<Set<T>>) -> T {
            set.as_ref().map(|set| set.value.clone()).unwrap_or_default()
        }
        Verification {
            checks: Vec::new(),
            judge: value(&self.judge),
            red_first: value(&self.red_first),
            allow_tampering: value(&self.allow_tampering),
            protect: value(&self.protect),
            judging: Judging {
                agent: self.judge_agent.as_ref().map(|set| set.value.clone()),
                model: self.judge_model.as_ref().map(|set| set.value.clone()),
                timeout: self.judge_timeout.as_ref().map_or(Judging::TIMEOUT, |set| set.value),
            },
        }
    }
}
