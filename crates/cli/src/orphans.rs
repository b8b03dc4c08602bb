//! Loops whose session is gone: nobody would ever go on with them.

use std::io::ErrorKind;
use std::path::Path;

use ralph_core::id::SessionId;
use ralph_engine::chain;
use ralph_engine::loops::Loops;
use ralph_hosts::hooked::Dialect;
use ralph_store::{Seat, Sessions, SqliteStore};

/// How many of them are looked after at a time.
const LOOKED_AFTER: usize = 5;

/// Ends the loops of other sessions that are known not to exist any more. Only a host that keeps a session in one file
/// can be asked so, and only where that file was seen before: whatever cannot be looked at is left alone.
pub(crate) async fn clear(
    dialect: &Dialect,
    loops: &Loops<SqliteStore>,
    store: &SqliteStore,
    here: &Seat,
) -> Result<(), String> {
    if !dialect.is_its_transcript {
        return Ok(());
    }
    let seen = loops.look(&here.session).await.map_err(|error| chain(&error))?;
    for session in seen.elsewhere.into_iter().take(LOOKED_AFTER) {
        if is_gone(store, here, &session).await? {
            let why = "the session is gone: the file that its conversation was kept in was deleted";
            loops.aborted(&session, why).await.map_err(|error| chain(&error))?;
        }
    }
    Ok(())
}

async fn is_gone(store: &SqliteStore, here: &Seat, session: &SessionId) -> Result<bool, String> {
    let seat = Seat { host: here.host.clone(), session: session.clone() };
    let known = store.session_of(&seat).await.map_err(|error| chain(&error))?;
    Ok(known.and_then(|known| known.transcript).is_some_and(|path| was_deleted(Path::new(&path))))
}

/// A file whose folder is not there either may be on a disk that is not.
fn was_deleted(path: &Path) -> bool {
    let is_missing = path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    is_missing && path.parent().is_some_and(Path::is_dir)
}
