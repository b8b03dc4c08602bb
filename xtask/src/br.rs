//! A real `br` from the registry, built without optimisation: it is tried, not used.

use std::path::{Path, PathBuf};

use crate::cargo::{cargo, succeed};

/// One that builds with this project's toolchain, which 0.7.6 does not: a dependency of it wants a newer one.
const VERSION: &str = "0.1.45";

/// Builds it under a target directory, unless it is there already, and answers where it is.
pub(crate) fn install(target: &Path) -> anyhow::Result<PathBuf> {
    let root = std::path::absolute(target)?.join("br").join(VERSION);
    let program = root.join("bin/br");
    if !program.is_file() {
        let mut install = cargo();
        install.args(["install", "beads_rust", "--version", VERSION, "--locked", "--debug"]);
        install.arg("--no-default-features").arg("--root").arg(&root);
        install.env("CARGO_TARGET_DIR", root.join("build"));
        succeed(install.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
        std::fs::remove_dir_all(root.join("build"))?;
    }
    Ok(program)
}
