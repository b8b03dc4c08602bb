//! Issues of a team in Linear, by its GraphQL API. A team names its states as it likes; each has a type, and it is the
//! type that counts.

mod issue;
mod query;

use std::collections::HashSet;
use std::path::PathBuf;

use ralph_core::backlog::{Backlog, Status};
use ralph_core::id::TaskId;
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::credentials::{Address, Credentials, Secret};
use crate::error::TrackerError;
use crate::http::{Answer, Call, Repeat, Server};
use crate::tracker::{Context, Kept, Kind, Tracker, told_within};
use issue::{Connection, Held, Issue, number};
use query::{COMMENT, COMMENTED, ISSUE, ISSUES, MOVE, REST, TEAM};

/// More issues than these are not fetched, and not left out either.
const MOST: usize = 10_000;
/// As much of a reason as a comment takes, in bytes.
const LONGEST_COMMENT: usize = 30_000;

/// Whose issues, and who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearAccount {
    pub url: Address,
    /// Its key, as in ENG-12.
    pub team: String,
    /// A project of the team, by its name or the end of its address.
    pub project: Option<String>,
    pub token: Secret,
}

/// As far as it is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinearSettings {
    pub url: Option<Address>,
    pub team: Option<String>,
    pub project: Option<String>,
    pub token: Option<Secret>,
}

impl LinearSettings {
    pub(crate) fn account(&self) -> Result<LinearAccount, TrackerError> {
        let unset = |what: &str, next: &str| TrackerError::Unset {
            tracker: Kind::Linear,
            what: what.to_owned(),
            next: next.to_owned(),
        };
        let LinearSettings { url, team, project, token } = self.clone();
        let url = url.unwrap_or_else(|| Address::parse(URL).expect("it is an address"));
        let team = team.ok_or_else(|| {
            unset("the key of a team", "set linear.team in the configuration, or RALPH_SET_LINEAR__TEAM=ENG")
        })?;
        let token = token.ok_or_else(|| unset("a key in LINEAR_API_KEY", ADVICE))?;
        Ok(LinearAccount { url, team, project, token })
    }
}

const URL: &str = "https://api.linear.app/graphql";
const ADVICE: &str =
    "make a personal API key in Linear under Settings, Security & access, and put it into LINEAR_API_KEY";

#[derive(Debug)]
pub struct Linear {
    team: String,
    project: Option<String>,
    server: Server,
}

#[derive(Debug, Deserialize)]
struct Issues<T> {
    issues: Connection<T>,
}

#[derive(Debug, Deserialize)]
struct Teams {
    teams: Connection<Team>,
}

#[derive(Debug, Deserialize)]
struct Team {
    name: String,
    description: Option<String>,
}

/// What GraphQL says, which may be an error whatever HTTP says.
#[derive(Debug, Deserialize)]
struct Told {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    errors: Vec<Complaint>,
}

#[derive(Debug, Deserialize)]
struct Complaint {
    message: String,
    #[serde(default)]
    extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extensions {
    code: Option<String>,
    user_presentable_message: Option<String>,
}

impl Linear {
    pub fn new(account: LinearAccount) -> Linear {
        let LinearAccount { url, team, project, token } = account;
        Linear { team, project, server: Server::new(url, Credentials::Plain(token), ADVICE.to_owned()) }
    }

    fn filter(&self) -> Value {
        let mut filter = json!({"team": {"key": {"eqIgnoreCase": self.team}}});
        if let Some(project) = &self.project {
            filter["project"] =
                json!({"or": [{"name": {"eqIgnoreCase": project}}, {"slugId": {"eq": project}}]});
        }
        filter
    }

