//! The plugin and the commands: what they are, and where OpenCode looks for them.

use std::path::{Path, PathBuf};

use crate::installed::{self, Edited, File, InstallError, Installed, MARK, Removed, SEAL, sealed};

/// One file, for OpenCode takes every file there for a plugin.
const PLUGIN: &str = concat!(include_str!("ralph.js"), include_str!("hook.js"));
/// Where the plugin has the path of the program that installed it, and the directories that were made for it.
const PROGRAM: &str = "__RALPH__";
const MADE: &str = "__MADE__";
const MADE_LINE: &str = "// made with it: ";

/// Each command with what OpenCode shows of it.
const COMMANDS: [(&str, &str); 3] = [
    ("ralph", "Keep at a task until it is done: /ralph TASK, stop, status, rollback"),
    ("ralph-loop", "Keep at a task until it is done: /ralph-loop TASK"),
    ("cancel-ralph", "Stop the ralph loop of this session"),
];
/// The directories that files are in, the innermost first.
const FOLDERS: [&str; 3] = ["plugins", "commands", "."];

/// The files there are below a configuration directory of OpenCode: `.opencode` of a project, or the user's own.
pub fn places(directory: &Path) -> Vec<PathBuf> {
    let commands = COMMANDS.iter().map(|(name, _)| directory.join("commands").join(format!("{name}.md")));
    std::iter::once(plugin_file(directory)).chain(commands).collect()
}

fn plugin_file(directory: &Path) -> PathBuf {
    directory.join("plugins/ralph.js")
}

/// Puts them there, for the program at this path; without one, the plugin looks for `ralph` where programs are. Doing it
/// again changes nothing.
pub fn install(directory: &Path, program: Option<&Path>, edited: Edited) -> Result<Installed, InstallError> {
    let mut made = made(directory);
    for folder in FOLDERS {
        if !directory.join(folder).is_dir() && !made.iter().any(|one| one == folder) {
            made.push(folder.to_owned());
        }
    }
    let texts =
        std::iter::once(plugin(program, &made)).chain(COMMANDS.iter().map(|(_, about)| command(about)));
    let files: Vec<File> = places(directory)
        .into_iter()
        .zip(texts)
        .map(|(path, text)| File { path, text: sealed(&text) })
        .collect();
    installed::write(&files, edited)
}

/// Takes them out again, with the directories that were made for them, if nothing else is in those.
pub fn uninstall(directory: &Path, edited: Edited) -> Result<Removed, InstallError> {
    let made = made(directory);
    let removed = installed::remove(&places(directory), edited)?;
    for folder in FOLDERS.into_iter().filter(|folder| made.iter().any(|one| one == folder)) {
        // What is in use by somebody else stays.
        let path = if folder == "." { directory.to_owned() } else { directory.join(folder) };
        let _is_in_use = std::fs::remove_dir(path);
    }
    Ok(removed)
}

/// Which directories were made when this was installed; the plugin says so itself.
fn made(directory: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(plugin_file(directory)).unwrap_or_default();
    let ours =
        text.contains(MARK).then(|| text.lines().find_map(|line| line.strip_prefix(MADE_LINE))).flatten();
    let named = ours.unwrap_or_default().split_whitespace();
    named.filter(|name| FOLDERS.contains(name)).map(str::to_owned).collect()
}

fn plugin(program: Option<&Path>, made: &[String]) -> String {
    let program = program.map(|path| path.to_string_lossy().into_owned());
    let literal = serde_json::to_string(&program).expect("a path is text");
    let made = if made.is_empty() { "nothing".to_owned() } else { made.join(" ") };
    PLUGIN.replacen(MADE, &made, 1).replacen(PROGRAM, &literal, 1)
}

