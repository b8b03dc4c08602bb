//! What people read when something is wrong.

use std::path::Path;

use super::Written;
use crate::problem::{Problem, Problems};
use crate::settings::file;
use crate::settings::origin::Layer;
use crate::settings::partial::Partial;

fn problems(text: &str) -> Problems {
    let mut problems: Vec<Problem> = Vec::new();
    let given = file::parse(Path::new(".ralph/config.toml"), Layer::Project, text.to_owned(), &mut problems);
    Partial::read(given, &mut problems);
    Problems(problems)
}

fn refusal(written: &Written) -> String {
    written.settings().unwrap_err().to_string()
}

#[test]
fn a_syntax_error() {
    insta::assert_snapshot!(problems("[limits]\nmax_iterations = = 3\n"));
}

#[test]
fn a_bare_wish() {
    insta::assert_snapshot!(problems("[limits]\nmax_iterations = unlimited\n"));
}

#[test]
fn unknown_keys_are_all_reported_with_the_nearest() {
    insta::assert_snapshot!(problems(
        "[limits]\nmax_iteration = 3\ncolour = \"red\"\n\n[promise]\nwrod = \"X\"\n"
    ));
}

#[test]
fn unknown_sections() {
    insta::assert_snapshot!(problems("[limit]\nmax_iterations = 3\n[zzz]\n[hook]\nname = \"x\"\n"));
}

#[test]
fn a_wrong_type() {
    insta::assert_snapshot!(problems(
        "[limits]\nmax_iterations = \"3\"\nmax_duration = 30\nunlimited = \"yes\"\n[agent]\ncommand = 3\n"
    ));
}

#[test]
fn a_misplaced_key() {
    insta::assert_snapshot!(problems("max_iterations = 3\n\n[agent]\nmax_duration = \"3m\"\n"));
}

#[test]
fn impossible_limits() {
    insta::assert_snapshot!(problems(
        "[limits]\nmax_iterations = 0\nmax_duration = \"31d\"\nmax_tokens = -1\nmax_cost_usd = inf\n"
    ));
}

#[test]
fn wrong_hooks() {
    insta::assert_snapshot!(problems(
        "[[hook]]\nname = \"a\"\n\n[[hook]]\nname = \"b\"\non = [\"iteration_start\"]\ncommand = \"x\"\n\n[[hook]]\nname = \
         \"c\"\non = [\"run_stopped\"]\ncommand = \"x\"\nveto = true\n\n[[hook]]\nname = \"d\"\non = [\"notice\"]\ncommand \
         = \"x\"\n\n[[hook]]\nname = \"d\"\non = [\"notice\"]\ncommand = [\"x\"]\n"
    ));
}

#[test]
fn wrong_routes() {
    insta::assert_snapshot!(problems(
        "[[route]]\nmodel = \"opus\"\n\n[[route]]\nlabels = [\"hard\"]\n\n[[route]]\niteration = \">3\"\npriority = \"3-1\"\nmodle = \
         \"opus\"\nagent = \"claude\"\n"
    ));
    insta::assert_snapshot!(problems(
        "[[route]]\niterations = 3\nmodel = 7\n\n[[routes]]\nmodel = \"x\"\n[agent]\non_error = \"never\"\nmax_retries = \
         0\nsession = \"compact\"\n"
    ));
}

#[test]
fn completion_by_what_does_not_exist_yet() {
    insta::assert_snapshot!(problems("[completion]\nrequire = [\"criteria\", \"promise\"]\n"));
}

#[test]
fn environment_names_that_set_nothing() {
    insta::assert_snapshot!(refusal(&Written::env(&[
        ("RALPH_SET_LIMITS_MAX_ITERATIONS", "3"),
        ("RALPH_SET_limits__max_tokens", "3"),
        ("RALPH_SET_HOOK", "x"),
        ("RALPH_RUN", "never a setting"),
        ("RALPH_MAX_ITERATIONS", "never a setting"),
    ])));
}

#[test]
fn wrong_flags() {
    insta::assert_snapshot!(refusal(&Written::args(&[
        "--max-iterations",
        "-1",
        "--max-duration",
        "30",
        "--iteration-delay",
        "soon",
        "--agent-command",
        "a 'b",
    ])));
}

#[test]
fn limits_that_contradict_each_other() {
    insta::assert_snapshot!(refusal(&Written::args(&[
        "--unlimited",
        "--max-iterations=3",
        "--max-tokens=9"
    ])));
    insta::assert_snapshot!(refusal(&Written::args(&["--unlimited"])));
}

#[test]
fn a_hostile_key_cannot_flood_or_drive_the_terminal() {
    let long = format!("\"{}\" = 1\n\"\\u001b[2J\" = 2\n", "k".repeat(100_000));
    let shown = problems(&long).to_string();
    assert!(shown.len() < 2000 && !shown.contains('\u{1b}'), "{shown}");
    for value in
        ["9".repeat(900_000), format!("\"{}\"", "9".repeat(900_000)), format!("\"{}s\"", "9".repeat(900_000))]
    {
        for key in ["limits.max_iterations", "limits.max_duration", "limits.max_cost_usd", "output.keep_head"]
        {
            let shown = problems(&format!("{key} = {value}\n")).to_string();
            assert!(!shown.is_empty() && shown.len() < 2000, "{key}: {} bytes", shown.len());
        }
    }
    let many: String = (0..100_000).map(|n| format!("k{n} = 1\n")).collect();
    let many = problems(&many);
    assert_eq!(many.0.len(), 21);
    assert!(many.0[20].what.starts_with("and 99980 more"), "{}", many.0[20]);
}
