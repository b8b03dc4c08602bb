//! Getting the programs once, however many tests ask at the same time.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Program;

const MANIFEST: &str = include_str!("../../../../tests/agents/package.json");
const LOCK: &str = include_str!("../../../../tests/agents/package-lock.json");
/// Written last; without it an installation was cut short.
const COMPLETE: &str = "complete";

/// The installed programs, in one directory under their own names, fit for a `PATH`.
#[derive(Debug, Clone)]
pub struct Programs {
    bin: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("cannot prepare {path}")]
    Prepare { path: PathBuf, source: io::Error },
    #[error("npm does not start: install Node.js 20 or later with npm, and put both on the PATH")]
    NoNpm { source: io::Error },
    #[error(
        "npm ci failed in {directory}: look whether the configured registry can be reached (`npm ping`), then try \
         again\n{stderr}"
    )]
    Npm { directory: PathBuf, stderr: String },
    #[error(
        "{program} is not at {path} after npm ci: its package has no build for this machine, or the layout changed; \
         compare with `npm ls --all` in {directory}"
    )]
    Missing { program: &'static str, path: PathBuf, directory: PathBuf },
}

/// Installs the pinned programs under a cargo target directory, unless they are there already. Others who ask
/// meanwhile wait.
pub fn install(target: &Path) -> Result<Programs, InstallError> {
    let key = blake3::hash([MANIFEST, LOCK].concat().as_bytes()).to_hex();
    let prepare = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Prepare { path, source }
    };
    // Programs are started from other directories.
    let target = std::path::absolute(target).map_err(prepare(target))?;
    let directory = target.join("agents").join(&key[..16]);
    fs::create_dir_all(&directory).map_err(prepare(&directory))?;
    let guard_path = directory.join("lock");
    let guard = File::create(&guard_path).map_err(prepare(&guard_path))?;
    guard.lock().map_err(prepare(&guard_path))?;
    let programs = Programs { bin: directory.join("bin") };
    if !directory.join(COMPLETE).exists() {
        for (name, text) in [("package.json", MANIFEST), ("package-lock.json", LOCK)] {
            fs::write(directory.join(name), text).map_err(prepare(&directory.join(name)))?;
        }
        npm_ci(&directory)?;
        link(&directory, &programs.bin)?;
        fs::write(directory.join(COMPLETE), "").map_err(prepare(&directory.join(COMPLETE)))?;
    }
    // Closing the file lets the next one in.
    drop(guard);
    Ok(programs)
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
    ///
    /// # Panics
    /// If the lock does not name the program: it is part of this crate.
    pub fn version(&self, program: Program) -> String {
        let lock: Value = serde_json::from_str(LOCK).expect("the lock is JSON");
        lock["packages"][format!("node_modules/{}", program.package())]["version"]
            .as_str()
            .expect("the lock names every program")
            .to_owned()
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

/// Without the packages' scripts: they only move the native programs to where the wrappers look for them.
fn npm_ci(directory: &Path) -> Result<(), InstallError> {
    let output = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=5"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| InstallError::NoNpm { source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(InstallError::Npm {
        directory: directory.into(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn link(directory: &Path, bin: &Path) -> Result<(), InstallError> {
    let prepare = |source| InstallError::Prepare { path: bin.into(), source };
    if bin.exists() {
        fs::remove_dir_all(bin).map_err(prepare)?;
    }
    fs::create_dir(bin).map_err(prepare)?;
    for program in Program::ALL {
        let path = directory.join("node_modules").join(executable(program));
        if !path.exists() {
            return Err(InstallError::Missing { program: program.name(), path, directory: directory.into() });
        }
        // Relative, so that a target directory can be moved and copied.
        let target = Path::new("../node_modules").join(executable(program));
        symlink(target, bin.join(program.name())).map_err(prepare)?;
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
