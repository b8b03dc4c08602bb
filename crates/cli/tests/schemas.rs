//! What `--json` prints is published as schemas and described in `docs/events.md`; all three say the same.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jsonschema::Validator;
use ralph_core::event::Event;
use serde_json::Value;

/// Fails once, prints on both streams, and then gives the promise that its brief asks for.
const AGENT: &str = r#"#!/bin/sh
brief=$(cat)
echo "secret colours: $(printf '\033[31mred\033[0m')" >&2
echo x >> tried
[ $(wc -l < tried) -gt 1 ] || exit 1
word=$(printf '%s\n' "$brief" | grep -o 'DONE-[0-9a-f]*' | tail -1)
printf 'All is well.\n\n<promise>%s</promise>\n' "$word"
"#;

fn ralph(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    command.args(args).current_dir(dir).env("HOME", dir).env("XDG_STATE_HOME", dir.join("state"));
    command.output().expect("ralph starts")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(of: &str) -> Value {
    let home = tempfile::tempdir().unwrap();
    let out = ralph(home.path(), &["config", "schema", "--of", of]);
    serde_json::from_slice(&out.stdout).expect("a schema is JSON")
}

fn validator(of: &str) -> Validator {
    jsonschema::validator_for(&schema(of)).expect("a schema")
}

fn check(validator: &Validator, value: &Value) {
    let errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {value:#}");
}

/// Compares with a committed file, or writes it when `RALPH_BLESS` is set.
#[test]
fn the_published_schemas_are_current() {
    let all = [
        "config",
        "events",
        "status",
        "inbox",
        "sessions",
        "session",
        "why",
        "diff",
        "snapshots",
        "tasks",
        "task",
        "task-line",
        "prd-check",
        "graph-build",
        "graph-symbols",
        "graph-refs",
        "graph-impact",
        "graph-map",
        "prd-new",
        "migrate",
        "hook-event",
        "hook-answer",
        "memory-search",
        "memory-notes",
        "memory-note",
        "memory-explain",
        "memory-report",
        "memory-why",
        "memory-confirm",
        "memory-promote",
        "memory-forget",
        "memory-rebuild",
        "memory-export",
        "memory-import",
    ];
    for of in all {
        let path = root().join(format!("docs/schema/{of}.json"));
        let current = format!("{:#}\n", schema(of));
        if std::env::var_os("RALPH_BLESS").is_some() {
            std::fs::write(&path, &current).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == current, "{} is stale: run the tests with RALPH_BLESS=1", path.display());
    }
}

#[test]
fn what_a_run_prints_as_json_is_as_the_schemas_say() {
    let dir = tempfile::tempdir().unwrap();
    let agent = dir.path().join("agent.sh");
    std::fs::write(&agent, AGENT).unwrap();
    std::fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    let args = ["run", "Do it", "--agent-command", "./agent.sh", "--max-iterations", "2", "--json"];
    let out = ralph(dir.path(), &args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));

    let events = validator("events");
    let printed = String::from_utf8(out.stdout).unwrap();
    let mut seen = BTreeMap::new();
    for line in printed.lines() {
        let value: Value = serde_json::from_str(line).expect("one JSON object per line");
        check(&events, &value);
        *seen.entry(value["type"].as_str().unwrap().to_owned()).or_insert(0_u32) += 1;
    }
    for event in ["run_started", "waiting", "output", "task_completed", "run_stopped"] {
        assert!(seen.contains_key(event), "no {event} in {seen:?}");
    }

    let status = ralph(dir.path(), &["status", "--json"]);
    check(&validator("status"), &serde_json::from_slice(&status.stdout).expect("JSON"));
    let logs = String::from_utf8(ralph(dir.path(), &["logs", "--json"]).stdout).unwrap();
    let journal = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.contains(r#""type":"output""#)).map(str::to_owned).collect()
    };
    assert_eq!(journal(&logs), journal(&printed), "a log is what the run printed");
}

#[test]
fn what_the_looking_commands_print_as_json_is_as_the_schemas_say() {
    let dir = tempfile::tempdir().unwrap();
    let out = ralph(dir.path(), &["demo", "--keep", "demo"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    for args in [
        &["why"][..],
        &["why", "2"],
        &["diff"],
        &["diff", "2", "--stat"],
        &["snapshots"],
        &["snapshots", "--all"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
        command.args(args).arg("--json").current_dir(dir.path().join("demo/basket"));
        let out =
            command.env("HOME", dir.path()).env("XDG_STATE_HOME", dir.path().join("demo/state")).output();
        let out = out.expect("ralph starts");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        check(&validator(args[0]), &serde_json::from_slice(&out.stdout).expect("JSON"));
    }
}

#[test]
fn a_schema_refuses_what_is_no_event() {
    let events = validator("events");
    for wrong in [
        r#"{"seq":1,"at":"2026-01-01T00:00:00Z","type":"run_paused"}"#,
        r#"{"seq":-1,"at":"2026-01-01T00:00:00Z","type":"paused"}"#,
        r#"{"at":"2026-01-01T00:00:00Z","type":"paused"}"#,
        r#"{"seq":1,"at":"2026-01-01T00:00:00Z","type":"iteration_started","iteration":1}"#,
        "[]",
    ] {
        assert!(!events.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn the_documentation_shows_every_event_with_its_fields_and_a_line_that_holds() {
    let text = std::fs::read_to_string(root().join("docs/events.md")).expect("docs/events.md");
    let events = validator("events");
    let schema = schemars::schema_for!(Event).to_value();
    let variants = schema["oneOf"].as_array().unwrap();
    assert_eq!(text.matches("\n### `").count(), variants.len() + 2, "every event, `agent` and `output`");
    for variant in variants {
        let name = variant["properties"]["type"]["const"].as_str().unwrap();
        let section = section(&text, name);
        for field in fields(&schema, variant) {
            assert!(section.contains(&format!("`{field}`")), "{name} does not tell of `{field}`");
        }
        let example = example(section);
        check(&events, &example);
        assert_eq!(example["type"], name);
        serde_json::from_value::<Event>(example).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    check(&events, &example(section(&text, "output")));
    check(&events, &example(section(&text, "agent")));
}

/// From its heading to the next.
fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let heading = format!("\n### `{name}`\n");
    let (_, rest) = text.split_once(&heading).unwrap_or_else(|| panic!("no heading for {name}"));
    rest.split("\n#").next().unwrap_or(rest)
}

fn example(section: &str) -> Value {
    let line = section.lines().find(|line| line.starts_with('{')).expect("an example");
    serde_json::from_str(line).expect("an example is JSON")
}

/// The fields of one kind of event, those of the struct that it refers to among them.
fn fields(schema: &Value, variant: &Value) -> Vec<String> {
    let own = variant["properties"].as_object().into_iter().flatten();
    let referred = variant["$ref"].as_str().and_then(|path| schema.pointer(path.trim_start_matches('#')));
    let referred = referred.and_then(|target| target["properties"].as_object()).into_iter().flatten();
    own.chain(referred).map(|(name, _)| name.clone()).filter(|name| name != "type").collect()
}

#[test]
fn what_taking_over_a_project_prints_as_json_is_as_the_schema_says() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".ralph-tui/templates")).unwrap();
    std::fs::write(dir.path().join(".ralph-tui/config.toml"), "maxIterations = 3\ncolour = 1\n").unwrap();
    std::fs::write(dir.path().join(".ralph-tui/templates/json.hbs"), "{{nobody}}").unwrap();
    let out = ralph(dir.path(), &["migrate", "--json"]);
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    check(&validator("migrate"), &serde_json::from_slice(&out.stdout).expect("JSON"));
}

#[test]
fn what_drafting_a_backlog_prints_as_json_is_as_the_schema_says() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("idea.md"), "A door.\n").unwrap();
    let agent = dir.path().join("agent.sh");
    let answer = r#"{"name": "n", "userStories": [{"id": "A", "title": "t", "passes": false}]}"#;
    std::fs::write(&agent, format!("#!/bin/sh\ncat >/dev/null\ncat <<'END'\n```json\n{answer}\n```\nEND\n"))
        .unwrap();
    std::fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    let args = ["prd", "new", "--from", "idea.md", "--agent-command", "./agent.sh", "--json"];
    let out = ralph(dir.path(), &args);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let told: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    check(&validator("prd-new"), &told);
    assert_eq!(told["findings"][0]["about"], "no_criteria", "{told:#}");
}
