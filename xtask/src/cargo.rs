//! How cargo is called from inside cargo, and where it puts what it builds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

/// The workspace that this program was built from.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the workspace").to_owned()
}

/// Cargo in the workspace, without what the outer cargo says about xtask itself.
pub(crate) fn cargo() -> Command {
    in_workspace(Command::new(program()))
}

/// The same, giving way to everything else on the machine.
pub(crate) fn patient_cargo() -> Command {
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(program());
    in_workspace(command)
}

fn program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn in_workspace(mut command: Command) -> Command {
    command.current_dir(root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_of_xtask = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
        if is_of_xtask.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command whose output people and CI read as it comes.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    ensure!(status.success(), "{} ended with {status}", line(command));
    Ok(())
}

/// The command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let args = command.get_args().map(|arg| arg.to_string_lossy());
    std::iter::once(program).chain(args).collect::<Vec<_>>().join(" ")
}

/// The directory that cargo builds into.
pub(crate) fn target() -> anyhow::Result<PathBuf> {
    let out = cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline"]).output()?;
    ensure!(out.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&out.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(PathBuf::from(target))
}

/// What builds the program as a user would.
pub(crate) const RELEASE: [&str; 5] = ["build", "--release", "--locked", "-p", "ralph-cli"];

/// Builds the program as a user would and says where it is.
pub(crate) fn release_binary() -> anyhow::Result<PathBuf> {
    succeed(cargo().args(RELEASE))?;
    Ok(target()?.join("release/ralph"))
}

/// Whether a program can be started by this name.
pub(crate) fn has(program: &str) -> bool {
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&dirs).any(|dir| dir.join(program).is_file())
}

/// Whether cargo knows this subcommand.
pub(crate) fn has_subcommand(name: &str) -> bool {
    let asked = cargo().args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
