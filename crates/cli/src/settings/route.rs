//! Routes: which agent, model and effort a task gets.

use ralph_core::nearest::shortened;
use ralph_core::route::{Condition, Route, Span, Trouble};
use schemars::JsonSchema;
use serde_json::{Value, json};

use super::catalogue::{IterationSpan, PrioritySpan, TroubleNames};
use super::origin::Set;
use super::raw::{GivenTable, Raw};
use super::reader::Reader;
use super::value::{Refused, digits, plain};
use crate::problem::Problem;

/// The least urgent.
const LAST_PRIORITY: u32 = 4;
const MOST: u32 = super::limits::MOST_ITERATIONS;

/// Chooses agent, model and effort for the tasks and iterations that meet all its conditions. The first route that
/// matches counts, for that iteration; where none does, `[agent]` counts. The routes of one file stand as a whole: a
/// project's take the place of the user's.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct RouteKeys {
    /// Matches a task that has one of these labels.
    #[schemars(length(min = 1), extend("examples" = [["hard", "refactoring"]]))]
    labels: Option<Vec<String>>,
    /// Matches a task of this priority, or of a range of them; 0 is the most urgent, 4 the least.
    #[schemars(extend("examples" = ["0-1"]))]
    priority: Option<PrioritySpan>,
    /// Matches the iteration on the task: a number, a range, or from one on.
    #[schemars(extend("examples" = [">=3"]))]
    iteration: Option<IterationSpan>,
    /// Matches once the run would end because it gets nowhere on the task, which then goes on with what is chosen here: at
    /// `max_no_progress` or at `max_circular`, once for each. One of them or an array of both.
    #[schemars(extend("examples" = ["no_progress"]))]
    when: Option<TroubleNames>,
    /// The agent to run, as `ralph agents` names it; unset, that of `[agent]`.
    #[schemars(extend("examples" = ["claude"]))]
    agent: Option<String>,
    /// The model it is to use; unset, as for any other task.
    #[schemars(extend("examples" = ["opus"]))]
    model: Option<String>,
    /// How hard it is to think, in the agent's own words; unset, as for any other task.
    #[schemars(extend("examples" = ["high"]))]
    effort: Option<String>,
}

pub(crate) const KEYS: [&str; 7] = ["labels", "priority", "iteration", "when", "agent", "model", "effort"];

pub(crate) fn read_routes(given: Vec<GivenTable>, problems: &mut Vec<Problem>) -> Vec<Set<Route>> {
    given.into_iter().filter_map(|one| read(one, problems)).collect()
}

fn read(given: GivenTable, problems: &mut Vec<Problem>) -> Option<Set<Route>> {
    let already = problems.len();
    let lacks = |keys: &[&str]| !given.items.iter().any(|item| keys.contains(&item.key.as_str()));
    let (condition_keys, choice_keys) = KEYS.split_at(4);
    for (keys, what) in [
        (condition_keys, "the route has no condition, so it would hide every route after it"),
        (choice_keys, "the route chooses nothing"),
    ] {
        if lacks(keys) {
            let next = format!("give it one of {}", keys.join(", "));
            problems.push(Problem::new(what).at(given.at.place()).next(next));
        }
    }
    let mut from = Reader::new(given.items, problems);
    let labels = from.take("route", "labels", labels).map(|set| Condition::Labels(set.value));
    let priority = from.take("route", "priority", priority).map(|set| Condition::Priority(set.value));
    let iteration = from.take("route", "iteration", iteration).map(|set| Condition::Iteration(set.value));
    let trouble = from.take("route", "when", troubles).map(|set| Condition::Trouble(set.value));
    let agent = from.take("route", "agent", plain::agent_name).map(|set| set.value);
    let text = |raw: &Raw, rule: &str| plain::text(raw, rule).map(str::to_owned);
    let model = from.take("route", "model", |raw| text(raw, "a model")).map(|set| set.value);
    let effort = from.take("route", "effort", |raw| text(raw, "an effort")).map(|set| set.value);
    from.finish();
    let when = [labels, priority, iteration, trouble].into_iter().flatten().collect();
    let route = Route { when, agent, model, effort };
    (problems.len() == already).then_some(Set { value: route, origin: given.at })
}

