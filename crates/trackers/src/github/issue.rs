//! An issue as `gh` prints it, and what its labels, its milestone and its body say.

use std::collections::BTreeMap;

use ralph_core::backlog::{Item, Kind, Priority, Status};
use ralph_core::id::TaskId;
use serde::Deserialize;
use serde_json::Value;

use crate::body::{Body, read};
use crate::words::words;

/// What GitHub itself takes for the name of an issue in a text.
const PREFIX: &str = "GH-";

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Issue {
    pub(super) number: u64,
    title: String,
    #[serde(default)]
    body: Option<String>,
    state: String,
    #[serde(default)]
    state_reason: Option<String>,
    #[serde(default)]
    pub(super) labels: Vec<Label>,
    #[serde(default)]
    milestone: Option<Milestone>,
    #[serde(default)]
    url: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Label {
    pub(super) name: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Milestone {
    number: u64,
    title: String,
    #[serde(default)]
    description: Option<String>,
}

pub(super) fn id(number: u64) -> TaskId {
    TaskId::parse(&format!("{PREFIX}{number}")).expect("a number makes an id")
}

pub(super) fn number(id: &TaskId) -> Option<u64> {
    id.as_str().strip_prefix(PREFIX)?.parse().ok()
}

fn milestone_id(number: u64) -> TaskId {
    TaskId::parse(&format!("milestone/{number}")).expect("a number makes an id")
}

impl Issue {
    pub(super) fn is_closed(&self) -> bool {
        self.state.eq_ignore_ascii_case("closed")
    }

    pub(super) fn is_pull_request(&self) -> bool {
        self.url.contains("/pull/")
    }

    pub(super) fn status(&self) -> Status {
        if self.is_closed() {
            let reason = self.state_reason.as_deref().unwrap_or_default().to_ascii_lowercase();
            return match reason.as_str() {
                "not_planned" | "duplicate" => Status::Cancelled,
                _ => Status::Completed,
            };
        }
        let said = |status| self.labels.iter().any(|label| label.status() == Some(status));
        // What is both is not to be worked on.
        if said(Status::Blocked) {
            Status::Blocked
        } else if said(Status::InProgress) {
            Status::InProgress
        } else {
            Status::Open
        }
    }

    fn into_item(self, body: &Body) -> Item {
        let mut item = Item::new(id(self.number), self.title.clone());
        item.status = self.status();
        item.priority = self.labels.iter().filter_map(Label::priority).min().unwrap_or_default();
        item.kind = if self.labels.iter().any(Label::is_container) { Kind::Container } else { Kind::Work };
        item.labels = self.labels.into_iter().map(|label| label.name).collect();
        item.description = body.description.clone();
        item.acceptance_criteria = body.criteria.clone();
        item.depends_on = body.depends_on.iter().copied().map(id).collect();
        item.blocks = body.blocks.iter().copied().map(id).collect();
        item.parent = body.parent.map(id);
        if !self.url.is_empty() {
            item.metadata.insert("url".to_owned(), Value::String(self.url));
        }
        if let Some(milestone) = self.milestone {
            item.parent.get_or_insert_with(|| milestone_id(milestone.number));
            item.metadata.insert("milestone".to_owned(), Value::String(milestone.title));
        }
        item
    }
}

/// Issues in the order of their numbers, behind them the milestones that hold them together.
pub(super) fn items(issues: Vec<Issue>) -> Vec<Item> {
    let mut milestones: BTreeMap<u64, Milestone> = BTreeMap::new();
    let mut listed: Vec<(TaskId, Vec<TaskId>)> = Vec::new();
    let mut items: Vec<Item> = Vec::with_capacity(issues.len());
    for issue in issues {
        let body = read(issue.body.as_deref().unwrap_or_default());
        if let Some(milestone) = &issue.milestone {
            milestones.entry(milestone.number).or_insert_with(|| milestone.clone());
        }
        let mut item = issue.into_item(&body);
        let parts: Vec<TaskId> = body.listed.iter().copied().map(id).collect();
        match item.kind {
            Kind::Container => listed.push((item.id.clone(), parts)),
            // What it lists comes before it.
            Kind::Work => parts.into_iter().for_each(|part| {
                if part != item.id && !item.depends_on.contains(&part) {
                    item.depends_on.push(part);
                }
            }),
        }
        items.push(item);
    }
    adopt(&mut items, listed);
    items.extend(milestones.into_values().map(|milestone| {
        let mut item = Item::new(milestone_id(milestone.number), milestone.title);
        item.description = milestone.description.unwrap_or_default();
        item.kind = Kind::Container;
        item
    }));
    items
}

/// An epic's own list says more of what is below it than a milestone does.
fn adopt(items: &mut [Item], listed: Vec<(TaskId, Vec<TaskId>)>) {
    let mut parents: BTreeMap<TaskId, TaskId> = BTreeMap::new();
    for (epic, parts) in listed {
        for part in parts.into_iter().filter(|part| *part != epic) {
            parents.entry(part).or_insert_with(|| epic.clone());
        }
    }
    for item in items {
        let has_own = item.parent.as_ref().is_some_and(|parent| number(parent).is_some());
        if let Some(epic) = parents.remove(&item.id).filter(|_| !has_own) {
            item.parent = Some(epic);
        }
    }
}

impl Label {
    fn words(&self) -> String {
        words(&self.name)
    }

    pub(super) fn status(&self) -> Option<Status> {
        let words = self.words();
        match words.strip_prefix("status ").unwrap_or(&words) {
            "in progress" | "inprogress" | "doing" | "wip" | "started" => Some(Status::InProgress),
            "blocked" | "on hold" => Some(Status::Blocked),
            _ => None,
        }
    }

    fn priority(&self) -> Option<Priority> {
        let words = self.words();
        let named = words.strip_prefix("priority ").or_else(|| words.strip_suffix(" priority"));
        let number = match named.unwrap_or(&words) {
            "p0" | "critical" | "urgent" => 0,
            "p1" => 1,
            "p2" => 2,
            "p3" => 3,
            "p4" => 4,
            "0" | "1" | "2" | "3" | "4" | "high" | "medium" | "normal" | "low" | "lowest"
                if named.is_none() =>
            {
                return None;
            }
            "high" => 1,
            "medium" | "normal" => 2,
            "low" => 3,
            "lowest" => 4,
            other => other.parse().ok().filter(|_| named.is_some())?,
        };
        Priority::try_from(number).ok()
    }

    fn is_container(&self) -> bool {
        matches!(self.words().as_str(), "epic" | "tracking" | "tracking issue" | "type epic")
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::backlog::{Item, Kind, Status};
    use serde_json::{Value, json};

    use super::{Issue, Label, items};

    fn read(issues: Value) -> Vec<Item> {
        items(serde_json::from_value::<Vec<Issue>>(issues).unwrap())
    }

    fn label(name: &str) -> Label {
        Label { name: name.to_owned() }
    }

    #[test]
    fn labels_say_priority_and_status_however_they_are_written() {
        let priority = |name: &str| label(name).priority().map(|priority| priority.get());
        for (name, expected) in [
            ("P0", Some(0)),
            ("priority: high", Some(1)),
            ("priority/2", Some(2)),
            ("Low Priority", Some(3)),
            ("priority-lowest", Some(4)),
            ("urgent", Some(0)),
            ("high", None),
            ("3", None),
            ("priority: 9", None),
            ("bug", None),
        ] {
            assert_eq!(priority(name), expected, "{name}");
        }
        assert_eq!(label("Status: In-Progress").status(), Some(Status::InProgress));
        assert_eq!(label("blocked").status(), Some(Status::Blocked));
        assert_eq!(label("unblocked").status(), None);
    }

    #[test]
    fn milestones_and_epics_hold_issues_together() {
        let milestone = json!({"number": 3, "title": "1.0", "description": "soon"});
        let items = read(json!([
            {"number": 1, "title": "e", "state": "OPEN", "labels": [{"name": "epic"}], "body": "- [ ] #2\n- [x] #3 done"},
            {"number": 2, "title": "a", "state": "OPEN", "milestone": milestone},
            {"number": 3, "title": "b", "state": "CLOSED", "stateReason": "COMPLETED", "body": "Part of #4"},
            {"number": 4, "title": "c", "state": "CLOSED", "stateReason": "NOT_PLANNED", "milestone": milestone},
            {"number": 5, "title": "d", "state": "OPEN", "body": "Depends on #2\n- [ ] #4"},
        ]));
        let parent = |at: usize| items[at].parent.as_ref().map(ToString::to_string);
        assert_eq!(items[0].kind, Kind::Container);
        assert_eq!([parent(1), parent(2), parent(3)].map(Option::unwrap), ["GH-1", "GH-4", "milestone/3"]);
        assert_eq!([items[2].status, items[3].status], [Status::Completed, Status::Cancelled]);
        assert_eq!(items[4].depends_on.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["GH-2", "GH-4"]);
        assert_eq!((items[5].id.as_str(), items[5].kind), ("milestone/3", Kind::Container));
    }
}
