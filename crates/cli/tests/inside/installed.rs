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
