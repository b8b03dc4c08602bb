//! `ralph init`: a project file with every setting in it as a comment.

use std::fs::{OpenOptions, create_dir_all};
use std::io::{ErrorKind, Write};
use std::path::Path;

use clap::Args;

use crate::problem::{Place, Problem};
use crate::settings::{GITIGNORE, project_root, template};

/// Write .ralph/config.toml with every setting as a comment
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ralph init && ralph config check")]
pub(crate) struct InitArgs {}

impl InitArgs {
    /// What to print.
    pub(crate) fn run(&self, start: &Path) -> Result<String, Problem> {
        let failed = |path: &Path, e: std::io::Error| {
            Problem::new(format!("cannot set the project up: {e}")).at(Place::from(path.to_owned())).exit(1)
        };
        let dir = project_root(start).map_err(|e| failed(start, e))?.join(".ralph");
        create_dir_all(&dir).map_err(|e| failed(&dir, e))?;
        let mut told = String::new();
        for (name, text) in [("config.toml", template()), (".gitignore", GITIGNORE.to_owned())] {
            let path = dir.join(name);
            let is_new = write_new(&path, &text).map_err(|e| failed(&path, e))?;
            let what = if is_new { "wrote" } else { "left as it is:" };
            told += &format!("{what} {}\n", path.display());
        }
        Ok(told)
    }
}

/// Whether there was none: what is there is never written over.
fn write_new(path: &Path, text: &str) -> std::io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e),
    }
}
