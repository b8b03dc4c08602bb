//! What an agent may write and what it may not even see.

use std::ffi::OsStr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use ralph_core::sandbox::Sandbox;

use crate::environment::Variables;

/// Every path exists and is without symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    pub write: Vec<PathBuf>,
    /// ralph's own state.
    pub hidden: PathBuf,
    /// One file of what is hidden that may be read all the same.
    pub shown: Option<PathBuf>,
    pub network: bool,
}

impl Bounds {
    /// The tree, the temporary directories, what the agent keeps (`state`), and what a person allows.
    pub fn gather(
        root: &Path,
        hidden: &Path,
        env: &Variables,
        state: &[String],
        sandbox: &Sandbox,
    ) -> Bounds {
        let network = sandbox.network;
        let mut bounds = Bounds { write: Vec::new(), hidden: real(hidden), shown: None, network };
        let kept = state.iter().filter_map(|path| made(expand(path, env)?, path.ends_with('/')));
        let allowed = sandbox.write.iter().filter_map(|path| expand(path, env));
        let all = [root.to_owned()].into_iter().chain(temporary(env)).chain(kept).chain(allowed);
        all.for_each(|path| bounds.add(&path));
        bounds
    }

    #[must_use]
    pub(crate) fn showing(self, shown: Option<PathBuf>) -> Bounds {
        Bounds { shown: shown.map(|path| real(&path)), ..self }
    }

    /// Without the tree; what else may be written may still hold it.
    #[must_use]
    pub(crate) fn sparing(mut self, root: &Path) -> Bounds {
        let root = real(root);
        self.write.retain(|path| *path != root);
        self
    }

    /// A path inside one that the agent may write is not followed: it could have put a link there.
    fn add(&mut self, path: &Path) {
        let is_inside = |path: &Path| self.write.iter().any(|allowed| path.starts_with(allowed));
        if is_inside(path) {
            return;
        }
        if let Ok(path) = path.canonicalize()
            && !is_inside(&path)
        {
            self.write.push(path);
        }
    }

    /// What may be written and holds what is hidden.
    pub(super) fn around_hidden(&self) -> Option<&Path> {
        self.write.iter().find(|path| self.hidden.starts_with(path)).map(PathBuf::as_path)
    }

    /// What may be written and lies in what is hidden.
    pub(super) fn in_hidden(&self) -> Option<&Path> {
        self.write.iter().find(|path| path.starts_with(&self.hidden)).map(PathBuf::as_path)
    }
}

/// Of a directory that is not there yet, as much as is.
fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

/// A path as catalogue and settings write it: absolute, below `~`, or `${NAME:-DEFAULT}/…`.
pub fn expand(path: &str, env: &Variables) -> Option<PathBuf> {
    let set = |name: &str| {
        let (_, value) = env.iter().rev().find(|(key, _)| key == OsStr::new(name))?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let joined = |base: PathBuf, rest: &str| match rest.trim_start_matches('/') {
        "" => base,
        rest => base.join(rest),
    };
    if let Some(choice) = path.strip_prefix("${") {
        let (choice, rest) = choice.split_once('}')?;
        let (name, default) = choice.split_once(":-")?;
        return Some(joined(set(name).or_else(|| expand(default, env))?, rest));
    }
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(joined(set("HOME")?, rest)),
        Some(_) => None,
        None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
    }
}

/// An agent could not make its own directory, so that is done for it.
fn made(path: PathBuf, is_directory: bool) -> Option<PathBuf> {
    if is_directory && !path.exists() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).ok()?;
    }
    Some(path)
}

/// Where programs with this environment put their temporary files; never none.
pub(crate) fn temporary(env: &Variables) -> Vec<PathBuf> {
    match expand("${TMPDIR:-}", env) {
        Some(dir) => vec![dir],
        None => vec![PathBuf::from("/tmp"), PathBuf::from("/var/tmp")],
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, expand};
    use crate::environment::Variables;
    use ralph_core::sandbox::Sandbox;
    use std::path::{Path, PathBuf};

    fn env(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    #[test]
    fn a_path_may_depend_on_the_environment() {
        let env = env(&[("HOME", "/h"), ("SET", "/s"), ("RELATIVE", "x")]);
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(expand(path, &env), expected.map(PathBuf::from), "{path}");
        };
        check("~/.a", Some("/h/.a"));
        check("~", Some("/h"));
        check("~other/x", None);
        check("/abs", Some("/abs"));
        check("relative", None);
        check("${SET:-~/.s}/", Some("/s"));
        check("${SET:-~/.s}/opencode/", Some("/s/opencode/"));
        check("${UNSET:-~/.s}/opencode/", Some("/h/.s/opencode/"));
        check("${RELATIVE:-~/.s}", Some("/h/.s"));
        check("${UNSET:-}", None);
        check("${UNSET", None);
    }

    #[test]
    fn a_link_inside_what_may_be_written_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for part in ["tree", "tmp", "outside", "state"] {
            std::fs::create_dir(base.join(part)).unwrap();
        }
        std::os::unix::fs::symlink(base.join("outside"), base.join("tree/link")).unwrap();
        let text = |path: &str| base.join(path).to_string_lossy().into_owned();
        let env = env(&[("TMPDIR", &text("tmp")), ("HOME", &text("home"))]);
        let gather = |state: &[String], write: &[String]| {
            let sandbox = Sandbox { write: write.to_vec(), ..Sandbox::default() };
            Bounds::gather(&base.join("tree"), &base.join("state/ralph"), &env, state, &sandbox)
        };
        let bounds = gather(&["~/.agent/".to_owned(), "~/.none".to_owned()], &[text("tree/link")]);
        assert_eq!(bounds.write, ["tree", "tmp", "home/.agent"].map(|path| base.join(path)));
        assert_eq!(bounds.hidden, base.join("state/ralph"));
        assert_eq!((bounds.around_hidden(), bounds.in_hidden()), (None, None));
        let wide = gather(&[], &[text("state")]);
        assert_eq!(wide.around_hidden(), Some(&*base.join("state")));
        let nested = Bounds { hidden: base.clone(), ..wide };
        assert_eq!(nested.in_hidden().map(Path::to_owned), Some(base.join("tree")));
    }
}
