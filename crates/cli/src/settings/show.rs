//! The effective settings as a person reads them, and as ralph reads them back.

use std::fmt::Write;

use ralph_core::policy::{Kind, Limits, Signal};
use serde_json::{Map, Value, json};

use super::check::{self, Wanted};
use super::hook::{Action, Hook};
use super::memory::MemoryPart;
use super::origin::{Origin, Set};
use super::partial::Partial;
use super::route;
use super::trust::custody_name;
use super::value::{cost, duration, size};
use super::vectors::VectorsPart;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Toml,
    Json,
}

/// With `sources`, every value is followed by where it was set.
pub(crate) fn show(merged: &Partial, style: Style, sources: bool) -> String {
    match style {
        Style::Toml => toml(merged, sources),
        Style::Json => format!("{:#}\n", json(merged, sources)),
    }
}

struct Row {
    section: &'static str,
    key: &'static str,
    value: Option<Value>,
    origin: Origin,
}

fn row<T>(
    section: &'static str,
    key: &'static str,
    set: &Option<Set<T>>,
    value: impl FnOnce(&T) -> Value,
) -> Row {
    Row {
        section,
        key,
        value: set.as_ref().map(|set| value(&set.value)),
        origin: set.as_ref().map_or(Origin::Default, |set| set.origin.clone()),
    }
}

fn rows(merged: &Partial) -> Vec<Row> {
    let Partial { state_dir, template, limits, agent, promise, completion, verify, .. } = merged;
    let Partial { commit, snapshots, output, opencode, sandbox, tracker, linear, jira, .. } = merged;
    let time = |d: &std::time::Duration| json!(duration::written_out(*d));
    let bytes = |n: &u64| json!(size::written_out(*n));
    let mut rows = vec![
        row("", "state_dir", state_dir, |dir| json!(dir.to_string_lossy())),
        row("", "template", template, |file| json!(file.to_string_lossy())),
        row("limits", "max_iterations", &limits.max_iterations, |n| json!(n)),
        row("limits", "max_duration", &limits.max_duration, time),
        row("limits", "max_tokens", &limits.max_tokens, |n| json!(n)),
        row("limits", "max_cost_usd", &limits.max_cost_usd, |c| json!(cost::written_out(*c))),
        row("limits", "max_consecutive_failures", &limits.max_consecutive_failures, |n| json!(n)),
        row("limits", "max_no_progress", &limits.max_no_progress, |n| json!(n)),
        row("limits", "max_iterations_per_task", &limits.max_iterations_per_task, |n| json!(n)),
        row("limits", "max_circular", &limits.max_circular, |n| json!(n)),
        row("limits", "iteration_delay", &limits.iteration_delay, time),
        row("limits", "unlimited", &limits.unlimited, |on| json!(on)),
        row("agent", "name", &agent.name, |name| json!(name.as_str())),
        row("agent", "command", &agent.command, |words| json!(words)),
        row("agent", "model", &agent.model, |model| json!(model)),
        row("agent", "effort", &agent.effort, |effort| json!(effort)),
        row("agent", "fallback", &agent.fallback, |names| json!(names)),
        row("agent", "protocol", &agent.protocol, |protocol| json!(protocol)),
        row("agent", "permissions", &agent.permissions, |answer| json!(answer.name())),
        row("agent", "start_timeout", &agent.start_timeout, time),
        row("agent", "silence_timeout", &agent.silence_timeout, time),
        row("agent", "total_timeout", &agent.total_timeout, time),
        row("agent", "on_error", &agent.on_error, |strategy| json!(strategy)),
        row("agent", "max_retries", &agent.max_retries, |n| json!(n)),
        row("agent", "session", &agent.session, |sessions| json!(sessions)),
        row("agent", "retry_delay", &agent.retry_delay, time),
        row("agent", "answer_deadline", &agent.answer_deadline, time),
        row("agent", "env_exclude", &agent.env_exclude, |names| json!(names)),
        row("agent", "custody", &agent.custody, |choice| json!(custody_name(*choice))),
        row("opencode", "enabled", &opencode.enabled, |on| json!(on)),
        row("opencode", "attach", &opencode.attach, |address| json!(address.url)),
        row("opencode", "session_mode", &opencode.session_mode, |mode| json!(mode)),
        row("promise", "word", &promise.word, |word| json!(word.as_str())),
        row("promise", "nonce", &promise.nonce, |on| json!(on)),
        row("completion", "require", &completion.require, signals),
        row("verify", "criteria", &verify.criteria, |all| {
            json!(all.iter().map(Wanted::written).collect::<Vec<_>>())
        }),
        row("verify", "timeout", &verify.timeout, time),
        row("verify", "judge", &verify.judge, |judge| json!(judge)),
        row("verify", "judge_agent", &verify.judge_agent, |name| json!(name.as_str())),
        row("verify", "judge_model", &verify.judge_model, |model| json!(model)),
        row("verify", "judge_timeout", &verify.judge_timeout, time),
        row("verify", "red_first", &verify.red_first, |on| json!(on)),
        row("verify", "protect", &verify.protect, |patterns| json!(patterns)),
        row("verify", "allow_tampering", &verify.allow_tampering, |on| json!(on)),
        row("commit", "auto_commit", &commit.auto_commit, |on| json!(on)),
        row("commit", "message", &commit.message, |text| json!(text)),
        row("commit", "allow_dirty", &commit.allow_dirty, |on| json!(on)),
        row("snapshots", "enabled", &snapshots.enabled, |on| json!(on)),
        row("snapshots", "on_failure", &snapshots.on_failure, |what| json!(what)),
        row("snapshots", "max_size", &snapshots.max_size, bytes),
        row("snapshots", "keep", &snapshots.keep, time),
        row("output", "keep_head", &output.keep_head, bytes),
        row("output", "keep_tail", &output.keep_tail, bytes),
        row("output", "detail", &output.detail, |detail| json!(detail.name())),
        row("sandbox", "mode", &sandbox.mode, |mode| json!(mode.name())),
        row("sandbox", "network", &sandbox.network, |on| json!(on)),
        row("sandbox", "write", &sandbox.write, |paths| json!(paths)),
        row("tracker", "kind", &tracker.kind, |kind| json!(kind.name())),
        row("linear", "team", &linear.team, |team| json!(team)),
        row("linear", "project", &linear.project, |project| json!(project)),
        row("linear", "url", &linear.url, |url| json!(url.to_string())),
        row("jira", "url", &jira.url, |url| json!(url.to_string())),
        row("jira", "email", &jira.email, |email| json!(email)),
        row("jira", "project", &jira.project, |project| json!(project)),
        row("jira", "jql", &jira.jql, |jql| json!(jql)),
    ];
    let place = rows.iter().position(|row| row.section == "snapshots").unwrap_or(rows.len());
    rows.splice(place..place, remembered(&merged.memory));
    rows
}

