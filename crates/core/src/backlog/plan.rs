//! The order in which a backlog is worked on, with a reason for each entry.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt;

use jiff::Timestamp;

use super::filter::Filter;
use super::graph::Backlog;
use super::hold::{Held, Hold, Wait, list};
use super::item::{Item, Kind, Status, natural};
use super::rank::page_rank;
use super::waits::Progress;
use crate::id::TaskId;

/// What a run may work on, and what counts first.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub filter: Filter,
    pub skipped: BTreeSet<TaskId>,
    /// Waiting for a person's answer.
    pub parked: BTreeSet<TaskId>,
    /// Somebody else works on these.
    pub taken: BTreeSet<TaskId>,
    pub order: Order,
}

/// What counts first where several tasks are ready.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Order {
    /// Priority, then how much waits for it.
    #[default]
    Priority,
    /// How much waits for it, then priority.
    Graph,
    /// The score that a program gave it, then as `Graph`; what has no score comes after what has one.
    Scores(BTreeMap<TaskId, f64>),
}

/// What comes when, if everything is completed when its turn comes; and what never comes.
#[derive(Debug)]
pub struct Plan<'a> {
    pub turns: Vec<Turn<'a>>,
    /// In the tracker's order.
    pub held: Vec<Held<'a>>,
}

/// An entry that can be reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn<'a> {
    pub item: &'a Item,
    /// What has to be done before, first what it depends on itself, then what those depend on that it is part of, as
    /// far as it fits; nothing if it is ready now.
    pub after: Vec<&'a TaskId>,
    /// How much waits for it, directly or not; 1 on average.
    pub rank: f64,
    /// How many unfinished tasks wait for it directly.
    pub waiting: usize,
    pub score: Option<f64>,
}

impl Backlog {
    /// What to work on now.
    pub fn next(&self, wanted: &Wanted) -> Option<Turn<'_>> {
        Selecting::new(self, wanted).take()
    }

    pub fn plan(&self, wanted: &Wanted) -> Plan<'_> {
        let mut selecting = Selecting::new(self, wanted);
        let turns = std::iter::from_fn(|| selecting.take()).collect();
        Plan { turns, held: selecting.held() }
    }

    /// Whether everything that the filter means is settled. A container is settled with what it contains.
    pub fn is_complete(&self, filter: &Filter) -> bool {
        let meant = filter.meant(self);
        let work = self.items().iter().zip(meant).filter(|(item, meant)| *meant && item.kind == Kind::Work);
        work.into_iter().all(|(item, _)| item.status.is_settled())
    }

    /// Whether it could be worked on now, were it wanted.
    pub fn is_ready(&self, id: &TaskId) -> bool {
        self.place(id).is_some_and(|at| {
            let item = &self.items()[at];
            let is_open = matches!(item.status, Status::Open | Status::InProgress) && item.kind == Kind::Work;
            is_open && self.progress().is_free(at)
        })
    }

    fn missing(&self, at: usize) -> Vec<&TaskId> {
        self.items()[at].depends_on.iter().filter(|id| self.place(id).is_none()).collect()
    }
}

/// Everything that is compared, what comes first being the least; the last part is the place.
type Key = (Reverse<Score>, Urgency, Reverse<u64>, Urgency, u32, usize);

/// A priority, and how far beyond the scale it was given.
type Urgency = (u8, i64);

/// A score in a form that can be ordered; none is below all.
type Score = Option<u64>;

/// Of how many tasks above it, and how many of each, a turn names what they wait for.
const INHERITED: usize = 16;

/// Taking one entry after the other.
struct Selecting<'a, 'w> {
    backlog: &'a Backlog,
    wanted: &'w Wanted,
    state: Vec<State<'a>>,
    progress: Progress,
    /// For each entry, the nearest above it that now waits for something itself.
    held_up_by: Vec<Option<u32>>,
    ranks: Vec<f64>,
    ready: BinaryHeap<Reverse<Key>>,
    by_age: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
enum State<'a> {
    Candidate,
    Taken,
    Held(Hold<'a>),
}

impl<'a, 'w> Selecting<'a, 'w> {
    fn new(backlog: &'a Backlog, wanted: &'w Wanted) -> Selecting<'a, 'w> {
        let items = backlog.items();
        let meant = wanted.filter.meant(backlog);
        let state = items.iter().zip(meant).map(|(item, meant)| standing(item, meant, wanted)).collect();
        let alive: Vec<bool> = items.iter().map(|item| !item.status.is_settled()).collect();
        let mut selecting = Selecting {
            backlog,
            wanted,
            state,
            progress: backlog.progress().clone(),
            held_up_by: backlog.waits().held_up_by(items, backlog.progress()),
            ranks: page_rank(backlog, &alive),
            ready: BinaryHeap::new(),
            by_age: by_age(items),
        };
        let ready = (0..items.len()).filter(|at| selecting.progress.is_free(*at));
        let ready = ready.filter(|at| selecting.state[*at] == State::Candidate);
        selecting.ready = ready.map(|at| Reverse(selecting.key(at))).collect();
        selecting
    }

    fn key(&self, at: usize) -> Key {
        let item = &self.backlog.items()[at];
        let priority = (item.priority.get(), item.beyond_scale());
        // Sums of the same weights in another order differ in the last digits: they must not decide.
        let rank = Reverse((self.ranks[at] * 1e6).round() as u64);
        let (before, after) = match self.wanted.order {
            Order::Priority => (priority, Urgency::default()),
            Order::Graph | Order::Scores(_) => (Urgency::default(), priority),
        };
        (Reverse(self.score(item).map(sortable)), before, rank, after, self.by_age[at], at)
    }

