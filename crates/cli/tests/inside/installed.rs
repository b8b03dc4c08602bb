//! What is put into a host's configuration, and taken out again.

use std::fs;

use super::project;

#[test]
fn a_project_gets_a_plugin_and_commands_and_loses_them_without_a_trace() {
    let project = project();
    let tree = project.tree();
    let theirs = "{ // mine\n  \"model\": \"x/y\",\n}";
    fs::write(tree.join("opencode.json"), theirs).unwrap();
    let first = project.ralph(&["install", "opencode", "--yes"]);
    assert_eq!((first.code, first.out.matches("wrote ").count()), (Some(0), 4), "{first:?}");
    let again = project.ralph(&["install", "opencode", "--yes"]);
    assert!(again.out.contains("already"), "{again:?}");
    let hosts = project.ralph(&["hosts", "--json"]);
    let hosts: serde_json::Value = serde_json::from_str(&hosts.out).unwrap();
    assert_eq!(hosts[0]["installed_for_project"], true);
    assert_eq!(fs::read_to_string(tree.join("opencode.json")).unwrap(), theirs);
    assert_eq!(project.ralph(&["uninstall", "opencode", "--yes"]).code, Some(0));
    assert!(!tree.join(".opencode").exists());
    assert_eq!(fs::read_dir(&tree).unwrap().count(), 1);
    assert!(project.ralph(&["hosts"]).out.contains("not installed"));
}

#[test]
fn for_a_user_it_is_where_opencode_looks_and_nowhere_else() {
    let project = project();
    assert_eq!(project.ralph(&["install", "opencode", "--user"]).code, Some(0));
    let folder = project.base().join("config/opencode");
    assert!(folder.join("plugins/ralph.js").is_file() && folder.join("commands/cancel-ralph.md").is_file());
    assert_eq!(fs::read_dir(project.tree()).unwrap().count(), 0);
    assert_eq!(project.ralph(&["uninstall", "opencode", "--user"]).code, Some(0));
    assert!(!folder.exists());
}

#[test]
fn somebody_elses_file_is_an_error_that_names_it() {
    let project = project();
    let plugins = project.tree().join(".opencode/plugins");
    fs::create_dir_all(&plugins).unwrap();
    fs::write(plugins.join("ralph.js"), "export const Mine = async () => ({})\n").unwrap();
    let refused = project.ralph(&["install", "opencode", "--yes"]);
    assert_eq!((refused.code, refused.err.contains("plugins/ralph.js")), (Some(2), true), "{refused:?}");
    assert!(!project.tree().join(".opencode/commands").exists());
    project.ralph(&["uninstall", "opencode", "--yes"]);
    assert!(plugins.join("ralph.js").exists());
}

#[test]
fn what_a_person_changed_is_named_and_kept_unless_they_say_otherwise() {
    let project = project();
    project.ralph(&["install", "opencode"]);
    let plugin = project.tree().join(".opencode/plugins/ralph.js");
    let ours = fs::read_to_string(&plugin).unwrap();
    fs::write(&plugin, format!("{ours}// mine\n")).unwrap();
    for command in ["install", "uninstall"] {
        let refused = project.ralph(&[command, "opencode"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("plugins/ralph.js") && refused.err.contains("--yes"), "{refused:?}");
        assert!(fs::read_to_string(&plugin).unwrap().ends_with("// mine\n"));
    }
    assert_eq!(project.ralph(&["install", "opencode", "--yes"]).code, Some(0));
    assert_eq!(fs::read_to_string(&plugin).unwrap(), ours);
    fs::write(&plugin, format!("{ours}// mine\n")).unwrap();
    assert_eq!(project.ralph(&["uninstall", "opencode", "--yes"]).code, Some(0));
    assert!(!plugin.exists());
}

#[test]
fn a_program_of_the_project_is_written_into_no_plugin_for_all_projects_neither() {
    let project = project();
    let own = project.tree().join("target/ralph");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::create_dir_all(project.tree().join(".git")).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_ralph"), &own)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_ralph"), &own).map(drop))
        .unwrap();
    for more in [&[][..], &["--user"]] {
        let usual = project.command(&[]);
        let mut command = std::process::Command::new(&own);
        command.env_clear().envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let out =
            command.args(["install", "opencode"]).args(more).current_dir(project.tree()).output().unwrap();
        assert!(String::from_utf8_lossy(&out.stdout).contains("on the PATH"), "{more:?} {out:?}");
    }
    let user = project.base().join("config/opencode/plugins/ralph.js");
    for plugin in [project.tree().join(".opencode/plugins/ralph.js"), user] {
        assert!(fs::read_to_string(plugin).unwrap().contains("const INSTALLED = null"));
    }
}
