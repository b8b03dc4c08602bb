//! The published documents say what the code does.

use std::path::{Path, PathBuf};

use ralph_core::event::Event;
use serde_json::{Value, json};

use super::Written;
use crate::settings::catalogue::{schema, sections};
use crate::settings::file::SECTIONS;
use crate::settings::hook::EVENTS;
use crate::settings::template;

/// Compares with a committed file, or writes it when `RALPH_BLESS` is set.
fn published(path: &str, current: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("RALPH_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, current).unwrap();
    }
    let committed = std::fs::read_to_string(PathBuf::from(&path)).unwrap_or_default();
    assert_eq!(committed, current, "{} is stale: run the tests with RALPH_BLESS=1", path.display());
}

#[test]
fn the_published_schema_is_current() {
    published("docs/schema/config.json", &format!("{:#}\n", schema()));
}

#[test]
fn the_published_documentation_is_current_and_mentions_every_key() {
    let text = documentation();
    published("docs/config.md", &text);
    let schema = schema();
    let parts = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for key in parts.flat_map(|part| part["properties"].as_object().unwrap().keys()) {
        assert!(text.contains(&format!("`{key}`")) || text.contains(&format!("[{key}]")), "{key}");
    }
}

#[test]
fn the_schema_and_the_reader_know_the_same_keys() {
    let schema = schema();
    let in_schema: usize = schema["$defs"]
        .as_object()
        .unwrap()
        .values()
        .map(|d| d["properties"].as_object().unwrap().len())
        .sum();
    let top = schema["properties"].as_object().unwrap().len() - SECTIONS.len() - 3;
    let read: usize = sections().iter().map(|section| section.keys.len()).sum();
    assert_eq!(read, in_schema + top);
}

#[test]
fn hooks_know_every_event_of_the_journal() {
    let schema = schemars::schema_for!(Event).to_value();
    let constant = |one: &Value| one["properties"]["type"]["const"].as_str().unwrap().to_owned();
    let mut names: Vec<String> = schema["oneOf"].as_array().unwrap().iter().map(constant).collect();
    // A commit is asked about before it is made; hosts tell of the others.
    let beside = ["commit", "session_start", "user_prompt_submit", "post_tool_use", "stop", "session_end"];
    names.extend(beside.map(str::to_owned));
    let mut events = EVENTS.map(str::to_owned);
    names.sort();
    events.sort();
    assert_eq!(names, events);
    assert!(EVENTS.contains(&Event::Paused {}.name()));
}

#[test]
fn the_template_parses_as_it_is_and_uncommented() {
    let text = template();
    assert_eq!(Written::project(&text).settings().unwrap(), Written::default().settings().unwrap());
    let uncommented: String = text.lines().map(|line| uncommented(line) + "\n").collect();
    let settings = Written::project(&uncommented).settings().unwrap_or_else(|p| panic!("{p}\n{uncommented}"));
    assert_eq!((settings.hooks.len(), settings.routes.len()), (1, 1));
    for section in sections() {
        for key in section.keys {
            assert!(uncommented.contains(&format!("\n{} = ", key.name)), "{}", key.name);
        }
    }
}

fn uncommented(line: &str) -> String {
    line.strip_prefix("# ").or(line.strip_prefix('#')).unwrap_or(line).to_owned()
}

#[test]
fn the_schema_accepts_and_refuses_what_the_reader_does() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let uncommented: String = template().lines().map(|line| uncommented(line) + "\n").collect();
    let cases = [
        (uncommented.as_str(), true),
        ("", true),
        ("state_dir = \"/x\"\n[limits]\nmax_iterations = 1_000\nmax_cost_usd = 5.00", true),
        ("[limits]\nmax_cost_usd = \"$5\"\nmax_duration = \"1h30m\"\nmax_tokens = 9\nunlimited = true", true),
        ("[agent]\ncommand = \"a b\"\ncustody = \"subreaper\"", true),
        ("[[hook]]\nname = \"n\"\non = [\"verdict\"]\ncommand = [\"x\"]\nveto = true", true),
        ("[agent]\non_error = \"skip\"\nmax_retries = 1\nsession = \"continue\"", true),
        ("[[route]]\nlabels = [\"hard\"]\npriority = 0\niteration = \"2-4\"\nagent = \"claude\"", true),
        (
            "[[route]]\npriority = \"0-1\"\nmodel = \"opus\"\n[[route]]\niteration = 3\neffort = \"high\"",
            true,
        ),
        ("[agent]\non_error = \"ignore\"", false),
        ("[agent]\nmax_retries = 0", false),
        ("[agent]\nsession = \"compact\"", false),
        ("[[route]]\nlabels = []\nmodel = \"opus\"", false),
        ("[[route]]\npriority = 5\nmodel = \"opus\"", false),
        ("[[route]]\niteration = 0\nmodel = \"opus\"", false),
        ("[[route]]\niteration = \"<3\"\nmodel = \"opus\"", false),
        ("[[route]]\nlabel = [\"hard\"]\nmodel = \"opus\"", false),
        ("[limits]\nmax_iterations = 0", false),
        ("[limits]\nmax_iterations = 1000001", false),
        ("[limits]\nmax_iterations = \"3\"", false),
        ("[limits]\nmax_duration = \"30\"", false),
        ("[limits]\nmax_duration = \"\"", false),
        ("[limits]\nmax_cost_usd = 0", false),
        ("[limits]\ncolour = 1", false),
        ("max_iterations = 1", false),
        ("[agent]\ncustody = \"none\"", false),
        ("[output]\ndetail = \"full\"", true),
        ("[output]\ndetail = \"loud\"", false),
        ("[agent]\ncommand = []", false),
        ("[completion]\nrequire = [\"todo\", \"tool\"]", true),
        ("[completion]\nrequire = [\"hope\"]", false),
        ("[opencode]\nsession_mode = \"reset\"", true),
        ("[opencode]\nsession_mode = \"compact\"", true),
        ("[opencode]\nsession_mode = \"once\"", false),
        ("[output]\nkeep_head = \"32MB\"", false),
        ("[[hook]]\nname = \"n\"\non = []\ncommand = \"x\"", false),
        ("[[hook]]\nname = \"n\"\non = [\"verdicts\"]\ncommand = \"x\"", false),
        ("[[hook]]\non = [\"verdict\"]\ncommand = \"x\"", false),
    ];
    for (text, is_valid) in cases {
        let value = json!(toml::from_str::<toml::Table>(text).unwrap());
        assert_eq!(validator.is_valid(&value), is_valid, "schema: {text}");
        assert_eq!(Written::project(text).settings().is_ok(), is_valid, "reader: {text}");
    }
}

/// `docs/config.md`.
fn documentation() -> String {
    let mut text = include_str!("introduction.md").to_owned();
    for section in sections() {
        text += &match section.name {
            "" => "\n## Top level\n".to_owned(),
            "hook" | "route" => format!("\n## `[[{}]]`\n\n{}\n", section.name, section.about),
            name => format!("\n## `[{name}]`\n\n{}\n", section.about),
        };
        text += "\n| key | type | default | example | |\n|---|---|---|---|---|\n";
        for key in section.keys {
            let default = key.default.map_or("–".to_owned(), |default| format!("`{default}`"));
            text += &format!(
                "| `{}` | {} | {default} | `{}` | {} |\n",
                key.name, key.kind, key.example, key.about
            );
        }
    }
    text + &format!("\nThe events: {}.\n", EVENTS.map(|event| format!("`{event}`")).join(", "))
}
