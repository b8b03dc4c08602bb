//! The agent of a person's own session, and the loop that lives there: which session calls is what its host says, and
//! nothing else.

use std::sync::{Arc, Mutex, PoisonError};

use ralph_core::assignment::Assignment;
use ralph_core::id::{AgentName, SessionId};
use ralph_core::sessions::State;
use ralph_engine::chain;
use ralph_engine::custody::RUN_MARK;
use ralph_engine::loops::Loops;
use ralph_hosts::hooked::{ALL, Dialect, Naming};
use ralph_mcp::{Caller, Code, Library, Room, Stranger};
use ralph_store::{Seat, Sessions, SqliteStore, Store, StoreError};

use crate::inside::in_a_line;
use crate::perform::redactor;
use crate::project::{Project, block_on};
use crate::settings::Given;

/// The directory where this was started.
#[derive(Debug, Default)]
pub(crate) struct Here {
    /// Calls come from several threads, and the graph of the code is kept for all of them.
    code: Mutex<Option<Arc<Code>>>,
}

impl Room for Here {
    fn task(&self, caller: &Caller) -> Result<Assignment, Stranger> {
        if std::env::var_os(RUN_MARK).is_some() {
            return Err(no_task("this agent is driven by `ralph run`, which gave it no mailbox"));
        }
        let store = store()?;
        block_on(async {
            match named(caller) {
                Some((dialect, session)) => in_session(store, dialect, &session).await,
                None => Err(unnamed(store).await?),
            }
        })
    }

    /// A project's memory may come into being at any time, and so may a person's trust in what it configures.
    fn library(&self) -> Option<Library> {
        let mut kept = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        let library = crate::library::here(kept.clone())?;
        *kept = Some(library.code.clone());
        Some(library)
    }
}

fn no_task(why: &str) -> Stranger {
    Stranger::NoTask(why.to_owned())
}

fn store() -> Result<Option<Arc<SqliteStore>>, Stranger> {
    let project =
        Project::here(Given::default()).map_err(|problems| Stranger::NoTask(in_a_line(&problems)))?;
    match SqliteStore::open_existing(&project.place.state) {
        Ok(store) => Ok(Some(Arc::new(store))),
        Err(StoreError::NoDatabase { .. }) => Ok(None),
        Err(error) => Err(Stranger::NoTask(chain(&error))),
    }
}

/// What is said with the call goes before what was said when the server was started. A variable is inherited by whatever
/// is started in a session, another host too, so a client that calls itself by the name of one is no other.
fn named(caller: &Caller) -> Option<(&'static Dialect, String)> {
    let client = caller.client.as_deref().unwrap_or_default().to_lowercase();
    let known = ALL.into_iter().find(|dialect| client.contains(dialect.name));
    let mut may_be = ALL.into_iter().filter(|dialect| known.is_none_or(|known| known.name == dialect.name));
    if let Some(session) = &caller.session {
        let dialect = may_be.find(|dialect| dialect.naming == Naming::Call)?;
        return Some((dialect, session.clone()));
    }
    may_be.find_map(|dialect| match dialect.naming {
        Naming::Variable(name) => Some((dialect, std::env::var(name).ok()?)),
        Naming::Call | Naming::Nothing => None,
    })
}

async fn in_session(
    store: Option<Arc<SqliteStore>>,
    dialect: &Dialect,
    session: &str,
) -> Result<Assignment, Stranger> {
    let session = SessionId::parse(session).map_err(|error| Stranger::NoTask(error.to_string()))?;
    let none =
        || no_task("no ralph loop lives in this session, and this agent was not started by `ralph run`");
    let store = store.ok_or_else(none)?;
    let host = AgentName::parse(dialect.name).expect("a host has a name");
    let seat = Seat { host: host.clone(), session };
    let failed = |error: StoreError| Stranger::NoTask(chain(&error));
    // One process may go on with another session, and its servers are not told.
    let known = store.session_of(&seat).await.map_err(failed)?;
    let is_over = known.is_some_and(|known| known.state == State::Completed);
    if is_over && matches!(dialect.naming, Naming::Variable(_)) {
        let loops = store.loops().await.map_err(failed)?;
        let may_be_another = loops.iter().any(|(berth, _)| berth.host.as_ref() == Some(&seat.host));
        return Err(if may_be_another {
            Stranger::Untold
        } else {
            no_task("the session that this server was started for is over; start the server again")
        });
    }
    let found = Loops::new(store, host, redactor()).assignment(&seat.session).await;
    found.map_err(|error| Stranger::NoTask(chain(&error)))?.ok_or_else(none)
}

/// Only hosts that never name a session can have a loop in the one that calls.
async fn unnamed(store: Option<Arc<SqliteStore>>) -> Result<Stranger, Stranger> {
    let none =
        no_task("this agent was not started by `ralph run`, and its host names no session with a loop");
    let Some(store) = store else { return Ok(none) };
    let loops = store.loops().await.map_err(|error| Stranger::NoTask(chain(&error)))?;
    let names_none = |host: &AgentName| {
        ralph_hosts::hooked::of(host.as_str()).is_some_and(|dialect| dialect.naming == Naming::Nothing)
    };
    let may_be_one = loops.iter().any(|(berth, _)| berth.host.as_ref().is_some_and(names_none));
    Ok(if may_be_one { Stranger::Untold } else { none })
}
