//! What is part of what.

use std::collections::HashMap;

use super::arrows::{Arrows, number_of};
use super::item::Item;
use crate::id::TaskId;

const NONE: u32 = u32::MAX;

/// The tasks, each below the one that it is part of. Parents that are not there, or go round in a circle, are none.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    parents: Vec<u32>,
    children: Arrows,
    /// Every place behind the one that it is below.
    downwards: Vec<u32>,
    /// For each place, where it stands in `downwards`, and where what is not below it any more begins.
    spans: Vec<(u32, u32)>,
}

impl Tree {
    pub(super) fn new(items: &[Item], places: &HashMap<TaskId, u32>) -> Tree {
        let named = |item: &Item| item.parent.as_ref().and_then(|id| places.get(id)).copied().unwrap_or(NONE);
        let mut parents: Vec<u32> = items.iter().map(named).collect();
        break_circles(&mut parents);
        let links = parents.iter().enumerate().filter(|(_, parent)| **parent != NONE);
        let children = Arrows::new(items.len(), links.map(|(at, parent)| (*parent, number_of(at))));
        let mut tree = Tree { parents, children, downwards: Vec::new(), spans: vec![(0, 0); items.len()] };
        tree.walk();
        tree
    }

    fn walk(&mut self) {
        let mut path: Vec<(usize, usize)> = Vec::new();
        for root in (0..self.parents.len()).filter(|at| self.parents[*at] == NONE) {
            path.push((root, 0));
            while let Some((at, done)) = path.pop() {
                if done == 0 {
                    self.spans[at].0 = number_of(self.downwards.len());
                    self.downwards.push(number_of(at));
                }
                match self.children.from(at).get(done) {
                    Some(child) => {
                        path.push((at, done + 1));
                        path.push((*child as usize, 0));
                    }
                    None => self.spans[at].1 = number_of(self.downwards.len()),
                }
            }
        }
    }

    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        Some(self.parents[at]).filter(|parent| *parent != NONE).map(|parent| parent as usize)
    }

    pub(super) fn children(&self, at: usize) -> &[u32] {
        self.children.from(at)
    }

    /// Every place behind the one that it is below.
    pub(super) fn downwards(&self) -> impl Iterator<Item = usize> {
        self.downwards.iter().map(|at| *at as usize)
    }

    /// Whether one place is another or below it.
    pub(super) fn is_within(&self, at: usize, other: usize) -> bool {
        let (begin, end) = self.spans[other];
        (begin..end).contains(&self.spans[at].0)
    }
}

/// Whoever is above itself is below nobody.
fn break_circles(parents: &mut [u32]) {
    // The walk on which each place was seen first.
    let mut seen = vec![NONE; parents.len()];
    for start in 0..parents.len() {
        let walk = number_of(start);
        let mut at = walk;
        while at != NONE && seen[at as usize] == NONE {
            seen[at as usize] = walk;
            at = parents[at as usize];
        }
        // Only a walk that comes back to itself has found a circle that nobody has found before.
        while at != NONE && seen[at as usize] == walk {
            let next = parents[at as usize];
            parents[at as usize] = NONE;
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Tree;
    use crate::backlog::Item;
    use crate::id::TaskId;

    fn tree(parents: &[Option<usize>]) -> Tree {
        let id = |at: usize| TaskId::parse(&format!("T-{at}")).unwrap();
        let items: Vec<Item> = parents
            .iter()
            .enumerate()
            .map(|(at, parent)| {
                let mut item = Item::new(id(at), "x");
                item.parent = parent.map(id);
                item
            })
            .collect();
        let places: HashMap<TaskId, u32> = (0..items.len()).map(|at| (id(at), at as u32)).collect();
        Tree::new(&items, &places)
    }

    #[test]
    fn what_is_below_is_known_at_any_depth() {
        let tree = tree(&[Some(2), None, Some(1), Some(9), Some(1)]);
        let within = |at: usize| (0..5).filter(|other| tree.is_within(at, *other)).collect::<Vec<_>>();
        assert_eq!(
            (0..5).map(within).collect::<Vec<_>>(),
            [vec![0, 1, 2], vec![1], vec![1, 2], vec![3], vec![1, 4]]
        );
        assert_eq!(tree.downwards().collect::<Vec<_>>(), [1, 2, 0, 4, 3]);
        assert_eq!(tree.children(1), [2, 4]);
    }

    #[test]
    fn parents_in_a_circle_are_none_and_what_hangs_on_it_keeps_its_own() {
        let tree = tree(&[Some(1), Some(2), Some(0), Some(1), Some(3), Some(5)]);
        let parents: Vec<Option<usize>> = (0..6).map(|at| tree.parent(at)).collect();
        assert_eq!(parents, [None, None, None, Some(1), Some(3), None]);
        assert!(tree.is_within(4, 1));
    }
}