/// The plugin takes the arguments as they were typed and puts the brief in place of this text; without the plugin, the
/// text says so.
fn command(about: &str) -> String {
    format!(
        "---\ndescription: \"{about}\"\n---\n\n<!-- {MARK} opencode`; `ralph uninstall opencode` removes it; {SEAL} -->\n\n\
         The plugin that this command needs did not answer. Tell the person to run `ralph install opencode`, and do nothing \
         else.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{install, places, uninstall};
    use crate::installed::{Edited, InstallError};
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    /// Every path below a directory, with what is in it.
    fn listing(root: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut dirs = vec![root.to_owned()];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir).expect("a directory") {
                let path = entry.expect("an entry").path();
                let bytes = (!path.is_dir()).then(|| std::fs::read(&path).expect("a file"));
                if path.is_dir() {
                    dirs.push(path.clone());
                }
                found.insert(path, bytes);
            }
        }
        found
    }

    #[test]
    fn what_is_installed_is_removed_without_a_trace_and_nothing_else_is_touched() {
        for prepared in
            [&[][..], &[".opencode"], &[".opencode/plugins"], &[".opencode/plugins", ".opencode/commands"]]
        {
            let root = tempfile::tempdir().expect("a directory");
            std::fs::write(root.path().join("opencode.json"), "{ // mine\n}").expect("a file");
            for folder in prepared {
                std::fs::create_dir_all(root.path().join(folder)).expect("a directory");
            }
            let before = listing(root.path());
            let directory = root.path().join(".opencode");
            let program = Path::new("/opt/a \"quoted\" path/ralph");
            let first = install(&directory, Some(program), Edited::Keep).expect("installed");
            assert_eq!(first.written, places(&directory));
            let between = listing(root.path());
            let second = install(&directory, Some(program), Edited::Keep).expect("installed again");
            assert_eq!((second.written.len(), second.unchanged), (0, places(&directory)));
            assert_eq!(listing(root.path()), between);
            let plugin = std::fs::read_to_string(&places(&directory)[0]).expect("the plugin");
            assert!(plugin.contains(r#"const INSTALLED = "/opt/a \"quoted\" path/ralph""#), "{plugin}");
            assert!(!plugin.contains("__"), "{plugin}");
            install(&directory, None, Edited::Keep).expect("installed for another program");
            assert_eq!(uninstall(&directory, Edited::Keep).expect("removed").removed, places(&directory));
            assert_eq!(listing(root.path()), before, "{prepared:?}");
            assert_eq!(
                uninstall(&directory, Edited::Keep).expect("nothing to remove").removed,
                Vec::<PathBuf>::new()
            );
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_left_alone_and_nothing_is_written_beside_it() {
        for which in 0..4 {
            let root = tempfile::tempdir().expect("a directory");
            let path = places(root.path()).swap_remove(which);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a directory");
            std::fs::write(&path, "mine").expect("a file");
            let before = listing(root.path());
            let refused = install(root.path(), None, Edited::Keep).expect_err("refused");
            assert!(matches!(refused, InstallError::Foreign { path: at } if at == path));
            assert_eq!(listing(root.path()), before);
            uninstall(root.path(), Edited::Keep).expect("nothing of ralph's is there");
            assert_eq!(listing(root.path()), before);
        }
    }

    #[test]
    fn what_somebody_changed_is_neither_overwritten_nor_removed_unless_that_is_said() {
        for which in 0..4 {
            let root = tempfile::tempdir().expect("a directory");
            install(root.path(), None, Edited::Keep).expect("installed");
            let path = places(root.path()).swap_remove(which);
            let text = std::fs::read_to_string(&path).expect("a file");
            std::fs::write(&path, format!("{text}\n// mine\n")).expect("changed");
            let before = listing(root.path());
            let refused = install(root.path(), Some(Path::new("/x")), Edited::Keep).expect_err("refused");
            assert!(matches!(refused, InstallError::Edited { path: at } if at == path));
            let refused = uninstall(root.path(), Edited::Keep).expect_err("refused");
            assert!(matches!(refused, InstallError::Edited { path: at } if at == path));
            assert_eq!(listing(root.path()), before);
            install(root.path(), None, Edited::Replace).expect("overwritten");
            assert_eq!(std::fs::read_to_string(&path).expect("a file"), text);
            std::fs::write(&path, text.replace("content ", "content 0")).expect("changed");
            assert_eq!(uninstall(root.path(), Edited::Replace).expect("removed").removed.len(), 4);
        }
    }

    #[test]
    fn a_link_is_not_written_through() {
        let root = tempfile::tempdir().expect("a directory");
        let target = root.path().join("target");
        std::fs::write(&target, "installed by `ralph install").expect("a file");
        let directory = root.path().join("conf");
        let plugin = places(&directory).swap_remove(0);
        std::fs::create_dir_all(plugin.parent().expect("a folder")).expect("a directory");
        std::os::unix::fs::symlink(&target, &plugin).expect("a link");
        assert!(install(&directory, None, Edited::Keep).is_err());
        uninstall(&directory, Edited::Keep).expect("nothing of ralph's is there");
        assert_eq!(std::fs::read_to_string(&target).expect("still there"), "installed by `ralph install");
    }
}
