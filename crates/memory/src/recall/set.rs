//! Sets of notes by their numbers.

use ralph_store::PostingList;

/// One bit a note.
#[derive(Debug, Clone, Default)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn of(list: &PostingList) -> Set {
        let mut set = Set::default();
        list.iter().for_each(|posting| set.insert(posting.no));
        set
    }

    #[inline]
    fn insert(&mut self, no: u32) {
        let at = no as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (no % 64);
    }

    pub(super) fn has(&self, no: u32) -> bool {
        self.0.get(no as usize / 64).is_some_and(|bits| bits >> (no % 64) & 1 == 1)
    }

    pub(super) fn both(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(super) fn add(&mut self, others: &Set) {
        self.0.resize(self.0.len().max(others.0.len()), 0);
        self.0.iter_mut().zip(&others.0).for_each(|(bits, more)| *bits |= more);
    }

    pub(super) fn remove(&mut self, others: &Set) {
        self.0.iter_mut().zip(&others.0).for_each(|(bits, gone)| *bits &= !gone);
    }

    /// Skips where there are none at once.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().zip(0_u32..).flat_map(|(bits, at)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| at * 64 + left.trailing_zeros());
                left &= left.wrapping_sub(1);
                next
            })
        })
    }

    pub(super) fn backwards(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.0.len() as u32 * 64).rev().filter(|no| self.has(*no))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Set;

    proptest! {
        #[test]
        fn a_set_has_what_was_put_into_it(numbers: BTreeSet<u16>) {
            let mut set = Set::default();
            numbers.iter().for_each(|no| set.insert(u32::from(*no)));
            let mut expected: Vec<u32> = numbers.iter().copied().map(u32::from).collect();
            prop_assert_eq!(&set.numbers().collect::<Vec<_>>(), &expected);
            expected.reverse();
            prop_assert_eq!(set.backwards().collect::<Vec<_>>(), expected);
        }
    }
}
