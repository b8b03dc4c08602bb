//! What a project's file could do to the person who runs ralph in it: the part that needs a grant.

use ralph_core::check::Judge;
use ralph_core::crew::Protocol;
use ralph_core::route::Route;
use serde_json::{Value, json};

use super::check::CheckSet;
use super::hook::Hook;
use super::memory::Extract;
use super::origin::Set;
use super::partial::Partial;
use super::resolved::CustodyChoice;
use super::sources::ProjectLayer;
use super::tracker::is_remote;
use super::vectors::Source;
use crate::problem::{Place, Problem, visible};

/// Whether the person has granted this project what its file asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Granted,
    Withheld,
}

/// The identity of everything in a project's file that runs something or loosens something. Limits
/// and comments are no part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    /// BLAKE3 in hexadecimal; a grant is stored by it and the path of the file.
    pub(crate) hash: String,
    /// What a person is asked to allow, a line each.
    pub(crate) listing: Vec<String>,
}

/// `None` where there is nothing to allow.
pub(crate) fn executable_digest(project: &ProjectLayer) -> Option<Digest> {
    let carried = carried(&project.partial);
    if carried.is_empty() {
        return None;
    }
    let canonical = Value::Array(carried.iter().map(|one| json!([one.key, one.value])).collect());
    let hash = blake3::hash(canonical.to_string().as_bytes()).to_hex().to_string();
    // A command could otherwise draw over the line that shows it, or forge the next one.
    let shown = |effect: String| visible(&effect.replace('\n', "\\n"));
    Some(Digest { hash, listing: carried.into_iter().map(|one| shown(one.effect)).collect() })
}

pub(crate) fn untrusted(project: &ProjectLayer, digest: &Digest) -> Problem {
    let effects: String = digest.listing.iter().map(|effect| format!("\n  {effect}")).collect();
    Problem::new(format!("this project is not trusted, and its configuration{effects}"))
        .at(Place::from(project.path.clone()))
        .next("read it, then allow it with `ralph trust`")
}

struct Carried {
    key: &'static str,
    value: Value,
    effect: String,
}

