//! An issue as Jira tells it, and what its status, its priority and its links say.

use std::collections::HashSet;

use ralph_core::backlog::{Item, Kind, Priority, Status as Ours};
use ralph_core::id::TaskId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::adf;
use crate::body;
use crate::words::{says_best, says_blocked, says_cancelled, words};

pub(super) const FIELDS: [&str; 10] = [
    "summary",
    "description",
    "status",
    "resolution",
    "priority",
    "labels",
    "issuelinks",
    "issuetype",
    "parent",
    "subtasks",
];

#[derive(Debug, Deserialize)]
pub(super) struct Issue {
    pub(super) key: String,
    fields: Fields,
}

#[derive(Debug, Deserialize)]
struct Fields {
    summary: String,
    #[serde(default)]
    description: Value,
    status: Status,
    resolution: Option<Named>,
    priority: Option<Named>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    issuelinks: Vec<Link>,
    issuetype: Type,
    parent: Option<Keyed>,
    #[serde(default)]
    subtasks: Vec<Keyed>,
}

/// An issue as far as its status goes.
#[derive(Debug, Deserialize)]
pub(super) struct Brief {
    pub(super) id: String,
    pub(super) key: String,
    fields: BriefFields,
}

#[derive(Debug, Deserialize)]
struct BriefFields {
    status: Status,
    resolution: Option<Named>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    pub(super) name: String,
    status_category: Category,
}

#[derive(Debug, Clone, Deserialize)]
struct Category {
    key: String,
}

#[derive(Debug, Deserialize)]
struct Named {
    #[serde(default)]
    id: String,
    name: String,
}

#[derive(Debug, Deserialize)]
struct Keyed {
    key: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Type {
    name: String,
    hierarchy_level: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    #[serde(rename = "type")]
    kind: LinkType,
    inward_issue: Option<Linked>,
    outward_issue: Option<Linked>,
}

#[derive(Debug, Deserialize)]
struct LinkType {
    #[serde(default)]
    inward: String,
    #[serde(default)]
    outward: String,
}

#[derive(Debug, Deserialize)]
struct Linked {
    key: String,
    fields: LinkedFields,
}

#[derive(Debug, Deserialize)]
struct LinkedFields {
    status: Status,
}

#[derive(Debug, Deserialize)]
pub(super) struct Transition {
    pub(super) id: String,
    pub(super) to: Status,
    #[serde(default)]
    fields: TransitionFields,
}

#[derive(Debug, Default, Deserialize)]
struct TransitionFields {
    resolution: Option<Choice>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    #[serde(default)]
    required: bool,
    #[serde(default)]
    allowed_values: Vec<Named>,
}

/// The number behind the key of the project.
pub(super) fn number(key: &str, project: &str) -> Option<u64> {
    let (before, number) = key.rsplit_once('-')?;
    let is_plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|_| is_plain && before.eq_ignore_ascii_case(project))
}

impl Status {
    fn status(&self, resolution: Option<&Named>) -> Ours {
        match self.status_category.key.as_str() {
            "done" => {
                let is_cancelled =
                    says_cancelled(&self.name) || resolution.is_some_and(|one| says_cancelled(&one.name));
                if is_cancelled { Ours::Cancelled } else { Ours::Completed }
            }
            _ if says_blocked(&self.name) => Ours::Blocked,
            "indeterminate" => Ours::InProgress,
            _ => Ours::Open,
        }
    }
}

impl Brief {
    pub(super) fn status(&self) -> Ours {
        self.fields.status.status(self.fields.resolution.as_ref())
    }

    pub(super) fn status_name(&self) -> &str {
        &self.fields.status.name
    }
}

impl Transition {
    /// What Jira is told to take it, with a resolution where it asks for one.
    pub(super) fn body(&self, status: Ours) -> Value {
        let mut body = json!({"transition": {"id": self.id}});
        if let Some(choice) = &self.fields.resolution {
            let is_end = |named: &&Named| says_cancelled(&named.name) == (status == Ours::Cancelled);
            let best = choice.allowed_values.iter().find(|named| says_best(status, &named.name));
            let any = || choice.allowed_values.iter().find(is_end).filter(|_| choice.required);
            if let Some(resolution) = best.or_else(any) {
                body["fields"] = json!({"resolution": {"id": resolution.id}});
            }
        }
        body
    }
}

/// The transition that leads to a status, by the category of where it leads; the one whose name says it best. Where
/// several end an issue and none says that it was done, one of them may be for what was thrown away.
pub(super) fn leading_to(transitions: &[Transition], status: Ours) -> Option<&Transition> {
    let leads = || transitions.iter().filter(|one| one.to.status(None) == status);
    let any = || leads().next().filter(|_| status != Ours::Completed || leads().count() == 1);
    leads().find(|one| says_best(status, &one.to.name)).or_else(any)
}

