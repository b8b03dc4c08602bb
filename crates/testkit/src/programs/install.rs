//! Getting the programs, each under its own name.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Program;
use crate::packages::{InstallError, Pins, prepare};

const PINS: Pins = Pins {
    cache: "agents",
    manifest: include_str!("../../../../tests/agents/package.json"),
    lock: include_str!("../../../../tests/agents/package-lock.json"),
};

/// The installed programs, in one directory under their own names, fit for a `PATH`.
#[derive(Debug, Clone)]
pub struct Programs {
    bin: PathBuf,
}

/// Installs the pinned programs under a cargo target directory, unless they are there already. Others who ask
/// meanwhile wait.
pub fn install(target: &Path) -> Result<Programs, InstallError> {
    let bin = |directory: &Path| directory.join("bin");
    let directory = PINS.install(target, |directory| link(directory, &bin(directory)))?;
    Ok(Programs { bin: bin(&directory) })
}

impl Programs {
    /// The directory that holds a program of each name.
    pub fn bin(&self) -> &Path {
        &self.bin
    }

    pub fn path(&self, program: Program) -> PathBuf {
        self.bin.join(program.name())
    }

    /// The version that the lock pins.
    pub fn version(&self, program: Program) -> String {
        PINS.version(program.package())
    }
}

/// The cargo target directory that the running test or program was built in, or else the one in the environment.
///
/// # Panics
/// If there is neither.
pub fn target_dir() -> PathBuf {
    let program = std::env::current_exe().expect("a running program has a path");
    let built_in = program.ancestors().find(|directory| directory.join("CACHEDIR.TAG").exists());
    built_in
        .map(Path::to_owned)
        .or_else(|| std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from))
        .expect("this runs from a cargo target directory, or CARGO_TARGET_DIR is set")
}

fn link(directory: &Path, bin: &Path) -> Result<(), InstallError> {
    if bin.exists() {
        fs::remove_dir_all(bin).map_err(prepare(bin))?;
    }
    fs::create_dir(bin).map_err(prepare(bin))?;
    for program in Program::ALL {
        let path = directory.join("node_modules").join(executable(program));
        if !path.exists() {
            return Err(InstallError::Missing { program: program.name(), path, directory: directory.into() });
        }
        // Relative, so that a target directory can be moved and copied.
        let target = Path::new("../node_modules").join(executable(program));
        symlink(target, bin.join(program.name())).map_err(prepare(bin))?;
    }
    Ok(())
}

/// The native program itself where there is one: a wrapper that is killed leaves it running.
fn executable(program: Program) -> String {
    let (machine, triple) = match std::env::consts::ARCH {
        "aarch64" => ("arm64", "aarch64-unknown-linux-musl"),
        _ => ("x64", "x86_64-unknown-linux-musl"),
    };
    match program {
        Program::Claude => format!("@anthropic-ai/claude-code-linux-{machine}/claude"),
        Program::Codex => format!("@openai/codex-linux-{machine}/vendor/{triple}/bin/codex"),
        Program::OpenCode => format!("opencode-linux-{machine}/bin/opencode"),
        Program::Gemini => ".bin/gemini".into(),
        Program::Qwen => ".bin/qwen".into(),
    }
}
