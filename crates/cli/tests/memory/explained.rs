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
    assert_eq!(report["with"], json!({ "succeeded": 2, "failed": 1 }));
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
