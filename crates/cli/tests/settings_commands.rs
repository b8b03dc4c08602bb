//! `ralph config` and `ralph init` as a person runs them.

use std::path::Path;
use std::process::{Command, Output};

fn ralph(dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ralph"))
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("HOME", dir.join("home"))
        .envs(env.iter().copied())
        .output()
        .expect("ralph starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ralph prints UTF-8")
}

#[test]
fn init_writes_a_valid_project_once() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join(".ralph/config.toml");
    let first = ralph(dir.path(), &["init"], &[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(
        std::fs::read_to_string(dir.path().join(".ralph/.gitignore")).unwrap(),
        "progress.md\nlogs/\n"
    );
    assert!(ralph(dir.path(), &["config", "check"], &[]).status.success());

    std::fs::write(&config, "not = = toml").unwrap();
    let second = ralph(dir.path(), &["init"], &[]);
    assert!(text(&second.stdout).contains("left as it is: "), "{}", text(&second.stdout));
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "not = = toml");
}

#[test]
fn check_reports_the_errors_of_all_layers_and_exits_with_2() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(".ralph")).unwrap();
    std::fs::create_dir_all(dir.path().join("home/.config/ralph")).unwrap();
    std::fs::write(dir.path().join(".ralph/config.toml"), "[limits]\nmax_iterations = 0\n").unwrap();
    std::fs::write(dir.path().join("home/.config/ralph/config.toml"), "colour = 1\n").unwrap();
    let out = ralph(dir.path(), &["config", "check"], &[("RALPH_SET_LIMITS__MAX_TOKENS", "none")]);
    assert_eq!(out.status.code(), Some(2));
    let errors = text(&out.stderr);
    for part in ["limits.max_iterations: 0", "unknown key `colour`", "RALPH_SET_LIMITS__MAX_TOKENS: `none`"] {
        assert!(errors.contains(part), "{part} in\n{errors}");
    }
    assert!(!errors.contains('\u{1b}'), "no colours without a terminal");
}

#[test]
fn show_prints_what_counts_and_why() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["config", "show", "--sources", "--max-iterations=3"];
    let out = ralph(dir.path(), &args, &[("RALPH_SET_PROMISE__NONCE", "false"), ("RALPH_RUN", "x")]);
    let shown = text(&out.stdout);
    for line in [
        "max_iterations = 3  # flag --max-iterations",
        "nonce = false  # environment RALPH_SET_PROMISE__NONCE",
    ] {
        assert!(shown.lines().any(|one| one == line), "{line} in\n{shown}");
    }
    let json = ralph(dir.path(), &["config", "show", "--json"], &[]);
    assert!(serde_json::from_slice::<serde_json::Value>(&json.stdout).is_ok());
    let wrong = ralph(dir.path(), &["config", "show", "--max-iterations", "-1"], &[]);
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(2), 0));
}
