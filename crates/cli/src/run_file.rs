//! A small file beside what the agent of a run has printed, which is whole whenever it is looked at.

use std::fs;
use std::io::{ErrorKind, Result};
use std::path::PathBuf;

use ralph_core::id::RunId;
use ralph_engine::Place;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) struct RunFile(PathBuf);

impl RunFile {
    pub(crate) fn of(place: &Place, run: &RunId, name: &str) -> RunFile {
        RunFile(place.state.join("output").join(run.as_str()).join(name))
    }

    /// In the place of what was there. Hosts tell of several things at once, so each writes a draft of its own.
    pub(crate) fn replace(&self, value: &impl Serialize) -> Result<()> {
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        let draft = self.0.with_extension(format!("{}.draft", std::process::id()));
        let written = fs::write(&draft, format!("{}\n", serde_json::to_string(value)?));
        let placed = written.and_then(|()| fs::rename(&draft, &self.0));
        if placed.is_err() {
            // Why it could not be placed is what is told.
            let _left = fs::remove_file(&draft);
        }
        placed
    }

    /// None where there is none.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        match fs::read(&self.0) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn remove(&self) -> Result<()> {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }
}
