//! When ralph can no longer write where it should: what is in memory goes aside, and its path is told.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ralph_store::Store;

use crate::drive::Drive;
use crate::error::EngineError;

impl<S: Store + 'static> Drive<S> {
    /// Only a vanished state directory loses what was already written; everything else can be resumed.
    pub(crate) fn rescue(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::StateVanished { path } => EngineError::StateLost { path, rescued: self.dump() },
            other => other,
        }
    }

    fn dump(&self) -> Option<PathBuf> {
        let contents = serde_json::json!({
            "what": "the last state of a run whose state directory was removed",
            "root": self.parts.place.root,
            "run": self.run,
            "not_yet_journalled": self.run.fresh,
        });
        // A name that nobody can have prepared, in a directory that others may write to.
        let name = format!("ralph-{}-rescued-{:08x}.json", self.run.id, crate::entropy() as u32);
        self.parts.rescue.iter().map(|dir| dir.join(&name)).find(|path| write(path, &contents).is_ok())
    }
}

fn write(path: &Path, contents: &serde_json::Value) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&serde_json::to_vec_pretty(contents)?)?;
    file.sync_all()
}
