//! oh-my-opencode: a loop in a session of OpenCode, in one of the three places that it was kept in.

use crate::fields::Fields;
use crate::found_loop::Dialect;
use crate::plan::Plan;
use crate::predecessor::{Predecessor, Request};

const VERIFIED: &str = "its own way to verify; `--criteria` and a judge are ralph's";

const DIALECT: Dialect = Dialect {
    host: "opencode",
    is_inhabitable: true,
    read: Fields::of_front_matter,
    iteration: "iteration",
    max_iterations: "max_iterations",
    promise: "completion_promise",
    session: "session_id",
    prompt: None,
    default_max: Some(100),
    default_promise: Some("DONE"),
    dropped: &[
        ("started_at", "ralph keeps times of its own"),
        ("message_count_at_start", "ralph knows a turn by its last message"),
        ("ultrawork", VERIFIED),
        ("verification_pending", VERIFIED),
        ("verification_attempt_id", VERIFIED),
        ("verification_attempt_started_at", VERIFIED),
        ("verification_session_id", VERIFIED),
    ],
};

pub(crate) fn plan(request: &Request<'_>) -> Plan {
    let mut plan = Plan::default();
    for place in Predecessor::OhMyOpencode.leaves(request.scope) {
        DIALECT.take(request.root, &request.root.join(place), &mut plan);
    }
    plan
}
