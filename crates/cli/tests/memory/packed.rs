//! Notes that leave as a file, and come in as one.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Place, said};

fn written(place: &Place, lines: &[Value]) -> PathBuf {
    let path = place.root.path().join("notes.jsonl");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).unwrap();
    path
}

fn import(place: &Place, path: &Path) -> std::process::Output {
    place.run(&["import", &path.to_string_lossy()])
}

fn head() -> Value {
    json!({ "format": "ralph-memory", "version": 1 })
}

fn observed(id: &str, content: &str) -> Value {
    let draft = json!({ "kind": "skill", "scope": "project", "content": content, "confidence": 0.9 });
    let entry = json!({ "event": "OBSERVED", "note": id, "draft": draft });
    json!({ "at": "2026-01-02T03:04:05Z", "shelf": "project", "entry": entry })
}

#[test]
fn what_is_exported_is_taken_up_elsewhere_once_with_its_ids_and_as_a_tools_words() {
    let place = Place::new();
    let id = place.add(&["Run `make db` first", "--kind", "skill", "--file", "Makefile"]);
    let old = place.add(&["Postgres it is"]);
    let new = place.add(&["SQLite it is", "--supersedes", &old]);
    let gone = place.add(&["Forget about this"]);
    place.run(&["forget", &gone, "--yes"]);
    place.run(&["confirm", &id]);
    let staged = place.add(&["only for me", "--task", "T-1"]);
    let file = place.root.path().join("out.jsonl");
    let exported = place.run(&["export", "--file", &file.to_string_lossy()]);
    assert!(exported.status.success(), "{}", said(&exported.stderr));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(&gone) && !text.contains(&staged), "{text}");
    assert_eq!(text, said(&place.run(&["export"]).stdout));
    let again = place.run(&["export", "--file", &file.to_string_lossy()]);
    assert_eq!(again.status.code(), Some(2), "nothing is overwritten");

    let other = Place::new();
    let taken = |args: &[&str]| {
        let path = file.to_string_lossy();
        let taken = other.json(&[&["import", &*path], args].concat());
        (taken["notes"].clone(), taken["known"].clone())
    };
    assert_eq!(taken(&[]), (json!(3), json!(0)));
    assert_eq!(taken(&[]), (json!(0), json!(3)));
    let shown = other.json(&["show", &id])["note"].clone();
    assert_eq!(
        (&shown["origin"], &shown["verified"], &shown["files"]),
        (&json!("tool"), &json!(false), &json!(["Makefile"]))
    );
    assert_eq!(other.json(&["show", &old])["note"]["by"], new.as_str());

    let trusting = Place::new();
    assert!(trusting.run(&["import", &file.to_string_lossy(), "--trust"]).status.success());
    let shown = trusting.json(&["show", &id])["note"].clone();
    assert_eq!((&shown["origin"], &shown["verified"]), (&json!("person"), &json!(true)));
}

#[test]
fn what_stands_again_there_is_not_hidden_here() {
    let place = Place::new();
    let old = place.add(&["Postgres it is"]);
    let new = place.add(&["SQLite it is", "--supersedes", &old]);
    let other = place.add(&["Tabs it is"]);
    let newer = place.add(&["Spaces it is", "--supersedes", &other]);
    place.run(&["confirm", &other]);
    place.run(&["forget", &new, "--yes"]);
    place.run(&["confirm", &old]);
    let lost = place.add(&["Ports are leased"]);
    let reason = place.add(&["Ports are fixed", "--supersedes", &lost]);
    place.run(&["forget", &reason, "--yes"]);
    let file = place.root.path().join("out.jsonl");
    place.run(&["export", "--file", &file.to_string_lossy()]);

    let elsewhere = Place::new();
    let taken = import(&elsewhere, &file);
    assert!(taken.status.success(), "{}", said(&taken.stderr));
    let listed = said(&elsewhere.run(&["list", "--json"]).stdout);
    for (id, why) in [
        (&old, "a person said so when what took its place was gone"),
        (&other, "a person said so although another took its place"),
        (&newer, "it was never superseded"),
        (&lost, "what took its place is in no file"),
    ] {
        assert!(listed.contains(id.as_str()), "{why}: {listed}");
    }
}