fn remembered(memory: &MemoryPart) -> Vec<Row> {
    let time = |d: &std::time::Duration| json!(duration::written_out(*d));
    vec![
        row("memory", "enabled", &memory.enabled, |on| json!(on)),
        row("memory", "budget", &memory.budget, |n| json!(n)),
        row("memory", "holdout", &memory.holdout, |holdout| json!(holdout.share())),
        row("memory", "tools", &memory.tools, |on| json!(on)),
        row("memory", "questions", &memory.questions, |on| json!(on)),
        row("memory", "extract", &memory.extract, |extract| json!(extract.name())),
        row("memory", "extract_tokens", &memory.extract_tokens, |n| json!(n)),
        row("memory", "extract_agent", &memory.extract_agent, |name| json!(name.as_str())),
        row("memory", "extract_model", &memory.extract_model, |model| json!(model)),
        row("memory", "extract_timeout", &memory.extract_timeout, time),
    ]
}

fn signals(require: &std::collections::BTreeSet<Signal>) -> Value {
    serde_json::to_value(require).expect("signals are words")
}

fn vectors_rows(vectors: &VectorsPart) -> [Row; 9] {
    let time = |d: &std::time::Duration| json!(duration::written_out(*d));
    [
        row("memory.vectors", "use", &vectors.source, |source| json!(source.name())),
        row("memory.vectors", "endpoint", &vectors.endpoint, |url| json!(url.to_string())),
        row("memory.vectors", "model", &vectors.model, |name| json!(name)),
        row("memory.vectors", "key_env", &vectors.key_env, |name| json!(name)),
        row("memory.vectors", "dimensions", &vectors.dimensions, |n| json!(n)),
        row("memory.vectors", "table", &vectors.table, |file| json!(file.to_string_lossy())),
        row("memory.vectors", "timeout", &vectors.timeout, time),
        row("memory.vectors", "catch_up", &vectors.catch_up, time),
        row("memory.vectors", "batch", &vectors.batch, |n| json!(n)),
    ]
}

