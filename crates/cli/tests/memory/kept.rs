//! What becomes of notes: confirmed, promoted, made again, explained, forgotten, packed and taken up.

use serde_json::{Value, json};

use super::{Place, said};

#[test]
fn a_note_goes_from_its_task_to_the_project_and_to_all_projects_and_only_once() {
    let place = Place::new();
    let id = place.add(&["Retries need a jitter", "--task", "T-1", "--kind", "pattern"]);
    let early = place.run(&["promote", &id, "--global"]);
    assert_eq!(early.status.code(), Some(2));
    assert!(said(&early.stderr).contains(&format!("next: first `ralph memory promote {id}`")));
    assert!(place.run(&["search", "jitter"]).status.code() == Some(4), "nobody else sees it");
    for word in ["now", "already"] {
        let out = place.run(&["promote", &id]);
        assert!(said(&out.stdout).contains(&format!("is the project's {word}")), "{}", said(&out.stdout));
    }
    let other = place.beside();
    assert_eq!(other.run(&["search", "jitter"]).status.code(), Some(4), "not yet");
    for word in ["now", "already"] {
        let out = place.run(&["promote", &id, "--global"]);
        assert!(said(&out.stdout).contains(&format!("is for all projects {word}")), "{}", said(&out.stdout));
    }
    // Here it is found once, though it stands in both; elsewhere with where it comes from.
    assert_eq!(place.found(&["jitter"]), ["Retries need a jitter"]);
    assert_eq!(other.found(&["jitter"]), ["Retries need a jitter"]);
    let shown = other.json(&["show", &id]);
    assert_eq!(shown["note"]["scope"], "global");
    let name = place.root.path().file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(shown["note"]["tags"], json!([format!("project:{name}")]));
    assert_eq!(shown["note"]["source"]["task"], "T-1");
    assert_eq!(other.json(&["list"])["notes"].as_array().unwrap().len(), 1);
    let names = |place: &Place| -> Vec<String> {
        let why = place.json(&["why", &id]);
        let events = why.as_array().unwrap().iter().flat_map(|one| one["events"].as_array().unwrap());
        events.map(|event| event["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&place), ["OBSERVED", "PROMOTED", "PROMOTED", "OBSERVED"]);
    assert_eq!(names(&other), ["OBSERVED"]);
    let dir = std::fs::metadata(place.home.path().join(".local/state/ralph/global")).unwrap();
    let file = std::fs::metadata(place.home.path().join(".local/state/ralph/global/ralph.db")).unwrap();
    let mode =
        |found: &std::fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
    assert_eq!((mode(&dir), mode(&file)), (0o700, 0o600));
}

#[test]
fn a_person_confirms_and_rejects_and_why_says_what_came_of_it() {
    let place = Place::new();
    let id = place.add(&["The build is slow without a cache"]);
    let why = |id: &str| place.json(&["why", id])[0].clone();
    assert_eq!((&why(&id)["hypothesis"], &why(&id)["origin"]), (&json!(true), &json!("person")));
    let confirmed = place.run(&["confirm", &id]);
    assert!(said(&confirmed.stdout).contains("confidence of 0.75"), "{}", said(&confirmed.stdout));
    assert_eq!(why(&id)["hypothesis"], false);
    place.run(&["confirm", &id, "--reject"]);
    assert_eq!(why(&id)["hypothesis"], true);
    let told = said(&place.run(&["why", &id]).stdout);
    for words in ["said by     a person", "shown       as a hypothesis", "approved", "rejected"] {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    let new = place.add(&["The build is fast now", "--supersedes", &id]);
    assert_eq!(why(&id)["superseded_by"], new.as_str());
    assert_eq!(why(&new)["supersedes"], json!([id]));
    let gone = place.run(&["confirm", &id]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(said(&gone.stderr).contains(&format!("was superseded by {new}")));
}

#[test]
fn what_is_forgotten_is_gone_from_every_byte_and_nobody_is_surprised() {
    let place = Place::new();
    let id = place.add(&["The xylophone is under the stairs"]);
    place.add(&["Something else"]);
    place.run(&["promote", &id, "--global"]);
    let unasked = place.run(&["forget", &id]);
    assert_eq!(unasked.status.code(), Some(2));
    assert!(said(&unasked.stderr).contains("--yes"));
    assert_eq!(place.found(&["xylophone"]).len(), 1);
    let unknown = place.run(&["forget", &id, "0000000000000000", "--yes"]);
    assert_eq!(unknown.status.code(), Some(2), "all are there or none is forgotten");
    assert_eq!(place.found(&["xylophone"]).len(), 1);
    assert_eq!(place.run(&["forget", &id, "--yes"]).status.code(), Some(0));
    assert_eq!(place.run(&["search", "xylophone"]).status.code(), Some(4));
    assert_eq!(place.json(&["why", &id])[0]["because"], "it was forgotten");
    let kept = std::fs::read(place.home.path().join(".local/state/ralph/global/ralph.db")).unwrap();
    assert!(!kept.windows(9).any(|bytes| bytes == b"xylophone"), "it is still in the file");
    assert_eq!(
        place.run(&["forget", &id, "--yes"]).status.code(),
        Some(2),
        "there is nothing left to forget"
    );
    assert_eq!(place.json(&["rebuild", "--check"])["same"], true);
}

#[test]
fn notes_made_again_from_the_log_are_the_same_rows() {
    let place = Place::new();
    assert_eq!(place.run(&["rebuild"]).status.code(), Some(4));
    let ids: Vec<String> = (0..20).map(|n| place.add(&[&format!("note number {n} of the cache")])).collect();
    place.run(&["confirm", &ids[3]]);
    place.run(&["promote", &ids[4], "--global"]);
    place.run(&["forget", &ids[5], "--yes"]);
    let before = place.json(&["search", "cache number"]);
    let checked = place.json(&["rebuild", "--check"]);
    let rebuilt = place.json(&["rebuild"]);
    assert_eq!((&checked["same"], &rebuilt["same"]), (&json!(true), &json!(true)), "{rebuilt:#}");
    let rows: Vec<_> =
        rebuilt["shelves"].as_array().unwrap().iter().map(|one| &one["made"]["notes"]).collect();
    assert_eq!(rows, [&json!(19), &json!(1)]);
    assert_eq!(rebuilt["shelves"], checked["shelves"]);
    let after = place.json(&["search", "cache number"]);
    let found = |value: &Value| -> Vec<Value> {
        value["results"].as_array().unwrap().iter().map(|one| one["note"].clone()).collect()
    };
    assert_eq!(found(&before), found(&after));
}

#[test]
fn what_is_done_to_a_note_is_told_as_json() {
    let place = Place::new();
    let id = place.add(&["The xylophone is under the stairs"]);
    let weighed = place.json(&["confirm", &id]);
    assert_eq!((&weighed["id"], &weighed["rejected"]), (&json!(id), &json!(false)));
    assert!(weighed["confidence"].as_f64().unwrap() > 0.5, "{weighed}");
    assert_eq!(place.json(&["confirm", &id, "--reject"])["rejected"], true);
    let promoted = json!({ "id": id, "scope": "global", "changed": true });
    assert_eq!(place.json(&["promote", &id, "--global"]), promoted);
    assert_eq!(place.json(&["promote", &id, "--global"])["changed"], false);
    assert_eq!(place.run(&["forget", &id, "--json"]).status.code(), Some(2), "nobody is asked in JSON");
    assert_eq!(
        place.json(&["forget", &id, "--yes"]),
        json!({ "forgotten": [id], "stranded": [], "still_read": [] })
    );
}

#[test]
fn no_note_at_all_is_never_what_was_meant() {
    let place = Place::new();
    place.add(&["The xylophone is under the stairs"]);
    for args in [&["list", "--limit", "0"][..], &["search", "xylophone", "--limit", "0"]] {
        let out = place.run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(said(&out.stderr).contains("at least 1"), "{}", said(&out.stderr));
    }
}

#[test]
fn a_note_of_one_project_takes_the_place_of_none_that_holds_in_all() {
    let place = Place::new();
    let id = place.add(&["The registry wants a token"]);
    place.run(&["promote", &id, "--global"]);
    let other = place.beside();
    let refused = other.run(&["add", "The registry wants no token", "--supersedes", &id]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused.stderr).contains("holds in all projects"), "{}", said(&refused.stderr));
    assert_eq!(other.found(&["registry"]).len(), 1);
    place.add(&["The registry wants no token", "--supersedes", &id]);
    assert_eq!(place.found(&["registry"]), ["The registry wants no token"]);
}
