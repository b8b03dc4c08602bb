//! An issue as `br` and `bd` print it.

use ralph_core::backlog::{Item, Kind, Priority, Status};
use ralph_core::id::TaskId;
use serde::Deserialize;
use serde_json::Value;

use crate::tracker::Metadata;

/// What is empty is left out of an answer.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Issue {
    pub(super) id: TaskId,
    title: String,
    status: String,
    priority: Option<i64>,
    issue_type: Option<String>,
    description: Option<String>,
    acceptance_criteria: Option<String>,
    labels: Option<Vec<String>>,
    dependencies: Option<Vec<Dependency>>,
    dependency_count: Option<u64>,
    parent: Option<TaskId>,
    #[serde(flatten)]
    rest: Metadata,
}

/// `{depends_on_id, type}` in a list, `{id, dependency_type}` where an issue is shown.
#[derive(Debug, Clone, Deserialize)]
struct Dependency {
    #[serde(alias = "id")]
    depends_on_id: TaskId,
    #[serde(alias = "type")]
    dependency_type: Option<String>,
}

impl Issue {
    /// Whether it is said to have dependencies and not which.
    pub(super) fn hides_dependencies(&self) -> bool {
        self.dependencies.is_none() && self.dependency_count.is_some_and(|count| count > 0)
    }

    /// Takes over what only a shown issue tells.
    pub(super) fn learn(&mut self, shown: Issue) {
        self.dependencies = shown.dependencies;
        self.parent = self.parent.take().or(shown.parent);
        self.labels = self.labels.take().or(shown.labels);
    }

    pub(super) fn into_item(self) -> Item {
        let mut item = Item::new(self.id, self.title);
        item.status = status(&self.status);
        item.priority = self.priority.map_or_else(Priority::default, Priority::nearest);
        item.description = self.description.unwrap_or_default();
        item.acceptance_criteria = self.acceptance_criteria.as_deref().map(criteria).unwrap_or_default();
        item.labels = self.labels.unwrap_or_default();
        item.parent = self.parent;
        for dependency in self.dependencies.unwrap_or_default() {
            match dependency.dependency_type.as_deref() {
                None | Some("blocks" | "conditional-blocks" | "waits-for") => {
                    item.depends_on.push(dependency.depends_on_id);
                }
                Some("parent-child") => {
                    item.parent.get_or_insert(dependency.depends_on_id);
                }
                // Related, discovered from, …: nobody waits for these.
                Some(_) => {}
            }
        }
        item.metadata = self.rest;
        if let Some(kind) = self.issue_type {
            item.kind = if matches!(kind.as_str(), "epic" | "milestone" | "molecule") {
                Kind::Container
            } else {
                Kind::Work
            };
            item.metadata.insert("type".to_owned(), Value::String(kind));
        }
        if item.status == Status::Blocked && self.status != "blocked" {
            item.metadata.insert("status".to_owned(), Value::String(self.status));
        }
        item
    }
}

/// A status that somebody made up, or that puts an issue off, is not one to work in.
fn status(word: &str) -> Status {
    match word {
        "open" => Status::Open,
        "in_progress" | "hooked" => Status::InProgress,
        "closed" => Status::Completed,
        "tombstone" => Status::Cancelled,
        _ => Status::Blocked,
    }
}

/// One a line, without what marks it as part of a list.
fn criteria(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', '+']).trim_start();
        let boxed = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| line.strip_prefix(mark));
        boxed.unwrap_or(line).trim()
    });
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use ralph_core::backlog::{Kind, Status};
    use serde_json::json;

    use super::Issue;

    #[test]
    fn both_shapes_of_dependencies_and_empty_fields() {
        let issue = |value| serde_json::from_value::<Issue>(value).unwrap().into_item();
        let listed =
            issue(json!({"id": "bd-2", "title": "b", "status": "hooked", "priority": 0, "issue_type": "bug",
            "dependencies": [{"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"},
                             {"issue_id": "bd-2", "depends_on_id": "bd-9", "type": "parent-child"},
                             {"issue_id": "bd-2", "depends_on_id": "bd-7", "type": "related"}],
            "acceptance_criteria": "- [ ] one\n\n* two\n", "assignee": "me"}));
        let shown = issue(json!({"id": "bd-2", "title": "b", "status": "in_progress",
            "dependencies": [{"id": "bd-1", "title": "a", "status": "open", "dependency_type": "blocks"}]}));
        assert_eq!(listed.depends_on, shown.depends_on);
        assert_eq!((listed.status, shown.status), (Status::InProgress, Status::InProgress));
        assert_eq!(listed.parent.unwrap().as_str(), "bd-9");
        assert_eq!(listed.acceptance_criteria, ["one", "two"]);
        assert_eq!(listed.metadata["assignee"], "me");
        let epic = issue(json!({"id": "bd-9", "title": "e", "status": "deferred", "issue_type": "epic"}));
        assert_eq!((epic.kind, epic.status), (Kind::Container, Status::Blocked));
        assert_eq!(epic.metadata["status"], "deferred");
    }
}