    fn score(&self, item: &Item) -> Option<f64> {
        match &self.wanted.order {
            Order::Scores(scores) => scores.get(&item.id).copied(),
            Order::Priority | Order::Graph => None,
        }
    }

    fn take(&mut self) -> Option<Turn<'a>> {
        let Reverse((.., at)) = self.ready.pop()?;
        self.state[at] = State::Taken;
        let mut freed = Vec::new();
        self.progress.meet(self.backlog.waits(), at, |to| freed.push(to));
        let ready = freed.into_iter().filter(|to| self.state[*to] == State::Candidate);
        let ready: Vec<Key> = ready.map(|to| self.key(to)).collect();
        self.ready.extend(ready.into_iter().map(Reverse));
        let items = self.backlog.items();
        let is_open = |at: &u32| !items[*at as usize].status.is_settled();
        Some(Turn {
            item: &items[at],
            after: self.after(at),
            rank: self.ranks[at],
            waiting: self.backlog.waiting_for(at).iter().filter(|at| is_open(at)).count(),
            score: self.score(&items[at]),
        })
    }

    /// What is not met now and was to be done before.
    fn after(&self, at: usize) -> Vec<&'a TaskId> {
        let (items, waits) = (self.backlog.items(), self.backlog.waits());
        let is_left = |to: &usize| !self.backlog.progress().is_met(*to);
        let mut after: Vec<usize> = waits.own(at).filter(is_left).collect();
        let mut above = self.held_up_by[at];
        for _ in 0..INHERITED {
            let Some(one) = above else { break };
            let more = waits.outside(one as usize).filter(is_left).filter(|to| !after.contains(to));
            let more: Vec<usize> = more.take(INHERITED).collect();
            after.extend(more);
            above = self.held_up_by[one as usize];
        }
        after.into_iter().map(|to| &items[to].id).collect()
    }

    /// What was never taken.
    fn held(self) -> Vec<Held<'a>> {
        let items = self.backlog.items();
        let held_up_by = self.backlog.waits().held_up_by(items, &self.progress);
        let held = self.state.iter().enumerate().filter_map(|(at, state)| {
            let why = match state {
                State::Taken => return None,
                State::Held(why) => why.clone(),
                State::Candidate => self.stuck(at, held_up_by[at]),
            };
            Some(Held { item: &items[at], why })
        });
        held.collect()
    }

    /// Why a candidate was never ready; `above` is the nearest above it that waits for something itself.
    fn stuck(&self, at: usize, above: Option<u32>) -> Hold<'a> {
        let missing = self.backlog.missing(at);
        if !missing.is_empty() {
            return Hold::Unknown(missing);
        }
        if let Some(round) = self.backlog.cycle_of(at) {
            return Hold::Cycle(round);
        }
        let (items, waits) = (self.backlog.items(), self.backlog.waits());
        let is_left = |to: &usize| !self.progress.is_met(*to);
        let own: Vec<&TaskId> = waits.own(at).filter(is_left).map(|to| &items[to].id).collect();
        match above.filter(|_| own.is_empty()) {
            None => Hold::Waits(Wait { above: None, on: own }),
            Some(above) => {
                let above = above as usize;
                let left = waits.outside(above).filter(is_left).map(|to| &items[to].id);
                let on = self.backlog.missing(above).into_iter().chain(left).take(INHERITED).collect();
                Hold::Waits(Wait { above: Some(&items[above].id), on })
            }
        }
    }
}

fn standing<'a>(item: &Item, is_meant: bool, wanted: &Wanted) -> State<'a> {
    let hold = match item.status {
        Status::Completed => Hold::Completed,
        Status::Cancelled => Hold::Cancelled,
        _ if !is_meant => Hold::Filtered,
        Status::Blocked => Hold::Blocked,
        Status::Open | Status::InProgress if item.kind == Kind::Container => Hold::Container,
        Status::Open | Status::InProgress if wanted.skipped.contains(&item.id) => Hold::Skipped,
        Status::Open | Status::InProgress if wanted.parked.contains(&item.id) => Hold::Parked,
        Status::Open | Status::InProgress if wanted.taken.contains(&item.id) => Hold::Taken,
        Status::Open | Status::InProgress => return State::Candidate,
    };
    State::Held(hold)
}

/// For each place, which one it is in the order of age, as far as it is known, and then of ids: some trackers draw
/// these by lot.
fn by_age(items: &[Item]) -> Vec<u32> {
    let created: Vec<Option<Timestamp>> = items.iter().map(Item::created).collect();
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by(|one, other| {
        let by_id = || natural(items[*one].id.as_str(), items[*other].id.as_str());
        created[*one].cmp(&created[*other]).then_with(by_id)
    });
    let mut by_age = vec![0; items.len()];
    for (no, at) in places.into_iter().enumerate() {
        by_age[at] = u32::try_from(no).unwrap_or(u32::MAX);
    }
    by_age
}

/// A number that is ordered as the score is: what is not a number is below all.
fn sortable(score: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = if score.is_nan() { f64::NEG_INFINITY.to_bits() } else { score.to_bits() };
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

impl Turn<'_> {
    pub fn is_ready(&self) -> bool {
        self.after.is_empty()
    }
}

/// Why it is where it is.
impl fmt::Display for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.after.as_slice() {
            [] => write!(f, "ready")?,
            after => write!(f, "after {}", list(after))?,
        }
        write!(f, "; priority {}", self.item.priority)?;
        match self.waiting {
            0 => write!(f, "; nothing waits for it")?,
            1 => write!(f, "; 1 task waits for it, weight {:.2}", self.rank)?,
            many => write!(f, "; {many} tasks wait for it, weight {:.2}", self.rank)?,
        }
        match self.score {
            Some(score) => write!(f, "; score {score:.2}"),
            None => Ok(()),
        }
    }
}
