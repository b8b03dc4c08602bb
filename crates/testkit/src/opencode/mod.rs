//! A recorded turn of an OpenCode server, played back as a server would tell it, or as a bad connection would.
//!
//! `turn.jsonl` holds the events of `GET /event` of OpenCode 1.18.33 (`opencode serve --port 4912`) during one prompt, sent
//! by `ralph run … --agent opencode-server --attach http://127.0.0.1:4912` and answered by the scripted model server with
//! a file written through a tool and the promise. Events that are no session's (plugins, catalogue, heartbeats) are left
//! out and the project's path is shortened; nothing else was changed.

mod replay;
mod state;

pub use replay::{Fault, LEFT_RUN, Replay};
pub use state::recorded_events;
