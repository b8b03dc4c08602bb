//! One try at an iteration.

use serde::{Deserialize, Serialize};

use crate::id::{AgentName, TaskId};
use crate::promise::Word;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub iteration: u32,
    /// Counts from 1 within the iteration.
    pub number: u32,
    pub task: TaskId,
    pub agent: AgentName,
    /// The exact content of the promise tag that this attempt must give.
    pub promise: Word,
}

/// Sixteen bits that no earlier attempt of the run could have printed, as four hexadecimal digits.
///
/// Derived from the run's seed, so that the same seed gives the same run.
pub fn nonce(seed: u64, iteration: u32, number: u32) -> String {
    let position = (u64::from(iteration) << 32) | u64::from(number);
    format!("{:04x}", scramble(seed ^ scramble(position)) as u16)
}

/// SplitMix64's finaliser: every output bit depends on every input bit.
fn scramble(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
