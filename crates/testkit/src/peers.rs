//! The real ralph-tui, pinned in `tests/peers` with the bun that runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::packages::{InstallError, Pins};

const PINS: Pins = Pins {
    cache: "peers",
    manifest: include_str!("../../../tests/peers/package.json"),
    lock: include_str!("../../../tests/peers/package-lock.json"),
};

/// An installed ralph-tui.
#[derive(Debug, Clone)]
pub struct RalphTui {
    bun: PathBuf,
    script: PathBuf,
}

/// Installs ralph-tui under a cargo target directory, unless it is there already. Others who ask meanwhile wait.
pub fn install_ralph_tui(target: &Path) -> Result<RalphTui, InstallError> {
    let directory = PINS.install(target, |directory| found_in(directory).map(drop))?;
    found_in(&directory)
}

impl RalphTui {
    /// What starts it in a directory with a home of its own, and nothing inherited.
    pub fn command(&self, directory: &Path, home: &Path) -> Command {
        let mut command = Command::new(&self.bun);
        command.arg(&self.script).current_dir(directory).stdin(Stdio::null());
        command.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    /// The version that the lock pins.
    pub fn version(&self) -> String {
        PINS.version("ralph-tui")
    }
}

fn found_in(directory: &Path) -> Result<RalphTui, InstallError> {
    let machine = if std::env::consts::ARCH == "aarch64" { "aarch64" } else { "x64" };
    let at = |program, below: &str| {
        let path = directory.join("node_modules").join(below);
        let missing = || InstallError::Missing { program, path: path.clone(), directory: directory.into() };
        if path.is_file() { Ok(path) } else { Err(missing()) }
    };
    Ok(RalphTui {
        bun: at("bun", &format!("@oven/bun-linux-{machine}/bin/bun"))?,
        script: at("ralph-tui", "ralph-tui/dist/cli.js")?,
    })
}
