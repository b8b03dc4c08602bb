//! An issue as `br` and `bd` print it.

use jiff::Timestamp;
use ralph_core::backlog::{Item, Kind, Priority, Status};
use ralph_core::id::TaskId;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::tracker::Metadata;

/// What is empty is left out of an answer.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Issue {
    #[serde(deserialize_with = "of_backlog")]
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
    assignee: Option<String>,
    defer_until: Option<String>,
    #[serde(default)]
    pinned: bool,
    #[serde(default)]
    ephemeral: bool,
    #[serde(default)]
    is_template: bool,
    #[serde(flatten)]
    rest: Metadata,
}

fn of_backlog<'a, D: Deserializer<'a>>(deserializer: D) -> Result<TaskId, D::Error> {
    TaskId::of_backlog(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
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

    /// Why it is not to be worked on now although it is not done, where the program would not offer it either.
    fn put_off(&self, now: Timestamp) -> Option<String> {
        match self.status.as_str() {
            "open" | "in_progress" | "blocked" => {}
            "hooked" => {
                let by = self.assignee.as_ref().map(|who| format!(" of {who}")).unwrap_or_default();
                return Some(format!("it is on the hook{by}"));
            }
            other => return Some(format!("its status is {other}")),
        }
        if let Some(until) = self.defer_until.as_ref().filter(|until| !has_passed(until, now)) {
            return Some(format!("it is put off until {until}"));
        }
        let is_wisp = self.ephemeral || self.id.as_str().contains("-wisp-");
        let flags = [
            (self.pinned, "it is pinned"),
            (is_wisp, "it is ephemeral"),
            (self.is_template, "it is a template"),
        ];
        flags.into_iter().find_map(|(is, why)| is.then(|| why.to_owned()))
    }

    pub(super) fn status(&self, now: Timestamp) -> Status {
        match self.status.as_str() {
            "closed" => Status::Completed,
            "tombstone" => Status::Cancelled,
            _ if self.put_off(now).is_some() => Status::Blocked,
            "open" => Status::Open,
            "in_progress" => Status::InProgress,
            _ => Status::Blocked,
        }
    }

    pub(super) fn into_item(self, now: Timestamp) -> Item {
        let (status, put_off) = (self.status(now), self.put_off(now));
        let mut item = Item::new(self.id, self.title);
        item.status = status;
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
        if let Some(who) = self.assignee {
            item.metadata.insert("assignee".to_owned(), Value::String(who));
        }
        if let Some(why) = put_off.filter(|_| status == Status::Blocked) {
            item.metadata.insert(Item::BLOCKED_BECAUSE.to_owned(), Value::String(why));
        }
        item
    }
}

/// A moment, or a day; what cannot be read is not known to be over.
fn has_passed(text: &str, now: Timestamp) -> bool {
    let day = |text: &str| text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let moment = text.parse::<Timestamp>().ok().or_else(|| day(text).map(|day| day.timestamp()));
    moment.is_some_and(|moment| moment <= now)
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
    use jiff::Timestamp;
    use ralph_core::backlog::{Item, Kind, Status};
    use serde_json::json;

    use super::Issue;

    #[test]
    fn both_shapes_of_dependencies_and_empty_fields() {
        let issue = |value| serde_json::from_value::<Issue>(value).unwrap().into_item(Timestamp::UNIX_EPOCH);
        let listed = issue(
            json!({"id": "bd-2", "title": "b", "status": "in_progress", "priority": 0, "issue_type": "bug",
            "dependencies": [{"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"},
                             {"issue_id": "bd-2", "depends_on_id": "bd-9", "type": "parent-child"},
                             {"issue_id": "bd-2", "depends_on_id": "bd-7", "type": "related"}],
            "acceptance_criteria": "- [ ] one\n\n* two\n", "assignee": "me"}),
        );
        let shown = issue(json!({"id": "bd-2", "title": "b", "status": "in_progress",
            "dependencies": [{"id": "bd-1", "title": "a", "status": "open", "dependency_type": "blocks"}]}));
        assert_eq!(listed.depends_on, shown.depends_on);
        assert_eq!((listed.status, shown.status), (Status::InProgress, Status::InProgress));
        assert_eq!(listed.parent.unwrap().as_str(), "bd-9");
        assert_eq!(listed.acceptance_criteria, ["one", "two"]);
        assert_eq!(listed.metadata["assignee"], "me");
        let epic = issue(json!({"id": "bd-9", "title": "e", "status": "deferred", "issue_type": "epic"}));
        assert_eq!((epic.kind, epic.status), (Kind::Container, Status::Blocked));
        assert_eq!(epic.metadata[Item::BLOCKED_BECAUSE], "its status is deferred");
    }

    #[test]
    fn what_the_program_would_not_offer_is_blocked_with_the_reason() {
        let now: Timestamp = "2026-06-01T12:00:00Z".parse().unwrap();
        let told = |more: serde_json::Value| {
            let mut issue = json!({"id": "bd-1", "title": "a", "status": "open"});
            issue.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let item = serde_json::from_value::<Issue>(issue).unwrap().into_item(now);
            let why = item.metadata.get(Item::BLOCKED_BECAUSE).map(|why| why.as_str().unwrap().to_owned());
            (item.status, why.unwrap_or_default())
        };
        let blocked = |why: &str| (Status::Blocked, why.to_owned());
        let open = (Status::Open, String::new());
        assert_eq!(
            told(json!({"defer_until": "2026-06-02T00:00:00+02:00"})),
            blocked("it is put off until 2026-06-02T00:00:00+02:00")
        );
        assert_eq!(told(json!({"defer_until": "2026-06-02"})), blocked("it is put off until 2026-06-02"));
        assert_eq!(told(json!({"defer_until": "2026-06-01T13:00:00+02:00"})), open);
        assert_eq!(told(json!({"defer_until": null, "pinned": false})), open);
        assert_eq!(told(json!({"pinned": true})), blocked("it is pinned"));
        assert_eq!(told(json!({"ephemeral": true})), blocked("it is ephemeral"));
        assert_eq!(told(json!({"id": "bd-wisp-7"})), blocked("it is ephemeral"));
        assert_eq!(told(json!({"is_template": true})), blocked("it is a template"));
        assert_eq!(
            told(json!({"status": "hooked", "assignee": "mayor"})),
            blocked("it is on the hook of mayor")
        );
        assert_eq!(told(json!({"status": "blocked"})), blocked(""));
        assert_eq!(told(json!({"status": "closed", "pinned": true})).0, Status::Completed);
        assert!(
            serde_json::from_value::<Issue>(json!({"id": "prompt", "title": "a", "status": "open"})).is_err()
        );
    }
}
