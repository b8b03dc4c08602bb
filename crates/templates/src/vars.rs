//! What the variables of a template hold for one attempt.

use std::collections::BTreeMap;

use ralph_core::attempt::Attempt;
use ralph_core::backlog::{Item, Kind};
use ralph_core::brief;
use ralph_core::id::TaskId;
use ralph_core::run::{Run, Tried};
use ralph_core::verdict::SUGGESTION;
use serde::Serialize;
use serde_json::Value;

use crate::criteria::Criteria;
use crate::surroundings::{Prd, Surroundings};

/// Where progress and logs are, below the project's root.
const PROGRESS: &str = ".ralph/progress.md";
const LOGS: &str = ".ralph/logs";

/// Every variable there is, in the order of [`VARIABLES`](crate::VARIABLES), which says what each is for. Names that
/// ralph-tui has too are spelled as there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Vars {
    pub task_id: String,
    pub task_title: String,
    pub task_description: String,
    pub acceptance_criteria: String,
    pub epic_id: String,
    pub epic_title: String,
    pub tracker_name: String,
    pub labels: String,
    pub priority: String,
    pub status: String,
    pub depends_on: String,
    pub blocks: String,
    pub r#type: String,
    pub model: String,
    pub agent_name: String,
    pub cwd: String,
    pub current_date: String,
    pub current_timestamp: String,
    pub notes: String,
    pub recent_progress: String,
    pub beads_db_path: String,
    pub prd_name: String,
    pub prd_description: String,
    pub prd_content: String,
    pub prd_completed_count: String,
    pub prd_total_count: String,
    pub codebase_patterns: String,
    pub selection_reason: String,
    pub task: TaskVars,
    pub config: ConfigVars,
    pub prd: Option<PrdVars>,
    pub epic: Option<EpicVars>,
    pub verification_errors: String,
    pub prompt: String,
    pub iteration: u32,
    #[serde(rename = "max_iterations")]
    pub max_iterations: Option<u32>,
    pub attempt: u32,
    pub promise: String,
    pub claim: String,
    pub tried: Vec<TriedVars>,
    pub findings: Vec<String>,
    pub suggestions: Vec<String>,
    #[serde(rename = "last_output")]
    pub last_output: String,
    #[serde(rename = "dead_ends")]
    pub dead_ends: String,
    pub steering: Vec<String>,
    pub answers: String,
    pub handover: String,
    pub checks: String,
    pub memory: String,
    pub gotchas: String,
    pub symbols: String,
    pub fence: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskVars {
    pub id: String,
    pub title: String,
    pub status: String,
    pub priority: u8,
    pub description: String,
    pub acceptance_criteria: Vec<String>,
    pub labels: Vec<String>,
    pub r#type: String,
    pub parent_id: String,
    pub depends_on: Vec<String>,
    pub blocks: Vec<String>,
    pub assignee: String,
    pub created_at: String,
    pub updated_at: String,
    pub metadata: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigVars {
    pub agent: NamedVars,
    pub tracker: NamedVars,
    pub model: String,
    pub cwd: String,
    pub epic_id: String,
    pub session_id: String,
    pub max_iterations: Option<u32>,
    pub iteration_delay: u64,
    pub output_dir: &'static str,
    pub progress_file: &'static str,
    pub auto_commit: bool,
}

/// ralph-tui tells what something is called from what it is; here they are the same.
/// What is to be put down comes before the last word.
fn claim(writing: &str, claim: String) -> String {
    if writing.is_empty() { claim } else { format!("{}\n\n{claim}", writing.trim_end()) }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedVars {
    pub name: String,
    pub plugin: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrdVars {
    pub name: String,
    pub description: String,
    pub content: String,
    pub completed_count: usize,
    pub total_count: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EpicVars {
    pub id: String,
    pub title: String,
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TriedVars {
    pub iteration: u32,
    pub attempt: u32,
    pub outcome: String,
}

impl Vars {
    pub fn of(run: &Run, attempt: &Attempt, surroundings: &Surroundings) -> Vars {
        let item = surroundings.item.clone().unwrap_or_else(|| of_prompt(run));
        let criteria = Criteria::of(&item);
        let task = TaskVars::of(&item);
        let config = ConfigVars::of(run, attempt, surroundings, &item);
        let parts = brief::parts(run, attempt);
        let prd = surroundings.prd.clone().unwrap_or_default();
        let last = run.tried.last();
        let (findings, suggestions) = found(last);
        let mut vars = Vars {
            task_id: task.id.clone(),
            task_title: task.title.clone(),
            task_description: criteria.description,
            acceptance_criteria: criteria.text,
            epic_id: config.epic_id.clone(),
            epic_title: surroundings.epic.as_ref().map(|epic| epic.title.clone()).unwrap_or_default(),
            tracker_name: config.tracker.name.clone(),
            labels: task.labels.join(", "),
            priority: task.priority.to_string(),
            status: task.status.clone(),
            depends_on: task.depends_on.join(", "),
            blocks: task.blocks.join(", "),
            r#type: task.r#type.clone(),
            model: config.model.clone(),
            agent_name: config.agent.name.clone(),
            cwd: surroundings.cwd.clone(),
            current_date: surroundings.now.strftime("%Y-%m-%d").to_string(),
            current_timestamp: format!("{:.3}", surroundings.now),
            notes: text(&item, "notes"),
            recent_progress: surroundings.recent_progress.clone(),
            beads_db_path: surroundings.beads_db.clone(),
            prd_completed_count: prd.completed.to_string(),
            prd_total_count: prd.total.to_string(),
            prd_name: prd.name,
            prd_description: prd.description,
            prd_content: prd.content,
            codebase_patterns: surroundings.codebase_patterns.clone(),
            selection_reason: surroundings.selection_reason.clone(),
            task,
            prd: surroundings.prd.as_ref().map(PrdVars::of),
            epic: surroundings.epic.as_ref().map(EpicVars::of),
            verification_errors: lines(&findings),
            prompt: run.task.body.clone(),
            iteration: attempt.iteration,
            max_iterations: config.max_iterations,
            config,
            attempt: attempt.number,
            promise: attempt.promise.to_string(),
            claim: claim(&surroundings.writing, parts.claim),
            tried: run.tried.iter().map(TriedVars::of).collect(),
            findings,
            suggestions,
            last_output: last.map(|last| last.output_tail.trim_end().to_owned()).unwrap_or_default(),
            dead_ends: parts.in_vain,
            steering: run.steering.clone(),
            answers: parts.questions,
            handover: parts.handover,
            checks: parts.checks,
            memory: surroundings.memory.clone(),
            gotchas: surroundings.gotchas.clone(),
            symbols: surroundings.symbols.clone(),
            fence: String::new(),
        };
        vars.fence = vars.fence();
        vars
    }

    /// Longer than any in what is there, so that nothing that is quoted can close it.
    fn fence(&self) -> String {
        let all =
            serde_json::to_string(self).expect("variables are text, numbers, lists and objects of these");
        brief::fence_for(&all)
    }
}

/// What was found, and what was suggested.
fn found(last: Option<&Tried>) -> (Vec<String>, Vec<String>) {
    let (mut findings, mut suggestions) = (Vec::new(), Vec::new());
    for finding in last.into_iter().flat_map(|last| &last.findings) {
        match finding.strip_prefix(SUGGESTION) {
            Some(suggestion) => suggestions.push(suggestion.to_owned()),
            None => findings.push(finding.clone()),
        }
    }
    (findings, suggestions)
}

fn lines(findings: &[String]) -> String {
    findings.iter().map(|finding| format!("- {finding}")).collect::<Vec<_>>().join("\n")
}

/// The one prompt, as if a tracker had it.
fn of_prompt(run: &Run) -> Item {
    let mut item = Item::new(run.task.id.clone(), run.task.title.clone());
    item.status = ralph_core::backlog::Status::InProgress;
    item.description.clone_from(&run.task.body);
    item.labels.clone_from(&run.task.labels);
    if let Some(priority) = run.task.priority {
        item.priority = ralph_core::backlog::Priority::nearest(priority.into());
    }
    item
}

/// ralph-tui has the criteria there as well.
fn metadata(item: &Item) -> BTreeMap<String, Value> {
    let mut metadata = item.metadata.clone();
    if !item.acceptance_criteria.is_empty() {
        let criteria = || Value::from(item.acceptance_criteria.clone());
        metadata.entry("acceptanceCriteria".to_owned()).or_insert_with(criteria);
    }
    metadata
}

/// What the tracker has under a name, where that is text.
fn text(item: &Item, key: &str) -> String {
    item.metadata.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn ids(ids: &[TaskId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

impl TaskVars {
    fn of(item: &Item) -> TaskVars {
        let either = |one: &str, other: &str| {
            Some(text(item, one)).filter(|at| !at.is_empty()).unwrap_or_else(|| text(item, other))
        };
        let named = text(item, "type");
        TaskVars {
            id: item.id.to_string(),
            title: item.title.clone(),
            status: item.status.name().to_owned(),
            priority: item.priority.get(),
            description: item.description.clone(),
            acceptance_criteria: item.acceptance_criteria.clone(),
            labels: item.labels.clone(),
            r#type: if named.is_empty() && item.kind == Kind::Container { "epic".to_owned() } else { named },
            parent_id: item.parent.as_ref().map(ToString::to_string).unwrap_or_default(),
            depends_on: ids(&item.depends_on),
            blocks: ids(&item.blocks),
            assignee: text(item, "assignee"),
            created_at: either("createdAt", "created_at"),
            updated_at: either("updatedAt", "updated_at"),
            metadata: metadata(item),
        }
    }
}

impl ConfigVars {
    fn of(run: &Run, attempt: &Attempt, surroundings: &Surroundings, item: &Item) -> ConfigVars {
        let named = |name: &str| NamedVars { name: name.to_owned(), plugin: name.to_owned() };
        let limits = &run.policy.limits;
        let epic = surroundings.epic.as_ref().map(|epic| &epic.id).or(item.parent.as_ref());
        let delay = limits.iteration_delay.as_millis();
        ConfigVars {
            agent: named(attempt.agent.as_str()),
            tracker: named(surroundings.tracker.as_deref().unwrap_or(crate::built_in::PROMPT)),
            model: run.crew.at_work().model.clone().unwrap_or_default(),
            cwd: surroundings.cwd.clone(),
            epic_id: epic.map(ToString::to_string).unwrap_or_default(),
            session_id: run.id.to_string(),
            max_iterations: limits.max_iterations.map(Into::into),
            iteration_delay: u64::try_from(delay).unwrap_or(u64::MAX),
            output_dir: LOGS,
            progress_file: PROGRESS,
            auto_commit: surroundings.auto_commit,
        }
    }
}

impl PrdVars {
    fn of(prd: &Prd) -> PrdVars {
        PrdVars {
            name: prd.name.clone(),
            description: prd.description.clone(),
            content: prd.content.clone(),
            completed_count: prd.completed,
            total_count: prd.total,
        }
    }
}

impl EpicVars {
    fn of(epic: &Item) -> EpicVars {
        EpicVars { id: epic.id.to_string(), title: epic.title.clone(), description: epic.description.clone() }
    }
}

impl TriedVars {
    fn of(tried: &Tried) -> TriedVars {
        TriedVars { iteration: tried.iteration, attempt: tried.attempt, outcome: tried.outcome.clone() }
    }
}
