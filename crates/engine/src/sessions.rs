//! Sessions of hosts: what happens in them is remembered, and they can be gone on with.

use std::path::Path;

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{MemoryEvent, Source, Used};
use ralph_core::redact::Redactor;
use ralph_core::sessions::{Hydration, LAST, Message, Mode, Session, What};
use ralph_core::task::Task;
use ralph_store::{Noted, Observation, Seat, Sessions, Store, StoreError};

use crate::session::Standing;

/// Something that a host tells of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told<'a> {
    pub seat: Seat,
    pub directory: &'a Path,
    pub what: What,
    /// None where nothing is said of it.
    pub mode: Option<Mode>,
    /// Where the conversation is kept, which was seen to be there.
    pub transcript: Option<&'a Path>,
    /// A tool that was used for a loop, which is remembered with its run and iteration.
    pub used: Option<ForLoop<'a>>,
}

/// A tool that was used for the loop that lives in the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForLoop<'a> {
    pub used: &'a Used,
    pub standing: &'a Standing,
    /// Of the project.
    pub root: &'a Path,
}

impl<'a> Told<'a> {
    pub fn new(seat: Seat, directory: &'a Path, what: What) -> Told<'a> {
        Told { seat, directory, what, mode: None, transcript: None, used: None }
    }
}

/// Takes in what happened in a session, without what is secret in it. One write and no look: a host waits for it.
/// False for a message that is known by its name.
pub async fn observe(
    store: &impl Sessions,
    redactor: &Redactor,
    told: Told<'_>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Told { seat, directory, what, mode, transcript, used } = told;
    let clean = |text: String| redactor.text(&text).into_owned();
    let what = match what {
        What::Said { id, role, content, tools } => What::Said { id, role, content: clean(content), tools },
        What::Error { what } => What::Error { what: clean(what) },
        What::Tool { .. } | What::Idle | What::Seen | What::Interrupted | What::Ended => what,
    };
    let directory = directory.to_string_lossy().into_owned();
    let transcript = transcript.map(|path| path.to_string_lossy().into_owned());
    let noted = used.map(|used| used.noted(&seat, redactor, now));
    store.observe(Observation { seat, directory, what, mode, transcript, noted, at: now }).await
}

impl ForLoop<'_> {
    fn noted(&self, seat: &Seat, redactor: &Redactor, now: Timestamp) -> Noted {
        let Standing { run, task, iteration, .. } = self.standing;
        let mut used = self.used.clone();
        for text in used.texts_mut() {
            if let std::borrow::Cow::Owned(clean) = redactor.text(text) {
                *text = clean;
            }
        }
        let source = Source {
            run: Some(run.clone()),
            task: Some(task.clone()),
            iteration: Some(*iteration),
            session: Some(seat.session.clone()),
            commit: None,
        };
        Noted {
            event: MemoryEvent::Observed {
                note: NoteId::new(now, crate::entropy()),
                draft: Box::new(used.draft(source, self.root)),
            },
            of: format!("{run} {iteration}"),
            most: ralph_core::note::MOST_USED,
        }
    }
}

/// What a session is gone on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed {
    /// As it was before.
    pub session: Session,
    pub how: Hydration,
    /// None where it is too long ago.
    pub messages: Vec<Message>,
    /// The task of the loop that was last started in it.
    pub task: Option<Task>,
}

/// Makes a session active again. None if it is gone meanwhile.
pub async fn resume(
    store: &(impl Sessions + Store),
    session: Session,
    now: Timestamp,
) -> Result<Option<Resumed>, StoreError> {
    let how = Hydration::of(&session, now);
    let messages = match how {
        Hydration::Kept => store.session_messages(session.no, LAST).await?,
        Hydration::Anew => Vec::new(),
    };
    let run = match &session.run {
        Some(run) => store.run(run).await?,
        None => None,
    };
    let is_there = store.resume_session(session.no, now).await?;
    Ok(is_there.then(|| Resumed { session, how, messages, task: run.map(|run| run.task) }))
}

#[cfg(test)]
mod tests {
    use super::{Told, observe, resume};
    use jiff::Timestamp;
    use ralph_core::id::{AgentName, SessionId};
    use ralph_core::redact::Redactor;
    use ralph_core::sessions::{Hydration, Role, Session, State, What};
    use ralph_store::{Seat, Sessions, SqliteStore};
    use std::path::Path;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    async fn say(store: &SqliteStore, text: String, now: Timestamp) {
        let seat =
            Seat { host: AgentName::parse("opencode").unwrap(), session: SessionId::parse("ses_1").unwrap() };
        let redactor = Redactor::new([("MY_API_TOKEN".to_owned(), "s3cr3t-value-1234".to_owned())]);
        let what = What::Said { id: None, role: Role::User, content: text, tools: Vec::new() };
        observe(store, &redactor, Told::new(seat, Path::new("/p"), what), now).await.unwrap();
    }

    async fn only(store: &SqliteStore) -> Session {
        store.sessions().await.unwrap().remove(0)
    }

    #[tokio::test]
    async fn a_session_is_gone_on_with_what_was_said_unless_that_is_old() {
        let store = SqliteStore::in_memory().unwrap();
        for second in 0..12 {
            say(&store, format!("message {second}"), at(second)).await;
        }
        let session = only(&store).await;
        let kept = resume(&store, session, at(11 + 1_799)).await.unwrap().unwrap();
        let said: Vec<&str> = kept.messages.iter().map(|message| message.content.as_str()).collect();
        assert_eq!(
            (kept.how, said.len(), said[0], said[9]),
            (Hydration::Kept, 10, "message 2", "message 11")
        );
        let after = only(&store).await;
        assert_eq!((after.state, after.checkpoint_at), (State::Active, at(11 + 1_799)));
        let anew = resume(&store, after, at(11 + 1_799 + 1_800)).await.unwrap().unwrap();
        assert_eq!((anew.how, anew.messages), (Hydration::Anew, Vec::new()));
        assert_eq!(only(&store).await.checkpoint_at, at(11 + 1_799 + 1_800));
    }

    #[tokio::test]
    async fn no_secret_is_remembered() {
        let store = SqliteStore::in_memory().unwrap();
        say(&store, "it is s3cr3t-value-1234, keep it".to_owned(), at(0)).await;
        let session = only(&store).await;
        let messages = store.session_messages(session.no, 1).await.unwrap();
        let asked = session.context.asked.unwrap();
        assert!(asked.ends_with("keep it") && !asked.contains("s3cr3t"), "{asked}");
        assert_eq!(messages[0].content, asked);
    }

    #[tokio::test]
    async fn an_event_costs_one_write_and_no_look() {
        let store = SqliteStore::in_memory().unwrap();
        let before = store.stats();
        say(&store, "once".to_owned(), at(0)).await;
        let after = store.stats();
        assert_eq!((after.commits - before.commits, after.reads - before.reads), (1, 0));
    }
}
