//! What notes are about: files from where one is, and symbols as they are.

use serde_json::{Value, json};

use super::{Place, said};

fn hypotheses(place: &Place, task: &str) -> Vec<bool> {
    let explained = place.json(&["explain", task]);
    explained["taken"].as_array().unwrap().iter().map(|one| one["hypothesis"] == true).collect()
}

#[test]
fn a_note_about_a_symbol_is_a_hypothesis_once_that_has_changed_until_it_is_confirmed() {
    let place = Place::new();
    let price = |body: &str| {
        place.write("src/price.rs", &format!("pub fn parse_price(text: &str) -> u64 {{\n    {body}\n}}\n"));
    };
    price("1");
    let id = place.add(&[
        "parse_price rounds down half a cent",
        "--kind",
        "gotcha",
        "--symbol",
        "parse_price",
        "--file",
        "src/price.rs",
        "--cite",
        "seen in the invoice",
    ]);
    let task = "make parse_price in src/price.rs round half a cent up";
    assert_eq!(hypotheses(&place, task), [false]);
    price("2");
    assert_eq!(hypotheses(&place, task), [true], "the symbol is not what it was");
    assert!(place.run(&["confirm", &id]).status.success());
    assert_eq!(hypotheses(&place, task), [false], "confirmed of the code as it is");
    price("3");
    assert_eq!(hypotheses(&place, task), [true], "and changed since");
}

#[test]
fn whoever_looks_is_told_that_the_code_of_a_note_has_changed_and_nothing_is_put_down() {
    let place = Place::new();
    let rate = |by: u32| place.write("src/rate.py", &format!("def rate(x):\n    return x * {by}\n"));
    rate(7);
    let words = "the exporter multiplies by seven";
    let id = place.add(&[words, "--symbol", "rate", "--cite", "src/rate.py:2"]);
    let commands: [&[&str]; 4] = [&["search", "exporter"], &["list"], &["show", &id], &["why", &id]];
    let is_marked = |args: &[&str]| {
        let told = said(&place.run(args).stdout);
        told.contains("[HYPOTHESIS]") || told.contains("as a hypothesis: the code")
    };
    assert!(commands.iter().all(|args| !is_marked(args)), "the code is as it was");
    rate(8);
    for args in commands {
        assert!(is_marked(args), "{args:?}");
    }
    assert_eq!(place.json(&["why", &id])[0]["hypothesis"], true);
    let history = place.json(&["show", &id])["history"].as_array().unwrap().len();
    assert_eq!(history, 1, "looking puts nothing down");
    assert!(place.run(&["confirm", &id]).status.success());
    assert!(commands.iter().all(|args| !is_marked(args)), "confirmed of the code as it is");
}

#[test]
fn files_are_named_from_where_one_is_and_never_outside() {
    let place = Place::new();
    place.write(".ralph/constitution.md", "Be kind.\n");
    place.write("src/a.rs", "fn a() {}\n");
    let below = |args: &[&str]| {
        let mut command = place.command(&[&["memory"], args].concat());
        command.current_dir(place.root.path().join("src")).output().unwrap()
    };
    let added = below(&["add", "Mind the gap", "--kind", "gotcha", "--file", "a.rs", "--json"]);
    let added: Value = serde_json::from_slice(&added.stdout).unwrap();
    let shown = place.json(&["show", added["id"].as_str().unwrap()]);
    assert_eq!(shown["note"]["files"], json!(["src/a.rs"]));
    let explained = below(&["explain", "--file", "./a.rs", "--json"]);
    let explained: Value = serde_json::from_slice(&explained.stdout).unwrap();
    assert_eq!(explained["taken"].as_array().unwrap().len(), 1, "{explained:#}");
    let found = below(&["search", "gap", "--about", "a.rs", "--json"]);
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found:#}");
    let outside = below(&["add", "x", "--file", "../../etc/passwd"]);
    assert_eq!(outside.status.code(), Some(2));
    assert!(said(&outside.stderr).contains("is not in the project"), "{}", said(&outside.stderr));
}

#[test]
fn what_is_not_there_is_said_and_kept() {
    let place = Place::new();
    place.write("a.rs", "fn a() {}\n");
    let out = place.run(&["add", "Coming soon", "--file", "b.rs", "--symbol", "not_yet"]);
    assert!(out.status.success());
    let told = said(&out.stderr);
    assert!(told.contains("no file b.rs") && told.contains("no symbol not_yet"), "{told}");
}

#[test]
fn no_note_takes_the_place_of_one_that_is_not_there() {
    let place = Place::new();
    let unknown = place.run(&["add", "new", "--supersedes", "1jcxr8k0q3m5v7aa"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown.stderr).contains("there is no note 1jcxr8k0q3m5v7aa"), "{}", said(&unknown.stderr));
    assert_eq!(place.run(&["list"]).status.code(), Some(4), "nothing was put down");
}

#[test]
fn what_a_person_decided_or_found_out_is_in_briefs_about_it() {
    let place = Place::new();
    place.add(&["SQLite, not Postgres", "--kind", "decision", "--because", "one file to back up"]);
    place.add(&["The staging machine has two cores"]);
    let explained = place.json(&["explain", "switch the store from SQLite to Postgres"]);
    let taken: Vec<(&Value, &Value)> = explained["taken"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["section"], &one["note"]["content"]))
        .collect();
    assert_eq!(taken, [(&json!("known"), &json!("SQLite, not Postgres"))], "{explained:#}");
}

#[test]
fn contradictions_take_up_little_and_are_counted() {
    let place = Place::new();
    let long = "really ".repeat(2_000);
    place.add(&[&format!("The server listens on port 8080. It is {long}fast")]);
    place.add(&[&format!("The server listens on port 9090. It is {long}fast"), "--task", "T-1"]);
    let out = place.run(&["explain", "--task", "T-1", "move the server", "--budget", "500", "--json"]);
    let explained: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(explained["contradictions"].as_array().unwrap().len(), 1, "{explained:#}");
    let disputed = explained["disputed"].as_u64().unwrap();
    assert!((20..300).contains(&disputed), "{disputed}");
    assert!(disputed + explained["tokens"].as_u64().unwrap() <= 500, "{explained:#}");
    let told = said(&place.run(&["explain", "--task", "T-1", "move the server"]).stdout);
    assert!(told.contains("contradict each other"), "{told}");
}
