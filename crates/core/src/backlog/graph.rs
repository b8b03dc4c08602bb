//! What depends on what.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::arrows::{Arrows, Edge, cycles, number_of as place};
use super::item::{Item, Status};
use super::tree::Tree;
use super::waits::{Progress, Waits};
use crate::id::TaskId;

/// The entries of a tracker, in its order, and the arrows between them.
#[derive(Debug, Clone)]
pub struct Backlog {
    items: Vec<Item>,
    places: HashMap<TaskId, u32>,
    /// From each entry to what it depends on.
    dependencies: Arrows,
    dependents: Arrows,
    unknown: Vec<UnknownDependency>,
    cycles: Vec<Vec<TaskId>>,
    /// For each entry, which of the cycles it is caught in.
    caught: Vec<Option<u32>>,
    waits: Waits,
    /// How far it is now.
    progress: Progress,
}

/// Two entries cannot have one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tasks are called {id}: number {} and number {}", .first + 1, .second + 1)]
pub struct DuplicateId {
    pub id: TaskId,
    /// Their places, from 0.
    pub first: usize,
    pub second: usize,
}

/// An entry that depends on something that is not there.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct UnknownDependency {
    pub task: TaskId,
    pub missing: TaskId,
}

impl Backlog {
    /// What is being worked on by others than those who name `own`, in a tracker that people share.
    pub fn taken<'a>(&'a self, own: impl Fn(&TaskId) -> bool + 'a) -> impl Iterator<Item = &'a TaskId> {
        let begun = self.items().iter().filter(|item| item.status == Status::InProgress);
        begun.map(|item| &item.id).filter(move |id| !own(id))
    }

    pub fn new(items: Vec<Item>) -> Result<Backlog, DuplicateId> {
        let mut places: HashMap<TaskId, u32> = HashMap::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match places.entry(item.id.clone()) {
                Entry::Vacant(free) => free.insert(place(at)),
                Entry::Occupied(taken) => {
                    let first = *taken.get() as usize;
                    return Err(DuplicateId { id: item.id.clone(), first, second: at });
                }
            };
        }
        let (edges, unknown, missing) = edges(&items, &places);
        let dependencies = Arrows::new(items.len(), edges.iter().copied());
        let dependents = Arrows::new(items.len(), edges.iter().map(|(from, to)| (*to, *from)));
        let (waits, progress) = Waits::new(&items, Tree::new(&items, &places), &dependencies, missing);
        let (cycles, caught) = cycles(waits.arrows());
        let name = |at: usize| items[at].id.clone();
        let cycles = cycles.into_iter().map(|round| simple(&waits, &round).into_iter().map(name).collect());
        let cycles = cycles.collect();
        Ok(Backlog { items, places, dependencies, dependents, unknown, cycles, caught, waits, progress })
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn item(&self, id: &TaskId) -> Option<&Item> {
        self.place(id).map(|at| &self.items[at])
    }

    pub fn into_items(self) -> Vec<Item> {
        self.items
    }

    /// What open tasks depend on and nothing can meet.
    pub fn unknown(&self) -> &[UnknownDependency] {
        &self.unknown
    }

    /// Open tasks that wait for themselves: of each tangle one round, in which each waits for the next and the last
    /// for the first. A task waits for what it depends on and for what holds up the task that it is part of; a
    /// container, for what is in it.
    pub fn cycles(&self) -> impl Iterator<Item = &[TaskId]> {
        self.cycles.iter().map(Vec::as_slice)
    }

    /// What must be done before this one, as far as it is known.
    pub fn dependencies(&self, id: &TaskId) -> impl Iterator<Item = &Item> {
        self.neighbours(&self.dependencies, id)
    }

    /// What waits for this one.
    pub fn dependents(&self, id: &TaskId) -> impl Iterator<Item = &Item> {
        self.neighbours(&self.dependents, id)
    }

    fn neighbours<'a>(&'a self, arrows: &'a Arrows, id: &TaskId) -> impl Iterator<Item = &'a Item> {
        let ends = self.place(id).map(|at| arrows.from(at)).unwrap_or_default();
        ends.iter().map(|at| &self.items[*at as usize])
    }

    /// Containers that are open although all that is in them is settled and nothing holds them up, in an order in
    /// which they can be closed.
    pub fn finished(&self) -> impl Iterator<Item = &Item> {
        self.progress.containers().iter().map(|at| &self.items[*at])
    }

    pub(super) fn place(&self, id: &TaskId) -> Option<usize> {
        self.places.get(id).map(|at| *at as usize)
    }

    pub(super) fn needs(&self, at: usize) -> &[u32] {
        self.dependencies.from(at)
    }

    pub(super) fn waiting_for(&self, at: usize) -> &[u32] {
        self.dependents.from(at)
    }

    pub(super) fn waits(&self) -> &Waits {
        &self.waits
    }

    /// How far it is now.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The round of the tangle that a place is caught in.
    pub(super) fn cycle_of(&self, at: usize) -> Option<&[TaskId]> {
        self.caught[at].map(|cycle| self.cycles[cycle as usize].as_slice())
    }
}

/// Every arrow once, whichever end told of it; what open tasks depend on that is not there, and how many such
/// dependencies each task has.
fn edges(items: &[Item], places: &HashMap<TaskId, u32>) -> (Vec<Edge>, Vec<UnknownDependency>, Vec<u32>) {
    let count = items.iter().map(|item| item.depends_on.len() + item.blocks.len()).sum();
    let (mut edges, mut unknown) = (Vec::with_capacity(count), Vec::new());
    let mut counts = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let mut missing: Vec<&TaskId> = Vec::new();
        for id in &item.depends_on {
            match places.get(id) {
                Some(to) => edges.push((place(at), *to)),
                None => missing.push(id),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        counts.push(place(missing.len()));
        if !item.status.is_settled() {
            let told = |id: &TaskId| UnknownDependency { task: item.id.clone(), missing: id.clone() };
            unknown.extend(missing.into_iter().map(told));
        }
        // What it holds up and is not there is not held up.
        edges.extend(item.blocks.iter().filter_map(|id| Some((*places.get(id)?, place(at)))));
    }
    edges.sort_unstable();
    edges.dedup();
    (edges, unknown, counts)
}

/// A round by its tasks. Where it passes through a task twice, as one that others are part of and as itself, the way
/// from the one to the other is a round of its own: both wait for the same.
fn simple(waits: &Waits, round: &[usize]) -> Vec<usize> {
    let mut way: Vec<usize> = Vec::with_capacity(round.len());
    let mut seen: HashMap<usize, usize> = HashMap::with_capacity(round.len());
    for at in round.iter().map(|node| waits.place(*node)) {
        match seen.entry(at) {
            Entry::Vacant(free) => free.insert(way.len()),
            Entry::Occupied(first) => return way.split_off(*first.get()),
        };
        way.push(at);
    }
    way
}
