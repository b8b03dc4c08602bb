//! What a brief would get, whether notes help, and that all of it is as its schema says.

use serde_json::{Value, json};

use super::{Place, said};

fn check(place: &Place, of: &str, value: &Value) {
    let schema = place.command(&["config", "schema", "--of", of]).output().unwrap();
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{of}: {errors:?} in {value:#}");
}

#[test]
fn a_brief_is_explained_note_by_note_with_what_is_left_out() {
    let place = Place::new();
    place.write("src/login.rs", "fn login() {}\n");
    let text = "make the login test in src/login.rs stable";
    assert_eq!(place.run(&["explain", text]).status.code(), Some(4));
    assert_eq!(place.run(&["explain"]).status.code(), Some(2), "nothing says what it is about");
    let id =
        place.add(&["The login test needs a frozen clock", "--kind", "gotcha", "--file", "src/login.rs"]);
    place.add(&["Never commit on a Friday", "--kind", "pattern"]);
    let explained = place.json(&["explain", text]);
    check(&place, "memory-explain", &explained);
    let taken = explained["taken"].as_array().unwrap();
    let one =
        taken.iter().find(|one| one["note"]["id"] == id.as_str()).unwrap_or_else(|| panic!("{explained:#}"));
    assert_eq!((&one["section"], &one["hypothesis"]), (&json!("gotchas"), &json!(true)));
    assert!(one["factors"].as_array().unwrap().iter().any(|factor| factor["factor"] == "files"), "{one:#}");
    assert!(explained["tokens"].as_u64().unwrap() <= 8000);
    let told = said(&place.run(&["explain", text]).stdout);
    for words in ["gotchas", "[HYPOTHESIS]", "score", "of 8000 tokens"] {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    let short = place.run(&["explain", text, "--budget", "1"]);
    assert_eq!(short.status.code(), Some(4));
    assert!(said(&short.stdout).contains("the budget is used up"), "{}", said(&short.stdout));
}

/// Two files of which one uses the other, and one that has nothing to do with them.
fn with_code(place: &Place) {
    place.write("src/queue.py", "def push_item(item):\n    return item\n");
    place.write("src/worker.py", "from queue import push_item\n\ndef work():\n    push_item(1)\n");
    place.write("src/other.py", "def other():\n    return 2\n");
}

fn contents(explained: &Value) -> Vec<&str> {
    let taken = explained["taken"].as_array().unwrap().iter();
    taken.map(|one| one["note"]["content"].as_str().unwrap()).collect()
}

#[test]
fn what_a_task_names_is_looked_up_in_the_code_with_what_is_near_it() {
    let place = Place::new();
    with_code(&place);
    place.add(&["Workers are restarted each night", "--kind", "gotcha", "--file", "src/worker.py"]);
    let text = "make `push_item` in queue.py bounded, as `frobnicate_all` in src/gone.py is";
    let explained = place.json(&["explain", text]);
    check(&place, "memory-explain", &explained);
    let code = &explained["code"];
    assert_eq!(
        (&code["files"], &code["symbols"]),
        (&json!(["src/queue.py"]), &json!(["push_item"])),
        "{code}"
    );
    assert!(code["near"].as_u64().unwrap() > 0, "{code}");
    assert!(
        code["text"].as_str().unwrap().contains("push") && code["tokens"].as_u64().unwrap() > 0,
        "{code}"
    );
    let near = &explained["taken"][0]["factors"];
    assert_eq!(contents(&explained), ["Workers are restarted each night"], "{explained:#}");
    assert!(near.as_array().unwrap().iter().any(|factor| factor["factor"] == "graph"), "{near}");
    let missing: Vec<&Value> =
        explained["sufficiency"]["missing"].as_array().unwrap().iter().map(|one| &one["text"]).collect();
    assert_eq!(missing, ["frobnicate_all", "src/gone.py"]);
    let told = said(&place.run(&["explain", text]).stdout);
    for words in
        ["at hand", "src/queue.py", "named, and known to nobody", "frobnicate", "a person would be asked"]
    {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    let found = place.json(&["search", "night", "--file", "src/queue.py"]);
    let factors = found["results"][0]["factors"].as_array().unwrap();
    assert!(factors.iter().any(|factor| factor["factor"] == "graph"), "{found:#}");
}

#[test]
fn constitution_notes_and_code_share_the_budget_and_nothing_is_written() {
    let place = Place::new();
    with_code(&place);
    place.write(".ralph/constitution.md", &"Tests never reach the network. ".repeat(20));
    place.add(&["The queue is never drained on exit", "--kind", "gotcha", "--file", "src/queue.py"]);
    let before = files(place.home.path());
    let explained = place.json(&["explain", "drain the queue in src/queue.py", "--budget", "400"]);
    let tokens = |value: &Value| value.as_u64().unwrap();
    let constitution = tokens(&explained["constitution"]);
    assert!((100..200).contains(&constitution), "{constitution}");
    let used = constitution + tokens(&explained["tokens"]) + tokens(&explained["code"]["tokens"]);
    assert!(used <= 400, "{explained:#}");
    let told = said(&place.run(&["explain", "drain the queue in src/queue.py"]).stdout);
    assert!(told.contains(&format!("constitution {constitution}, notes")), "{told}");
    assert_eq!(files(place.home.path()), before, "the graph is not kept, either");
    let tight = place.run(&["explain", "drain the queue in src/queue.py", "--budget", "120"]);
    assert_eq!(tight.status.code(), Some(4), "the constitution leaves no room for notes");
}

/// Every file below, but for what a database has beside it.
fn files(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.to_string_lossy().ends_with("-wal") && !path.to_string_lossy().ends_with("-shm") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn a_task_of_the_backlog_is_explained_in_its_own_words() {
    let place = Place::new();
    with_code(&place);
    place.write("TASKS.md", "- [ ] Bound the queue in src/queue.py\n- [ ] Paint the other thing\n");
    place.add(&["The queue is drained by two threads", "--kind", "gotcha", "--file", "src/queue.py"]);
    let tasks = place.command(&["tasks", "list", "--json"]).output().unwrap();
    let tasks: Value = serde_json::from_slice(&tasks.stdout).unwrap();
    let id = tasks["tasks"][0]["id"].as_str().unwrap();
    let explained = place.json(&["explain", "--task", id]);
    assert_eq!(contents(&explained), ["The queue is drained by two threads"], "{explained:#}");
    assert_eq!(explained["code"]["files"], json!(["src/queue.py"]));
    let unknown = place.run(&["explain", "--task", "T-99"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown.stderr).contains("there is no task T-99"), "{}", said(&unknown.stderr));
}

#[test]
fn a_report_counts_how_work_went_with_notes() {
    let place = Place::new();
    assert_eq!(place.run(&["report"]).status.code(), Some(4));
    let id = "1aaaaaaaaaaaaaaa";
    let line = |entry: Value| json!({ "at": "2026-01-02T03:04:05Z", "shelf": "project", "entry": entry });
    let draft = json!({ "kind": "skill", "scope": "project", "content": "warm the cache" });
    let mut lines = vec![
        json!({ "format": "ralph-memory", "version": 1 }),
        line(json!({ "event": "OBSERVED", "note": id, "draft": draft })),
    ];
    for iteration in 1..=3 {
        let used = json!({ "run": "0123456789ab", "task": "T-1", "iteration": iteration, "succeeded": iteration > 1 });
        lines.push(line(json!({ "event": "USED", "note": id, "used": used })));
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(place.root.path().join("notes.jsonl"), text).unwrap();
    let imported = place.json(&["import", "notes.jsonl", "--trust"]);
    check(&place, "memory-import", &imported);
    let report = place.json(&["report"]);
    check(&place, "memory-report", &report);
    assert_eq!(report["with"], json!({ "succeeded": 2, "failed": 1, "unchanged": 0 }));
    assert_eq!(report["notes"][0]["note"], id);
    let told = said(&place.run(&["report"]).stdout);
    assert!(told.contains("2 of 3") && told.contains('█') && told.contains("seen seldom"), "{told}");
    for (args, of) in [(&["why", id] as &[&str], "memory-why"), (&["rebuild", "--check"], "memory-rebuild")] {
        check(&place, of, &place.json(args));
    }
    let exported = said(&place.run(&["export"]).stdout);
    for line in exported.lines() {
        check(&place, "memory-export", &serde_json::from_str(line).unwrap());
    }
    assert_eq!(place.json(&["why", id])[0]["uses"].as_array().unwrap().len(), 3);
}