    fn ask<T: DeserializeOwned>(
        &self,
        (name, query): (&str, &str),
        variables: Value,
        repeat: Repeat,
    ) -> Result<(T, Answer), TrackerError> {
        let body = Some(json!({"operationName": name, "query": query, "variables": variables}));
        let answer = self.server.ask(&Call { method: Method::POST, path: "", about: name, body, repeat })?;
        // An error in the query or of the key comes with 400, and says more than that.
        let told: Told = match answer.json() {
            Ok(told) => told,
            Err(_) if !answer.status.is_success() => return Err(self.server.refused(&answer)),
            Err(error) => return Err(error),
        };
        if let Some(complaint) = told.errors.first() {
            return Err(complained(&answer, complaint));
        }
        if !answer.status.is_success() {
            return Err(self.server.refused(&answer));
        }
        let read = serde_json::from_value(told.data).map_err(|error| {
            let what = format!("answered with something else than expected: {error}");
            answer.failed(&what, "see whether the configured address is the right one")
        })?;
        Ok((read, answer))
    }

    fn issues(&self) -> Result<Vec<Issue>, TrackerError> {
        let (mut all, mut after, mut seen) = (Vec::new(), None::<String>, HashSet::new());
        loop {
            let variables = json!({"filter": self.filter(), "after": after});
            let (Issues::<Issue> { issues }, answer) = self.ask(ISSUES, variables, Repeat::Harmless)?;
            all.extend(issues.nodes);
            if all.len() > MOST {
                let what = format!("listed more than {MOST} issues");
                return Err(answer.failed(&what, "name a project with linear.project"));
            }
            if !issues.page_info.has_next_page {
                break;
            }
            after = issues.page_info.end_cursor;
            if after.is_none() || !seen.insert(after.clone()) {
                return Err(answer.failed("told of further issues, but not where they are", "try again"));
            }
        }
        all.sort_by_key(|issue| issue.number);
        for issue in &mut all {
            if issue.is_cut() {
                self.complete_held(issue)?;
            }
        }
        Ok(all)
    }

    /// The labels and relations of an issue that has more of them than are told with it.
    fn complete_held(&self, issue: &mut Issue) -> Result<(), TrackerError> {
        let (Held { issue: whole }, answer) = self.ask(REST, json!({"id": issue.id}), Repeat::Harmless)?;
        if whole.is_cut() {
            let what = format!("has more labels or relations of {} than it tells at once", issue.identifier);
            return Err(answer.failed(&what, "take some away"));
        }
        issue.take(whole);
        Ok(())
    }

    fn team(&self) -> Result<Team, TrackerError> {
        let (Teams { teams }, answer) = self.ask(TEAM, json!({"key": self.team}), Repeat::Harmless)?;
        teams.nodes.into_iter().next().ok_or_else(|| {
            let what = format!("knows no team {} that this key may see", self.team);
            answer.failed(&what, "set linear.team to the letters before the number of an issue, such as ENG")
        })
    }

    /// The issue as it is now, with the states that it can have.
    fn issue(&self, id: &TaskId) -> Result<issue::Movable, TrackerError> {
        let missing = || TrackerError::NoTask { id: id.clone(), tracker: self.source() };
        let mut filter = self.filter();
        filter["number"] = json!({"eq": number(id, &self.team).ok_or_else(missing)?});
        let (Issues::<issue::Movable> { issues }, _) =
            self.ask(ISSUE, json!({"filter": filter}), Repeat::Harmless)?;
        issues.nodes.into_iter().find(|issue| issue.identifier == id.as_str()).ok_or_else(missing)
    }

    /// Changes the status, and looks whether it has.
    fn change(&self, id: &TaskId, status: Status, comment: Option<&str>) -> Result<Kept, TrackerError> {
        let issue = self.issue(id)?;
        if issue.state.status() == status {
            return Ok(Kept::ByTracker);
        }
        let Some(state) = issue.state_for(status) else {
            return match status {
                Status::Completed | Status::Open => Err(self.stuck(id, status)),
                Status::InProgress | Status::Blocked | Status::Cancelled => Ok(Kept::Nowhere),
            };
        };
        if let Some(reason) = comment {
            self.comment(&issue.id, reason)?;
        }
        let moved = json!({"id": issue.id, "state": state.id});
        // Nothing more happens to an issue that is moved to where it is.
        let (_, answer): (Value, _) = self.ask(MOVE, moved, Repeat::Harmless)?;
        let now = self.issue(id)?.state.status();
        if now == status {
            return Ok(Kept::ByTracker);
        }
        let what = format!("left {id} {} and not {}", now.name(), status.name());
        Err(answer.failed(&what, "see whether the key may change issues of this team"))
    }

