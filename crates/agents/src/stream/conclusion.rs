//! What an attempt amounts to, in the agent's own words.

use std::collections::BTreeSet;

use ralph_core::policy::{Cost, Signal};
use ralph_core::promise::Claim;
use ralph_core::report::Usage;

use crate::limit::Reset;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// From the final message alone; none where the agent never came to one.
    pub claim: Claim,
    /// What else the agent showed by its own means; none where it did not end well.
    pub signals: BTreeSet<Signal>,
    /// The latest message that could be the final one, all pieces of it; of a long one the end.
    pub message: Option<String>,
    /// Input counts cached tokens as well; the cost is what is known of `price`.
    pub usage: Usage,
    pub price: Price,
    /// What the agent's own counter stands at, for agents that count over a whole conversation.
    pub counter: Usage,
    /// What a later attempt resumes by.
    pub session: Option<String>,
    /// Lines that were not in the agent's format.
    pub malformed: u64,
    pub outcome: Outcome,
}

/// What an attempt cost, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    Reported(Cost),
    /// From tokens and the price table.
    Estimated(Cost),
    Unknown,
}

impl Price {
    pub fn cost(self) -> Cost {
        match self {
            Price::Reported(cost) | Price::Estimated(cost) => cost,
            Price::Unknown => Cost(0),
        }
    }
}

/// How the agent ended, seen from what it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Finished,
    /// It never said that it was through: a failure whatever the exit code.
    Unfinished,
    Limited {
        reset: Option<Reset>,
        what: String,
    },
    Overloaded {
        what: String,
    },
    Network {
        what: String,
    },
    Unauthenticated {
        what: String,
        next: String,
    },
    Misconfigured {
        what: String,
        next: String,
    },
    SessionGone {
        what: String,
    },
    Failed {
        what: String,
    },
    /// It wanted an answer and got none.
    Asked {
        question: String,
    },
}
