//! What none of these hosts can do for a loop, whoever asks for it.

use std::collections::BTreeSet;

use ralph_core::in_session::Strategy;
use ralph_core::policy::Signal;

/// What they can do with the conversation between iterations.
pub const STRATEGIES: [Strategy; 1] = [Strategy::Continue];

/// Why a loop could never be seen through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Beyond {
    #[error("this host cannot put a new session in place of one, as `--strategy {}` asks", .0.name())]
    Replacing(Strategy),
    #[error("this host never tells ralph of the signal `{}`", .0.name())]
    Telling(Signal),
}

impl Beyond {
    pub fn hint(self) -> &'static str {
        match self {
            Beyond::Replacing(_) => "leave the strategy out",
            Beyond::Telling(_) => {
                "leave it out of `completion.require`; `promise`, `criteria` and `tool` are told"
            }
        }
    }
}

/// None where such a loop can be had.
pub fn beyond(strategy: Strategy, require: &BTreeSet<Signal>) -> Option<Beyond> {
    if !STRATEGIES.contains(&strategy) {
        return Some(Beyond::Replacing(strategy));
    }
    // No event of theirs tells of a list of things to do.
    require.contains(&Signal::Todo).then_some(Beyond::Telling(Signal::Todo))
}
