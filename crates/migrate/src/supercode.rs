//! supercode: a loop in a session of its own.

use crate::fields::Fields;
use crate::found_loop::Dialect;
use crate::plan::Plan;
use crate::predecessor::{Predecessor, Request};

const DIALECT: Dialect = Dialect {
    host: "supercode",
    is_inhabitable: false,
    read: Fields::of_json,
    iteration: "iteration",
    max_iterations: "maxIterations",
    promise: "completionPromise",
    session: "sessionId",
    prompt: Some("prompt"),
    default_max: Some(100),
    default_promise: Some("DONE"),
    dropped: &[
        ("startedAt", "ralph keeps times of its own"),
        ("lastIterationAt", "ralph keeps times of its own"),
        ("description", "the prompt's first line takes its place"),
    ],
};

pub(crate) fn plan(request: &Request<'_>) -> Plan {
    let mut plan = Plan::default();
    for place in Predecessor::Supercode.leaves(request.scope) {
        DIALECT.take(request.root, &request.root.join(place), &mut plan);
    }
    plan
}
