//! Loops inside the sessions of a host: a hook tells what happened there, and hears what follows.
//!
//! The end of a turn is the end of the code phase, and what comes after it is performed as in any other run: judged,
//! limited, briefed, by the same functions. Then the process ends. Where the loop stands is in the store, and nowhere
//! else.

mod onward;
mod presented;
mod standing;
mod told;
mod turn;

pub use onward::{Ended, Next, Onward, Waiting};
pub use presented::Presented;
pub use standing::Standing;
pub use turn::Provide;
