//! What depends on something, directly and through others.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::find::Node;
use crate::graph::{FileId, Graph, SymbolId};
use crate::outline::Relation;

/// How far it is looked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Over how many steps.
    pub depth: u32,
    /// Nothing that is less sure, from 0 to 1.
    pub least: f32,
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { depth: 10, least: 0.05 }
    }
}

/// Something that depends on what was asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affected {
    pub node: Node,
    /// Over how many steps, on the surest way.
    pub depth: u32,
    /// How sure that way is: the product of its steps.
    pub sure: f32,
    /// What it depends on directly, on that way.
    pub through: Node,
    pub relation: Relation,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    sure: f32,
    depth: u32,
    node: u32,
    through: u32,
    relation: Relation,
}

impl Eq for Step {}

impl Ord for Step {
    /// The surest first, of these the nearest; nothing is left to chance.
    fn cmp(&self, other: &Step) -> Ordering {
        let sure = self.sure.total_cmp(&other.sure);
        sure.then(other.depth.cmp(&self.depth))
            .then(other.node.cmp(&self.node))
            .then(other.through.cmp(&self.through))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Graph {
    /// What depends on any of these, the nearest first, of these the surest.
    pub fn impact(&self, changed: &[Node], reach: Reach) -> Vec<Affected> {
        let mut heap = BinaryHeap::new();
        let mut best: HashMap<u32, Step> = HashMap::new();
        for node in self.with_content(changed) {
            let start = Step { sure: 1.0, depth: 0, node, through: node, relation: Relation::Defines };
            heap.push(start);
            best.insert(node, start);
        }
        while let Some(step) = heap.pop() {
            if best.get(&step.node) != Some(&step) || step.depth >= reach.depth {
                continue;
            }
            // That something is defined in a file does not make the file depend on it.
            let uses = self.links().to(step.node).filter(|link| link.relation != Relation::Defines);
            for link in uses {
                let sure = step.sure * link.weight;
                let next = Step {
                    sure,
                    depth: step.depth + 1,
                    node: link.from,
                    through: step.node,
                    relation: link.relation,
                };
                if sure >= reach.least && best.get(&link.from).is_none_or(|known| *known < next) {
                    best.insert(link.from, next);
                    heap.push(next);
                }
            }
        }
        let node = |number| self.numbered(number);
        let affected = best.values().filter(|step| step.depth > 0).map(|step| Affected {
            node: node(step.node),
            depth: step.depth,
            sure: step.sure,
            through: node(step.through),
            relation: step.relation,
        });
        let mut affected: Vec<Affected> = affected.collect();
        affected.sort_by(|one, other| {
            one.depth.cmp(&other.depth).then(other.sure.total_cmp(&one.sure)).then(one.node.cmp(&other.node))
        });
        affected
    }

    /// With a file its symbols are changed, and with a type what belongs to it.
    pub(super) fn with_content(&self, changed: &[Node]) -> Vec<u32> {
        let mut numbers: Vec<u32> = changed.iter().map(|node| self.node_number(*node)).collect();
        for node in changed {
            match node {
                Node::File(file) => numbers.extend(self.symbols_of(*file).map(|id| id.0)),
                Node::Symbol(id) => {
                    let mut inside = vec![*id];
                    for other in self.symbols_of(self.file_of(*id)) {
                        if self.parent(other).is_some_and(|parent| inside.contains(&parent)) {
                            inside.push(other);
                        }
                    }
                    numbers.extend(inside.into_iter().map(|id| id.0));
                }
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    pub(crate) fn numbered(&self, number: u32) -> Node {
        let symbols = self.symbol_count() as u32;
        if number < symbols { Node::Symbol(SymbolId(number)) } else { Node::File(FileId(number - symbols)) }
    }
}
