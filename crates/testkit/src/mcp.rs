//! The official client of the Model Context Protocol, pinned in `tests/mcp`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::packages::{InstallError, Pins};

const PINS: Pins = Pins {
    cache: "mcp",
    manifest: include_str!("../../../tests/mcp/package.json"),
    lock: include_str!("../../../tests/mcp/package-lock.json"),
};

const SCRIPT: &str = include_str!("../../../tests/mcp/client.cjs");

/// The installed client.
#[derive(Debug, Clone)]
pub struct McpClient {
    modules: PathBuf,
}

/// Installs the client under a cargo target directory, unless it is there already. Others who ask meanwhile wait.
pub fn install_mcp_client(target: &Path) -> Result<McpClient, InstallError> {
    let modules = |directory: &Path| directory.join("node_modules");
    let found = |directory: &Path| {
        let path = modules(directory).join("@modelcontextprotocol/sdk/package.json");
        let missing = || InstallError::Missing {
            program: "the client",
            path: path.clone(),
            directory: directory.into(),
        };
        if path.is_file() { Ok(()) } else { Err(missing()) }
    };
    let directory = PINS.install(target, found)?;
    Ok(McpClient { modules: modules(&directory) })
}

impl McpClient {
    /// What plays a script of steps, given as JSON, and prints what came back.
    pub fn command(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command.args(["--input-type=commonjs", "-e", SCRIPT, script]).stdin(Stdio::null());
        command.env("NODE_PATH", &self.modules);
        command
    }

    /// The version that the lock pins.
    pub fn version(&self) -> String {
        PINS.version("@modelcontextprotocol/sdk")
    }
}
