//! Sessions of a host as ralph remembers them: when a checkpoint is due, and what a session is resumed with.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::id::{AgentName, RunId, SessionId};

/// However little happens, a checkpoint is made when something does after this long.
pub const EVERY: Duration = Duration::from_secs(5 * 60);
/// What was last seen longer ago than this is not gone on from.
pub const FRESH: Duration = Duration::from_secs(30 * 60);
/// How many messages a session is resumed with.
pub const LAST: usize = 10;
/// How much of a message is kept.
pub const LONGEST: usize = 16_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// Counts from 1 within a project.
    pub no: u64,
    pub host: AgentName,
    /// As the host calls it.
    pub session: SessionId,
    pub directory: String,
    /// The loop that was last started in it.
    pub run: Option<RunId>,
    pub state: State,
    pub mode: Mode,
    /// The file that its host keeps the conversation in, once it was seen to be there.
    #[serde(default)]
    pub transcript: Option<String>,
    pub checkpoint_at: Timestamp,
    pub context: Context,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    #[default]
    Active,
    /// A person ended the turn.
    Paused,
    /// The session is gone.
    Completed,
    Failed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Agent,
    /// The agent may only plan: nothing is judged, and no loop goes on.
    Plan,
}

/// What to go on from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Context {
    /// What the person said last.
    pub asked: Option<String>,
    /// The tool that was used last.
    pub tool: Option<String>,
    /// What went wrong last.
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// As the host calls it, where it says so: what is told twice is kept once.
    pub id: Option<String>,
    pub role: Role,
    pub content: String,
    /// The tools that were used for it, in order.
    pub tools: Vec<String>,
    pub at: Timestamp,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Said {
        id: Option<String>,
        role: Role,
        content: String,
        tools: Vec<String>,
    },
    Tool {
        name: String,
    },
    /// The agent is through with a turn, and nothing is known of what it said.
    Idle,
    /// The session is there, and nothing more is told of it.
    Seen,
    /// A person ended the turn.
    Interrupted,
    /// Told before the error is handled.
    Error {
        what: String,
    },
    Ended,
}

/// When something calls for a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    Now,
    /// If the last one is so long ago.
    After(Duration),
}

impl What {
    pub fn due(&self) -> Due {
        match self {
            What::Tool { .. } | What::Said { role: Role::User, .. } | What::Error { .. } => Due::Now,
            What::Said { role: Role::Assistant, .. }
            | What::Idle
            | What::Seen
            | What::Interrupted
            | What::Ended => Due::After(EVERY),
        }
    }

    /// What the session is after it.
    pub fn leaves(&self) -> State {
        match self {
            What::Said { .. } | What::Tool { .. } | What::Idle | What::Seen => State::Active,
            What::Interrupted => State::Paused,
            What::Error { .. } => State::Failed,
            What::Ended => State::Completed,
        }
    }
}

impl Due {
    /// Whether a checkpoint is made; the beginning of a session is one.
    pub fn holds(self, last: Option<Timestamp>, now: Timestamp) -> bool {
        let Some(last) = last else { return true };
        match self {
            Due::Now => true,
            Due::After(time) => since(last, now) >= time,
        }
    }
}

/// How a session is gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hydration {
    /// With its context and its last messages.
    Kept,
    /// With its task alone: what was said is too old to go by.
    Anew,
}

impl Hydration {
    pub fn of(session: &Session, now: Timestamp) -> Hydration {
        if since(session.checkpoint_at, now) < FRESH { Hydration::Kept } else { Hydration::Anew }
    }
}

/// None where the clock was turned back.
fn since(then: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Due, EVERY, FRESH, Hydration, Role, Session, State, What};
    use crate::Timestamp;
    use crate::id::{AgentName, SessionId};
    use std::time::Duration;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    fn said(role: Role) -> What {
        What::Said { id: None, role, content: "x".to_owned(), tools: Vec::new() }
    }

    #[test]
    fn a_tool_a_person_and_an_error_call_for_a_checkpoint_and_so_do_five_minutes() {
        let error = What::Error { what: "x".to_owned() };
        for what in [What::Tool { name: "bash".to_owned() }, said(Role::User), error] {
            assert!(what.due().holds(Some(at(0)), at(0)), "{what:?}");
        }
        for what in [said(Role::Assistant), What::Idle, What::Seen, What::Interrupted, What::Ended] {
            let due = |seconds| what.due().holds(Some(at(0)), at(seconds));
            assert_eq!([due(-900), due(0), due(299), due(300)], [false, false, false, true], "{what:?}");
            assert!(what.due().holds(None, at(0)), "the first event of a session");
        }
        assert_eq!(What::Idle.due(), Due::After(EVERY));
        assert_eq!(EVERY, Duration::from_secs(300));
    }

    #[test]
    fn what_is_half_an_hour_old_is_hydrated_anew() {
        let session = Session {
            no: 1,
            host: AgentName::parse("opencode").unwrap(),
            session: SessionId::parse("ses_1").unwrap(),
            directory: "/p".to_owned(),
            run: None,
            state: State::Active,
            mode: super::Mode::Agent,
            transcript: None,
            checkpoint_at: at(0),
            context: super::Context::default(),
            started_at: at(-9_999),
            seen_at: at(9_999),
        };
        let how = |seconds| Hydration::of(&session, at(seconds));
        assert_eq!((how(0), how(1_799), how(-5)), (Hydration::Kept, Hydration::Kept, Hydration::Kept));
        assert_eq!((how(1_800), how(90_000)), (Hydration::Anew, Hydration::Anew));
        assert_eq!(FRESH, Duration::from_secs(1_800));
    }

    #[test]
    fn what_happens_says_what_the_session_is_then() {
        assert_eq!(said(Role::User).leaves(), State::Active);
        assert_eq!(What::Interrupted.leaves(), State::Paused);
        assert_eq!(What::Ended.leaves(), State::Completed);
        assert_eq!(What::Error { what: String::new() }.leaves(), State::Failed);
    }
}
