//! Installed again, by another name, for another time: what is there is known, and what is stale is said where it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use ralph_testkit::Project;
use serde_json::Value;

use super::project;

const SLOW: &str = "[[check]]\nname = \"a\"\ncommand = \"true\"\ntimeout = \"50m\"\n";

fn same_binary(at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    let own = std::env::var("RALPH_TEST_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_ralph").to_owned());
    fs::hard_link(&own, at).or_else(|_| fs::copy(&own, at).map(drop)).unwrap();
}

/// Runs ralph by another path than its own.
fn started(project: &Project, program: &Path, args: &[&str], path: Option<&Path>) -> Output {
    let usual = project.command(args);
    let mut command = Command::new(program);
    command.env_clear().envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command.args(args).current_dir(project.tree()).output().unwrap()
}

fn settings(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn line(settings: &Value, event: &str) -> String {
    settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn hooks_of_a_program_by_any_name_are_known_again() {
    let project = project();
    let program = project.base().join("tools/ralph-dev");
    same_binary(&program);
    let run = |args: &[&str]| {
        let out = started(&project, &program, args, None);
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    run(&["install", "claude"]);
    let file = project.tree().join(".claude/settings.json");
    assert!(line(&settings(&file), "Stop").contains("ralph-dev hook claude --within "));
    assert!(run(&["install", "claude"]).contains("already"));
    assert!(run(&["hosts"]).contains("claude  installed for this project\n  verified"));
    run(&["uninstall", "claude"]);
    assert!(!project.tree().join(".claude").exists());
}

#[test]
fn hooks_start_the_link_that_outlasts_an_upgrade() {
    let project = project();
    let (program, bin) = (project.base().join("cellar/0.1/ralph"), project.base().join("bin"));
    same_binary(&program);
    fs::create_dir(&bin).unwrap();
    symlink(&program, bin.join("ralph")).unwrap();
    for host in ["claude", "opencode"] {
        let out = started(&project, &bin.join("ralph"), &["install", host], Some(&bin));
        assert_eq!(out.status.code(), Some(0), "{out:?}");
    }
    let link = bin.join("ralph").display().to_string();
    let file = project.tree().join(".claude/settings.json");
    assert!(line(&settings(&file), "Stop").starts_with(&link));
    let plugin = fs::read_to_string(project.tree().join(".opencode/plugins/ralph.js")).unwrap();
    assert!(plugin.contains(&link) && !plugin.contains("cellar"));
}

#[test]
fn what_is_stale_is_said_of_the_place_that_is() {
    let project = project();
    let home = project.base().join("claude-home");
    let run = |args: &[&str]| {
        let out = project.command(args).env("CLAUDE_CONFIG_DIR", &home).output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let hosts = || run(&["hosts"]);
    run(&["install", "claude", "--user"]);
    fs::write(project.user_config(), SLOW).unwrap();
    run(&["install", "claude"]);
    let told = hosts();
    assert!(told.contains("claude  installed for this project, and for all your projects\n"), "{told}");
    let (user, own) = ("`ralph install claude --user` again", "`ralph install claude` again");
    assert!(told.contains(user) && !told.contains(own), "{told}");
    let all: Value = serde_json::from_str(&run(&["hosts", "--json"])).unwrap();
    let claude = all.as_array().unwrap().iter().find(|host| host["name"] == "claude").unwrap();
    assert_eq!(
        (&claude["stale_for_project"], &claude["stale_for_user"], &claude["is_stale"]),
        (&false.into(), &true.into(), &true.into())
    );
    run(&["install", "claude", "--user"]);
    assert!(!hosts().contains("stale"));
    // More than is needed is no harm, and another project may need it.
    fs::write(project.user_config(), "").unwrap();
    assert!(!hosts().contains("stale"));
    let longer = line(&settings(&home.join("settings.json")), "Stop");
    assert!(run(&["install", "claude", "--user"]).contains("already"));
    assert_eq!(line(&settings(&home.join("settings.json")), "Stop"), longer);
    run(&["install", "claude"]);
    assert_ne!(line(&settings(&project.tree().join(".claude/settings.json")), "Stop"), longer);
}

#[test]
fn the_users_own_hooks_have_their_time_at_every_event_that_they_are_told_of() {
    let project = project();
    let hook = |name: &str, on: &str| {
        format!("[[hook]]\nname = \"{name}\"\non = [\"{on}\"]\ntimeout = \"200s\"\ncommand = \"true\"\n")
    };
    let own = [hook("a", "post_tool_use"), hook("b", "post_tool_use"), hook("c", "session_end")].concat();
    fs::write(project.user_config(), own).unwrap();
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    let settings = settings(&project.tree().join(".claude/settings.json"));
    let time = |event: &str| settings["hooks"][event][0]["hooks"][0]["timeout"].as_u64().unwrap();
    let times = ["PostToolUse", "PostToolUseFailure", "SessionEnd", "SessionStart", "PreCompact"].map(time);
    assert_eq!(times, [440, 440, 240, 40, 40]);
    assert!(line(&settings, "PostToolUse").contains(" --within 430 "));
}
