//! The best of many.

/// The numbers of those with the highest scores, in no order. Among equals the newer count as better.
pub(super) fn best(scores: impl Iterator<Item = (u32, f32)>, most: usize) -> Vec<u32> {
    let mut all: Vec<(u32, f32)> = scores.collect();
    if all.len() > most {
        all.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        all.truncate(most);
    }
    all.into_iter().map(|(no, _)| no).collect()
}

#[cfg(test)]
mod tests {
    use super::best;

    #[test]
    fn of_equals_the_newer_are_kept() {
        let mut found = best([(1, 0.5), (2, 0.1), (3, 0.5), (4, 0.9), (5, 0.5)].into_iter(), 3);
        found.sort_unstable();
        assert_eq!(found, [3, 4, 5]);
    }
}
