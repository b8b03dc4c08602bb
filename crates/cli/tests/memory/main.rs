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