fn labels(raw: &Raw) -> Result<Vec<String>, Refused> {
    const RULE: &str = "an array of labels such as [\"hard\"]";
    let labels = plain::texts(raw, RULE)?;
    if labels.is_empty() || labels.iter().any(|label| label.trim().is_empty()) {
        return Err(Refused::new("no task has such a label", format!("write {RULE}")));
    }
    Ok(labels)
}

/// One by itself, or several.
fn troubles(raw: &Raw) -> Result<Vec<Trouble>, Refused> {
    const RULE: &str = "\"no_progress\", \"circular\" or an array of both";
    let names = match raw {
        Raw::Text(text) | Raw::Given(text) => vec![text.clone()],
        Raw::List(_) => plain::texts(raw, RULE)?,
        Raw::Number(_) | Raw::Bool(_) | Raw::Date | Raw::Table => return Err(Refused::kind(raw, RULE)),
    };
    let known = |name: &String| {
        let found = Trouble::ALL.into_iter().find(|trouble| trouble.name() == name);
        let what = || format!("`{}` is no trouble that a run can be in", shortened(name));
        found.ok_or_else(|| Refused::new(what(), format!("write {RULE}")))
    };
    let troubles = names.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    if troubles.is_empty() {
        return Err(Refused::new("no run is in such a trouble", format!("write {RULE}")));
    }
    Ok(troubles)
}

fn priority(raw: &Raw) -> Result<Span, Refused> {
    span(raw, 0, LAST_PRIORITY, "a priority from 0 to 4 such as 1, or a range such as \"0-1\"")
}

fn iteration(raw: &Raw) -> Result<Span, Refused> {
    span(raw, 1, MOST, "an iteration such as 3, \"2-4\" or \">=3\", the first being 1")
}

/// A number, two with a hyphen between them, or one from which on.
fn span(raw: &Raw, least: u32, most: u32, rule: &str) -> Result<Span, Refused> {
    let text = match raw {
        Raw::Number(text) | Raw::Text(text) | Raw::Given(text) => text,
        Raw::Bool(_) | Raw::Date | Raw::List(_) | Raw::Table => return Err(Refused::kind(raw, rule)),
    };
    let number = |text: &str| digits(text.trim())?.parse().ok().filter(|n| (least..=most).contains(n));
    let read = match (text.strip_prefix(">="), text.split_once('-')) {
        (Some(from), _) => number(from).map(|from| Span { from, to: None }),
        (None, Some((from, to))) => {
            number(from).zip(number(to)).map(|(from, to)| Span { from, to: Some(to) })
        }
        (None, None) => number(text).map(|only| Span { from: only, to: Some(only) }),
    };
    read.filter(|span| span.to.is_none_or(|to| to >= span.from)).ok_or_else(|| {
        Refused::new(format!("`{}` is none that there could be", shortened(text)), format!("write {rule}"))
    })
}

/// The keys that a route has, as they are written.
pub(crate) fn fields(route: &Route) -> Vec<(&'static str, Value)> {
    let condition = |condition: &Condition| match condition {
        Condition::Labels(labels) => ("labels", json!(labels)),
        Condition::Priority(span) => ("priority", written(*span)),
        Condition::Iteration(span) => ("iteration", written(*span)),
        Condition::Trouble(troubles) => match troubles.as_slice() {
            [only] => ("when", json!(only.name())),
            several => ("when", json!(several.iter().map(|one| one.name()).collect::<Vec<_>>())),
        },
    };
    let agent = route.agent.as_ref().map(|agent| ("agent", json!(agent.as_str())));
    let model = route.model.as_ref().map(|model| ("model", json!(model)));
    let effort = route.effort.as_ref().map(|effort| ("effort", json!(effort)));
    let chosen = [agent, model, effort].into_iter().flatten();
    route.when.iter().map(condition).chain(chosen).collect()
}

fn written(span: Span) -> Value {
    match span.to {
        Some(to) if to == span.from => json!(to),
        Some(_) | None => json!(span.to_string()),
    }
}
