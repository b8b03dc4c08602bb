//! Whether two attempts changed the same things in the same way.
//!
//! A diff is taken as what it removes and what it adds in each file, in tokens: blanks, line numbers, context and
//! comments do not count. Its fingerprint is the set of all runs of a few tokens. Two diffs are as similar as their
//! sets overlap, from 0 to 1.

mod tokens;
mod unified;

use std::collections::BTreeSet;

use tokens::Tokens;
pub use unified::Change;

/// Neighbouring tokens taken together: enough to see order, few enough to survive a small change.
const SHINGLE: usize = 4;
/// Of more shingles, those with the smallest hashes are kept: an even sample, the same for the same diff.
const MOST_SHINGLES: usize = 4_096;
/// As much of a diff as is read.
const LONGEST: usize = 8 << 20;

/// The shingles of a diff; a diff that changes nothing has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shingles(BTreeSet<u64>);

impl Shingles {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    fn insert(&mut self, hash: u64) {
        if self.0.len() < MOST_SHINGLES {
            self.0.insert(hash);
        } else if self.0.last().is_some_and(|largest| hash < *largest) && self.0.insert(hash) {
            self.0.pop_last();
        }
    }

    /// Adds the runs of tokens of some lines of a file.
    fn add<'a>(&mut self, file: &str, sign: &str, lines: impl Iterator<Item = &'a str>) {
        let mut tokens = Tokens::default();
        let mut window: Vec<u64> = Vec::with_capacity(SHINGLE);
        let place = hash(&[file.as_bytes(), sign.as_bytes()]);
        let mut many = false;
        for line in lines {
            tokens.line(line, |token| {
                if window.len() == SHINGLE {
                    window.remove(0);
                }
                window.push(hash(&[token.as_bytes()]));
                if window.len() == SHINGLE {
                    many = true;
                    self.insert(together(place, &window));
                }
            });
        }
        // Fewer tokens than that are one short run.
        if !many && !window.is_empty() {
            self.insert(together(place, &window));
        }
    }
}

impl FromIterator<u64> for Shingles {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Shingles {
        let mut shingles = Shingles::default();
        hashes.into_iter().for_each(|hash| shingles.insert(hash));
        shingles
    }
}

/// Of a diff as `git diff` prints it.
pub fn fingerprint_unified(diff: &str) -> Shingles {
    fingerprint(&unified::changes(crate::text::cut(diff, LONGEST)))
}

/// Of the lines that were removed and added.
pub fn fingerprint(changes: &[Change<'_>]) -> Shingles {
    let mut shingles = Shingles::default();
    for change in changes {
        let (removed, added) = change.without_moved();
        shingles.add(change.file, "-", removed.into_iter());
        shingles.add(change.file, "+", added.into_iter());
    }
    shingles
}

/// From 0, nothing in common, to 1, the same. What is empty is like nothing, not even like another empty one.
pub fn similarity(one: &Shingles, other: &Shingles) -> f64 {
    // A cut set is a sample of the smallest hashes: beyond the smaller of both largest nothing can be compared.
    let bound = [one, other].into_iter().filter(|set| set.len() >= MOST_SHINGLES);
    let bound = bound.filter_map(|set| set.0.last().copied()).min().unwrap_or(u64::MAX);
    let within = |set: &Shingles| set.0.range(..=bound).count();
    let shared = one.0.range(..=bound).filter(|hash| other.0.contains(hash)).count();
    let all = within(one) + within(other) - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

fn hash(parts: &[&[u8]]) -> u64 {
    // FNV-1a: tokens are short and nobody gains by a collision.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.iter().flat_map(|part| part.iter().copied().chain([0xff])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// Mixed well, because the smallest are kept.
fn together(place: u64, window: &[u64]) -> u64 {
    let mut all = place;
    for token in window {
        all = (all ^ token).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        all ^= all >> 29;
    }
    all = all.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    all ^ (all >> 32)
}
