//! An issue as Linear tells it, and what its state, its priority and its relations say.

use std::collections::{BTreeMap, HashSet};

use ralph_core::backlog::{Item, Kind, Priority, Status};
use ralph_core::id::TaskId;
use serde::Deserialize;
use serde_json::Value;

use crate::body;
use crate::words::{says_best, says_blocked, says_cancelled};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Connection<T> {
    pub(super) nodes: Vec<T>,
    pub(super) page_info: PageInfo,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageInfo {
    pub(super) has_next_page: bool,
    #[serde(default)]
    pub(super) end_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Issue {
    pub(super) id: String,
    pub(super) identifier: String,
    pub(super) number: u64,
    title: String,
    description: Option<String>,
    priority: u8,
    url: String,
    state: State,
    parent: Option<Named>,
    project: Option<Project>,
    #[serde(flatten)]
    lists: Lists,
}

/// What an issue has any number of.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lists {
    labels: Connection<Label>,
    inverse_relations: Connection<Relation>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Held {
    pub(super) issue: Lists,
}

#[derive(Debug, Clone, Deserialize)]
struct Label {
    name: String,
}

/// Another issue's relation to this one.
#[derive(Debug, Clone, Deserialize)]
struct Relation {
    #[serde(rename = "type")]
    kind: String,
    issue: Related,
}

#[derive(Debug, Clone, Deserialize)]
struct Related {
    identifier: String,
    state: State,
}

#[derive(Debug, Clone, Deserialize)]
struct Named {
    identifier: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project {
    slug_id: String,
    name: String,
    description: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct State {
    pub(super) id: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    position: f64,
}

/// An issue, with where it can be moved.
#[derive(Debug, Deserialize)]
pub(super) struct Movable {
    pub(super) id: String,
    pub(super) identifier: String,
    pub(super) state: State,
    team: Workflow,
}

#[derive(Debug, Deserialize)]
struct Workflow {
    states: Connection<State>,
}

/// The number behind the key of the team.
pub(super) fn number(id: &TaskId, team: &str) -> Option<u64> {
    let (key, number) = id.as_str().rsplit_once('-')?;
    number.parse().ok().filter(|_| key.eq_ignore_ascii_case(team))
}

impl State {
    pub(super) fn status(&self) -> Status {
        match self.kind.as_str() {
            "completed" => Status::Completed,
            "canceled" | "duplicate" => Status::Cancelled,
            // Nobody has said yet that it is to be done.
            "triage" => Status::Blocked,
            _ if says_blocked(&self.name) => Status::Blocked,
            "started" => Status::InProgress,
            _ => Status::Open,
        }
    }
}

impl Movable {
    /// The state of the team that says it best, or else the first in the team's own order. What waits to be accepted is
    /// not where anything is moved to, and what is merely kept in mind only where nothing else is open.
    pub(super) fn state_for(&self, status: Status) -> Option<&State> {
        let is_meant = |state: &&State| {
            let is_place = !matches!(state.kind.as_str(), "triage" | "duplicate");
            is_place
                && state.status() == status
                && (status == Status::Cancelled || !says_cancelled(&state.name))
        };
        let states = self.team.states.nodes.iter().filter(is_meant);
        states.min_by(|a, b| {
            let rank = |state: &State| (state.kind == "backlog", !says_best(status, &state.name));
            rank(a).cmp(&rank(b)).then(a.position.total_cmp(&b.position))
        })
    }
}

impl Lists {
    pub(super) fn is_cut(&self) -> bool {
        self.labels.page_info.has_next_page || self.inverse_relations.page_info.has_next_page
    }
}

impl Issue {
    pub(super) fn is_cut(&self) -> bool {
        self.lists.is_cut()
    }

    pub(super) fn take(&mut self, lists: Lists) {
        self.lists = lists;
    }

    fn into_item(self, known: &HashSet<String>) -> Result<Item, String> {
        let body = body::read(self.description.as_deref().unwrap_or_default());
        let mut item = Item::new(id(&self.identifier)?, self.title);
        item.status = self.state.status();
        item.priority = priority(self.priority)?;
        item.labels = self.lists.labels.nodes.into_iter().map(|label| label.name).collect();
        item.description = body.description;
        item.acceptance_criteria = body.criteria;
        for relation in self.lists.inverse_relations.nodes.iter().filter(|relation| relation.kind == "blocks")
        {
            let Related { identifier, state } = &relation.issue;
            // What is elsewhere and settled holds nothing up.
            if known.contains(identifier) || !state.status().is_settled() {
                item.depends_on.push(id(identifier)?);
            }
        }
        item.parent = match (&self.parent, &self.project) {
            (Some(parent), _) if known.contains(&parent.identifier) => Some(id(&parent.identifier)?),
            (_, Some(project)) => Some(project_id(project)?),
            (_, None) => None,
        };
        item.metadata.insert("url".to_owned(), Value::String(self.url));
        if item.status == Status::Blocked {
            let because = format!("its state is {}", self.state.name);
            item.metadata.insert(Item::BLOCKED_BECAUSE.to_owned(), Value::String(because));
        }
        item.metadata.insert("state".to_owned(), Value::String(self.state.name));
        Ok(item)
    }
}

fn id(text: &str) -> Result<TaskId, String> {
    TaskId::of_backlog(text).map_err(|error| error.to_string())
}

fn project_id(project: &Project) -> Result<TaskId, String> {
    id(&format!("project/{}", project.slug_id))
}

/// 1 is urgent and 4 low; 0 is none at all, and comes last in Linear too.
fn priority(number: u8) -> Result<Priority, String> {
    let ours = if number == 0 { 4 } else { number - 1 };
    Priority::try_from(ours).map_err(|_| format!("{number} is no priority"))
}

/// Issues in the order of their numbers, behind them the projects that hold them together. An issue with issues below
/// it is done when they are.
pub(super) fn items(issues: Vec<Issue>) -> Result<Vec<Item>, String> {
    let known: HashSet<String> = issues.iter().map(|issue| issue.identifier.clone()).collect();
    let parents: HashSet<String> = issues
        .iter()
        .filter_map(|issue| issue.parent.as_ref())
        .map(|parent| parent.identifier.clone())
        .collect();
    let mut projects: BTreeMap<String, Project> = BTreeMap::new();
    let mut items = Vec::with_capacity(issues.len());
    for issue in issues {
        if let Some(project) = &issue.project {
            projects.entry(project.slug_id.clone()).or_insert_with(|| project.clone());
        }
        let mut item = issue.into_item(&known)?;
        if parents.contains(item.id.as_str()) {
            item.kind = Kind::Container;
        }
        items.push(item);
    }
    for project in projects.into_values() {
        let mut item = Item::new(project_id(&project)?, project.name);
        item.description = project.description.unwrap_or_default();
        item.kind = Kind::Container;
        items.push(item);
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use ralph_core::backlog::{Item, Kind, Status};
    use serde_json::{Value, json};

    use super::{Issue, Movable, State, items};

    fn state(kind: &str, name: &str) -> Value {
        json!({"id": name, "name": name, "type": kind, "position": 1.0})
    }

    fn issue(number: u64, more: Value) -> Value {
        let none = json!({"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}});
        let mut issue = json!({"id": format!("u{number}"), "identifier": format!("ENG-{number}"), "number": number,
            "title": "t", "description": null, "priority": 3, "url": "https://linear.app/x", "state": state("unstarted", "Todo"),
            "parent": null, "project": null, "labels": none, "inverseRelations": none});
        issue.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        issue
    }

    fn read(issues: Value) -> Vec<Item> {
        items(serde_json::from_value::<Vec<Issue>>(issues).unwrap()).unwrap()
    }

    #[test]
    fn states_are_told_by_their_type_and_only_blocked_by_name() {
        for (kind, name, expected) in [
            ("backlog", "Backlog", Status::Open),
            ("unstarted", "Todo", Status::Open),
            ("started", "In Review", Status::InProgress),
            ("started", "Blocked", Status::Blocked),
            ("unstarted", "On hold", Status::Blocked),
            ("completed", "Blocked", Status::Completed),
            ("canceled", "Canceled", Status::Cancelled),
            ("triage", "Triage", Status::Blocked),
        ] {
            let state: State = serde_json::from_value(state(kind, name)).unwrap();
            assert_eq!(state.status(), expected, "{kind} {name}");
        }
    }

    #[test]
    fn an_issue_is_moved_to_the_state_that_says_it_best() {
        let mut states = [
            state("triage", "Triage"),
            state("started", "In Review"),
            state("started", "In Progress"),
            state("backlog", "Backlog"),
            state("completed", "Shipped"),
            state("completed", "Merged"),
        ];
        states[4]["position"] = json!(9.0);
        let issue = json!({"id": "u", "identifier": "ENG-1", "state": states[1],
            "team": {"states": {"nodes": states, "pageInfo": {"hasNextPage": false}}}});
        let issue: Movable = serde_json::from_value(issue).unwrap();
        let place = |status| issue.state_for(status).map(|state| state.name.as_str());
        assert_eq!(place(Status::InProgress), Some("In Progress"));
        assert_eq!(place(Status::Completed), Some("Merged"), "the first in the team's order");
        assert_eq!(place(Status::Open), Some("Backlog"), "there is no better one");
        assert_eq!([place(Status::Blocked), place(Status::Cancelled)], [None; 2]);
    }

    #[test]
    fn parents_projects_and_what_is_elsewhere() {
        let blocks = |key: &str, kind: &str| json!({"type": "blocks", "issue": {"identifier": key, "state": state(kind, "s")}});
        let many = |nodes: &[Value]| json!({"nodes": nodes, "pageInfo": {"hasNextPage": false}});
        let project = json!({"slugId": "abc12", "name": "One", "description": "d"});
        let items = read(json!([
            issue(1, json!({"priority": 0, "project": project})),
            issue(
                2,
                json!({"parent": {"identifier": "ENG-1"}, "project": project, "priority": 1,
                "description": "Do.\n\n## Acceptance criteria\n- [ ] works"})
            ),
            issue(
                3,
                json!({"parent": {"identifier": "OPS-9"}, "inverseRelations":
                many(&[blocks("ENG-2", "completed"), blocks("OPS-1", "completed"), blocks("OPS-2", "started")])})
            ),
        ]));
        assert_eq!(
            items.iter().map(|item| item.kind).collect::<Vec<_>>(),
            [Kind::Container, Kind::Work, Kind::Work, Kind::Container]
        );
        assert_eq!(items[0].parent.as_ref().unwrap().as_str(), "project/abc12");
        assert_eq!(items[1].parent.as_ref().unwrap().as_str(), "ENG-1");
        assert_eq!([&items[0], &items[1], &items[2]].map(|item| item.priority.get()), [4, 0, 2]);
        assert_eq!(items[1].acceptance_criteria, ["works"]);
        let waits: Vec<&str> = items[2].depends_on.iter().map(|id| id.as_str()).collect();
        assert_eq!((waits, &items[2].parent), (vec!["ENG-2", "OPS-2"], &None));
    }
}
