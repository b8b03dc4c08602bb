//! Every key with its type, default and explanation, taken from the schema of [`Partial`], and the
//! documents made of it.

use std::borrow::Cow;

use ralph_core::agent_event::Detail;
use ralph_core::check::Criterion;
use ralph_core::route::Trouble;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::file::SECTIONS;
use super::hook::EVENTS;
use super::memory::Extract;
use super::partial::Partial;
use super::show::toml_value;

/// The JSON schema of `config.toml`.
pub(crate) fn schema() -> Value {
    let mut schema = schemars::schema_for!(Partial).to_value();
    without_null(&mut schema);
    // The order in memory is not one to rely on.
    schema.sort_all_objects();
    schema
}

/// TOML has no null: an optional key is one that is absent.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|one| one != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(names)) = map.get_mut("enum") {
                names.retain(|one| !one.is_null());
            }
            if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
                choices.retain(|one| one.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    map.extend(only);
                }
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(list) => list.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One key as the documents show it.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) name: String,
    /// Said in `docs/config.md`, which a test keeps true.
    #[cfg(test)]
    pub(crate) kind: String,
    pub(crate) about: String,
    /// As TOML; `None` where it depends on the kind of run or there is none.
    pub(crate) default: Option<String>,
    /// As TOML.
    pub(crate) example: String,
}

/// One heading of the file with its keys, the top level first.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// `limits`, `hook`; empty for the top level.
    pub(crate) name: &'static str,
    pub(crate) about: String,
    pub(crate) keys: Vec<Key>,
}

pub(crate) fn sections() -> Vec<Section> {
    let schema = schema();
    let known = Partial::known();
    let names = std::iter::once("").chain(SECTIONS);
    let section = |name: &'static str| {
        let definition = definition(&schema, name);
        let keys = known.iter().filter(|k| k.section == name).map(|k| key(definition, k.key)).collect();
        Section { name, about: about(definition), keys }
    };
    let mut all: Vec<Section> = names.map(section).collect();
    for (name, keys) in LISTS {
        let definition = definition(&schema, name);
        let keys = keys.iter().map(|name| key(definition, name)).collect();
        all.push(Section { name, about: about(definition), keys });
    }
    all
}

/// The headings that may be repeated, with their keys.
pub(crate) const LISTS: [(&str, &[&str]); 3] = [
    ("check", &super::check::KEYS),
    ("route", &super::route::KEYS),
    ("hook", &["name", "on", "command", "timeout", "veto"]),
];

fn definition<'a>(schema: &'a Value, section: &str) -> &'a Value {
    let within = |outer: &'a Value, name: &str| {
        let property = &outer["properties"][name];
        let reference = property["$ref"].as_str().or(property["items"]["$ref"].as_str());
        let name = reference.and_then(|r| r.strip_prefix("#/$defs/")).expect("sections are definitions");
        &schema["$defs"][name]
    };
    section.split('.').filter(|name| !name.is_empty()).fold(schema, within)
}

fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

fn key(section: &Value, name: &str) -> Key {
    let schema = &section["properties"][name];
    assert!(schema.is_object(), "the schema has the key {name}");
    let default = schema.get("default").map(toml_value);
    let example = schema["examples"].get(0).map(toml_value).or_else(|| default.clone());
    Key {
        name: name.to_owned(),
        #[cfg(test)]
        kind: kind(schema),
        about: about(schema),
        default,
        example: example.expect(name),
    }
}

#[cfg(test)]
fn kind(schema: &Value) -> String {
    let named = schema["title"].as_str().or(schema["type"].as_str()).unwrap_or("string");
    let of_names = || schema["items"]["enum"].is_array() || schema["items"]["type"] == "string";
    if named == "array" && of_names() { "array of strings".to_owned() } else { named.to_owned() }
}

macro_rules! value_schema {
    ($name:ident, $schema:expr) => {
        /// Stands for a kind of value in the schema.
        #[derive(Debug)]
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

value_schema!(
    DurationText,
    json_schema!({
        "title": "duration", "type": "string", "pattern": "^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$",
    })
);
value_schema!(
    CostValue,
    json_schema!({
        "title": "US dollars",
        "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": super::value::cost::MOST },
            { "type": "string", "pattern": r"^\$?[0-9_]+(\.[0-9]{1,6})?$" },
        ],
    })
);
value_schema!(
    SizeText,
    json_schema!({ "title": "size", "type": "string", "pattern": "^[0-9]+(B|KiB|MiB|GiB)$" })
);
value_schema!(
    CommandValue,
    json_schema!({
        "title": "command",
        "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        ],
    })
);
value_schema!(
    PrioritySpan,
    json_schema!({
        "title": "number or range",
        "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": 4 },
            { "type": "string", "pattern": "^([0-4]|[0-4] *- *[0-4]|>= *[0-4])$" },
        ],
    })
);
value_schema!(
    TroubleNames,
    json_schema!({
        "title": "string or array of strings",
        "anyOf": [
            { "type": "string", "enum": Trouble::ALL.map(Trouble::name) },
            { "type": "array", "minItems": 1, "items": { "type": "string", "enum": Trouble::ALL.map(Trouble::name) } },
        ],
    })
);
value_schema!(
    IterationSpan,
    json_schema!({
        "title": "number or range",
        "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": super::limits::MOST_ITERATIONS },
            { "type": "string", "pattern": "^([1-9][0-9_]*|[1-9][0-9_]* *- *[1-9][0-9_]*|>= *[1-9][0-9_]*)$" },
        ],
    })
);
value_schema!(OnErrorName, json_schema!({ "type": "string", "enum": ["retry", "skip", "abort"] }));
value_schema!(OnFailureName, json_schema!({ "type": "string", "enum": ["keep", "restore"] }));
value_schema!(SessionName, json_schema!({ "type": "string", "enum": ["fresh", "continue"] }));
value_schema!(
    SessionModeName,
    json_schema!({ "type": "string", "enum": ["fresh", "reset", "continue", "compact"] })
);
value_schema!(EventName, json_schema!({ "type": "string", "enum": EVENTS.as_slice() }));
value_schema!(DetailName, json_schema!({ "type": "string", "enum": Detail::ALL.map(Detail::name) }));
value_schema!(ProtocolName, json_schema!({ "type": "string", "enum": ["own", "acp"] }));
value_schema!(PermissionsName, json_schema!({ "type": "string", "enum": ["allow", "deny", "ask"] }));
value_schema!(
    RequireName,
    json_schema!({ "type": "string", "enum": ["promise", "criteria", "tracker", "tool", "todo"] })
);
value_schema!(ExtractName, json_schema!({ "type": "string", "enum": Extract::names() }));
value_schema!(
    VectorsUseName,
    json_schema!({ "type": "string", "enum": super::vectors::Source::ALL.map(super::vectors::Source::name) })
);
value_schema!(JudgeName, json_schema!({ "type": "string", "enum": ["exit", "agent", "both"] }));
value_schema!(CriterionName, json_schema!({ "type": "string", "enum": Criterion::ALL.map(Criterion::name) }));
value_schema!(
    TrackerName,
    json_schema!({ "type": "string", "enum": ralph_trackers::Kind::ALL.map(ralph_trackers::Kind::name) })
);
