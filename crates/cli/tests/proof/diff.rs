//! `ralph diff`: what a run did to the tree, without git and without harm to the terminal.

use std::os::unix::fs::{PermissionsExt, symlink};

use ralph_testkit::{Project, Ran};
use serde_json::Value;

use crate::project;

/// Adds a line and a file, then takes a line away, then does nothing.
const AGENT: &str = r#"
cat > /dev/null
case $RALPH_ITERATION in
  1) printf 'one\ntwo\nthree\n' > text; mkdir -p sub/deep; echo new > sub/deep/file ;;
  2) printf 'one\nthree\n' > text ;;
esac
"#;

fn ran(agent: &str, iterations: &str) -> Project {
    let project = project().agent(agent);
    std::fs::write(project.tree().join("text"), "one\ntwo\n").unwrap();
    let ran = project.ralph(&["run", "x", "--max-iterations", iterations]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    project
}

fn diff(project: &Project, args: &[&str]) -> String {
    told(&project.ralph(&[&["diff"], args].concat()))
}

fn told(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.out.clone()
}

fn json(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&diff(project, &[args, &["--json"]].concat())).expect("JSON")
}

fn paths(value: &Value) -> Vec<&str> {
    value["changes"].as_array().unwrap().iter().map(|change| change["path"].as_str().unwrap()).collect()
}

#[test]
fn a_run_its_iterations_and_spans_of_them_are_shown_as_unified_diffs() {
    let project = ran(AGENT, "3");
    let whole = "before iteration 1 → after iteration 3\n\
        + sub/deep/file\n--- /dev/null\n+++ b/sub/deep/file\n@@ -0,0 +1 @@\n+new\n\
        ~ text\n--- a/text\n+++ b/text\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\
        2 paths changed: 2 lines added, 1 removed\n";
    assert_eq!(diff(&project, &[]), whole);
    assert_eq!(diff(&project, &[&project.run_id().unwrap()]), whole, "the same by its id");
    let second = "before iteration 2 → after iteration 2\n\
        ~ text\n--- a/text\n+++ b/text\n@@ -1,3 +1,2 @@\n one\n-two\n three\n1 path changed: 0 lines added, 1 removed\n";
    assert_eq!(diff(&project, &["2"]), second);
    assert_eq!(diff(&project, &["3"]), "before iteration 3 → after iteration 3\nnothing has changed\n");
    assert_eq!(paths(&json(&project, &["1..2"])), ["sub/deep/file", "text"]);
    assert_eq!(paths(&json(&project, &["2.."])), ["text"]);
    assert_eq!(paths(&json(&project, &["1", "sub"])), ["sub/deep/file"]);
    let named = diff(&project, &["1", "--stat", "--", "text"]);
    assert!(named.contains("~ text") && !named.contains("sub/deep"), "{named}");
    let stat =
        " + sub/deep/file      1 +\n ~ text               2 +-\n2 paths changed: 2 lines added, 1 removed\n";
    assert!(diff(&project, &["--stat"]).ends_with(stat), "{}", diff(&project, &["--stat"]));
}

#[test]
fn what_changes_after_the_run_is_shown_only_when_asked_for() {
    let project = ran(AGENT, "2");
    std::fs::write(project.tree().join("later"), "x\n").unwrap();
    assert_eq!(paths(&json(&project, &[])), ["sub/deep/file", "text"]);
    let now = json(&project, &["--now"]);
    assert_eq!(paths(&now), ["later", "sub/deep/file", "text"]);
    assert_eq!(now["to"]["iteration"], Value::Null);
}

#[test]
fn modes_links_bytes_and_kinds_are_named() {
    let project = ran("cat > /dev/null", "1");
    let tree = project.tree();
    std::fs::set_permissions(tree.join("text"), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(tree.join("bytes"), b"a\0b").unwrap();
    symlink("text", tree.join("link")).unwrap();
    std::fs::create_dir(tree.join("empty")).unwrap();
    let told = diff(&project, &["--now"]);
    for part in [
        "~ text  (mode 0644 → 0755)",
        "+ bytes  (binary, 0 bytes → 3 bytes)",
        "+ link  (link)\n",
        "+ empty  (directory)",
    ] {
        assert!(told.contains(part), "`{part}` in\n{told}");
    }
    assert!(told.contains("+text\n\\ No newline at end of file"), "where a link leads: {told}");
}

#[test]
fn nothing_in_a_name_or_a_file_drives_the_terminal_and_nothing_of_it_is_hidden() {
    let project = ran("cat > /dev/null", "1");
    let evil = "e\u{1b}[2Kvil\u{202e}";
    std::fs::write(project.tree().join(evil), "rm -rf\u{1b}]0;\u{7} /\r\nsafe\u{9b}2K\n\tkept\n").unwrap();
    let mut command = project.command(&["diff", "--now"]);
    // Colours as on a terminal.
    command.env("CLICOLOR_FORCE", "1");
    let coloured = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(coloured.contains("\u{1b}[1m\u{1b}[32m+"), "{coloured:?}");
    let plain = diff(&project, &["--now"]);
    let harmless =
        |text: &str| text.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control() && c != '\u{202e}');
    assert!(harmless(&plain), "{plain:?}");
    let stripped = coloured.replace("\u{1b}[0m", "").replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
    let stripped =
        ["31", "32", "33", "36"].iter().fold(stripped, |text, n| text.replace(&format!("\u{1b}[{n}m"), ""));
    assert!(harmless(&stripped), "{stripped:?}");
    for part in [r"e\u{1b}[2Kvil\u{202e}", r"+rm -rf\u{1b}]0;\u{7} /\r", r"+safe\u{9b}2K", "+\tkept"] {
        assert!(plain.contains(part), "`{part}` in\n{plain}");
    }
    command.env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    assert_eq!(String::from_utf8(command.output().unwrap().stdout).unwrap(), plain);
}

#[test]
fn what_is_asked_for_and_not_there_is_refused_with_what_there_is() {
    let empty = project();
    assert_eq!(empty.ralph(&["diff"]).code, Some(4));
    let project = ran(AGENT, "2");
    for (args, parts) in [
        (&["9"][..], &["no snapshot of an iteration 9", "it has iterations 1 to 2"][..]),
        (&["2..1"], &["iteration 2 comes after iteration 1", "1..2"]),
        (&["gone"], &["no run", "ralph diff -- gone"]),
        (&["../elsewhere"], &["is not in the project"]),
    ] {
        let ran = project.ralph(&[&["diff"], args].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        for part in parts {
            assert!(ran.err.contains(part), "`{part}` in\n{}", ran.err);
        }
    }
}

#[test]
fn git_is_not_asked() {
    let project = ran(AGENT, "1");
    let bin = project.base().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = bin.to_str().unwrap().to_owned();
    let bare = project.with("PATH", &path);
    assert_eq!(paths(&json(&bare, &[])), ["sub/deep/file", "text"]);
}

#[test]
fn what_a_run_did_is_still_shown_after_a_rollback() {
    let project = ran(AGENT, "2");
    assert_eq!(project.ralph(&["rollback", "--yes"]).code, Some(0));
    assert_eq!(paths(&json(&project, &[])), ["sub/deep/file", "text"]);
    assert!(paths(&json(&project, &["--now"])).is_empty());
}