impl Link {
    /// What must be done before the issue that has this link.
    fn before(&self) -> Option<&Linked> {
        let is = |text: &str, meant: &str| words(text) == meant;
        let blocked = self.inward_issue.as_ref().filter(|_| is(&self.kind.inward, "is blocked by"));
        blocked.or_else(|| self.outward_issue.as_ref().filter(|_| is(&self.kind.outward, "depends on")))
    }
}

impl Issue {
    fn is_container(&self) -> bool {
        let Type { name, hierarchy_level } = &self.fields.issuetype;
        let is_above = hierarchy_level.map_or_else(|| name.eq_ignore_ascii_case("epic"), |level| level > 0);
        is_above || !self.fields.subtasks.is_empty()
    }

    fn into_item(self, known: &HashSet<String>) -> Result<Item, String> {
        let is_container = self.is_container();
        let fields = self.fields;
        let body = body::read(&adf::text(&fields.description));
        let mut item = Item::new(id(&self.key)?, fields.summary);
        item.status = fields.status.status(fields.resolution.as_ref());
        item.priority = fields.priority.as_ref().map(priority).unwrap_or_default();
        item.kind = if is_container { Kind::Container } else { Kind::Work };
        item.labels = fields.labels;
        item.description = body.description;
        item.acceptance_criteria = body.criteria;
        for linked in fields.issuelinks.iter().filter_map(Link::before) {
            // What is elsewhere and settled holds nothing up.
            if known.contains(&linked.key) || !linked.fields.status.status(None).is_settled() {
                item.depends_on.push(id(&linked.key)?);
            }
        }
        let parent = fields.parent.filter(|parent| known.contains(&parent.key));
        item.parent = parent.map(|parent| id(&parent.key)).transpose()?;
        if item.status == Ours::Blocked {
            let because = format!("its status is {}", fields.status.name);
            item.metadata.insert(Item::BLOCKED_BECAUSE.to_owned(), Value::String(because));
        }
        item.metadata.insert("status".to_owned(), Value::String(fields.status.name));
        item.metadata.insert("type".to_owned(), Value::String(fields.issuetype.name));
        Ok(item)
    }
}

fn id(text: &str) -> Result<TaskId, String> {
    TaskId::of_backlog(text).map_err(|error| error.to_string())
}

/// By the names that Jira has had for them; one that a site has renamed keeps its number, from 1 to 5.
fn priority(named: &Named) -> Priority {
    let number = match words(&named.name).as_str() {
        "highest" | "blocker" | "critical" | "urgent" | "p0" => 0,
        "high" | "major" | "p1" => 1,
        "medium" | "normal" | "p2" => 2,
        "low" | "minor" | "p3" => 3,
        "lowest" | "trivial" | "p4" | "p5" => 4,
        _ => match named.id.parse::<u8>() {
            Ok(number @ 1..=5) => number - 1,
            Ok(_) | Err(_) => return Priority::default(),
        },
    };
    Priority::try_from(number).unwrap_or_default()
}

/// In the order in which they were made.
pub(super) fn items(mut issues: Vec<Issue>, project: &str) -> Result<Vec<Item>, String> {
    issues.sort_by_key(|issue| number(&issue.key, project));
    let known: HashSet<String> = issues.iter().map(|issue| issue.key.clone()).collect();
    issues.into_iter().map(|issue| issue.into_item(&known)).collect()
}

#[cfg(test)]
mod tests {
    use ralph_core::backlog::{Item, Kind, Status as Ours};
    use serde_json::{Value, json};

    use super::{Issue, Named, Status, Transition, items, leading_to, number, priority};

    fn status(name: &str, category: &str) -> Value {
        json!({"name": name, "statusCategory": {"key": category}})
    }

    fn transitions(all: &[(&str, &str)]) -> Vec<Transition> {
        let made = all.iter().enumerate().map(|(no, (name, category))| {
            json!({"id": no.to_string(), "name": "go", "to": status(name, category)})
        });
        serde_json::from_value(made.collect()).unwrap()
    }

    fn read(issues: Value) -> Vec<Item> {
        items(serde_json::from_value::<Vec<Issue>>(issues).unwrap(), "P").unwrap()
    }

    #[test]
    fn categories_decide_and_names_tell_what_they_cannot() {
        for (name, category, expected) in [
            ("To Do", "new", Ours::Open),
            ("Backlog", "undefined", Ours::Open),
            ("Code review", "indeterminate", Ours::InProgress),
            ("Blocked", "indeterminate", Ours::Blocked),
            ("On Hold", "new", Ours::Blocked),
            ("Erledigt", "done", Ours::Completed),
            ("Won't do", "done", Ours::Cancelled),
        ] {
            let read: Status = serde_json::from_value(status(name, category)).unwrap();
            assert_eq!(read.status(None), expected, "{name}");
        }
        let declined = Named { id: String::new(), name: "Won't Fix".to_owned() };
        let closed: Status = serde_json::from_value(status("Closed", "done")).unwrap();
        assert_eq!(closed.status(Some(&declined)), Ours::Cancelled);
    }

