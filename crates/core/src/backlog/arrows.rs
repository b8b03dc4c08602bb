//! Arrows between places, and where they go round in circles.

use std::collections::{HashMap, VecDeque};

/// An arrow from one place to another.
pub(super) type Edge = (u32, u32);

/// Arrows from each of `n` places, all in two lists.
#[derive(Debug, Clone)]
pub(super) struct Arrows {
    /// Where the ends of a place's arrows begin; those of the next follow.
    begin: Vec<u32>,
    ends: Vec<u32>,
}

impl Arrows {
    pub(super) fn new(count: usize, edges: impl Iterator<Item = Edge> + Clone) -> Arrows {
        let mut begin = vec![0_u32; count + 1];
        for (from, _) in edges.clone() {
            begin[from as usize + 1] += 1;
        }
        for at in 0..count {
            begin[at + 1] += begin[at];
        }
        let mut ends = vec![0; begin[count] as usize];
        let mut next = begin.clone();
        for (from, to) in edges {
            ends[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Arrows { begin, ends }
    }

    pub(super) fn from(&self, at: usize) -> &[u32] {
        &self.ends[self.begin[at] as usize..self.begin[at + 1] as usize]
    }

    fn count(&self) -> usize {
        self.begin.len() - 1
    }
}

const UNSEEN: u32 = u32::MAX;

/// One round of every tangle, and which tangle each place is caught in. Tarjan's way, with a stack of its own.
pub(super) fn cycles(arrows: &Arrows) -> (Vec<Vec<usize>>, Vec<Option<u32>>) {
    let count = arrows.count();
    let (mut number, mut lowest) = (vec![UNSEEN; count], vec![0_u32; count]);
    let (mut caught, mut cycles) = (vec![None; count], Vec::new());
    let mut on_stack = vec![false; count];
    let (mut stack, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let mut seen = 0;
    for start in 0..count {
        if number[start] != UNSEEN {
            continue;
        }
        path.push((start, 0));
        while let Some((at, done)) = path.pop() {
            if done == 0 {
                (number[at], lowest[at]) = (seen, seen);
                seen += 1;
                stack.push(at);
                on_stack[at] = true;
            } else {
                let child = arrows.from(at)[done - 1] as usize;
                if on_stack[child] {
                    lowest[at] = lowest[at].min(lowest[child]);
                }
            }
            if let Some(child) = arrows.from(at).get(done).map(|child| *child as usize) {
                path.push((at, done + 1));
                if number[child] == UNSEEN {
                    path.push((child, 0));
                }
            } else if lowest[at] == number[at] {
                let from = stack.iter().rposition(|one| *one == at).expect("it was put there");
                let tangle = stack.split_off(from);
                tangle.iter().for_each(|one| on_stack[*one] = false);
                if tangle.len() > 1 || arrows.from(at).contains(&number_of(at)) {
                    tangle.iter().for_each(|one| caught[*one] = Some(number_of(cycles.len())));
                    cycles.push(tangle);
                }
            }
        }
    }
    let rounds = cycles.iter().enumerate().map(|(no, tangle)| round(arrows, tangle, &caught, number_of(no)));
    (rounds.collect(), caught)
}

/// A shortest way from the first place of a tangle back to it.
fn round(arrows: &Arrows, tangle: &[usize], caught: &[Option<u32>], no: u32) -> Vec<usize> {
    let start = tangle.iter().copied().min().expect("a tangle has a place");
    let mut came_from: HashMap<usize, usize> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in arrows.from(at).iter().map(|next| *next as usize) {
            if next == start {
                let mut way = vec![at];
                while let Some(before) = came_from.get(way.last().expect("it has one")) {
                    way.push(*before);
                }
                way.reverse();
                return way;
            }
            if caught[next] == Some(no) && !came_from.contains_key(&next) {
                came_from.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    vec![start]
}

pub(super) fn number_of(at: usize) -> u32 {
    u32::try_from(at).expect("a backlog has fewer than two billion tasks")
}
