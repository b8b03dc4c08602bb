//! Turns that a run left at work on a server: whoever drove them was killed, or lost the server. Two turns in one tree undo
//! each other's work, so they end before the next one begins. A session of ralph's is known by its mark.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{CallError, Client};
use super::wire::Session;

/// The key under which a session's metadata names the run.
const KEY: &str = "ralph";
/// Until a session that was aborted is idle.
const PATIENCE: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(100);

/// What a session of this run carries.
pub(super) fn metadata(run: &str) -> Value {
    json!({ KEY: run })
}

/// The same in the title, for servers that keep no metadata.
pub(super) fn marked_title(title: &str, run: &str) -> String {
    format!("{title}{}", ending(run))
}

fn ending(run: &str) -> String {
    format!(" ({KEY} {run})")
}

pub(super) fn is_of(session: &Session, run: &str) -> bool {
    has_metadata(session, run) || session.title.ends_with(&ending(run))
}

pub(super) fn has_metadata(session: &Session, run: &str) -> bool {
    session.metadata[KEY] == run
}

/// What became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) ended: Vec<String>,
    /// They were aborted, and are at work all the same.
    pub(super) at_work: Vec<String>,
}

/// Aborts the run's turns, and waits until nobody works on them.
pub(super) async fn end(client: &Client, run: &str) -> Result<Left, CallError> {
    let mut left = Left::default();
    for id in client.statuses().await?.into_keys() {
        match client.session(&id).await {
            Ok(session) if is_of(&session, run) => {
                client.abort(&id).await?;
                left.at_work.push(id);
            }
            Ok(_) | Err(CallError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let begun = Instant::now();
    while !left.at_work.is_empty() {
        let busy = client.statuses().await?;
        let (at_work, over) = left.at_work.into_iter().partition(|id| busy.contains_key(id));
        left.at_work = at_work;
        left.ended.extend::<Vec<String>>(over);
        if left.at_work.is_empty() || begun.elapsed() > PATIENCE {
            break;
        }
        tokio::time::sleep(SOON).await;
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::{is_of, marked_title, metadata};
    use crate::opencode::wire::Session;
    use serde_json::{Value, json};

    #[test]
    fn a_session_is_known_by_its_run() {
        let session = |title: &str, metadata: &Value| -> Session {
            let session = json!({ "id": "s", "time": {}, "title": title, "metadata": metadata });
            serde_json::from_value(session).unwrap()
        };
        assert!(is_of(&session("t", &metadata("r1")), "r1"));
        assert!(is_of(&session(&marked_title("t", "r1"), &Value::Null), "r1"));
        for other in [session("t", &metadata("r2")), session("about (ralph r1) and more", &Value::Null)] {
            assert!(!is_of(&other, "r1"), "{other:?}");
        }
        let bare: Session = serde_json::from_value(json!({ "id": "s", "time": {} })).unwrap();
        assert!(!is_of(&bare, ""), "no run is none");
    }
}
