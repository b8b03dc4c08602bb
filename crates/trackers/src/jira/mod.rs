//! Issues of a project in Jira, by its REST API: the third version in the cloud, where a name and a token are asked for,
//! the second where Jira is run by oneself, with a token alone. A site names its statuses as it likes; each has a
//! category, and it is the category that counts.

mod adf;
mod issue;

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;

use ralph_core::backlog::{Backlog, Status};
use ralph_core::id::TaskId;
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::credentials::{Address, Credentials, Secret};
use crate::error::TrackerError;
use crate::http::{Answer, Call, Repeat, Server};
use crate::tracker::{Context, Kept, Kind, Tracker, told_within};
use issue::{Brief, FIELDS, Issue, Transition, leading_to, number};

/// More issues than these are not fetched, and not left out either.
const MOST: usize = 10_000;
const PAGE: usize = 100;
/// As much of a reason as a comment takes, in bytes.
const LONGEST_COMMENT: usize = 30_000;
/// The search of the cloud is behind; of as many issues it can be told to look again.
const RECONCILED: usize = 50;

/// Whose issues, and who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JiraAccount {
    pub url: Address,
    /// Its key, as in PROJ-12.
    pub project: String,
    /// What else is asked of the issues, in JQL.
    pub jql: Option<String>,
    /// Whose token it is; in the cloud.
    pub email: Option<String>,
    pub token: Secret,
}

/// As far as it is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JiraSettings {
    pub url: Option<Address>,
    pub project: Option<String>,
    pub jql: Option<String>,
    pub email: Option<String>,
    pub token: Option<Secret>,
}

impl JiraSettings {
    pub(crate) fn account(&self) -> Result<JiraAccount, TrackerError> {
        let unset = |what: &str, next: &str| TrackerError::Unset {
            tracker: Kind::Jira,
            what: what.to_owned(),
            next: next.to_owned(),
        };
        let JiraSettings { url, project, jql, email, token } = self.clone();
        let url = url.ok_or_else(|| {
            unset(
                "the address of the site",
                "set jira.url in your configuration, or JIRA_BASE_URL: https://SITE.atlassian.net",
            )
        })?;
        let project = project.ok_or_else(|| {
            unset(
                "the key of a project",
                "set jira.project in the configuration, or RALPH_SET_JIRA__PROJECT=PROJ",
            )
        })?;
        let is_cloud = url.host().ends_with(".atlassian.net") || url.host() == "api.atlassian.com";
        if is_cloud && email.is_none() {
            return Err(unset(
                "the address that its token belongs to",
                "set jira.email in your configuration, or JIRA_EMAIL",
            ));
        }
        let advice = if email.is_some() { CLOUD } else { OWN };
        let token = token.ok_or_else(|| unset("a token in JIRA_API_TOKEN", advice))?;
        Ok(JiraAccount { url, project, jql, email, token })
    }
}

const CLOUD: &str = "make an API token at https://id.atlassian.com/manage-profile/security/api-tokens and put it into \
     JIRA_API_TOKEN; jira.email says whose it is";
const OWN: &str = "make a personal access token in your profile in Jira and put it into JIRA_API_TOKEN; in the cloud, \
     jira.email is needed as well";

