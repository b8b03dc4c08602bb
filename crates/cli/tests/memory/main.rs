//! What is remembered, as a person uses it.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod about;
mod explained;
mod kept;
mod meant;
mod packed;
mod taken_over;

use std::process::{Command, Output};
use std::rc::Rc;

use serde_json::Value;
use tempfile::TempDir;

/// A project, and a home outside of it.
struct Place {
    root: TempDir,
    home: Rc<TempDir>,
}

impl Place {
    fn new() -> Place {
        Place { root: tempfile::tempdir().unwrap(), home: Rc::new(tempfile::tempdir().unwrap()) }
    }

    /// Another project of the same person.
    fn beside(&self) -> Place {
        Place { root: tempfile::tempdir().unwrap(), home: self.home.clone() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
        command.args(args).current_dir(self.root.path());
        command.env_clear().env("HOME", self.home.path()).env("PATH", "/nowhere");
        command.env("DEPLOY_TOKEN", "hunter2-hunter2-hunter2");
        command
    }

    /// A file of the project.
    fn write(&self, name: &str, text: &str) {
        let path = self.root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(&[&["memory"], args].concat()).output().expect("ralph starts")
    }

    fn json(&self, args: &[&str]) -> Value {
        let out = self.run(&[args, &["--json"]].concat());
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    fn add(&self, args: &[&str]) -> String {
        self.json(&[&["add"], args].concat())["id"].as_str().unwrap().to_owned()
    }

    fn found(&self, args: &[&str]) -> Vec<String> {
        let found = self.json(&[&["search"], args].concat());
        let results = found["results"].as_array().unwrap().iter();
        results.map(|one| one["note"]["content"].as_str().unwrap().to_owned()).collect()
    }
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn what_was_put_down_is_found_by_its_meaning_kind_and_file() {
    let place = Place::new();
    place.add(&["Migrations run before deploying", "--kind", "skill", "--file", "Makefile"]);
    place.add(&["Two servers cannot share a port", "--kind", "gotcha", "--trigger", "tests in parallel"]);
    place.add(&["The deployment needs a port", "--kind", "decision", "--because", "it is simpler"]);
    assert_eq!(place.found(&["how do we migrate?"]), ["Migrations run before deploying"]);
    assert_eq!(place.found(&["deploy", "--about", "Makefile"]), ["Migrations run before deploying"]);
    assert_eq!(place.found(&["port", "--intent", "what-failed"]), ["Two servers cannot share a port"]);
    assert_eq!(place.found(&["parallel"]), ["Two servers cannot share a port"]);
    let why = place.run(&["search", "deployment port", "--why"]);
    let told = String::from_utf8(why.stdout).unwrap();
    assert!(told.contains("The deployment needs a port") && told.contains("words +"), "{told}");
}

#[test]
fn what_has_no_place_in_a_kind_is_refused_instead_of_lost() {
    let place = Place::new();
    for (args, told) in [
        (&["x is so", "--because", "y"] as &[&str], "`--because` is for a decision, and this is a discovery"),
        (&["x is so", "--kind", "pattern", "--trigger", "y"], "`--trigger` is for a gotcha"),
        (&["x is so", "--kind", "decision", "--because", "y", "--trigger", "z"], "`--trigger` is for"),
        (&["x is so", "--kind", "gotcha", "--because", "y", "--trigger", "z"], "`--because` is for"),
    ] {
        let out = place.run(&[&["add"], args].concat());
        let error = said(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(error.contains(told) && error.contains("next: "), "{args:?}: {error}");
    }
    assert_eq!(place.run(&["list"]).status.code(), Some(4), "nothing was put down");
}

#[test]
fn words_between_numbers_are_found_in_scripts_without_spaces() {
    let place = Place::new();
    place.add(&["データベースはポート5432で動く"]);
    for text in ["データベース", "ポート", "5432"] {
        assert_eq!(place.found(&[text]), ["データベースはポート5432で動く"], "{text}");
    }
}

#[test]
fn the_scores_of_a_search_are_those_of_the_ranking() {
    let place = Place::new();
    place.add(&["the cache is warm"]);
    place.add(&["caches are cold in winter"]);
    let found = place.json(&["search", "warm cache"]);
    for one in found["results"].as_array().unwrap() {
        let factors = one["factors"].as_array().unwrap();
        let sum: f64 = factors.iter().map(|factor| factor["value"].as_f64().unwrap()).sum();
        assert!((sum - one["score"].as_f64().unwrap()).abs() < 1e-9, "{one:#}");
    }
    let factors = found["results"][0]["factors"].as_array().unwrap();
    assert!(factors.iter().any(|factor| factor["factor"] == "words"), "{factors:?}");
}

#[test]
fn a_newer_note_takes_the_place_of_an_older_one_and_both_can_be_looked_at() {
    let place = Place::new();
    let old = place.add(&["The build needs nightly"]);
    let new = place.add(&["The build needs stable", "--supersedes", &old]);
    assert_eq!(place.found(&["what does the build need"]), ["The build needs stable"]);
    let listed = |args: &[&str]| place.json(args)["notes"].as_array().unwrap().len();
    assert_eq!((listed(&["list"]), listed(&["list", "--all"])), (1, 2));
    let shown = place.json(&["show", &old]);
    assert_eq!(shown["note"]["by"], new.as_str());
    let names: Vec<&str> =
        shown["history"].as_array().unwrap().iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["OBSERVED", "SUPERSEDED"]);
}

#[test]
fn what_gave_way_to_a_forgotten_note_is_told_and_reinstated_by_a_person() {
    let place = Place::new();
    let old = place.add(&["The build needs nightly"]);
    let new = place.add(&["The build needs stable", "--supersedes", &old]);
    let refused = place.run(&["confirm", &old]);
    assert!(said(&refused.stderr).contains("was superseded by"), "{}", said(&refused.stderr));
    let forgot = said(&place.run(&["forget", &new, "--yes"]).stdout);
    assert!(forgot.contains(&format!("`ralph memory confirm {old}` reinstates that")), "{forgot}");
    assert_eq!(place.run(&["search", "what does the build need"]).status.code(), Some(4));
    let told = said(&place.run(&["add", "it needs beta", "--supersedes", &old]).stderr);
    assert!(told.contains("which was forgotten") && told.contains("reinstates it"), "{told}");
    assert_eq!(place.run(&["confirm", &old, "--reject"]).status.code(), Some(2));
    assert!(place.run(&["confirm", &old]).status.success());
    assert_eq!(place.found(&["what does the build need"]), ["The build needs nightly"]);
    assert_eq!(place.json(&["forget", &old, "--yes"])["stranded"], serde_json::json!([]));
}

#[test]
fn what_was_so_on_a_day_is_listed_with_what_was_superseded_since() {
    let place = Place::new();
    let old = place.add(&["The build needs nightly"]);
    let between = jiff::Timestamp::now().to_string();
    place.add(&["The build needs stable", "--supersedes", &old]);
    let listed = |args: &[&str]| -> Vec<String> {
        let notes = place.json(&[&["list"], args].concat())["notes"].as_array().unwrap().clone();
        notes.iter().map(|note| note["content"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&["--as-of", &between]), ["The build needs nightly"]);
    assert_eq!(listed(&[]), ["The build needs stable"]);
    assert_eq!(listed(&["--as-of", "2999-01-01"]), ["The build needs stable"]);
    assert_eq!(place.run(&["list", "--as-of", "2001-02-03"]).status.code(), Some(4));
    assert_eq!(place.run(&["list", "--as-of", "yesterday"]).status.code(), Some(2));
}

#[test]
fn what_has_to_be_checked_first_is_marked_wherever_it_is_shown() {
    let place = Place::new();
    let bare = place.add(&["the cache is warm"]);
    let cited = place.add(&["the queue is bounded", "--cite", "the manual"]);
    for (id, is_marked) in [(&bare, true), (&cited, false)] {
        let shown = said(&place.run(&["show", id]).stdout);
        assert_eq!(shown.contains("[HYPOTHESIS]"), is_marked, "{shown}");
    }
    for args in [&["list"] as &[&str], &["search", "cache warm queue bounded"]] {
        let told = said(&place.run(args).stdout);
        assert!(told.contains("the cache is warm [HYPOTHESIS]"), "{told}");
        assert!(!told.contains("bounded [HYPOTHESIS]"), "{told}");
    }
}

#[test]
fn no_secret_is_remembered_and_looking_makes_nothing() {
    let place = Place::new();
    for args in [&["search", "x"] as &[&str], &["list"]] {
        assert_eq!(place.run(args).status.code(), Some(4), "{args:?}");
    }
    let unknown = place.run(&["show", "0000000000000000"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("next: "));
    assert_eq!(std::fs::read_dir(place.home.path()).unwrap().count(), 0, "nothing was made");
    let id = place.add(&["the token is hunter2-hunter2-hunter2"]);
    let shown = place.json(&["show", &id]);
    assert!(!shown.to_string().contains("hunter2"), "{shown}");
}
