//! Bubblewrap: namespaces in which the file system is read-only but for what is bound in again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::bounds::Bounds;

pub(super) const PROGRAM: &str = "bwrap";

#[derive(Debug, thiserror::Error)]
pub(super) enum BubblewrapError {
    #[error("there is no program `{PROGRAM}` on the search path")]
    Missing,
    #[error("`{PROGRAM}` cannot make a sandbox here: {0}")]
    Refused(String),
}

/// Where it is, once it has shown that it can make such a sandbox here.
pub(super) fn available(bounds: &Bounds) -> Result<PathBuf, BubblewrapError> {
    let program = find().ok_or(BubblewrapError::Missing)?;
    let tried = Command::new(&program)
        .args(arguments(bounds))
        .args(["--", "true"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| BubblewrapError::Refused(error.to_string()))?;
    if tried.status.success() {
        return Ok(program);
    }
    let said = String::from_utf8_lossy(&tried.stderr);
    let why = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it does not say why");
    Err(BubblewrapError::Refused(why.trim_start_matches("bwrap: ").to_owned()))
}

pub(super) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_program =
        |file: &PathBuf| nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_ok() && file.is_file();
    std::env::split_paths(&path).map(|dir| dir.join(PROGRAM)).find(is_program)
}

/// Later ones cover earlier ones: what is hidden comes after everything that may be written.
///
/// The process namespace also shuts the way through `/proc/PID/root` of a process outside.
pub(super) fn arguments(bounds: &Bounds) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        ["--unshare-user", "--unshare-pid", "--cap-drop", "ALL"].map(Into::into).to_vec();
    if !bounds.network {
        args.push("--unshare-net".into());
    }
    args.extend(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"].map(Into::into));
    for path in &bounds.write {
        args.extend(["--bind".into(), path.into(), path.into()]);
    }
    if bounds.hidden.is_dir() {
        args.extend(["--tmpfs".into(), bounds.hidden.clone().into()]);
        if let Some(shown) = &bounds.shown {
            args.extend(["--ro-bind".into(), shown.into(), shown.into()]);
        }
        args.extend(["--remount-ro".into(), bounds.hidden.clone().into()]);
    }
    args
}

/// The agent's working directory, as a path that is the same inside.
pub(super) fn in_directory(dir: &Path) -> [OsString; 2] {
    ["--chdir".into(), dir.into()]
}
