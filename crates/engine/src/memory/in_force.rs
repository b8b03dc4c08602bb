//! Which constitution was in force when an agent was put to work, kept with the project until nobody is at work any more.
//!
//! A run that is killed never looks at what its agent made of the constitution. Whoever finds this set knows that, and
//! by what it says, whether the text is another one.

use std::path::Path;

use ralph_core::Timestamp;
use ralph_store::{Store, StoreError};

use super::constitution::{GONE, SUSPECT, TRUSTED, WAITS, digest_of};
use crate::drive::Drive;
use crate::error::chain;

/// Before the tree that it is of: each may have an agent at work.
const IN_FORCE: &str = "#constitution-in-force:";

fn key(root: &Path) -> String {
    format!("{IN_FORCE}{}", root.display())
}

fn there(root: &Path) -> String {
    digest_of(root).unwrap_or_else(|| GONE.to_owned())
}

/// Whether what is there was not in force; that there is still none where none held says nothing.
fn differs(held: &str, now: &str) -> bool {
    now != held && !(held == WAITS && now == GONE)
}

/// Whether such a text was written while an agent was at work, in this tree of the project or in another one.
pub(super) async fn is_suspect(store: &impl Store, root: &Path, seen: &str) -> Result<bool, StoreError> {
    if store.is_trusted(SUSPECT, seen).await? {
        return Ok(true);
    }
    let own = key(root);
    let at_work = store.trusted().await?;
    Ok(at_work.iter().any(|kept| match kept.what.strip_prefix(IN_FORCE) {
        Some(_) if kept.what == own => differs(&kept.hash, seen),
        Some(other) => seen != GONE && differs(&kept.hash, seen) && there(Path::new(other)) == seen,
        None => false,
    }))
}

/// Nobody is at work in this tree: what was made of the constitution since the last one began is looked at.
pub(super) async fn settle(store: &impl Store, root: &Path, at: Timestamp) -> Result<(), StoreError> {
    let own = key(root);
    let Some(kept) = store.trusted().await?.into_iter().find(|kept| kept.what == own) else { return Ok(()) };
    let now = there(root);
    if differs(&kept.hash, &now) && !store.is_trusted(TRUSTED, &now).await? {
        store.grant(SUSPECT, &now, at).await?;
    }
    store.revoke(&own).await?;
    Ok(())
}

impl<S: Store + 'static> Drive<S> {
    /// An agent is put to work. It is written once for all attempts that follow each other without a rest.
    pub(crate) async fn put_in_force(&mut self) {
        let Some(begun) = &self.run.constitution else { return };
        let held = if begun.is_empty() { GONE.to_owned() } else { begun.clone() };
        if self.in_force.as_ref() == Some(&held) {
            return;
        }
        match self.notes().grant(&key(&self.parts.place.root), &held, self.now().at).await {
            Ok(()) => self.in_force = Some(held),
            Err(error) => self.tell_once(&format!(
                "what is made of the constitution is not noticed if this run is killed: {}",
                chain(&error)
            )),
        }
    }

    /// The run rests or is over.
    pub(crate) async fn lay_down(&mut self) {
        if self.in_force.take().is_some() {
            // It stays set where this fails, and the text then has to be looked at.
            let _set = settle(&**self.notes(), &self.parts.place.root, self.now().at).await;
        }
    }
}