#[derive(Debug)]
pub struct Jira {
    project: String,
    jql: Option<String>,
    api: Api,
    host: String,
    server: Server,
    /// The numbers of the issues that were changed last.
    changed: VecDeque<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Api {
    Cloud,
    Own,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    issues: Vec<Issue>,
    next_page_token: Option<String>,
    total: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct Transitions {
    transitions: Vec<Transition>,
}

#[derive(Debug, Deserialize)]
struct Comments {
    comments: Vec<Comment>,
}

#[derive(Debug, Deserialize)]
struct Comment {
    body: Value,
}

#[derive(Debug, Deserialize)]
struct Project {
    name: String,
    #[serde(default)]
    description: Option<String>,
}

impl Jira {
    pub fn new(account: JiraAccount) -> Jira {
        let JiraAccount { url, project, jql, email, token } = account;
        let host = url.host().to_owned();
        let (api, credentials, advice) = match email {
            Some(user) => (Api::Cloud, Credentials::Basic { user, secret: token }, CLOUD),
            None => (Api::Own, Credentials::Bearer(token), OWN),
        };
        let server = Server::new(url, credentials, advice.to_owned());
        Jira { project, jql, api, host, server, changed: VecDeque::new() }
    }

    fn path(&self, rest: &str) -> String {
        match self.api {
            Api::Cloud => format!("/rest/api/3/{rest}"),
            Api::Own => format!("/rest/api/2/{rest}"),
        }
    }

    fn look<T: serde::de::DeserializeOwned>(&self, rest: &str) -> Result<T, TrackerError> {
        self.server.read(&looking(&self.path(rest)))
    }

    fn write(&self, rest: &str, body: Value) -> Result<Answer, TrackerError> {
        let path = self.path(rest);
        // To take a transition twice may lead further than it should.
        let call = Call {
            method: Method::POST,
            path: &path,
            about: "",
            body: Some(body),
            repeat: Repeat::IfRefused,
        };
        let answer = self.server.ask(&call)?;
        if answer.status.is_success() { Ok(answer) } else { Err(self.server.refused(&answer)) }
    }

    /// One page of issues; the search is asked with POST, and changes nothing.
    fn page(&self, begin: &Begin) -> Result<(Page, Answer), TrackerError> {
        let more = self.jql.as_ref().map(|jql| format!(" AND ({jql})")).unwrap_or_default();
        let jql = format!("project = \"{}\"{more} ORDER BY created ASC", self.project);
        let mut body = json!({"jql": jql, "maxResults": PAGE, "fields": FIELDS});
        let rest = match begin {
            Begin::Token(token) => {
                if let Some(token) = token {
                    body["nextPageToken"] = json!(token);
                }
                if !self.changed.is_empty() {
                    body["reconcileIssues"] = json!(self.changed);
                }
                "search/jql"
            }
            Begin::Count(count) => {
                body["startAt"] = json!(count);
                "search"
            }
        };
        let path = self.path(rest);
        let call =
            Call { method: Method::POST, path: &path, about: "", body: Some(body), repeat: Repeat::Harmless };
        let answer = self.server.ask(&call)?;
        if !answer.status.is_success() {
            return Err(self.server.refused(&answer));
        }
        Ok((answer.json()?, answer))
    }

    fn issues(&self) -> Result<Vec<Issue>, TrackerError> {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        let mut begin = match self.api {
            Api::Cloud => Begin::Token(None),
            Api::Own => Begin::Count(0),
        };
        loop {
            let (Page { issues, next_page_token, total }, answer) = self.page(&begin)?;
            let count = issues.len();
            all.extend(issues);
            if all.len() > MOST {
                let what = format!("listed more than {MOST} issues");
                return Err(answer.failed(&what, "ask for fewer with jira.jql"));
            }
            begin = match (begin, next_page_token) {
                (Begin::Token(_), None) => return Ok(all),
                (Begin::Token(_), Some(token)) => {
                    if !seen.insert(token.clone()) {
                        return Err(answer.failed("told the same page twice", "try again"));
                    }
                    Begin::Token(Some(token))
                }
                (Begin::Count(_), _) => match total {
                    Some(total) if all.len() >= total => return Ok(all),
                    Some(_) if count > 0 => Begin::Count(all.len()),
                    Some(_) | None => {
                        let what = "did not tell of all issues, nor how many there are";
                        return Err(answer.failed(what, "see whether jira.url is the address of a Jira"));
                    }
                },
            };
        }
    }

    /// The issue as it is now.
    fn issue(&self, id: &TaskId) -> Result<Brief, TrackerError> {
        let missing = || TrackerError::NoTask { id: id.clone(), tracker: self.source() };
        if number(id.as_str(), &self.project).is_none() {
            return Err(missing());
        }
        let path = self.path(&format!("issue/{id}?fields=status,resolution"));
        let answer = self.server.ask(&looking(&path))?;
        if answer.status == StatusCode::NOT_FOUND {
            return Err(missing());
        }
        if !answer.status.is_success() {
            return Err(self.server.refused(&answer));
        }
        let issue: Brief = answer.json()?;
        // An issue that was moved answers to its old name.
        if issue.key == id.as_str() { Ok(issue) } else { Err(missing()) }
    }

    /// Changes the status, and looks whether it has.
    fn change(&mut self, id: &TaskId, status: Status, comment: Option<&str>) -> Result<Kept, TrackerError> {
        let issue = self.issue(id)?;
        if issue.status() == status {
            return Ok(Kept::ByTracker);
        }
        let rest = format!("issue/{id}/transitions");
        let Transitions { transitions } = self.look(&format!("{rest}?expand=transitions.fields"))?;
        let Some(transition) = leading_to(&transitions, status) else {
            let must = status == Status::Completed || (status == Status::Open && issue.status().is_settled());
            return if must { Err(self.stuck(&issue, status, &transitions)) } else { Ok(Kept::Nowhere) };
        };
        if let Some(reason) = comment {
            self.comment(id, reason)?;
        }
        let answer = self.write(&rest, transition.body(status))?;
        self.remember(&issue);
        let now = self.issue(id)?.status();
        if now == status {
            return Ok(Kept::ByTracker);
        }
        let what = format!("left {id} {} and not {}", now.name(), status.name());
        Err(answer.failed(&what, "see the workflow of the project in Jira"))
    }

    fn stuck(&self, issue: &Brief, status: Status, transitions: &[Transition]) -> TrackerError {
        let places: Vec<&str> = transitions.iter().map(|one| one.to.name.as_str()).collect();
        let places = if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") };
        let what = format!(
            "have no clear way from {} to {} for {}: it leads to {places}",
            issue.status_name(),
            status.name(),
            issue.key
        );
        TrackerError::server(&self.source(), what, "move it there by hand, then `ralph resume`")
    }

    fn remember(&mut self, issue: &Brief) {
        let Ok(number) = issue.id.parse() else { return };
        self.changed.retain(|other| *other != number);
        self.changed.push_back(number);
        while self.changed.len() > RECONCILED {
            self.changed.pop_front();
        }
    }

    /// Once: it is looked for among the latest, for a crash may have come between it and the rest.
    fn comment(&self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        let reason = told_within(reason, LONGEST_COMMENT);
        if reason.trim().is_empty() {
            return Ok(());
        }
        let body = match self.api {
            Api::Cloud => adf::document(&reason),
            Api::Own => json!(reason),
        };
        let rest = format!("issue/{id}/comment");
        let Comments { comments } = self.look(&format!("{rest}?orderBy=-created&maxResults={PAGE}"))?;
        let ours = adf::text(&body);
        if comments.iter().any(|comment| adf::text(&comment.body) == ours) {
            return Ok(());
        }
        self.write(&rest, json!({"body": body})).map(|_| ())
    }
}

/// Where a page begins.
#[derive(Debug)]
enum Begin {
    Token(Option<String>),
    Count(usize),
}

fn looking(path: &str) -> Call<'_> {
    Call { method: Method::GET, path, about: "", body: None, repeat: Repeat::Harmless }
}

impl Tracker for Jira {
    fn kind(&self) -> Kind {
        Kind::Jira
    }

    fn source(&self) -> String {
        let more = self.jql.as_ref().map(|jql| format!(" with {jql}")).unwrap_or_default();
        format!("issues of {} in Jira at {}{more}", self.project, self.host)
    }

    fn load(&mut self) -> Result<Backlog, TrackerError> {
        let contradiction = |what: String| {
            let what = format!("answered with a contradiction: {what}");
            TrackerError::server(&self.source(), what, "look at the issues in Jira")
        };
        let items = issue::items(self.issues()?, &self.project).map_err(contradiction)?;
        Backlog::new(items).map_err(|error| contradiction(error.to_string()))
    }

    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError> {
        self.change(id, status, None)
    }

    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError> {
        self.change(id, Status::Completed, Some(reason)).map(|_| ())
    }

    fn context(&mut self) -> Result<Context, TrackerError> {
        let Project { name, description } = self.look(&format!("project/{}", self.project))?;
        Ok(Context { name, description: description.unwrap_or_default(), ..Context::counted(&self.load()?) })
    }

    /// None in the tree.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