fn hook_fields(hook: &Hook) -> [(&'static str, Value); 5] {
    let command = match &hook.action {
        Action::Shell(line) => json!(line),
        Action::Program(words) => json!(words),
    };
    [
        ("name", json!(hook.name)),
        ("on", json!(hook.on)),
        ("command", command),
        ("timeout", json!(duration::written_out(hook.timeout))),
        ("veto", json!(hook.veto)),
    ]
}

fn toml(merged: &Partial, sources: bool) -> String {
    let mut text = String::new();
    let mut section = "";
    for row in rows(merged).into_iter().chain(vectors_rows(&merged.memory.vectors)) {
        if row.section != section {
            section = row.section;
            text += &format!("\n[{section}]\n");
        }
        text += &line(&row, sources);
    }
    let routes = merged.routes.iter().map(|set| ("route", route::fields(&set.value), &set.origin));
    let hooks = merged.hooks.iter().map(|set| ("hook", hook_fields(&set.value).to_vec(), &set.origin));
    let checks = merged.checks.iter().map(|set| ("check", check::fields(&set.value), &set.origin));
    for (name, fields, origin) in checks.chain(routes).chain(hooks) {
        let source = if sources { format!("  # {origin}") } else { String::new() };
        text += &format!("\n[[{name}]]{source}\n");
        for (key, value) in fields {
            text += &format!("{key} = {}\n", toml_value(&value));
        }
    }
    text
}

/// What nobody set stands as a comment: feeding it back must not turn a default of one kind of run
/// into a setting for all kinds.
fn line(row: &Row, sources: bool) -> String {
    let mut line = match &row.value {
        Some(value) => format!("{} = {}", row.key, toml_value(value)),
        None => match prompt_default(row.key) {
            Some(default) => format!("# {} = {} for a prompt", row.key, toml_value(&default)),
            None => format!("# {} is not set", row.key),
        },
    };
    if sources && row.value.is_some() {
        write!(line, "  # {}", crate::problem::visible(&row.origin.to_string()))
            .expect("a string takes any text");
    }
    line + "\n"
}

fn prompt_default(key: &str) -> Option<Value> {
    let limits = Limits::defaults(Kind::Prompt);
    match key {
        "max_iterations" => limits.max_iterations.map(|n| json!(n)),
        "max_duration" => limits.max_duration.map(|d| json!(duration::written_out(d))),
        "max_consecutive_failures" => Some(json!(limits.max_consecutive_failures)),
        "iteration_delay" => Some(json!(duration::written_out(limits.iteration_delay))),
        _ => None,
    }
}

pub(crate) fn toml_value(value: &Value) -> String {
    toml::Value::try_from(value).expect("settings are texts, numbers, booleans and lists").to_string()
}

fn json(merged: &Partial, sources: bool) -> Value {
    let told = |value: Value, origin: &Origin| {
        if sources { json!({ "value": value, "source": origin.to_string() }) } else { value }
    };
    let mut all = Map::new();
    for row in rows(merged).into_iter().chain(vectors_rows(&merged.memory.vectors)) {
        let value = told(row.value.unwrap_or(Value::Null), &row.origin);
        let path = row.section.split('.').filter(|name| !name.is_empty());
        let section = path.fold(&mut all, |outer, name| {
            let inner = outer.entry(name).or_insert_with(|| json!({}));
            inner.as_object_mut().expect("a section is no key")
        });
        section.insert(row.key.to_owned(), value);
    }
    let table = |fields: Vec<(&str, Value)>, origin: &Origin| {
        let fields = fields.into_iter().map(|(key, value)| (key.to_owned(), value));
        told(Value::Object(fields.collect()), origin)
    };
    let checks = merged.checks.iter().map(|set| table(check::fields(&set.value), &set.origin));
    all.insert("check".to_owned(), checks.collect());
    let routes = merged.routes.iter().map(|set| table(route::fields(&set.value), &set.origin));
    all.insert("route".to_owned(), routes.collect());
    let hooks = merged.hooks.iter().map(|set| table(hook_fields(&set.value).to_vec(), &set.origin));
    all.insert("hook".to_owned(), hooks.collect());
    Value::Object(all)
}
