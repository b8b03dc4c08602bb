//! The ralph-wiggum and ralph-loop plugins of Claude Code: a loop in a session of it.

use crate::fields::Fields;
use crate::found_loop::Dialect;
use crate::plan::Plan;
use crate::predecessor::{Predecessor, Request};

const DIALECT: Dialect = Dialect {
    host: "claude",
    is_inhabitable: true,
    read: Fields::of_front_matter,
    iteration: "iteration",
    max_iterations: "max_iterations",
    promise: "completion_promise",
    session: "session_id",
    prompt: None,
    default_max: None,
    default_promise: None,
    dropped: &[("started_at", "ralph keeps times of its own")],
};

pub(crate) fn plan(request: &Request<'_>) -> Plan {
    let mut plan = Plan::default();
    for place in Predecessor::ClaudePlugin.leaves(request.scope) {
        DIALECT.take(request.root, &request.root.join(place), &mut plan);
    }
    plan
}
