//! A work tree of its own for a run, beside the one that it is asked for in: the commands of git that make one and take
//! it away again.
//!
//! Nothing that the repository names is run for it, for an agent may have written that: neither hooks, nor monitors, nor
//! its own filters, nor what a missing object would be fetched by. Filters that the person has configured for themselves
//! are theirs, and are run.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::commit::{Command, Declined, Ended, prefix_in, printed, whereabouts};

/// A work tree of many files takes its time.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(3600);

/// Scopes of a setting that an agent may have written.
const OF_REPOSITORY: [&[u8]; 2] = [b"local", b"worktree"];

/// What keeps git from running what a repository names, as variables of its environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Muzzle {
    filters: BTreeSet<Vec<u8>>,
}

impl Muzzle {
    /// Asks which filters the repository around a directory names.
    pub fn ask(dir: &Path) -> Command {
        Command::look(dir, &["config", "--null", "--show-scope", "--get-regexp", r"^filter\."])
    }

    /// Of the answer. Where there are none, git says so by failing without a word.
    pub fn of(ended: Ended) -> Result<Muzzle, Declined> {
        match ended {
            Ended::Exit { success: false, stderr, .. } if stderr.is_empty() => Ok(Muzzle::default()),
            other => Ok(Muzzle { filters: filters(&printed(other)?) }),
        }
    }

    /// The filters that are not run, as people read them.
    pub fn filters(&self) -> Vec<String> {
        self.filters.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// On top of what a command has.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let plain = [("core.hooksPath", "/dev/null"), ("core.fsmonitor", "false")];
        let mut settings: Vec<(OsString, &str)> =
            plain.into_iter().map(|(key, value)| (key.into(), value)).collect();
        for name in &self.filters {
            let off = [(".clean", ""), (".smudge", ""), (".process", ""), (".required", "false")];
            settings.extend(off.map(|(key, value)| (filter(name, key), value)));
        }
        let mut all: Vec<(OsString, OsString)> = [("GIT_ALLOW_PROTOCOL", ""), ("GIT_NO_LAZY_FETCH", "1")]
            .map(|(n, v)| (n.into(), v.into()))
            .into();
        all.push(("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()));
        for (at, (key, value)) in settings.into_iter().enumerate() {
            all.push((format!("GIT_CONFIG_KEY_{at}").into(), key));
            all.push((format!("GIT_CONFIG_VALUE_{at}").into(), value.into()));
        }
        all
    }
}

fn filter(name: &[u8], key: &str) -> OsString {
    OsString::from_vec([b"filter.", name, key.as_bytes()].concat())
}

/// Scope and setting in turn; a setting is its key, a line break and its value.
fn filters(printed: &[u8]) -> BTreeSet<Vec<u8>> {
    let fields: Vec<&[u8]> = printed.split(|byte| *byte == 0).collect();
    let of_repository = fields.chunks_exact(2).filter(|pair| OF_REPOSITORY.contains(&pair[0]));
    of_repository.filter_map(|pair| named(pair[1])).collect()
}

fn named(setting: &[u8]) -> Option<Vec<u8>> {
    let key = setting.split(|byte| *byte == b'\n').next()?;
    let name = key.strip_prefix(b"filter.")?;
    let end = name.iter().rposition(|byte| *byte == b'.')?;
    Some(name[..end].to_vec())
}

/// Asks where in a work tree a directory is.
pub fn whereabouts_of(dir: &Path) -> Command {
    whereabouts(dir)
}

/// The way from the top of the work tree, of the answer.
pub fn way_from_top(ended: Ended) -> Result<PathBuf, Declined> {
    Ok(OsString::from_vec(prefix_in(ended)?).into())
}

/// Asks which commit is checked out.
pub fn ask_head(dir: &Path) -> Command {
    Command::look(dir, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
}

/// Of the answer; none where nothing was ever committed.
pub fn head_in(ended: Ended) -> Result<Option<String>, Declined> {
    match ended {
        Ended::Exit { success: false, stderr, .. } if stderr.is_empty() => Ok(None),
        other => Ok(Some(String::from_utf8_lossy(&printed(other)?).trim().to_owned())),
    }
}

/// Makes a work tree at a path, on a new branch at a commit.
pub fn add(top: &Path, at: &Path, branch: &str, commit: &str) -> Command {
    let mut command =
        Command::change(top, &["worktree", "add", "--quiet", "--no-track", "-b", branch], Vec::new());
    command.args.extend([at.as_os_str(), OsStr::from_bytes(commit.as_bytes())].map(OsStr::to_owned));
    command.timeout = TIMEOUT;
    command
}

/// Takes a work tree away, whatever is in it.
pub fn remove(top: &Path, at: &Path) -> Command {
    let mut command = Command::change(top, &["worktree", "remove", "--force"], Vec::new());
    command.args.push(at.as_os_str().to_owned());
    command.timeout = TIMEOUT;
    command
}

/// Takes a branch away, whatever is on it.
pub fn forget(top: &Path, branch: &str) -> Command {
    Command::change(top, &["branch", "--quiet", "-D", branch], Vec::new())
}

/// Whether it was done, or why not.
pub fn done(ended: Ended) -> Result<(), Declined> {
    printed(ended).map(drop)
}

#[cfg(test)]
mod tests {
    use super::Muzzle;
    use crate::commit::Ended;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    fn answered(success: bool, stdout: &[u8]) -> Ended {
        Ended::Exit { success, stdout: stdout.to_vec(), stderr: Vec::new() }
    }

    #[test]
    fn filters_of_the_repository_are_kept_from_running_whatever_they_are_called() {
        let printed = b"global\0filter.lfs.smudge\ngit-lfs smudge\0local\0filter.a=b.c.clean\nx\ny\0\
                        worktree\0filter.\xff.process\nx\0local\0filter.a=b.c.required\ntrue\0";
        let muzzle = Muzzle::of(answered(true, printed)).expect("an answer");
        assert_eq!(muzzle.filters(), ["a=b.c", "\u{fffd}"]);
        let variables = muzzle.variables();
        let value = |name: &str| {
            let found = variables.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        assert_eq!(value("GIT_CONFIG_COUNT"), "10");
        assert_eq!(value("GIT_CONFIG_KEY_0"), "core.hooksPath");
        assert_eq!(value("GIT_CONFIG_KEY_2"), "filter.a=b.c.clean");
        assert_eq!(value("GIT_CONFIG_KEY_8"), OsString::from_vec(b"filter.\xff.process".to_vec()));
        assert_eq!(value("GIT_CONFIG_VALUE_9"), "false");
    }

    #[test]
    fn a_repository_without_filters_says_nothing() {
        assert_eq!(Muzzle::of(answered(false, b"")), Ok(Muzzle::default()));
        assert!(Muzzle::of(Ended::NotStarted { why: "no git".to_owned() }).is_err());
    }
}
