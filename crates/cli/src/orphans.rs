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
    let gone = match gone(loops, store, here).await {
        Ok(gone) => gone,
        Err(why) => return eprintln!("ralph: other sessions are not looked after: {why}"),
    };
    for session in gone.iter().take(LOOKED_AFTER) {
        let why = "the session is gone: the file that its conversation was kept in was deleted";
        if let Err(error) = loops.aborted(session, why).await {
            eprintln!("ralph: session {session} is not looked after: {}", chain(&error));
        }
    }
}

/// In two looks, however many loops there are: a host waits for this.
async fn gone(
    loops: &Loops<SqliteStore>,
    store: &SqliteStore,
    here: &Seat,
) -> Result<Vec<SessionId>, String> {
    let elsewhere = loops.look(&here.session).await.map_err(|error| chain(&error))?.elsewhere;
    if elsewhere.is_empty() {
        return Ok(elsewhere);
    }
    let kept = store.transcripts(&here.host).await.map_err(|error| chain(&error))?;
    let is_gone = |session: &SessionId| kept.get(session).is_some_and(|path| was_deleted(Path::new(path)));
    Ok(elsewhere.into_iter().filter(is_gone).collect())
}

/// A file whose folder is not there either may be on a disk that is not.
fn was_deleted(path: &Path) -> bool {
    let is_missing = path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    is_missing && path.parent().is_some_and(Path::is_dir)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ralph_core::id::{AgentName, SessionId};
    use ralph_core::redact::Redactor;
    use ralph_engine::loops::{LoopOptions, Loops};
    use ralph_hosts::hooked::CLAUDE;
    use ralph_store::{Seat, SqliteStore};

    use super::clear;

    #[tokio::test]
    async fn however_many_loops_there_are_it_takes_two_looks() {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let host = AgentName::parse(CLAUDE.name).unwrap();
        let loops = Loops::new(store.clone(), host.clone(), Redactor::new([]));
        for n in 0..30 {
            assert!(loops.start_loop(&format!("s-{n}"), "fix it", LoopOptions::default()).await.unwrap());
        }
        let here = Seat { host, session: SessionId::parse("here").unwrap() };
        let before = store.stats().reads;
        clear(&CLAUDE, &loops, &store, &here).await;
        assert_eq!(store.stats().reads - before, 2);
    }
}
