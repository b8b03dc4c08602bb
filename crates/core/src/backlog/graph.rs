//! What depends on what.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::item::Item;
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
        let (edges, unknown) = edges(&items, &places);
        let dependencies = Arrows::new(items.len(), edges.iter().copied());
        let dependents = Arrows::new(items.len(), edges.iter().map(|(from, to)| (*to, *from)));
        let (cycles, caught) = cycles(&dependencies);
        let name = |round: Vec<usize>| round.into_iter().map(|at| items[at].id.clone()).collect();
        let cycles = cycles.into_iter().map(name).collect();
        Ok(Backlog { items, places, dependencies, dependents, unknown, cycles, caught })
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

    /// Dependencies that nothing can meet.
    pub fn unknown(&self) -> &[UnknownDependency] {
        &self.unknown
    }

    /// Tasks that wait for themselves: of each tangle one round, in which each depends on the next and the last on
    /// the first.
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

    pub(super) fn place(&self, id: &TaskId) -> Option<usize> {
        self.places.get(id).map(|at| *at as usize)
    }

    pub(super) fn needs(&self, at: usize) -> &[u32] {
        self.dependencies.from(at)
    }

    pub(super) fn waiting_for(&self, at: usize) -> &[u32] {
        self.dependents.from(at)
    }

    /// The round of the tangle that a place is caught in.
    pub(super) fn cycle_of(&self, at: usize) -> Option<&[TaskId]> {
        self.caught[at].map(|cycle| self.cycles[cycle as usize].as_slice())
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).expect("a backlog has fewer than four billion tasks")
}

type Edge = (u32, u32);

/// Every arrow once, whichever end told of it.
fn edges(items: &[Item], places: &HashMap<TaskId, u32>) -> (Vec<Edge>, Vec<UnknownDependency>) {
    let count = items.iter().map(|item| item.depends_on.len() + item.blocks.len()).sum();
    let (mut edges, mut unknown) = (Vec::with_capacity(count), Vec::new());
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
        unknown.extend(
            missing.into_iter().map(|id| UnknownDependency { task: item.id.clone(), missing: id.clone() }),
        );
        // What it holds up and is not there is not held up.
        edges.extend(item.blocks.iter().filter_map(|id| Some((*places.get(id)?, place(at)))));
    }
    edges.sort_unstable();
    edges.dedup();
    (edges, unknown)
}

/// Arrows from each of `n` places, all in two lists.
#[derive(Debug, Clone)]
struct Arrows {
    /// Where the ends of a place's arrows begin; those of the next follow.
    begin: Vec<u32>,
    ends: Vec<u32>,
}

impl Arrows {
    fn new(count: usize, edges: impl Iterator<Item = Edge> + Clone) -> Arrows {
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

    fn from(&self, at: usize) -> &[u32] {
        &self.ends[self.begin[at] as usize..self.begin[at + 1] as usize]
    }

    fn count(&self) -> usize {
        self.begin.len() - 1
    }
}

const UNSEEN: u32 = u32::MAX;

/// One round of every tangle, and which tangle each place is caught in. Tarjan's way, with a stack of its own.
fn cycles(arrows: &Arrows) -> (Vec<Vec<usize>>, Vec<Option<u32>>) {
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
                if tangle.len() > 1 || arrows.from(at).contains(&place(at)) {
                    tangle.iter().for_each(|one| caught[*one] = Some(place(cycles.len())));
                    cycles.push(tangle);
                }
            }
        }
    }
    let rounds = cycles.iter().enumerate().map(|(no, tangle)| round(arrows, tangle, &caught, place(no)));
    (rounds.collect(), caught)
}

/// A shortest way from the first place of a tangle back to it.
fn round(arrows: &Arrows, tangle: &[usize], caught: &[Option<u32>], no: u32) -> Vec<usize> {
    let start = tangle.iter().copied().min().expect("a tangle has a place");
    let mut came_from: HashMap<usize, usize> = HashMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
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