    #[test]
    fn a_transition_is_chosen_by_where_it_leads() {
        let all = transitions(&[
            ("Cancelled", "done"),
            ("Released", "done"),
            ("Done", "done"),
            ("Review", "indeterminate"),
            ("Blocked", "indeterminate"),
            ("In Progress", "indeterminate"),
        ]);
        let lead = |status| leading_to(&all, status).map(|one| one.to.name.as_str());
        assert_eq!(lead(Ours::Completed), Some("Done"));
        assert_eq!(lead(Ours::Cancelled), Some("Cancelled"));
        assert_eq!(lead(Ours::InProgress), Some("In Progress"));
        assert_eq!(lead(Ours::Blocked), Some("Blocked"));
        assert_eq!(lead(Ours::Open), None);
        assert_eq!(leading_to(&all[..1], Ours::Completed).map(|one| &one.id), None, "given up is not done");
    }

    #[test]
    fn a_resolution_is_given_where_it_is_asked_for() {
        let mut all = json!({"id": "5", "to": status("Done", "done"), "fields": {"resolution": {"required": true,
            "allowedValues": [{"id": "1", "name": "Won't Do"}, {"id": "2", "name": "Shipped"}, {"id": "3", "name": "Done"}]}}});
        let body = |value: &Value| {
            serde_json::from_value::<Transition>(value.clone()).unwrap().body(Ours::Completed)
        };
        assert_eq!(body(&all), json!({"transition": {"id": "5"}, "fields": {"resolution": {"id": "3"}}}));
        all["fields"]["resolution"]["allowedValues"].as_array_mut().unwrap().pop();
        assert_eq!(body(&all)["fields"], json!({"resolution": {"id": "2"}}));
        all["fields"]["resolution"]["required"] = json!(false);
        assert_eq!(body(&all), json!({"transition": {"id": "5"}}));
    }

    #[test]
    fn links_parents_and_priorities() {
        let link = |kind: (&str, &str), side: &str, key: &str, category: &str| {
            json!({"type": {"name": "x", "inward": kind.0, "outward": kind.1},
            side: {"key": key, "fields": {"status": status("s", category)}}})
        };
        let blocks = ("is blocked by", "blocks");
        let issue = |key: &str, more: Value| {
            let mut fields = json!({"summary": key, "description": null, "status": status("To Do", "new"), "resolution": null,
                "priority": {"id": "3", "name": "Medium"}, "labels": [], "issuelinks": [], "issuetype": {"name": "Task", "hierarchyLevel": 0}});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"id": "1", "key": key, "fields": fields})
        };
        let items = read(json!([
            issue(
                "P-10",
                json!({"parent": {"key": "P-2"}, "issuelinks": [
                link(blocks, "inwardIssue", "P-9", "done"), link(blocks, "inwardIssue", "Q-1", "done"),
                link(blocks, "inwardIssue", "Q-2", "new"), link(blocks, "outwardIssue", "Q-3", "new"),
                link(("is depended on by", "depends on"), "outwardIssue", "Q-4", "new"),
                link(("relates to", "relates to"), "inwardIssue", "Q-5", "new")]})
            ),
            issue("P-9", json!({"subtasks": [{"key": "P-11"}], "parent": {"key": "Q-7"}})),
            issue(
                "P-2",
                json!({"issuetype": {"name": "Epos", "hierarchyLevel": 1}, "priority": {"id": "2", "name": "Hoch"}})
            ),
        ]));
        let keys: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(keys, ["P-2", "P-9", "P-10"]);
        assert_eq!(
            [&items[0], &items[1], &items[2]].map(|item| item.kind),
            [Kind::Container, Kind::Container, Kind::Work]
        );
        let waits: Vec<&str> = items[2].depends_on.iter().map(|id| id.as_str()).collect();
        assert_eq!(waits, ["P-9", "Q-2", "Q-4"]);
        assert_eq!((items[2].parent.as_ref().unwrap().as_str(), &items[1].parent), ("P-2", &None));
        assert_eq!(items[0].priority.get(), 1);
        let named =
            |id: &str, name: &str| priority(&Named { id: id.to_owned(), name: name.to_owned() }).get();
        assert_eq!([named("9", "Blocker"), named("10000", "Egal"), named("5", "Niedrigste")], [0, 2, 4]);
    }

    #[test]
    fn only_keys_of_the_project_are_issues_of_it() {
        assert_eq!(number("P-12", "p"), Some(12));
        for other in ["Q-1", "P", "P-", "P-+1", "P-1/../x", "milestone/3", "PP-1"] {
            assert_eq!(number(other, "P"), None, "{other}");
        }
    }
}
