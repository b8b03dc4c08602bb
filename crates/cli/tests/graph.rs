//! `ralph graph`, through the program: what it prints, for people and as JSON, and what it says when there is nothing.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    fn new() -> Project {
        let project = Project { dir: tempfile::tempdir().unwrap() };
        project.write(
            "src/price.rs",
            "pub struct Price;\nimpl Price {\n    pub fn sum(&self) -> u64 { round() }\n}\nfn round() -> u64 { 1 }\n",
        );
        project.write(
            "src/order.rs",
            "use crate::price::Price;\npub fn order() -> u64 { Price::sum(&Price) }\npub fn send() { order(); }\n",
        );
        project.write("tools/check.py", "import os\n\ndef check():\n    return os.getcwd()\n\ncheck()\n");
        project
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn graph_in(&self, below: &str, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
        command.arg("graph").args(args).current_dir(self.root().join(below)).env_clear();
        command.env("HOME", self.dir.path()).env("XDG_STATE_HOME", self.dir.path().join("state"));
        command.output().expect("ralph starts")
    }

    fn graph(&self, args: &[&str]) -> String {
        told(&self.graph_in("", args))
    }

    fn json(&self, args: &[&str]) -> Value {
        let value: Value = serde_json::from_str(&self.graph(&[args, &["--json"]].concat())).unwrap();
        let schema = format!("../../docs/schema/graph-{}.json", args[0]);
        let schema = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(schema)).unwrap();
        let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
        let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{value:#}");
        value
    }

    /// Where the graph is kept, as `build` says.
    fn kept(&self) -> PathBuf {
        PathBuf::from(self.json(&["build"])["file"].as_str().unwrap())
    }
}

fn told(out: &Output) -> String {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout.clone()).unwrap()
}

#[test]
fn what_people_read() {
    let project = Project::new();
    let symbols = project.graph(&["symbols", "--in", "src/price.rs"]);
    let refs = project.graph(&["refs", "Price::sum", "--uses"]);
    let impact = project.graph(&["impact", "round"]);
    let map = project.graph(&["map", "--budget", "60", "src/price.rs"]);
    insta::assert_snapshot!(format!("# symbols\n{symbols}# refs\n{refs}# impact\n{impact}# map\n{map}"));
}

#[test]
fn json_is_as_the_schemas_say() {
    let project = Project::new();
    let built = project.json(&["build"]);
    assert_eq!((built["files"].as_u64(), built["parsed"].as_u64()), (Some(3), Some(3)));
    assert_eq!(project.json(&["build"])["parsed"], 0);

    let symbols = project.json(&["symbols", "sum", "--kind", "method", "--language", "rust"]);
    let sum = &symbols["symbols"][0];
    assert_eq!((sum["qualified"].as_str(), sum["line"].as_u64()), (Some("Price::sum"), Some(3)));
    assert_eq!(project.json(&["symbols", "--limit", "2"])["left_out"], 4);

    let refs = project.json(&["refs", "src/price.rs:5", "--uses"]);
    let reference = &refs["symbols"][0]["references"][0];
    assert_eq!((reference["how"].as_str(), reference["line"].as_u64()), (Some("same_file"), Some(3)));

    let impact = project.json(&["impact", "src/price.rs"]);
    assert_eq!(impact["files"], serde_json::json!(["src/order.rs"]));

    let map = project.json(&["map", "--budget", "40"]);
    assert!(map["tokens"].as_u64().unwrap() <= 40);
    assert!(map["left_out"].as_u64().unwrap() > 0);
}

#[test]
fn paths_are_meant_from_where_they_are_typed() {
    let project = Project::new();
    fs::create_dir(project.root().join(".git")).unwrap();
    let below = told(&project.graph_in("src", &["symbols", "--in", "order.rs"]));
    assert_eq!(below, project.graph(&["symbols", "--in", "src/order.rs"]));
    let whole = told(&project.graph_in("src", &["symbols", "--in", "../tools"]));
    assert!(whole.contains("check"), "{whole}");
}

#[test]
fn what_is_not_there_is_said_with_what_is_near() {
    let project = Project::new();
    let out = project.graph_in("", &["refs", "ordre"]);
    assert_eq!(out.status.code(), Some(4));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("`ordre`") && said.contains("`order`"), "{said}");
    assert_eq!(project.graph_in("", &["impact", "order", "--least", "2"]).status.code(), Some(2));
    let none = project.graph_in("", &["symbols", "nothing_like_it"]);
    assert_eq!(none.status.code(), Some(4));
    assert_eq!(none.stdout, b"none of 6 symbols is like that\n");
    assert_eq!(project.graph_in("", &["symbols", "nothing_like_it", "--json"]).status.code(), Some(4));
}

#[test]
fn nothing_at_all_is_refused_and_no_code_is_said() {
    let project = Project::new();
    for args in [["symbols", "--limit", "0"], ["map", "--budget", "0"]] {
        let out = project.graph_in("", &args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("at least 1"), "{args:?}");
    }
    let small = project.graph_in("", &["map", "--budget", "1"]);
    assert_eq!(small.status.code(), Some(4));
    assert_eq!(small.stdout, b"no room for any of 6 symbols: --budget makes some\n");
    fs::remove_dir_all(project.root().join("src")).unwrap();
    fs::remove_dir_all(project.root().join("tools")).unwrap();
    let empty = project.graph_in("", &["map"]);
    assert_eq!(empty.status.code(), Some(4));
    assert_eq!(empty.stdout, b"there is no code here that the graph knows of\n");
}

#[test]
fn a_damaged_graph_is_told_of_and_made_again() {
    let project = Project::new();
    fs::write(project.kept(), "no graph").unwrap();
    let said = project.graph(&["build"]);
    assert!(said.contains("what was kept was damaged") && said.contains("3 parsed"), "{said}");
    assert!(project.graph(&["build"]).contains("0 parsed"));
}

#[test]
fn nothing_in_the_code_drives_the_terminal() {
    let project = Project::new();
    project.write("evil.c", "int f(char *a /* \u{1b}]0;owned\u{7}\u{1b}[2J */) { return 0; }\n");
    for args in [&["symbols", "f"][..], &["map"], &["refs", "f"]] {
        let said = project.graph(args);
        assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
    }
}
