//! What is near some files and symbols, in either direction.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::find::Node;
use crate::graph::Graph;
use crate::outline::Relation;
use crate::resolve::Link;

/// How much of the nearness is left after a step along a sure call.
const FADE: f64 = 0.6;
/// What is farther is not near.
const LEAST: f64 = 0.02;
/// What more than these are tied to brings none of them together.
const CROWD: f64 = 16.0;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    nearness: f64,
    node: u32,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Step) -> Ordering {
        self.nearness.total_cmp(&other.nearness).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn pull(relation: Relation) -> f64 {
    match relation {
        Relation::Calls | Relation::Implements => 1.0,
        Relation::References | Relation::Imports => 0.8,
        // What stands in the same file is often about the same.
        Relation::Defines => 0.7,
    }
}

impl Graph {
    /// How near other files and symbols are to these, from 0 to 1, by path and by qualified name: the product along the
    /// best way, whichever way its links point. At most `most` of them, the nearest. Those that were asked about, with
    /// what is in them, are not told again.
    pub fn near(&self, nodes: &[Node], most: usize) -> BTreeMap<String, f64> {
        let begin = self.with_content(nodes);
        let mut best: HashMap<u32, f64> = begin.iter().map(|node| (*node, 1.0)).collect();
        let mut heap: BinaryHeap<Step> =
            begin.iter().map(|node| Step { nearness: 1.0, node: *node }).collect();
        let mut found: BTreeMap<String, f64> = BTreeMap::new();
        while let Some(step) = heap.pop() {
            if best.get(&step.node).is_some_and(|known| *known > step.nearness) {
                continue;
            }
            if begin.binary_search(&step.node).is_err() {
                // The nearest come first, so that the first of a name is the nearest of that name.
                found.entry(self.told(step.node)).or_insert(step.nearness);
                if found.len() >= most {
                    break;
                }
            }
            for (other, share) in self.neighbours(step.node) {
                let nearness = step.nearness * share;
                if nearness >= LEAST && best.get(&other).is_none_or(|known| *known < nearness) {
                    best.insert(other, nearness);
                    heap.push(Step { nearness, node: other });
                }
            }
        }
        found
    }

    /// What a node is tied to, each with the share of nearness that passes on to it.
    fn neighbours(&self, node: u32) -> Vec<(u32, f64)> {
        let links = self.links();
        let share = |link: &Link| FADE * pull(link.relation) * f64::from(link.weight);
        let onward = links.from(node).map(|link| (link.to, share(link)));
        let back = links.to(node).map(|link| (link.from, share(link)));
        let mut all: Vec<(u32, f64)> = onward.chain(back).collect();
        let crowded = (CROWD / all.len() as f64).min(1.0);
        all.iter_mut().for_each(|(_, share)| *share *= crowded);
        all
    }

    fn told(&self, number: u32) -> String {
        match self.numbered(number) {
            Node::Symbol(id) => self.symbol(id).qualified(),
            Node::File(id) => self.path(id).to_owned(),
        }
    }
}
