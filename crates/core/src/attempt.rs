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

/// Sixteen bits that no other attempt of the run has, as four hexadecimal digits, for its first 65,536 attempts.
///
/// Derived from the run's seed, so that the same seed gives the same run: every step below is a permutation of the
/// sixteen-bit numbers, so different attempts get different nonces.
pub fn nonce(seed: u64, attempt_of_run: u32) -> String {
    let [first, second, third, fourth] = [seed, seed >> 16, seed >> 32, seed >> 48].map(|bits| bits as u16);
    let mut bits = (attempt_of_run as u16).wrapping_mul(first | 1).wrapping_add(second);
    bits ^= bits >> 7;
    bits = bits.wrapping_mul(third | 1);
    bits ^= bits >> 9;
    format!("{:04x}", bits.wrapping_add(fourth))
}

#[cfg(test)]
mod tests {
    use super::nonce;
    use std::collections::HashSet;

    #[test]
    fn no_two_attempts_of_a_run_share_a_nonce() {
        for seed in [0, 1, 0x1234_5678_9abc_def0, u64::MAX] {
            let nonces: HashSet<String> = (0..65_536).map(|attempt| nonce(seed, attempt)).collect();
            assert_eq!(nonces.len(), 65_536, "seed {seed}");
        }
    }
}
