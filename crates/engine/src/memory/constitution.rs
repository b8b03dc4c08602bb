//! What holds for all work in a project: `.ralph/constitution.md`, in every brief.
//!
//! Agents may write anything in the tree. So a run goes on with the text that it began with; another one waits until a
//! person has looked at it, in this run and in those after it, also where the run did not live to see it.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ralph_store::{Store, StoreError};

use super::in_force::{is_suspect, settle};
use crate::drive::Drive;
use crate::error::{EngineError, chain};

/// Below the project's root.
pub const CONSTITUTION: &str = ".ralph/constitution.md";

/// A page or two; what is longer is no constitution.
const LONGEST: u64 = 32 << 10;

/// In place of a digest, where there is nothing any more.
pub(super) const GONE: &str = "gone";

/// In place of a digest, where the run began with one that a person has to look at first, and none holds.
pub(super) const WAITS: &str = "waits";

/// Under which a person's trust in a constitution is kept. It is the project's, as the store is: what was written in one
/// tree of it is as suspect in the others.
pub const TRUSTED: &str = "#constitution";

/// Under which the digest of one is kept that was written while an agent was at work.
pub(super) const SUSPECT: &str = "#constitution-changed";

/// The digest of a project's constitution; none where there is none that can be read.
pub(super) fn digest_of(root: &Path) -> Option<String> {
    let digest = digest(&read(&root.join(CONSTITUTION)).ok()?);
    (!digest.is_empty()).then_some(digest)
}

/// The digest of a project's constitution that was changed while an agent was at work, trusted or not.
pub async fn changed(store: &impl Store, root: &Path) -> Result<Option<String>, StoreError> {
    let Some(digest) = digest_of(root) else { return Ok(None) };
    Ok(is_suspect(store, root, &digest).await?.then_some(digest))
}

/// The constitution as it is told outside of a run; empty where there is none, or one that a person has to look at first.
/// Where nothing was ever stored of a project, no agent was at work in it.
pub async fn as_told(store: Option<&impl Store>, root: &Path) -> Result<String, StoreError> {
    let text = read(&root.join(CONSTITUTION)).unwrap_or_default();
    let Some(store) = store else { return Ok(headed(text.trim())) };
    let digest = digest(&text);
    if digest.is_empty() {
        return Ok(String::new());
    }
    if is_suspect(store, root, &digest).await? && !store.is_trusted(TRUSTED, &digest).await? {
        return Ok(String::new());
    }
    Ok(headed(text.trim()))
}

fn headed(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("# What holds here\n\n{text}\n") }
}

impl<S: Store + 'static> Drive<S> {
    /// The constitution of this run, with its heading; empty where there is none.
    pub(super) async fn constitution(&mut self) -> Result<String, EngineError> {
        let now = match read(&self.parts.place.root.join(CONSTITUTION)) {
            Ok(text) => text,
            Err(error) => {
                self.tell_once(&format!("{CONSTITUTION} is not in the briefs: {error}"));
                String::new()
            }
        };
        let held = self.hold(&now).await;
        let text = match held {
            Ok(text) => text,
            Err(error) => {
                self.tell_once(&format!("{CONSTITUTION} is not in the briefs: {}", chain(&error)));
                String::new()
            }
        };
        let text = self.parts.redactor.text(text.trim());
        Ok(headed(&text))
    }

    /// An attempt is over: what its agent made of the constitution is noticed, whether or not another brief follows.
    pub(crate) async fn mind_constitution(&mut self) -> Result<(), EngineError> {
        if self.run.constitution.is_some() {
            self.constitution().await?;
        }
        Ok(())
    }

    /// The text that counts, given the one that is there.
    async fn hold(&mut self, now: &str) -> Result<String, StoreError> {
        let digest = digest(now);
        let store = self.notes().clone();
        let trusted = store.is_trusted(TRUSTED, &digest).await?;
        let Some(begun) = self.run.constitution.clone() else {
            let root = self.parts.place.root.clone();
            settle(&*store, &root, self.now().at).await?;
            if digest.is_empty() && is_suspect(&*store, &root, GONE).await? {
                self.tell_once(&format!(
                    "{CONSTITUTION} was removed while an agent was at work; nothing holds now"
                ));
            }
            if !digest.is_empty() && !trusted && is_suspect(&*store, &root, &digest).await? {
                self.tell_once(&awaits_trust());
                self.run.constitution = Some(WAITS.to_owned());
                return Ok(String::new());
            }
            self.set_down(&digest, now);
            return Ok(now.to_owned());
        };
        if digest == begun {
            return Ok(now.to_owned());
        }
        if trusted {
            self.set_down(&digest, now);
            return Ok(now.to_owned());
        }
        if begun == WAITS && digest.is_empty() {
            return Ok(String::new());
        }
        let seen = if digest.is_empty() { GONE } else { digest.as_str() };
        store.grant(SUSPECT, seen, self.now().at).await?;
        if begun == WAITS {
            self.tell_once(&awaits_trust());
            return Ok(String::new());
        }
        self.tell_once(&format!(
            "{CONSTITUTION} is not what it was when the run began; what it was goes on holding until `ralph trust`"
        ));
        let copy = read(&self.copy()).unwrap_or_default();
        Ok(if digest_is(&copy, &begun) { copy } else { String::new() })
    }

    /// This one counts from now on.
    fn set_down(&mut self, digest: &str, text: &str) {
        self.run.constitution = Some(digest.to_owned());
        if digest.is_empty() {
            return;
        }
        if let Err(error) = write(&self.copy(), text) {
            self.tell_once(&format!("a copy of {CONSTITUTION} cannot be kept: {error}"));
        }
    }

    fn copy(&self) -> PathBuf {
        self.parts.place.state.join("output").join(self.run.id.as_str()).join("constitution.md")
    }
}

fn awaits_trust() -> String {
    format!(
        "{CONSTITUTION} was changed while an agent was at work, and is not in the briefs: look at it, then `ralph trust`"
    )
}

fn digest_is(text: &str, wanted: &str) -> bool {
    digest(text) == wanted
}

/// Empty where there is nothing.
fn digest(text: &str) -> String {
    if text.trim().is_empty() {
        String::new()
    } else {
        blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// Empty where there is no such file. A link leads anywhere, so none is followed.
fn read(path: &Path) -> io::Result<String> {
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(io::Error::other(format!("it is no file of at most {} KiB", LONGEST >> 10)));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}