fn carried(partial: &Partial) -> Vec<Carried> {
    let agent = &partial.agent;
    let unlimited = partial.limits.unlimited.as_ref().filter(|set| set.value);
    let allow_tampering = partial.verify.allow_tampering.as_ref().filter(|set| set.value);
    let mut all: Vec<Carried> = [
        carry("state_dir", &partial.state_dir, |dir| {
            (json!(dir), format!("keeps ralph's state in {}", dir.display()))
        }),
        carry("template", &partial.template, |file| {
            (json!(file), format!("words what agents are told by {}", file.display()))
        }),
        carry("unlimited", &unlimited.cloned(), |on| {
            (json!(on), "takes the limit on iterations away".to_owned())
        }),
        carry("verify.allow_tampering", &allow_tampering.cloned(), |on| {
            (json!(on), "lets the agent change the checks that it is judged by".to_owned())
        }),
        carry("agent.name", &agent.name, |name| (json!(name.as_str()), format!("runs the agent {name}"))),
        carry("agent.fallback", &agent.fallback, |names| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            (json!(names), format!("hands the work on to: {}", listed(&names)))
        }),
        carry("agent.command", &agent.command, |words| {
            (json!(words), format!("runs as agent: {}", shell_words::join(words)))
        }),
        carry("agent.protocol", &agent.protocol, |protocol| {
            (json!(protocol), format!("speaks with the agent by: {}", protocol_name(*protocol)))
        }),
        carry("agent.permissions", &agent.permissions, |answer| {
            let name = answer.name();
            (json!(name), format!("answers an agent that asks whether it may: {name}"))
        }),
        carry("agent.env_exclude", &agent.env_exclude, |names| {
            (json!(names), format!("hides from the agent, besides ralph's own list: {}", listed(names)))
        }),
        carry("sandbox.mode", &partial.sandbox.mode, |mode| {
            (json!(mode.name()), format!("sets the agent's sandbox to: {}", mode.name()))
        }),
        carry("sandbox.network", &partial.sandbox.network, |on| {
            let gives = if *on { "gives the agent the network" } else { "takes the network from the agent" };
            (json!(on), gives.to_owned())
        }),
        carry("sandbox.write", &partial.sandbox.write, |paths| {
            (json!(paths), format!("lets the agent write to: {}", listed(paths)))
        }),
        carry("verify.judge", &partial.verify.judge, |judge| {
            let does = match judge {
                Judge::Exit => "lets the checks judge alone",
                Judge::Both => "lets an agent judge beside the checks",
                Judge::Agent => "lets an agent judge, whatever the checks say",
            };
            (json!(judge), does.to_owned())
        }),
        carry("verify.judge_model", &partial.verify.judge_model, |model| {
            (json!(model), format!("judges, where an agent judges, with the model {model}"))
        }),
        carry("verify.judge_agent", &partial.verify.judge_agent, |name| {
            (json!(name.as_str()), format!("runs as judge, where an agent judges: {name}"))
        }),
        carry("snapshots.enabled", &partial.snapshots.enabled, |on| {
            let does = if *on { "keeps the tree in snapshots" } else { "keeps no snapshots of the tree" };
            (json!(on), does.to_owned())
        }),
        carry("agent.custody", &agent.custody, |choice| {
            let name = custody_name(*choice);
            (json!(name), format!("keeps the agent's processes together with: {name}"))
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    all.extend(done(partial));
    all.extend(committed(partial).chain(asked(partial)));
    all.extend(reached(partial).chain(attached(partial)).chain(measured(partial)));
    all.extend(partial.checks.iter().map(|set| check(&set.value)));
    all.extend(wanted(partial));
    all.extend(partial.routes.iter().filter_map(|set| route(&set.value)));
    all.extend(partial.hooks.iter().map(|set| hook(&set.value)));
    all
}

fn carry<T>(
    key: &'static str,
    set: &Option<Set<T>>,
    tell: impl FnOnce(&T) -> (Value, String),
) -> Option<Carried> {
    let (value, effect) = tell(&set.as_ref()?.value);
    Some(Carried { key, value, effect })
}

/// What shows that a task is done; anything here can ask for less than the person does.
fn done(partial: &Partial) -> impl Iterator<Item = Carried> {
    let plain = partial.promise.nonce.as_ref().filter(|set| !set.value);
    let green = partial.verify.red_first.as_ref().filter(|set| !set.value);
    let all = [
        carry("completion.require", &partial.completion.require, |signals| {
            let words = json!(signals);
            let names: Vec<String> = words.as_array().into_iter().flatten().map(word).collect();
            let names = listed(&names);
            (words, format!("counts a task as done by: {names}"))
        }),
        carry("promise.word", &partial.promise.word, |word| {
            (json!(word.to_string()), format!("takes for the agent's promise the word {word}"))
        }),
        carry("promise.nonce", &plain.cloned(), |on| {
            (json!(on), "takes the agent's promise without this run's nonce".to_owned())
        }),
        carry("verify.red_first", &green.cloned(), |on| {
            (json!(on), "lets a run begin whose checks pass already".to_owned())
        }),
    ];
    all.into_iter().flatten()
}

/// A commit runs what the repository has for hooks.
fn committed(partial: &Partial) -> impl Iterator<Item = Carried> {
    let auto_commit = partial.commit.auto_commit.as_ref().filter(|set| set.value);
    let allow_dirty = partial.commit.allow_dirty.as_ref().filter(|set| set.value);
    let all = [
        carry("commit.auto_commit", &auto_commit.cloned(), |on| {
            (json!(on), "commits completed tasks, for which the repository's hooks are run".to_owned())
        }),
        carry("commit.allow_dirty", &allow_dirty.cloned(), |on| {
            (json!(on), "commits tasks, where it does, in a tree with your own changes".to_owned())
        }),
    ];
    all.into_iter().flatten()
}

/// Who is asked about completed tasks.
fn asked(partial: &Partial) -> impl Iterator<Item = Carried> {
    let memory = &partial.memory;
    let by_agent = memory.extract.as_ref().filter(|set| set.value == Extract::Agent);
    let all = [
        carry("memory.extract", &by_agent.cloned(), |extract| {
            (json!(extract.name()), "asks an agent what each task was worth knowing for".to_owned())
        }),
        carry("memory.extract_model", &memory.extract_model, |model| {
            (json!(model), format!("asks, where an agent is asked about tasks, with the model {model}"))
        }),
        carry("memory.extract_agent", &memory.extract_agent, |name| {
            (json!(name.as_str()), format!("asks about tasks, where an agent is asked: {name}"))
        }),
    ];
    all.into_iter().flatten()
}

/// Where the person's tokens are sent, and what is done with them.
fn reached(partial: &Partial) -> impl Iterator<Item = Carried> {
    let Partial { tracker, linear, jira, .. } = partial;
    let kind = tracker.kind.as_ref().filter(|set| is_remote(set.value));
    let all = [
        carry("tracker.kind", &kind.cloned(), |kind| {
            (json!(kind.name()), format!("takes its tasks from {kind}, with your token"))
        }),
        carry("linear.url", &linear.url, |url| {
            (json!(url.to_string()), format!("sends your key for Linear to {url}"))
        }),
        carry("linear.team", &linear.team, |team| {
            (json!(team), format!("works on issues of the team {team} in Linear"))
        }),
        carry("linear.project", &linear.project, |project| {
            (json!(project), format!("works on issues of the project {project} in Linear"))
        }),
        carry("jira.url", &jira.url, |url| {
            (json!(url.to_string()), format!("sends your token for Jira to {url}"))
        }),
        carry("jira.email", &jira.email, |email| (json!(email), format!("is known to Jira as {email}"))),
        carry("jira.project", &jira.project, |project| {
            (json!(project), format!("works on issues of the project {project} in Jira"))
        }),
        carry("jira.jql", &jira.jql, |jql| (json!(jql), format!("asks Jira for issues with {jql}"))),
    ];
    all.into_iter().flatten()
}

/// Whom notes and questions are sent to, and which file is read for what they mean.
fn measured(partial: &Partial) -> impl Iterator<Item = Carried> {
    let vectors = &partial.memory.vectors;
    let all = [
        carry("memory.vectors.endpoint", &vectors.endpoint, |url| {
            (json!(url.to_string()), format!("sends what is remembered and what you search for to {url}"))
        }),
        carry("memory.vectors.model", &vectors.model, |model| {
            (json!(model), format!("asks the model {model} what notes mean"))
        }),
        carry("memory.vectors.key_env", &vectors.key_env, |name| {
            (json!(name), format!("sends what your variable {name} holds to whoever says what notes mean"))
        }),
        carry("memory.vectors.table", &vectors.table, |file| {
            (json!(file), format!("reads what words mean from {}", file.display()))
        }),
        carry("memory.vectors.use", &vectors.source, |source| {
            (json!(source.name()), format!("has notes measured by what you configured: {}", source.name()))
        })
        .filter(|_| vectors.source.as_ref().is_some_and(|chosen| chosen.value != Source::Off)),
        carry("memory.vectors.dimensions", &vectors.dimensions, |count| {
            (json!(count), format!("has all notes measured anew, in {count} dimensions"))
        }),
        carry("memory.vectors.batch", &vectors.batch, |count| {
            (json!(count), format!("sends {count} notes at a time"))
        }),
        carry("memory.vectors.timeout", &vectors.timeout, |time| {
            (json!(time.as_millis().to_string()), format!("has searches wait for {} ms", time.as_millis()))
        }),
        carry("memory.vectors.catch_up", &vectors.catch_up, |time| {
            (json!(time.as_millis().to_string()), format!("has searches wait for {} ms", time.as_millis()))
        }),
    ];
    all.into_iter().flatten()
}

/// A route that names no agent only tells a permitted one how to think.
fn route(route: &Route) -> Option<Carried> {
    let agent = route.agent.as_ref()?;
    let when = route.when.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let effect = format!("runs the agent {agent} where a route applies ({when})");
    Some(Carried { key: "route.agent", value: json!([agent.as_str(), when]), effect })
}

fn check(set: &CheckSet) -> Carried {
    let check = &set.check;
    let value = json!([check.name, check.command, check.dir, check.env]);
    Carried { key: "check", value, effect: format!("runs as check {}: {}", check.name, check.command) }
}

/// Whoever has the server has the briefs, the project's files and the password.
fn attached(partial: &Partial) -> Option<Carried> {
    carry("opencode.attach", &partial.opencode.attach, |address| {
        let url = &address.url;
        (json!(url), format!("works with the OpenCode server at {url}, with your password for it"))
    })
}

/// Criteria take the place of the person's own, and some bring commands.
fn wanted(partial: &Partial) -> Vec<Carried> {
    let Some(given) = &partial.verify.criteria else { return Vec::new() };
    let names: Vec<String> = given.value.iter().map(|wanted| wanted.criterion.name().to_owned()).collect();
    let all = Carried {
        key: "verify.criteria",
        value: json!(names),
        effect: format!("says what must hold: {}", listed(&names)),
    };
    let commands = given.value.iter().filter_map(|wanted| {
        let command = wanted.command.as_ref()?;
        let effect = format!("runs as check {}: {command}", wanted.criterion.name());
        Some(Carried { key: "verify.criteria", value: json!(wanted.written()), effect })
    });
    std::iter::once(all).chain(commands).collect()
}

fn hook(hook: &Hook) -> Carried {
    let events: Vec<&str> = hook.on.iter().copied().collect();
    let words = hook.action.words();
    let value = json!([hook.name, events, words, hook.timeout.as_millis().to_string(), hook.veto]);
    let may_veto = if hook.veto { ", with a veto" } else { "" };
    let command = shell_words::join(&words);
    Carried { key: "hook", value, effect: format!("runs on {}{may_veto}: {command}", events.join(", ")) }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn protocol_name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Own => "own",
        Protocol::Acp => "acp",
    }
}

pub(crate) fn custody_name(choice: CustodyChoice) -> &'static str {
    match choice {
        CustodyChoice::Auto => "auto",
        CustodyChoice::Subreaper => "subreaper",
    }
}
