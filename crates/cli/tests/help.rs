//! What `ralph` says about itself: every command has a help text with an example, and people read it as it is here.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::process::{Command, Output};

fn ralph(args: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    command.args(args).current_dir(home.path()).env_clear().env("HOME", home.path());
    command.output().expect("ralph starts")
}

fn said(args: &[&str]) -> String {
    let out = ralph(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("ralph prints UTF-8")
}

/// The commands that a help text lists. A line that continues a description is indented further.
fn commands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = commands(&said(&["help"]));
    assert!(commands.len() >= 15, "{commands:?}");
    for command in &commands {
        for args in [[command.as_str(), "--help"], ["help", command.as_str()]] {
            let help = said(&args);
            assert!(help.contains("Example"), "{args:?} gives no example:\n{help}");
            assert!(help.contains("Usage: ralph"), "{args:?} gives no usage:\n{help}");
        }
    }
}

#[test]
fn every_command_below_a_command_has_help() {
    for command in commands(&said(&["help"])) {
        for below in commands(&said(&[&command, "--help"])) {
            let help = said(&[&command, &below, "--help"]);
            assert!(help.contains("Usage: ralph"), "{command} {below}:\n{help}");
            let is_in_a_host = ["loop", "sessions"].contains(&command.as_str());
            assert!(!is_in_a_host || help.contains("Example"), "{command} {below}:\n{help}");
        }
    }
}

#[test]
fn what_hosts_start_has_help_with_an_example() {
    assert!(said(&["hook", "--help"]).contains("Example"));
}

#[test]
fn help_at_the_top() {
    insta::assert_snapshot!(said(&["--help"]));
}

#[test]
fn help_of_run() {
    insta::assert_snapshot!(said(&["run", "--help"]));
}

#[test]
fn a_wrong_command_names_the_right_one_and_exits_with_2() {
    let out = ralph(&["stauts"]);
    assert_eq!(out.status.code(), Some(2));
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(told.contains("'status'"), "{told}");
}

#[test]
fn completions_know_every_command() {
    let commands = commands(&said(&["help"]));
    for shell in ["bash", "zsh", "fish"] {
        let script = said(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{command} in the script for {shell}");
        }
    }
}

#[test]
fn a_flag_of_run_is_known_in_a_session_or_only_shows_something() {
    let help = said(&["run", "--help"]);
    let options =
        help.lines().filter_map(|line| line.trim_start().trim_start_matches("-v, ").strip_prefix("--"));
    let names =
        options.filter_map(|option| option.split(|c: char| !(c.is_alphanumeric() || c == '-')).next());
    let part_of_the_task = |name: &&str| {
        let asked = ralph_hosts::arguments::parse("ralph", &format!("x --{name} y"));
        matches!(asked, Some(Ok(ralph_hosts::arguments::Asked::Start(start))) if start.prompt.contains("--"))
    };
    let unknown: Vec<&str> = names.filter(part_of_the_task).collect();
    assert_eq!(unknown, ["json", "verbose", "detail"]);
}
