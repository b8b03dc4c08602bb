//! How much waits for a task: PageRank over the dependencies of what is not done yet.

use super::graph::Backlog;

/// How much of its weight a task hands on to what it waits for.
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 60;
/// A round that moves less than this, of 1, is the last.
const STILL: f64 = 1e-9;

/// A weight for each place of the backlog, 1 on average; what is done weighs nothing.
///
/// A task hands its weight on to those it depends on, so weight gathers where most is held up, directly or not.
pub(super) fn page_rank(backlog: &Backlog, is_alive: &[bool]) -> Vec<f64> {
    let count = is_alive.len();
    let alive: Vec<usize> = (0..count).filter(|at| is_alive[*at]).collect();
    let mean = 1.0 / alive.len().max(1) as f64;
    let needs = |at: usize| backlog.needs(at).iter().map(|to| *to as usize).filter(|to| is_alive[*to]);
    let degrees: Vec<usize> = (0..count).map(|at| if is_alive[at] { needs(at).count() } else { 0 }).collect();
    let mut weights = vec![0.0; count];
    alive.iter().for_each(|at| weights[*at] = mean);
    let mut next = vec![0.0; count];
    for _ in 0..ROUNDS {
        // What depends on nothing has nobody to hand its weight to: it goes to all.
        let loose: f64 = alive.iter().filter(|at| degrees[**at] == 0).map(|at| weights[*at]).sum();
        let base = (1.0 - DAMPING + DAMPING * loose) * mean;
        alive.iter().for_each(|at| next[*at] = base);
        for at in alive.iter().copied().filter(|at| degrees[*at] > 0) {
            let share = DAMPING * weights[at] / degrees[at] as f64;
            needs(at).for_each(|to| next[to] += share);
        }
        let moved: f64 = alive.iter().map(|at| (next[*at] - weights[*at]).abs()).sum();
        std::mem::swap(&mut weights, &mut next);
        if moved < STILL {
            break;
        }
    }
    weights.iter_mut().for_each(|weight| *weight /= mean);
    weights
}