    fn stuck(&self, id: &TaskId, status: Status) -> TrackerError {
        let what = format!("has no state for {} that {id} could be moved to", status.name());
        TrackerError::server(&self.source(), what, "see the workflow of the team in Linear")
    }

    /// Once: its id is made of what it says and where, so that it is found again after a crash.
    fn comment(&self, issue: &str, reason: &str) -> Result<(), TrackerError> {
        let reason = told_within(reason, LONGEST_COMMENT);
        if reason.trim().is_empty() {
            return Ok(());
        }
        let id = comment_id(issue, &reason);
        let asked = json!({"issue": issue, "comment": id});
        let (there, _): (Value, _) = self.ask(COMMENTED, asked, Repeat::Harmless)?;
        if there.pointer("/issue/comments/nodes/0").is_some() {
            return Ok(());
        }
        let input = json!({"id": id, "issueId": issue, "body": reason});
        self.ask::<Value>(COMMENT, json!({"input": input}), Repeat::IfRefused).map(|_| ())
    }
}

fn complained(answer: &Answer, complaint: &Complaint) -> TrackerError {
    let Complaint { message, extensions } = complaint;
    let more = extensions.user_presentable_message.as_deref().filter(|more| *more != message);
    let said = more.map_or_else(|| message.clone(), |more| format!("{message} ({more})"));
    let next = match extensions.code.as_deref() {
        Some("AUTHENTICATION_ERROR" | "FORBIDDEN") => ADVICE,
        Some("RATELIMITED") => "try again later; the limit is the server's",
        _ => "see whether the configuration names what is there",
    };
    answer.failed(&format!("refused it: {said}"), next)
}

/// In the form of a random UUID, which is the only one that is taken.
fn comment_id(issue: &str, reason: &str) -> String {
    let hash = blake3::hash(format!("ralph {issue}\n{reason}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

impl Tracker for Linear {
    fn kind(&self) -> Kind {
        Kind::Linear
    }

    fn source(&self) -> String {
        let project = self.project.as_ref().map(|project| format!(", project {project}")).unwrap_or_default();
        let server = self.server.other_than(URL).map(|host| format!(" at {host}")).unwrap_or_default();
        format!("issues of {}{project} in Linear{server}", self.team)
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        let issues = self.issues()?;
        if issues.is_empty() {
            // A name that is not there must not look like nothing to do.
            self.team()?;
        }
        let contradiction = |what: String| {
            let what = format!("answered with a contradiction: {what}");
            TrackerError::server(&self.source(), what, "look at the issues in Linear")
        };
        let items = issue::items(issues).map_err(contradiction)?;
        Backlog::new(items).map_err(|error| contradiction(error.to_string()))
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        self.change(id, status, None)
    }

    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        self.change(id, Status::Completed, Some(reason)).map(|_| ())
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let Team { name, description } = self.team()?;
        let name = self.project.clone().unwrap_or(name);
        Ok(Context { name, description: description.unwrap_or_default(), ..Context::counted(&self.load()?) })
    }

    /// None in the tree.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::comment_id;

    #[test]
    fn the_same_comment_has_the_same_id_and_no_other() {
        let id = comment_id("a", "done");
        assert_eq!(id, comment_id("a", "done"));
        assert_ne!(id, comment_id("b", "done"));
        assert_ne!(id, comment_id("a", "done."));
        assert_eq!((id.len(), &id[14..15]), (36, "4"));
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
    }
}
