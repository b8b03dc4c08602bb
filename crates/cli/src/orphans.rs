//! Loops whose session is gone: nobody would ever go on with them.

use std::io::ErrorKind;
use std::path::Path;

use ralph_core::id::SessionId;
use ralph_engine::chain;
use ralph_engine::loops::Loops;
use ralph_hosts::hooked::Dialect;
use ralph_store::{Seat, Sessions, SqliteStore};

/// How many of them are ended at a time.
const LOOKED_AFTER: usize = 5;

/// Ends the loops of other sessions that are known not to exist any more. Only a host that keeps a session in one file
/// can be asked so, and only where that file was seen before: whatever cannot be looked at is left alone, with a line on
/// standard error, for the session that is here goes on.
pub(crate) async fn clear(dialect: &Dialect, loops: &Loops<SqliteStore>, store: &SqliteStore, here: &Seat) {
    if !dialect.is_its_transcript {
        return;
    }
    let elsewhere = match loops.look(&here.session).await {
        Ok(seen) => seen.elsewhere,
        Err(error) => return eprintln!("ralph: other sessions are not looked after: {}", chain(&error)),
    };
    let mut ended = 0;
    for session in elsewhere {
        match end_if_gone(loops, store, here, &session).await {
            Ok(was_gone) => ended += usize::from(was_gone),
            Err(why) => eprintln!("ralph: session {session} is not looked after: {why}"),
        }
        if ended == LOOKED_AFTER {
            return;
        }
    }
}

async fn end_if_gone(
    loops: &Loops<SqliteStore>,
    store: &SqliteStore,
    here: &Seat,
    session: &SessionId,
) -> Result<bool, String> {
    let is_gone = is_gone(store, here, session).await?;
    if is_gone {
        let why = "the session is gone: the file that its conversation was kept in was deleted";
        loops.aborted(session, why).await.map_err(|error| chain(&error))?;
    }
    Ok(is_gone)
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
