//! The file in which a person tells git what to ignore everywhere, as git's configuration names it. Git is not run.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::sources::absolute;

/// Files that include one another end somewhere.
const DEEPEST: u32 = 10;

/// The last word counts: that of the repository, else the person's, else the machine's, else git's own choice of place.
/// What is included under a condition is not read.
pub(crate) fn excludes_file(env: &BTreeMap<OsString, OsString>, root: &Path) -> Option<PathBuf> {
    let home = absolute(env, "HOME");
    let base = absolute(env, "XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let own = base.map(|base| base.join("git"));
    let given = |name: &str| env.get(OsStr::new(name)).map(PathBuf::from);
    let mut files = vec![given("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into())];
    match given("GIT_CONFIG_GLOBAL") {
        Some(only) => files.push(only),
        None => {
            files.extend(own.as_ref().map(|own| own.join("config")));
            files.extend(home.as_ref().map(|home| home.join(".gitconfig")));
        }
    }
    files.extend(ralph_snapshot::repository_around(root).map(|repository| repository.common.join("config")));
    let mut said = None;
    for file in files {
        read(&file, home.as_deref(), DEEPEST, &mut said);
    }
    match said {
        // An empty value is the way to say "none".
        Some(path) => Some(path).filter(|path| !path.as_os_str().is_empty()),
        None => own.map(|own| own.join("ignore")),
    }
}

fn read(file: &Path, home: Option<&Path>, deeper: u32, said: &mut Option<PathBuf>) {
    // What is no file could keep a reader waiting.
    if deeper == 0 || !file.is_file() {
        return;
    }
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        let mut rest = line;
        if let Some((name, after)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            section = name.trim().to_lowercase();
            rest = after;
        }
        let Some((key, value)) = rest.split_once('=') else { continue };
        match (section.as_str(), key.trim().to_lowercase().as_str()) {
            ("core", "excludesfile") => *said = Some(expanded(&plain(value), home)),
            ("include", "path") => {
                let path = expanded(&plain(value), home);
                read(&file.parent().unwrap_or(file).join(path), home, deeper - 1, said);
            }
            _ => {}
        }
    }
}

/// A value without what surrounds it: quotes, a comment, the backslash before a character that is meant itself.
fn plain(value: &str) -> String {
    let (mut text, mut is_quoted, mut end) = (String::new(), false, 0);
    let mut rest = value.trim().chars();
    while let Some(character) = rest.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => text.extend(rest.next()),
            other => text.push(other),
        }
        if is_quoted || !character.is_whitespace() {
            end = text.len();
        }
    }
    text.truncate(end);
    text
}

fn expanded(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => path.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{excludes_file, plain};
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::fs;
    use std::path::PathBuf;
    use std::process::Command;

    #[test]
    fn a_value_is_read_without_what_surrounds_it() {
        for (value, expected) in [
            (" ~/x ", "~/x"),
            ("\"a b \" # why", "a b "),
            ("a ; why", "a"),
            ("a\\\\b", "a\\b"),
            ("\"a#b\"", "a#b"),
            ("", ""),
        ] {
            assert_eq!(plain(value), expected, "{value}");
        }
    }

    /// Each step says more than the one before; git is asked as well.
    #[test]
    fn the_file_is_the_one_that_git_reads() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let root = home.join("p");
        fs::create_dir_all(home.join(".config/git")).unwrap();
        fs::create_dir(&root).unwrap();
        let env: BTreeMap<OsString, OsString> =
            [("HOME", home.as_os_str()), ("GIT_CONFIG_SYSTEM", "/dev/null".as_ref())]
                .map(|(name, value)| (name.into(), value.to_owned()))
                .into();
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.current_dir(&root).env_clear().envs(&env).env("PATH", std::env::var_os("PATH").unwrap());
            let done = git.args(args).output().unwrap();
            String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
        };
        git(&["init", "-q"]);
        assert_eq!(excludes_file(&env, &root), Some(home.join(".config/git/ignore")));
        let own = "[user]\n\tname = x\n[Core] excludesFile = ~/one # mine\n";
        fs::write(home.join(".config/git/config"), own).unwrap();
        fs::write(home.join("more"), "[core]\nexcludesfile=\"~/two\"\n").unwrap();
        fs::write(root.join("local"), "[core]\n\texcludesfile = /three\n").unwrap();
        for (file, text, expected) in [
            (home.join(".config/git/config"), own, home.join("one")),
            (home.join(".gitconfig"), "[include]\n\tpath = more\n", home.join("two")),
            (root.join(".git/config"), "[include]\n\tpath = ../local\n", PathBuf::from("/three")),
        ] {
            fs::write(file, text).unwrap();
            let found = excludes_file(&env, &root).unwrap();
            assert_eq!(found, expected);
            let of_git = git(&["config", "--get", "--type=path", "core.excludesFile"]);
            assert_eq!(found, PathBuf::from(of_git));
        }
    }
}
