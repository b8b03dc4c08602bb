//! Packages pinned by a lock file, installed once however many tests ask at the same time.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Written last; without it an installation was cut short.
const COMPLETE: &str = "complete";

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

/// A manifest with its lock, and the name of the cache that they are installed in.
pub(crate) struct Pins {
    pub(crate) cache: &'static str,
    pub(crate) manifest: &'static str,
    pub(crate) lock: &'static str,
}

impl Pins {
    /// Installs the packages under a cargo target directory, unless they are there already, and answers where.
    /// `finish` has its turn with a new installation before it counts as whole. Others who ask meanwhile wait.
    pub(crate) fn install(
        &self,
        target: &Path,
        finish: impl FnOnce(&Path) -> Result<(), InstallError>,
    ) -> Result<PathBuf, InstallError> {
        let key = blake3::hash([self.manifest, self.lock].concat().as_bytes()).to_hex();
        // Programs are started from other directories.
        let target = std::path::absolute(target).map_err(prepare(target))?;
        let directory = target.join(self.cache).join(&key[..16]);
        fs::create_dir_all(&directory).map_err(prepare(&directory))?;
        let guard_path = directory.join("lock");
        let guard = File::create(&guard_path).map_err(prepare(&guard_path))?;
        guard.lock().map_err(prepare(&guard_path))?;
        if !directory.join(COMPLETE).exists() {
            for (name, text) in [("package.json", self.manifest), ("package-lock.json", self.lock)] {
                fs::write(directory.join(name), text).map_err(prepare(&directory.join(name)))?;
            }
            npm_ci(&directory)?;
            finish(&directory)?;
            fs::write(directory.join(COMPLETE), "").map_err(prepare(&directory.join(COMPLETE)))?;
        }
        // Closing the file lets the next one in.
        drop(guard);
        Ok(directory)
    }

    /// The version that the lock pins.
    ///
    /// # Panics
    /// If the lock does not name the package: it is part of this crate.
    pub(crate) fn version(&self, package: &str) -> String {
        let lock: Value = serde_json::from_str(self.lock).expect("the lock is JSON");
        lock["packages"][format!("node_modules/{package}")]["version"]
            .as_str()
            .expect("the lock names every package that is asked for")
            .to_owned()
    }
}

pub(crate) fn prepare(path: &Path) -> impl FnOnce(io::Error) -> InstallError + use<> {
    let path = path.to_owned();
    move |source| InstallError::Prepare { path, source }
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
