//! What is put into a host's settings, and taken out again: byte for byte, whatever the file looks like.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ralph_testkit::Project;
use serde_json::Value;

use super::{Session, context, project};

/// Every path below a directory with what is in it, where a link leads, and its mode.
fn listing(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            let bytes = if meta.is_dir() {
                dirs.push(path.clone());
                Vec::new()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, (meta.permissions().mode(), bytes));
        }
    }
    found
}

const THEIRS: &str =
    r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "fmt --all", "timeout": 5}]}"#;

/// Settings files as people have them.
fn shapes() -> Vec<(&'static str, String)> {
    let own = |text: &str| text.to_owned();
    vec![
        ("empty object", own("{}")),
        ("empty object, line end", own("{}\n")),
        ("empty object over lines", own("{\n}\n")),
        ("only spaces inside", own("{   }")),
        ("two spaces", own("{\n  \"model\": \"opus\"\n}\n")),
        (
            "four spaces, no last line end",
            own("{\n    \"model\": \"opus\",\n    \"includeCoAuthoredBy\": false\n}"),
        ),
        ("tabs", own("{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"b\"\n\t}\n}\n")),
        (
            "CRLF",
            own(
                "{\r\n  \"model\": \"opus\",\r\n  \"permissions\": {\r\n    \"allow\": [\"Bash(ls)\"]\r\n  }\r\n}\r\n",
            ),
        ),
        ("one line", own(r#"{"model":"opus","permissions":{"allow":["Read"],"deny":[]},"env":{"A":"b"}}"#)),
        ("byte order mark", own("\u{feff}{\n  \"model\": \"opus\"\n}\n")),
        (
            "line comments",
            own("// mine\n{\n  // the model\n  \"model\": \"opus\" // best\n  // \"hooks\": {}\n}\n// end\n"),
        ),
        (
            "block comments",
            own("/* mine */ {\n  /* a\n     b */ \"model\": /* c */ \"opus\" /* d */\n} /* e */"),
        ),
        (
            "last commas",
            own("{\n  \"model\": \"opus\",\n  \"permissions\": { \"allow\": [\"a\", \"b\",], },\n}\n"),
        ),
        (
            "other hooks",
            format!("{{\n  \"hooks\": {{\n    \"PostToolUse\": [\n      {THEIRS}\n    ]\n  }}\n}}\n"),
        ),
        (
            "a Stop hook of their own",
            format!(
                "{{\n  \"hooks\": {{\n    \"Stop\": [\n      {THEIRS}, // first\n      {THEIRS} // second\n    ]\n  }}\n}}\n"
            ),
        ),
        (
            "every event taken",
            format!(
                "{{\"hooks\": {{\"Stop\": [{THEIRS}], \"SessionStart\": [{THEIRS}], \"UserPromptSubmit\": [{THEIRS}], \"PostToolUse\": [{THEIRS}], \"SessionEnd\": [{THEIRS}]}}}}"
            ),
        ),
        ("empty hooks", own("{\n  \"hooks\": {}\n}\n")),
        ("empty list", own("{\n  \"hooks\": {\n    \"Stop\": [],\n    \"SessionEnd\": [\n    ]\n  }\n}\n")),
        (
            "hooks with a comment alone",
            own("{\n  \"hooks\": {\n    // none yet\n  },\n  \"env\": { /* none */ }\n}\n"),
        ),
        (
            "variables",
            own("{\n  \"env\": {\n    \"ANTHROPIC_LOG\": \"debug\", // loud\n    \"X\": \"1\",\n  }\n}\n"),
        ),
        (
            "their own cap, first",
            own("{\n  \"env\": { \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"20\" },\n  \"a\": 1\n}\n"),
        ),
        ("their own cap", own("{\n  \"env\": {\n    \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"20\"\n  }\n}\n")),
        ("texts full of brackets", own("{\n  \"a\": \"}],\\\"// no\",\n  \"b\": \"\\u007b /* */\"\n}\n")),
        ("other alphabets", own("{\n  \"språk\": \"日本語 🙂\",\n  \"ключ\": [\"é\"]\n}\n")),
        ("numbers and words", own("{\n  \"a\": -1.5e+3, \"b\": null, \"c\": [true,false,[],{}]\n}\n")),
        ("a key twice", own("{\n  \"hooks\": {},\n  \"hooks\": {\"Stop\": []}\n}\n")),
        ("much space", own("\n\n\n{\n\n\n  \"model\"  :  \"opus\"  ,\n\n\n  \"env\"\n:\n{\n}\n\n\n}\n\n\n")),
        (
            "mixed indentation",
            own("{\n \"a\": 1,\n\t\"b\": {\n      \"c\": 2\n\t},\n   \"hooks\": {\n\t\"Stop\": [\n]}}\n"),
        ),
        ("comment behind the last thing", own("{\n  \"model\": \"opus\", // one\n  /* two */ // three\n}")),
        (
            "a schema and permissions",
            own(
                "{\n  \"$schema\": \"https://json.schemastore.org/claude-code-settings.json\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(git status)\",\n      \"Read(~/**)\"\n    ],\n    \"defaultMode\": \"acceptEdits\"\n  },\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"~/line.sh\"\n  }\n}\n",
            ),
        ),
        (
            "long",
            format!(
                "{{\n  \"list\": [\n{}    \"end\"\n  ]\n}}\n",
                "    \"one of very many\",\n".repeat(2_000)
            ),
        ),
    ]
}

/// What the installed hook answers to a prompt, started by a shell as its host starts it.
fn used(project: &Project) -> Value {
    let text = fs::read_to_string(project.tree().join(".claude/settings.json")).unwrap();
    let at = text.find(" hook claude --within ").unwrap();
    let from = text[..at].rfind('"').unwrap() + 1;
    let command = &text[from..at + text[at..].find('"').unwrap()];
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", command]).current_dir(project.tree());
    for (name, value) in project.command(&[]).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let prompt = serde_json::json!({ "prompt": "/ralph fix it" });
    Session::of(project, "ses-1").tell_with(shell, "UserPromptSubmit", prompt)
}

#[test]
fn thirty_files_as_people_have_them_are_the_same_after_use() {
    let shapes = shapes();
    assert!(shapes.len() >= 30, "{}", shapes.len());
    for (name, text) in shapes {
        let project = project();
        let folder = project.tree().join(".claude");
        fs::create_dir_all(folder.join("commands")).unwrap();
        fs::write(folder.join("settings.json"), &text).unwrap();
        fs::write(folder.join("commands/review.md"), "mine\n").unwrap();
        let before = listing(&project.tree());
        let first = project.ralph(&["install", "claude", "--yes"]);
        assert_eq!((first.code, first.out.matches("wrote ").count()), (Some(0), 4), "{name}: {first:?}");
        let between = listing(&project.tree());
        assert_ne!(between, before, "{name}");
        let second = project.ralph(&["install", "claude", "--yes"]);
        assert!(second.out.contains("already"), "{name}: {second:?}");
        assert_eq!(listing(&project.tree()), between, "{name}");
        let hosts: Value = serde_json::from_str(&project.ralph(&["hosts", "--json"]).out).unwrap();
        let claude = hosts.as_array().unwrap().iter().find(|host| host["name"] == "claude").unwrap();
        assert_eq!(
            (&claude["installed_for_project"], &claude["is_stale"]),
            (&Value::from(true), &Value::from(false))
        );
        let begun = used(&project);
        assert!(context(&begun).contains("fix it"), "{name}");
        assert_eq!(project.ralph(&["uninstall", "claude", "--yes"]).code, Some(0), "{name}");
        assert_eq!(listing(&project.tree()), before, "{name}");
        assert!(
            project.ralph(&["uninstall", "claude", "--yes"]).out.contains("nothing of ralph's"),
            "{name}"
        );
    }
}

#[test]
fn where_there_was_nothing_there_is_nothing_afterwards() {
    let project = project();
    for prepared in [&[][..], &[".claude"], &[".claude/commands"]] {
        for folder in prepared {
            fs::create_dir_all(project.tree().join(folder)).unwrap();
        }
        let before = listing(&project.tree());
        assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
        let text = fs::read_to_string(project.tree().join(".claude/settings.json")).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(settings["hooks"].as_object().unwrap().len(), 9, "{text}");
        assert_eq!(settings["env"]["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"], "907163");
        assert_eq!(settings["hooks"]["Stop"][0]["hooks"][0]["timeout"], 3_040);
        assert_eq!(project.ralph(&["uninstall", "claude"]).code, Some(0));
        assert_eq!(listing(&project.tree()), before, "{prepared:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_and_its_line_is_named() {
    let cases: [(&[u8], &str); 6] = [
        (b"{\n  \"a\": 1\n  \"b\": 2\n}\n", "line 3"),
        (b"", "line 1"),
        (b"{\n  \"a\": \"\xff\"\n}\n", "line 2"),
        (b"{\n  \"hooks\": []\n}\n", "line 2"),
        (b"[1, 2]\n", "line 1"),
        (b"{\n\n  'a': 1\n}\n", "line 3"),
    ];
    for (bytes, line) in cases {
        let project = project();
        let folder = project.tree().join(".claude");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("settings.json"), bytes).unwrap();
        let before = listing(&project.tree());
        let refused = project.ralph(&["install", "claude", "--yes"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(line) && refused.err.contains("settings.json"), "{refused:?}");
        assert_eq!(listing(&project.tree()), before, "{line}");
    }
}

#[test]
fn a_link_is_followed_and_a_file_that_nobody_may_write_is_not_written() {
    let project = project();
    let folder = project.tree().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    let dotfiles = project.base().join("dotfiles.json");
    fs::write(&dotfiles, "{\n  \"model\": \"opus\"\n}\n").unwrap();
    fs::set_permissions(&dotfiles, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../../dotfiles.json", folder.join("settings.json")).unwrap();
    let before = (listing(&project.tree()), listing(project.base()));
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    assert!(fs::read_to_string(&dotfiles).unwrap().contains("hook claude"));
    assert_eq!(fs::metadata(&dotfiles).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(folder.join("settings.json").is_symlink());
    assert_eq!(project.ralph(&["uninstall", "claude"]).code, Some(0));
    assert_eq!((listing(&project.tree()), listing(project.base())), before);

    fs::set_permissions(&dotfiles, fs::Permissions::from_mode(0o444)).unwrap();
    let before = listing(project.base());
    let refused = project.ralph(&["install", "claude"]);
    assert_eq!((refused.code, refused.err.contains("read-only")), (Some(2), true), "{refused:?}");
    assert_eq!(listing(project.base()), before);
}

#[test]
fn behind_a_persons_link_the_file_stays_with_nothing_in_it() {
    let project = project();
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    let (settings, dotfiles) =
        (project.tree().join(".claude/settings.json"), project.base().join("dotfiles.json"));
    fs::rename(&settings, &dotfiles).unwrap();
    symlink("../../dotfiles.json", &settings).unwrap();
    let done = project.ralph(&["uninstall", "claude"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(settings.is_symlink());
    assert_eq!(fs::read_to_string(&dotfiles).unwrap(), "{}\n");
    assert!(project.ralph(&["uninstall", "claude"]).out.contains("nothing of ralph's"));
}

#[test]
fn a_command_of_somebody_else_is_an_error_and_nothing_is_written() {
    let project = project();
    let commands = project.tree().join(".claude/commands");
    fs::create_dir_all(&commands).unwrap();
    fs::write(commands.join("ralph.md"), "mine\n").unwrap();
    let before = listing(&project.tree());
    let refused = project.ralph(&["install", "claude"]);
    assert_eq!((refused.code, refused.err.contains("commands/ralph.md")), (Some(2), true), "{refused:?}");
    assert_eq!(listing(&project.tree()), before);
}

#[test]
fn times_follow_the_checks_and_what_is_old_is_said_to_be() {
    let project = project();
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    fs::write(project.user_config(), "[[check]]\nname = \"a\"\ncommand = \"true\"\ntimeout = \"5m\"\n[[check]]\nname = \"b\"\ncommand = \"true\"\ntimeout = \"20m\"\n").unwrap();
    assert!(project.ralph(&["hosts"]).out.contains("stale"));
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    let text = fs::read_to_string(project.tree().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let stop = &settings["hooks"]["Stop"][0]["hooks"][0];
    // Both checks, and one for each of the four other criteria that a loop may ask for.
    assert_eq!(stop["timeout"], 25 * 60 + 4 * 600 + 30 + 10);
    assert!(stop["command"].as_str().unwrap().ends_with(" hook claude --within 3930 || exit 1"), "{stop}");
    assert!(!project.ralph(&["hosts"]).out.contains("stale"));
}

#[test]
fn the_other_hosts_have_it_in_their_own_way() {
    for (host, file, stop, timeout) in [
        ("codex", ".codex/hooks.json", "Stop", 3_040),
        ("gemini", ".gemini/settings.json", "AfterAgent", 3_040_000),
        ("qwen", ".qwen/settings.json", "Stop", 3_040_000),
    ] {
        let project = project();
        let before = listing(&project.tree());
        assert_eq!(project.ralph(&["install", host, "--project"]).code, Some(0), "{host}");
        let text = fs::read_to_string(project.tree().join(file)).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(settings["hooks"][stop][0]["hooks"][0]["timeout"], timeout, "{host}");
        assert!(settings["env"].is_null(), "{host}");
        assert_eq!(project.ralph(&["uninstall", host]).code, Some(0), "{host}");
        assert_eq!(listing(&project.tree()), before, "{host}");
        let refused = project.ralph(&["install", host, "--plugin"]);
        assert_eq!(refused.code, Some(2), "{host}: {refused:?}");
    }
}

#[test]
fn for_a_user_and_as_a_plugin_it_is_elsewhere() {
    let project = project();
    let home = project.base().join("claude-home");
    let run = |args: &[&str]| {
        let mut command = project.command(args);
        command.env("CLAUDE_CONFIG_DIR", &home);
        command.output().unwrap().status.code()
    };
    assert_eq!(run(&["install", "claude", "--user"]), Some(0));
    let mut beside = project.command(&["install", "claude"]);
    let beside = beside.env("CLAUDE_CONFIG_DIR", &home).output().unwrap();
    assert!(String::from_utf8_lossy(&beside.stdout).contains("in another place too"));
    assert_eq!(run(&["uninstall", "claude"]), Some(0));
    assert!(home.join("settings.json").is_file() && home.join("commands/cancel-ralph.md").is_file());
    assert_eq!(run(&["uninstall", "claude", "--user"]), Some(0));
    assert!(!home.exists());
    let plugin = project.base().join("a plugin");
    let flag = format!("--plugin={}", plugin.display());
    assert_eq!(run(&["install", "claude", &flag]), Some(0));
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(plugin.join(name)).unwrap()).unwrap()
    };
    assert_eq!(read(".claude-plugin/plugin.json")["name"], "ralph");
    assert!(
        read("hooks/hooks.json")["hooks"]["Stop"].is_array() && plugin.join("commands/ralph.md").is_file()
    );
    assert_eq!(run(&["install", "claude", &flag]), Some(0));
    assert_eq!(run(&["uninstall", "claude", &flag]), Some(0));
    assert!(!plugin.exists());
    assert_eq!(fs::read_dir(project.tree()).unwrap().count(), 0);
    assert_eq!(run(&["install", "claude", "--user", "--plugin"]), Some(2));
}

#[test]
fn a_command_that_a_person_changed_keeps_everything_where_it_is() {
    let project = project();
    assert_eq!(project.ralph(&["install", "claude", "--yes"]).code, Some(0));
    let command = project.tree().join(".claude/commands/ralph.md");
    fs::write(&command, fs::read_to_string(&command).unwrap() + "\nMine.\n").unwrap();
    let before = listing(&project.tree());
    let refused = project.ralph(&["uninstall", "claude"]);
    assert_eq!(
        (refused.code, refused.err.contains("was changed by somebody")),
        (Some(2), true),
        "{refused:?}"
    );
    assert_eq!(listing(&project.tree()), before);
    assert_eq!(project.ralph(&["uninstall", "claude", "--yes"]).code, Some(0));
    assert!(!project.tree().join(".claude").exists());
}

#[test]
fn no_hook_starts_a_program_that_the_agent_could_change() {
    let project = project();
    fs::create_dir(project.tree().join(".git")).unwrap();
    let own = project.tree().join("ralph");
    fs::hard_link(env!("CARGO_BIN_EXE_ralph"), &own)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_ralph"), &own).map(drop))
        .unwrap();
    let home = project.base().join("claude-home");
    let plugin = project.base().join("a plugin");
    let flag = format!("--plugin={}", plugin.display());
    for (more, file) in [
        ("--project", project.tree().join(".claude/settings.json")),
        ("--user", home.join("settings.json")),
        (&flag, plugin.join("hooks/hooks.json")),
    ] {
        let usual = project.command(&[]);
        let mut command = std::process::Command::new(&own);
        command.env_clear().envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("CLAUDE_CONFIG_DIR", &home).args(["install", "claude", more]).current_dir(project.tree());
        let out = command.output().unwrap();
        assert!(String::from_utf8_lossy(&out.stdout).contains("on the PATH"), "{more} {out:?}");
        let tree = project.tree().display().to_string();
        assert!(!fs::read_to_string(file).unwrap().contains(&tree), "{more}");
    }
}

#[test]
fn without_a_home_or_inside_of_one_there_is_no_other_place() {
    let project = project();
    let run = |home: Option<&Path>| {
        let mut command = project.command(&["install", "codex"]);
        command.env_remove("CODEX_HOME");
        match home {
            Some(home) => command.env("HOME", home),
            None => command.env_remove("HOME"),
        };
        command.output().unwrap()
    };
    for home in [None, Some(project.tree())] {
        let out = run(home.as_deref());
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!((out.status.code(), said.contains("another place")), (Some(0), false), "{out:?}");
    }
}

#[test]
fn a_cap_that_a_person_has_set_is_theirs_and_that_of_an_earlier_version_is_not() {
    let project = project();
    let settings = project.tree().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    for value in ["999999", "907163"] {
        let text =
            format!("{{\n  \"env\": {{\n    \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"{value}\"\n  }}\n}}\n");
        fs::write(&settings, &text).unwrap();
        assert!(project.ralph(&["uninstall", "claude"]).out.contains("nothing of ralph's"), "{value}");
        assert_eq!(fs::read_to_string(&settings).unwrap(), text);
    }
    fs::remove_file(&settings).unwrap();
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    let ours = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, ours.replace("907163", "999999")).unwrap();
    assert_eq!(project.ralph(&["install", "claude"]).code, Some(0));
    assert_eq!(fs::read_to_string(&settings).unwrap(), ours);
    fs::write(&settings, ours.replace("907163", "999999")).unwrap();
    assert_eq!(project.ralph(&["uninstall", "claude"]).code, Some(0));
    assert!(!settings.exists());
}
