//! Which backlog a project has where no flag says so, and how trackers on servers are reached. Their tokens are in the
//! environment alone: no file of a project can bring one, and none is ever written.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use ralph_core::nearest::shortened;
use ralph_trackers::{Accounts, Address, JiraSettings, Kind, LinearSettings, Secret};
use schemars::JsonSchema;

use super::catalogue::TrackerName;
use super::origin::Set;
use super::partial::Partial;
use super::raw::Raw;
use super::reader::Reader;
use super::value::{Refused, plain};

const LINEAR_TOKEN: &str = "LINEAR_API_KEY";
const JIRA_TOKEN: &str = "JIRA_API_TOKEN";
/// What these settings are called where other programs read them.
pub(super) const ELSEWHERE: [(&str, &str, &str); 2] =
    [("JIRA_BASE_URL", "jira", "url"), ("JIRA_EMAIL", "jira", "email")];

/// Where tasks come from.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TrackerPart {
    /// The kind of backlog, where neither --tracker nor --prd is given; unset, it is found by the files that are there.
    #[schemars(with = "Option<TrackerName>", extend("examples" = ["linear"]))]
    pub(crate) kind: Option<Set<Kind>>,
}

/// Issues of a team in Linear, for `--tracker linear`. The key that it is asked with is in LINEAR_API_KEY.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LinearPart {
    /// The team, by the letters before the numbers of its issues.
    #[schemars(with = "Option<String>", extend("examples" = ["ENG"]))]
    pub(crate) team: Option<Set<String>>,
    /// Only issues of this project, by its name or the last part of its address.
    #[schemars(with = "Option<String>", extend("examples" = ["Billing"]))]
    pub(crate) project: Option<Set<String>>,
    /// Where Linear answers; the key is sent there.
    #[schemars(with = "Option<String>", extend("examples" = ["https://api.linear.app/graphql"]))]
    pub(crate) url: Option<Set<Address>>,
}

/// Issues of a project in Jira, for `--tracker jira`. The token that it is asked with is in JIRA_API_TOKEN.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct JiraPart {
    /// The address of the site, also in JIRA_BASE_URL; the token is sent there.
    #[schemars(with = "Option<String>", extend("examples" = ["https://example.atlassian.net"]))]
    pub(crate) url: Option<Set<Address>>,
    /// Whose token it is, also in JIRA_EMAIL; needed in the cloud. Without it, a personal access token of a Jira of
    /// one's own is meant.
    #[schemars(with = "Option<String>", extend("examples" = ["ann@example.com"]))]
    pub(crate) email: Option<Set<String>>,
    /// The project, by the letters before the numbers of its issues.
    #[schemars(with = "Option<String>", extend("examples" = ["PROJ"]))]
    pub(crate) project: Option<Set<String>>,
    /// What else must hold for an issue of it to be a task, in JQL.
    #[schemars(with = "Option<String>", extend("examples" = ["labels = ralph"]))]
    pub(crate) jql: Option<Set<String>>,
}

impl TrackerPart {
    pub(super) fn take(from: &mut Reader<'_>) -> TrackerPart {
        TrackerPart { kind: from.take("tracker", "kind", kind) }
    }

    pub(super) fn over(self, lower: TrackerPart) -> TrackerPart {
        TrackerPart { kind: self.kind.or(lower.kind) }
    }
}

impl LinearPart {
    pub(super) fn take(from: &mut Reader<'_>) -> LinearPart {
        LinearPart {
            team: from.take("linear", "team", key),
            project: from.take("linear", "project", |raw| line(raw, "the name of a project")),
            url: from.take("linear", "url", address),
        }
    }

    pub(super) fn over(self, lower: LinearPart) -> LinearPart {
        LinearPart {
            team: self.team.or(lower.team),
            project: self.project.or(lower.project),
            url: self.url.or(lower.url),
        }
    }
}

impl JiraPart {
    pub(super) fn take(from: &mut Reader<'_>) -> JiraPart {
        JiraPart {
            url: from.take("jira", "url", address),
            email: from.take("jira", "email", |raw| line(raw, "an address of e-mail")),
            project: from.take("jira", "project", key),
            jql: from.take("jira", "jql", |raw| line(raw, "a condition in JQL")),
        }
    }

    pub(super) fn over(self, lower: JiraPart) -> JiraPart {
        JiraPart {
            url: self.url.or(lower.url),
            email: self.email.or(lower.email),
            project: self.project.or(lower.project),
            jql: self.jql.or(lower.jql),
        }
    }
}

/// What is configured of trackers on servers, with the tokens of the person who runs ralph.
pub(super) fn accounts(merged: &Partial, env: &BTreeMap<OsString, OsString>) -> Accounts {
    let token = |name: &str| env.get(OsStr::new(name)).and_then(|text| Secret::parse(text.to_str()?));
    let Partial { linear, jira, .. } = merged;
    Accounts {
        linear: LinearSettings {
            url: value(&linear.url),
            team: value(&linear.team),
            project: value(&linear.project),
            token: token(LINEAR_TOKEN),
        },
        jira: JiraSettings {
            url: value(&jira.url),
            project: value(&jira.project),
            jql: value(&jira.jql),
            email: value(&jira.email),
            token: token(JIRA_TOKEN),
        },
    }
}

/// Whether this layer says anything of a tracker that a token is sent to.
pub(crate) fn reaches_out(partial: &Partial) -> bool {
    let Partial { tracker, linear, jira, .. } = partial;
    tracker.kind.as_ref().is_some_and(|set| is_remote(set.value))
        || linear.team.is_some()
        || linear.project.is_some()
        || linear.url.is_some()
        || jira.url.is_some()
        || jira.email.is_some()
        || jira.project.is_some()
        || jira.jql.is_some()
}

/// Whether a token of the person is sent to reach it.
pub(crate) fn is_remote(kind: Kind) -> bool {
    match kind {
        Kind::Linear | Kind::Jira => true,
        Kind::Prd | Kind::Markdown | Kind::Beads | Kind::BeadsBv | Kind::Github | Kind::Native => false,
    }
}

fn value<T: Clone>(set: &Option<Set<T>>) -> Option<T> {
    set.as_ref().map(|set| set.value.clone())
}

fn kind(raw: &Raw) -> Result<Kind, Refused> {
    let rule = format!("one of {}", Kind::ALL.map(|kind| format!("\"{kind}\"")).join(", "));
    let name = plain::text(raw, &rule)?;
    Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        Refused::new(format!("`{}` is not a tracker", shortened(name)), format!("write {rule}"))
    })
}

/// Part of the names of issues: nothing that would mean something in a question or a path.
fn key(raw: &Raw) -> Result<String, Refused> {
    const RULE: &str = "letters and digits such as ENG";
    let text = plain::text(raw, RULE)?;
    let is_key = text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_key {
        return Err(Refused::new(format!("`{}` is not a key", shortened(text)), format!("write {RULE}")));
    }
    Ok(text.to_ascii_uppercase())
}

fn line(raw: &Raw, rule: &str) -> Result<String, Refused> {
    let text = plain::text(raw, rule)?.trim();
    if text.is_empty() || text.contains(char::is_control) {
        return Err(Refused::new(format!("`{}` is not {rule}", shortened(text)), format!("write {rule}")));
    }
    Ok(text.to_owned())
}

fn address(raw: &Raw) -> Result<Address, Refused> {
    const RULE: &str = "an address that begins with https://";
    let text = plain::text(raw, RULE)?;
    Address::parse(text)
        .map_err(|why| Refused::new(format!("`{}`: {why}", shortened(text)), format!("write {RULE}")))
}
