//! The best of many.

/// The numbers of those with the highest scores, in no order. Among equals the newer count as better.
pub(super) fn best(scores: impl Iterator<Item = (u32, f32)>, most: usize) -> Vec<u32> {
    let mut kept: Vec<(u32, f32)> = Vec::new();
    // Nearly all of many are worse than the worst that is kept, and cost one comparison.
    let mut least = f32::NEG_INFINITY;
    // An iterator of several parts goes through them faster by itself than when it is asked for one after the other.
    scores.for_each(|one| {
        if one.1 < least {
            return;
        }
        kept.push(one);
        if kept.len() > 2 * most {
            cut(&mut kept, most);
            least = kept.iter().map(|(_, score)| *score).fold(f32::INFINITY, f32::min);
        }
    });
    cut(&mut kept, most);
    kept.into_iter().map(|(no, _)| no).collect()
}

fn cut(kept: &mut Vec<(u32, f32)>, most: usize) {
    if kept.len() > most {
        kept.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        kept.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::best;

    #[test]
    fn of_equals_the_newer_are_kept() {
        let mut found = best([(1, 0.5), (2, 0.1), (3, 0.5), (4, 0.9), (5, 0.5)].into_iter(), 3);
        found.sort_unstable();
        assert_eq!(found, [3, 4, 5]);
    }

    proptest! {
        #[test]
        fn as_many_as_there_are_come_to_the_same_as_sorting_them_all(
            scores in prop::collection::vec(0_u8..20, 0..200),
            most in 0_usize..30,
        ) {
            let scores: Vec<(u32, f32)> = (0..).zip(scores.into_iter().map(f32::from)).collect();
            let mut found = best(scores.iter().copied(), most);
            found.sort_unstable();
            let mut sorted = scores;
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
            let mut expected: Vec<u32> = sorted.into_iter().take(most).map(|(no, _)| no).collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
