//! What goes into a brief: few notes, each of which has earned its place.

mod choose;
mod earns;
mod gather;
mod hydration;
mod item;
mod need;
mod worded;

use ralph_core::Timestamp;
use ralph_store::{Notes, StoreError};

use crate::shelves::Shelves;
use choose::choose;
pub(crate) use earns::telling;

pub use hydration::{Hydration, LeftOut, Omission, Section, Taken};
pub(crate) use item::counted;
pub use need::{Allowance, Holdout, Need};
pub use worded::Worded;

/// Chooses the notes for a brief: those that its task may see, without what others have taken the place of. Nothing
/// is taken to fill the room that there is.
pub async fn hydrate(
    shelves: &Shelves<'_, impl Notes>,
    need: &Need,
    allowance: &Allowance,
    holdout: Option<Holdout>,
    now: Timestamp,
) -> Result<Hydration, StoreError> {
    let found = gather::candidates(shelves, need, allowance, now).await?;
    Ok(choose(found, need, allowance, holdout, now))
}