#[test]
fn a_file_that_makes_no_sense_somewhere_leaves_nothing_behind() {
    let place = Place::new();
    let (one, two) = ("1aaaaaaaaaaaaaaa", "1aaaaaaaaaaaaaab");
    let confirmed = |id: &str| {
        let entry = json!({ "event": "CONFIRMED", "note": id, "evidence": "approved" });
        json!({ "at": "2026-01-02T03:04:05Z", "shelf": "project", "entry": entry })
    };
    let mut strange = observed(two, "y");
    strange["entry"]["draft"]["kind"] = json!("prophecy");
    let mut forgotten = confirmed(one);
    forgotten["entry"] = json!({ "event": "FORGOTTEN", "note": one });
    let mut praised = confirmed(one);
    praised["entry"]["event"] = json!("DOUBTED");
    let mut blamed = confirmed(one);
    blamed["entry"]["evidence"] = json!("rejected");
    let mut more = observed(two, "y");
    more["run"] = json!("rm -rf /");
    for (lines, line, what) in [
        (vec![], 1, "it is empty"),
        (vec![observed(one, "x")], 1, "which version"),
        (vec![json!({ "format": "ralph-memory", "version": 9 })], 1, "version 9 of the format is not known"),
        (vec![json!({ "format": "pickles", "version": 1 })], 1, "`pickles`"),
        (vec![head(), observed(one, "x"), head()], 3, "second time"),
        (vec![head(), observed(one, "x"), observed(one, "x")], 3, "twice"),
        (vec![head(), observed(one, "x"), confirmed(two)], 3, "not in the file before it"),
        (vec![head(), observed(one, "x"), strange], 3, "prophecy"),
        (vec![head(), observed(one, "x"), forgotten], 3, "takes no note away"),
        (vec![head(), observed(one, "x"), praised], 3, "in doubt speaks for it"),
        (vec![head(), observed(one, "x"), blamed], 3, "speaks against it"),
        (vec![head(), observed(one, "x"), more], 3, "no line of a file of notes"),
        (vec![head(), observed(one, "x"), json!("x")], 3, "no line of a file of notes"),
        (vec![head(), observed("short", "x")], 2, "no line of a file of notes"),
    ] {
        let path = written(&place, &lines);
        let out = import(&place, &path);
        let told = said(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{what}: {told}");
        assert!(told.contains(what), "no {what:?} in {told}");
        assert!(told.contains(&format!("notes.jsonl:{line}:1")), "line {line}: {told}");
    }
    std::fs::write(
        place.root.path().join("notes.jsonl"),
        b"{\"format\": \"ralph-memory\", \"version\": 1}\n{\n",
    )
    .unwrap();
    let cut = import(&place, &place.root.path().join("notes.jsonl"));
    assert!(said(&cut.stderr).contains("no JSON"), "{}", said(&cut.stderr));
    assert_eq!(place.run(&["list"]).status.code(), Some(4), "nothing was written");
}

#[test]
fn no_secret_leaves_or_comes_in_by_a_file() {
    let place = Place::new();
    let path =
        written(&place, &[head(), observed("1aaaaaaaaaaaaaaa", "the token is hunter2-hunter2-hunter2")]);
    assert!(import(&place, &path).status.success());
    let exported = said(&place.run(&["export"]).stdout);
    assert!(exported.contains("the token is") && !exported.contains("hunter2"), "{exported}");
    // Confidence that others had is not ours.
    let shown = place.json(&["show", "1aaaaaaaaaaaaaaa"])["note"].clone();
    assert_eq!((&shown["confidence"], &shown["valid_from"]), (&json!(0.5), &json!("2026-01-02T03:04:05Z")));
}

#[test]
fn notes_for_all_projects_are_taken_up_only_where_that_is_asked_for() {
    let place = Place::new();
    let mut global = observed("1aaaaaaaaaaaaaab", "every project has a lock file");
    global["shelf"] = json!("global");
    global["entry"]["draft"]["scope"] = json!("global");
    let path = written(&place, &[head(), observed("1aaaaaaaaaaaaaaa", "the lock file is here"), global]);
    let taken = |args: &[&str]| {
        let taken = place.json(&[&["import", &*path.to_string_lossy()], args].concat());
        [&taken["notes"], &taken["known"], &taken["left_out"]].map(|count| count.as_u64().unwrap())
    };
    assert_eq!(taken(&[]), [1, 0, 1]);
    let other = place.beside();
    assert_eq!(other.run(&["search", "lock file"]).status.code(), Some(4));
    let told = said(&import(&place, &path).stdout);
    assert!(told.contains("left out: 1 note for all projects; --global"), "{told}");
    assert_eq!(taken(&["--global"]), [1, 1, 0]);
    assert_eq!(other.found(&["lock file"]), ["every project has a lock file"]);
}

#[test]
fn what_a_stranger_cites_is_no_ground_and_what_was_for_all_there_is_not_here() {
    let place = Place::new();
    let id = "1aaaaaaaaaaaaaaa";
    let mut cited = observed(id, "the linter is always left out");
    cited["entry"]["draft"]["citations"] = json!([{ "cites": "file", "path": "src/a.rs", "line": 3 }]);
    let entry = json!({ "event": "PROMOTED", "note": id, "to": { "scope": "global" } });
    let promoted = json!({ "at": "2026-01-03T03:04:05Z", "shelf": "project", "entry": entry });
    let path = written(&place, &[head(), cited, promoted]);
    for (args, hypothesis) in
        [(&[] as &[&str], true), (&["--trust"], false), (&["--trust", "--global"], false)]
    {
        let place = Place::new();
        assert!(place.run(&[&["import", &*path.to_string_lossy()], args].concat()).status.success());
        assert_eq!(place.json(&["why", id])[0]["hypothesis"], hypothesis, "{args:?}");
        let note = place.json(&["show", id])["note"].clone();
        assert_eq!(note["scope"], "project", "{args:?}");
        assert_eq!(note["tags"], if hypothesis { json!(["cited:src/a.rs:3"]) } else { json!([]) });
    }
}

#[test]
fn a_clock_that_was_ahead_makes_no_note_of_the_future() {
    let place = Place::new();
    let now = jiff::Timestamp::now();
    let hours = |hours: i64| (now + jiff::SignedDuration::from_hours(hours)).to_string();
    let (ids, from) = (["1aaaaaaaaaaaaaaa", "1aaaaaaaaaaaaaab", "1aaaaaaaaaaaaaac"], hours(72));
    let mut ahead = observed(ids[0], "put down by a clock that was ahead");
    ahead["at"] = json!(hours(1000));
    let mut soon = observed(ids[1], "so from a moment that is nearly now");
    soon["entry"]["draft"]["valid_from"] = json!(hours(3));
    let mut later = observed(ids[2], "so from a later day on");
    later["entry"]["draft"]["valid_from"] = json!(from);
    let path = written(&place, &[head(), ahead, soon, later]);
    assert!(import(&place, &path).status.success());
    let since = |id: &str| place.json(&["show", id])["note"]["valid_from"].as_str().unwrap().to_owned();
    let is_past = |id: &str| since(id).parse::<jiff::Timestamp>().unwrap() <= jiff::Timestamp::now();
    assert_eq!([is_past(ids[0]), is_past(ids[1]), is_past(ids[2])], [true, true, false]);
    assert_eq!(since(ids[2]), from);
}
