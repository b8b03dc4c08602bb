//! The command line that is installed: whatever is called `ralph`, it never ends with 2.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use super::project;

#[test]
fn a_line_that_was_installed_never_ends_with_2() {
    let project = project();
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    let path = project.tree().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let line = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let own = std::env::var("RALPH_TEST_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_ralph").to_owned());
    let bin = project.base().join("foreign");
    fs::create_dir(&bin).unwrap();
    let foreign = bin.join("ralph");
    for (script, code) in [("exit 2", 1), ("exit 0", 0), ("kill -9 $$", 1)] {
        fs::write(&foreign, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&foreign, fs::Permissions::from_mode(0o755)).unwrap();
        let line = line.replace(&own, foreign.to_str().unwrap());
        assert_ne!(line, settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap());
        let ended = |shell: &str| Command::new(shell).args(["-c", &line]).status().unwrap().code();
        assert_eq!((ended("sh"), ended("bash")), (Some(code), Some(code)), "{script}");
    }
    fs::remove_file(&foreign).unwrap();
    let gone = line.replace(&own, foreign.to_str().unwrap());
    assert_eq!(Command::new("sh").args(["-c", &gone]).status().unwrap().code(), Some(1));
}

#[test]
fn what_an_earlier_version_put_in_is_taken_out_too() {
    for host in ["claude", "codex", "gemini", "qwen"] {
        let project = project();
        let dir = project.tree().join(format!(".{host}"));
        fs::create_dir(&dir).unwrap();
        let path = dir.join(if host == "codex" { "hooks.json" } else { "settings.json" });
        let original = "{\n  \"model\": \"m\"\n}\n";
        fs::write(&path, original).unwrap();
        assert_eq!(project.ralph(&["install", host]).code, Some(0));
        let installed = fs::read_to_string(&path).unwrap();
        let earlier = installed.replace(" || exit 1", "");
        assert_ne!(earlier, installed);
        fs::write(&path, &earlier).unwrap();
        assert!(project.ralph(&["hosts"]).out.contains("stale"), "{host}");
        assert_eq!(project.ralph(&["install", host]).code, Some(0));
        assert_eq!(fs::read_to_string(&path).unwrap(), installed, "{host}");
        fs::write(&path, &earlier).unwrap();
        assert_eq!(project.ralph(&["uninstall", host]).code, Some(0));
        assert_eq!(fs::read_to_string(&path).unwrap(), original, "{host}");
    }
}
