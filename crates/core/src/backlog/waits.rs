//! What waits for what, beyond what is written of each task: a part waits for whatever holds up the whole, and what
//! depends on a container waits for everything that is in it.

use super::arrows::{Arrows, Edge, number_of};
use super::item::{Item, Kind, Status};
use super::tree::Tree;

/// The places of all tasks, and behind them as many gates: that of a task is open once everything is done that this
/// task and those above it depend on. What is part of it waits for its gate.
#[derive(Debug, Clone)]
pub(super) struct Waits {
    tree: Tree,
    /// From each to what it waits for; what is settled neither waits nor is waited for.
    arrows: Arrows,
    waiting: Arrows,
    /// Gates and containers: nobody works on them, they come with what they wait for.
    comes_by_itself: Vec<bool>,
    /// How many dependencies of each task are not there.
    missing: Vec<u32>,
}

/// How far things are.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    /// How many things each waits for.
    unmet: Vec<u32>,
    met: Vec<bool>,
    /// The containers that came by themselves, each behind those that it needs.
    containers: Vec<usize>,
}

impl Waits {
    /// With how far things are while nothing more is done.
    pub(super) fn new(
        items: &[Item],
        tree: Tree,
        dependencies: &Arrows,
        missing: Vec<u32>,
    ) -> (Waits, Progress) {
        let count = items.len();
        let edges = edges(items, &tree, dependencies);
        let arrows = Arrows::new(2 * count, edges.iter().copied());
        let waiting = Arrows::new(2 * count, edges.iter().map(|(from, to)| (*to, *from)));
        let is_container = |item: &Item| item.kind == Kind::Container;
        let comes_by_itself = items.iter().map(is_container).chain((0..count).map(|_| true)).collect();
        let waits = Waits { tree, arrows, waiting, comes_by_itself, missing };
        let progress = waits.begin(items);
        (waits, progress)
    }

    fn begin(&self, items: &[Item]) -> Progress {
        let count = items.len();
        let is_settled = |at: usize| items[at].status.is_settled();
        let unmet = (0..2 * count).map(|node| {
            let at = node % count;
            let missing = if is_settled(at) { 0 } else { self.missing[at] };
            // A container that is put off, or has nothing in it yet, is not done because nothing is left to do.
            let is_shut = node < count
                && items[at].kind == Kind::Container
                && (self.tree.children(at).is_empty() || items[at].status == Status::Blocked);
            number_of(self.arrows.from(node).len()) + missing + u32::from(is_shut)
        });
        let met = (0..2 * count).map(|node| node < count && is_settled(node)).collect();
        let mut progress = Progress { unmet: unmet.collect(), met, containers: Vec::new() };
        for node in 0..2 * count {
            if self.comes_by_itself[node] && progress.unmet[node] == 0 && !progress.met[node] {
                progress.meet(self, node, |_| ());
            }
        }
        progress
    }

    fn count(&self) -> usize {
        self.missing.len()
    }

    /// For a place or a gate, by its number, whose it is.
    pub(super) fn place(&self, node: usize) -> usize {
        node % self.count()
    }

    pub(super) fn arrows(&self) -> &Arrows {
        &self.arrows
    }

    /// The open tasks that one to work on depends on itself.
    pub(super) fn own(&self, at: usize) -> impl Iterator<Item = usize> {
        self.places(at)
    }

    /// The open tasks that a task depends on and that are no part of it.
    pub(super) fn outside(&self, at: usize) -> impl Iterator<Item = usize> {
        self.places(self.count() + at)
    }

    fn places(&self, node: usize) -> impl Iterator<Item = usize> {
        let count = self.count();
        self.arrows.from(node).iter().map(|to| *to as usize).filter(move |to| *to < count)
    }

    /// For each place, the nearest above it that itself depends on something that is not met.
    pub(super) fn held_up_by(&self, items: &[Item], progress: &Progress) -> Vec<Option<u32>> {
        let is_held_up = |at: usize| {
            let is_missing = self.missing[at] > 0 && !items[at].status.is_settled();
            is_missing || self.outside(at).any(|to| !progress.is_met(to))
        };
        let mut nearest = vec![None; self.count()];
        for at in self.tree.downwards() {
            if let Some(parent) = self.tree.parent(at) {
                nearest[at] = if is_held_up(parent) { Some(number_of(parent)) } else { nearest[parent] };
            }
        }
        nearest
    }
}

fn edges(items: &[Item], tree: &Tree, dependencies: &Arrows) -> Vec<Edge> {
    let count = items.len();
    let gate = |at: usize| number_of(count + at);
    let is_open = |at: usize| !items[at].status.is_settled();
    let open = |ends: &'_ [u32]| ends.iter().copied().filter(|to| is_open(*to as usize)).collect::<Vec<_>>();
    let mut edges: Vec<Edge> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let above = tree.parent(at).map(gate);
        let needs = if is_open(at) { open(dependencies.from(at)) } else { Vec::new() };
        if is_open(at) {
            let parts = if item.kind == Kind::Container { open(tree.children(at)) } else { Vec::new() };
            let all = needs.iter().copied().chain(above).chain(parts);
            edges.extend(all.map(|to| (number_of(at), to)));
        }
        if !tree.children(at).is_empty() {
            let outside = needs.into_iter().filter(|to| !tree.is_within(*to as usize, at));
            edges.extend(outside.chain(above).map(|to| (gate(at), to)));
        }
    }
    edges
}

impl Progress {
    pub(super) fn is_met(&self, at: usize) -> bool {
        self.met[at]
    }

    /// Whether nothing is left that it waits for.
    pub(super) fn is_free(&self, at: usize) -> bool {
        self.unmet[at] == 0
    }

    /// The containers that came by themselves, each behind those that it needs.
    pub(super) fn containers(&self) -> &[usize] {
        &self.containers
    }

    /// Something is done; tells which tasks wait for nothing any more.
    pub(super) fn meet(&mut self, waits: &Waits, node: usize, mut freed: impl FnMut(usize)) {
        let mut done = vec![node];
        while let Some(node) = done.pop() {
            self.met[node] = true;
            if node < waits.count() && waits.comes_by_itself[node] {
                self.containers.push(node);
            }
            for waiter in waits.waiting.from(node).iter().map(|waiter| *waiter as usize) {
                self.unmet[waiter] -= 1;
                match (self.unmet[waiter], waits.comes_by_itself[waiter]) {
                    (0, true) => done.push(waiter),
                    (0, false) => freed(waiter),
                    _ => {}
                }
            }
        }
    }
}
