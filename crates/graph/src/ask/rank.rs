//! How important each node is: PageRank with weights, and with a preference where there is one.

/// With this probability a walk goes on along a link.
const DAMPING: f64 = 0.85;
const MOST_ROUNDS: usize = 60;
/// A round that moves less than this in total is the last.
const STILL: f64 = 1e-7;

/// A link between two nodes, with its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Arrow {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) weight: f64,
}

/// The rank of each of `count` nodes; they add up to 1. A walk begins, and begins again, at a node with the probability
/// that `preference` gives it. Links whose weights add up to less than 1 are followed with that probability alone: who
/// knows nothing but a guess does not tell it all the louder.
pub(crate) fn page_rank(count: usize, arrows: &[Arrow], preference: &[f64]) -> Vec<f64> {
    if count == 0 {
        return Vec::new();
    }
    let total: f64 = preference.iter().sum();
    let start: Vec<f64> = if total > 0.0 {
        preference.iter().map(|wish| wish / total).collect()
    } else {
        vec![1.0 / count as f64; count]
    };
    let mut out = vec![0.0; count];
    for arrow in arrows {
        out[arrow.from as usize] += arrow.weight;
    }
    let mut rank = start.clone();
    for _ in 0..MOST_ROUNDS {
        let lost: f64 = rank.iter().zip(&out).map(|(rank, out)| rank * (1.0 - out).max(0.0)).sum();
        let again = 1.0 - DAMPING + DAMPING * lost;
        let mut next: Vec<f64> = start.iter().map(|start| start * again).collect();
        for arrow in arrows {
            let from = arrow.from as usize;
            next[arrow.to as usize] += DAMPING * rank[from] * arrow.weight / out[from].max(1.0);
        }
        let moved: f64 = rank.iter().zip(&next).map(|(one, other)| (one - other).abs()).sum();
        rank = next;
        if moved < STILL {
            break;
        }
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::{Arrow, DAMPING, page_rank};
    use proptest::prelude::{Strategy, prop_assert, proptest};

    /// The textbook's: a dense matrix, multiplied until it stands still.
    fn dense(count: usize, arrows: &[Arrow], preference: &[f64]) -> Vec<f64> {
        let total: f64 = preference.iter().sum();
        let start: Vec<f64> = preference
            .iter()
            .map(|wish| if total > 0.0 { wish / total } else { 1.0 / count as f64 })
            .collect();
        let mut matrix = vec![vec![0.0; count]; count];
        for arrow in arrows {
            matrix[arrow.from as usize][arrow.to as usize] += arrow.weight;
        }
        for row in &mut matrix {
            let sum: f64 = row.iter().sum();
            for (to, cell) in row.iter_mut().enumerate() {
                let along = if sum < 1.0 { *cell + (1.0 - sum) * start[to] } else { *cell / sum };
                *cell = DAMPING * along + (1.0 - DAMPING) * start[to];
            }
        }
        let mut rank = start;
        for _ in 0..500 {
            let column = |to: usize| -> f64 { (0..count).map(|from| rank[from] * matrix[from][to]).sum() };
            rank = (0..count).map(column).collect();
        }
        rank
    }

    fn graphs() -> impl Strategy<Value = (usize, Vec<Arrow>, Vec<f64>)> {
        (1_usize..24).prop_flat_map(|count| {
            let node = 0..count as u32;
            let arrow =
                (node.clone(), node, 0.0_f64..4.0).prop_map(|(from, to, weight)| Arrow { from, to, weight });
            let arrows = proptest::collection::vec(arrow, 0..80);
            let wish = proptest::prop_oneof![proptest::prelude::Just(0.0), 0.0_f64..3.0];
            let wishes = proptest::collection::vec(wish, count);
            arrows.prop_flat_map(move |arrows| {
                let wishes = wishes.clone();
                wishes.prop_map(move |wishes| (count, arrows.clone(), wishes))
            })
        })
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_a_dense_power_iteration((count, arrows, wishes) in graphs()) {
            let (ours, theirs) = (page_rank(count, &arrows, &wishes), dense(count, &arrows, &wishes));
            let sum: f64 = ours.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            for (one, other) in ours.iter().zip(&theirs) {
                prop_assert!((one - other).abs() < 1e-4, "{ours:?} {theirs:?}");
            }
        }
    }

    #[test]
    fn what_more_point_at_ranks_higher_and_weights_count() {
        let arrow = |from, to, weight| Arrow { from, to, weight };
        let ranks = page_rank(4, &[arrow(0, 2, 1.0), arrow(1, 2, 1.0), arrow(3, 1, 1.0)], &[0.0; 4]);
        assert!(ranks[2] > ranks[1] && ranks[1] > ranks[0]);
        let ranks = page_rank(3, &[arrow(0, 1, 3.0), arrow(0, 2, 1.0)], &[1.0, 0.0, 0.0]);
        assert!((ranks[1] - 3.0 * ranks[2]).abs() < 1e-9);
        assert_eq!(page_rank(0, &[], &[]), Vec::<f64>::new());
    }
}
