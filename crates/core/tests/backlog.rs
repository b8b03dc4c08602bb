//! Selection against a model that is too simple to be wrong, and against backlogs too large for anything that is not linear.

#![expect(clippy::unwrap_used, reason = "what a test cannot make, it fails for")]

use std::collections::BTreeSet;

use proptest::prelude::{Just, Strategy, any, prop, proptest};
use proptest::{prop_assert, prop_assert_eq};
use ralph_core::backlog::{Backlog, Filter, Hold, Item, Kind, Order, Priority, Status, Wanted};
use ralph_core::id::TaskId;

fn id(number: usize) -> TaskId {
    TaskId::parse(&format!("T-{number}")).unwrap()
}

/// Up to twelve tasks, all of them with any dependencies, also on themselves, on each other and on what is not there.
fn backlogs() -> impl Strategy<Value = Vec<Item>> {
    (1..12_usize).prop_flat_map(|count| {
        let status = prop::sample::select(Status::ALL.to_vec());
        let status =
            prop::strategy::Union::new_weighted(vec![(3, Just(Status::Open).boxed()), (2, status.boxed())]);
        let needs = prop::collection::vec(0..count + 1, 0..3);
        let blocks = prop::collection::vec(0..count + 1, 0..2);
        let one = (status, 0..5_i64, needs, blocks, 0..3_u8, prop::option::of(0..count), any::<bool>());
        prop::collection::vec(one, count).prop_map(|all| {
            let items = all.into_iter().enumerate().map(
                |(at, (status, priority, needs, blocks, label, parent, work))| {
                    let mut item = Item::new(id(at), format!("task {at}"));
                    item.status = status;
                    item.priority = Priority::nearest(priority);
                    item.depends_on = needs.into_iter().map(id).collect();
                    item.blocks = blocks.into_iter().map(id).collect();
                    item.labels = vec![format!("l{label}")];
                    item.parent = parent.map(id);
                    item.kind = if work || at % 3 > 0 { Kind::Work } else { Kind::Container };
                    item
                },
            );
            items.collect()
        })
    })
}

fn wishes() -> impl Strategy<Value = Wanted> {
    let some = || prop::collection::btree_set((0..12_usize).prop_map(id), 0..3);
    let epics = prop::collection::vec((0..12_usize).prop_map(id), 0..2);
    let labels = prop::collection::vec((0..3_u8).prop_map(|n| format!("l{n}")), 0..3);
    let range = prop::option::of(prop::sample::select(vec!["1-4", "3-", "-6", "1,3,5-9"]));
    (some(), some(), epics, labels, range, any::<bool>()).prop_map(
        |(skipped, parked, epics, labels, range, graph)| {
            let range = range.map(|text| text.parse().unwrap());
            let order = if graph { Order::Graph } else { Order::Priority };
            Wanted { filter: Filter { epics, labels, range, tasks: Vec::new() }, skipped, parked, order }
        },
    )
}

/// What each depends on, by place, whichever end told of it.
fn needs(items: &[Item]) -> Vec<BTreeSet<usize>> {
    let place = |id: &TaskId| items.iter().position(|item| item.id == *id);
    let of = |at: usize| {
        let own = items[at].depends_on.iter().filter_map(place);
        let told = (0..items.len()).filter(|other| items[*other].blocks.contains(&items[at].id));
        own.chain(told).collect()
    };
    (0..items.len()).map(of).collect()
}

/// PageRank by the book, on a dense matrix.
fn ranks(items: &[Item]) -> Vec<f64> {
    let alive: Vec<usize> = (0..items.len()).filter(|at| !items[*at].status.is_settled()).collect();
    let needs = needs(items);
    let n = alive.len() as f64;
    let column = |from: usize| -> Vec<f64> {
        let to: Vec<usize> = alive.iter().copied().filter(|to| needs[from].contains(to)).collect();
        alive
            .iter()
            .map(|at| {
                if to.is_empty() {
                    1.0 / n
                } else if to.contains(at) {
                    1.0 / to.len() as f64
                } else {
                    0.0
                }
            })
            .collect()
    };
    let columns: Vec<Vec<f64>> = alive.iter().map(|at| column(*at)).collect();
    let mut weights = vec![1.0 / n; alive.len()];
    for _ in 0..300 {
        let sum = |row: usize| -> f64 {
            columns.iter().zip(&weights).map(|(column, weight)| column[row] * weight).sum()
        };
        weights = (0..alive.len()).map(|row| 0.15 / n + 0.85 * sum(row)).collect();
    }
    let mut all = vec![0.0; items.len()];
    alive.iter().zip(weights).for_each(|(at, weight)| all[*at] = weight * n);
    all
}

fn is_below(items: &[Item], at: usize, epics: &[TaskId]) -> bool {
    let mut parent = items[at].parent.clone();
    for _ in 0..=items.len() {
        let Some(id) = parent else { return false };
        if epics.contains(&id) {
            return true;
        }
        parent = items.iter().find(|item| item.id == id).and_then(|item| item.parent.clone());
    }
    false
}

fn may_be_picked(items: &[Item], at: usize, wanted: &Wanted) -> bool {
    let item = &items[at];
    let filter = &wanted.filter;
    matches!(item.status, Status::Open | Status::InProgress)
        && item.kind == Kind::Work
        && !wanted.skipped.contains(&item.id)
        && !wanted.parked.contains(&item.id)
        && (filter.epics.is_empty() || is_below(items, at, &filter.epics))
        && (filter.labels.is_empty() || item.labels.iter().any(|label| filter.labels.contains(label)))
        && filter.range.as_ref().is_none_or(|range| range.holds(at + 1))
}

/// One after the other: of what may be picked and has everything before it done, the best.
fn model(items: &[Item], wanted: &Wanted) -> Vec<usize> {
    let (needs, ranks) = (needs(items), ranks(items));
    let place = |id: &TaskId| items.iter().position(|item| item.id == *id);
    let mut taken: Vec<usize> = Vec::new();
    loop {
        let is_done = |at: &usize| items[*at].status.is_settled() || taken.contains(at);
        let is_free = |at: &usize| {
            may_be_picked(items, *at, wanted)
                && !taken.contains(at)
                && items[*at].depends_on.iter().all(|id| place(id).is_some())
                && needs[*at].iter().all(is_done)
        };
        let key = |at: &usize| {
            let rank = -(ranks[*at] * 1e6).round() as i64;
            let priority = i64::from(items[*at].priority.get());
            if wanted.order == Order::Priority { (priority, rank, *at) } else { (rank, priority, *at) }
        };
        match (0..items.len()).filter(is_free).min_by_key(key) {
            Some(best) => taken.push(best),
            None => return taken,
        }
    }
}

/// From where to where a way leads, in one step or more.
fn reach(items: &[Item]) -> Vec<Vec<bool>> {
    let needs = needs(items);
    let n = items.len();
    let mut reach: Vec<Vec<bool>> = (0..n).map(|a| (0..n).map(|b| needs[a].contains(&b)).collect()).collect();
    for k in 0..n {
        for a in 0..n {
            for b in 0..n {
                reach[a][b] |= reach[a][k] && reach[k][b];
            }
        }
    }
    reach
}

proptest! {
    #[test]
    fn the_order_is_that_of_the_model(items in backlogs(), wanted in wishes()) {
        let backlog = Backlog::new(items.clone()).unwrap();
        let plan = backlog.plan(&wanted);
        let ids = |places: Vec<usize>| places.into_iter().map(|at| items[at].id.clone()).collect::<Vec<_>>();
        let planned: Vec<TaskId> = plan.turns.iter().map(|turn| turn.item.id.clone()).collect();
        prop_assert_eq!(&planned, &ids(model(&items, &wanted)));
        prop_assert_eq!(plan.turns.len() + plan.held.len(), items.len(), "everything is accounted for");
        let next = backlog.next(&wanted).map(|turn| turn.item.id.clone());
        prop_assert_eq!(next.as_ref(), planned.first());
        for turn in plan.turns.iter().filter(|turn| turn.is_ready()) {
            prop_assert!(backlog.is_ready(&turn.item.id));
        }
    }

    #[test]
    fn whatever_is_held_is_held_for_what_it_says(items in backlogs(), wanted in wishes()) {
        let backlog = Backlog::new(items.clone()).unwrap();
        let plan = backlog.plan(&wanted);
        let reach = reach(&items);
        for held in &plan.held {
            let at = items.iter().position(|item| item.id == held.item.id).unwrap();
            let candidate = may_be_picked(&items, at, &wanted);
            let is_stuck = matches!(held.why, Hold::Cycle(_) | Hold::Unknown(_) | Hold::Waits(_));
            prop_assert_eq!(candidate, is_stuck, "{}: {}", held.item.id, held.why);
            match &held.why {
                Hold::Cycle(_) => prop_assert!(reach[at][at]),
                Hold::Unknown(missing) => prop_assert!(missing.iter().all(|id| backlog.item(id).is_none())),
                Hold::Waits(on) => prop_assert!(!on.is_empty() && on.iter().all(|id| plan.held.iter().any(|held| held.item.id == **id))),
                Hold::Completed => prop_assert_eq!(held.item.status, Status::Completed),
                Hold::Skipped => prop_assert!(wanted.skipped.contains(&held.item.id)),
                Hold::Parked => prop_assert!(wanted.parked.contains(&held.item.id)),
                Hold::Cancelled | Hold::Blocked | Hold::Container | Hold::Filtered => {}
            }
        }
    }

    #[test]
    fn every_tangle_is_named_once_by_a_round_that_is_one(items in backlogs()) {
        let backlog = Backlog::new(items.clone()).unwrap();
        let (reach, needs) = (reach(&items), needs(&items));
        let place = |id: &TaskId| items.iter().position(|item| item.id == *id).unwrap();
        let rounds: Vec<Vec<usize>> = backlog.cycles().map(|round| round.iter().map(place).collect()).collect();
        for round in &rounds {
            for (at, next) in round.iter().zip(round.iter().cycle().skip(1)) {
                prop_assert!(needs[*at].contains(next), "{round:?}");
            }
        }
        for at in (0..items.len()).filter(|at| reach[*at][*at]) {
            let same = |other: &usize| *other == at || reach[at][*other] && reach[*other][at];
            prop_assert_eq!(rounds.iter().filter(|round| round.iter().any(same)).count(), 1);
        }
        prop_assert!(rounds.iter().flatten().all(|at| reach[*at][*at]));
        let unknown: BTreeSet<(usize, TaskId)> = backlog.unknown().iter().map(|one| (place(&one.task), one.missing.clone())).collect();
        let expected = items.iter().enumerate().flat_map(|(at, item)| item.depends_on.iter().map(move |id| (at, id.clone())));
        prop_assert_eq!(unknown, expected.filter(|(_, id)| items.iter().all(|item| item.id != *id)).collect::<BTreeSet<_>>());
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_tasks_is_planned_from_its_end_and_a_ring_of_them_is_a_cycle() {
    const COUNT: usize = 100_000;
    let chain = |is_ring: bool| {
        let items = (0..COUNT).map(|at| {
            let mut item = Item::new(id(at), "x");
            if at + 1 < COUNT || is_ring {
                item.depends_on = vec![id((at + 1) % COUNT)];
            }
            item
        });
        Backlog::new(items.collect()).unwrap()
    };
    let line = chain(false);
    let plan = line.plan(&Wanted::default());
    assert_eq!((plan.turns.len(), plan.held.len()), (COUNT, 0));
    assert!(plan.turns.iter().zip((0..COUNT).rev()).all(|(turn, at)| turn.item.id == id(at)));
    let ring = chain(true);
    assert_eq!(ring.cycles().map(|round| round.len()).collect::<Vec<_>>(), [COUNT]);
    let held = ring.plan(&Wanted::default()).held;
    assert_eq!(held.len(), COUNT);
    assert!(held[0].why.to_string().len() < 200, "a cycle of any length is told in one line");
}

#[test]
fn two_tasks_with_one_name_are_refused() {
    let error =
        Backlog::new(vec![Item::new(id(1), "a"), Item::new(id(2), "b"), Item::new(id(1), "c")]).unwrap_err();
    assert_eq!(error.to_string(), "two tasks are called T-1: number 1 and number 3");
}

#[test]
fn what_a_program_scored_comes_first_and_the_rest_by_what_waits() {
    let mut items: Vec<Item> = (0..4).map(|at| Item::new(id(at), "x")).collect();
    items[0].depends_on = vec![id(3)];
    let backlog = Backlog::new(items).unwrap();
    let scores = [(id(1), 0.1), (id(2), 7.5), (id(3), f64::NAN)].into_iter().collect();
    let wanted = Wanted { order: Order::Scores(scores), ..Wanted::default() };
    let order: Vec<String> =
        backlog.plan(&wanted).turns.iter().map(|turn| turn.item.id.to_string()).collect();
    assert_eq!(order, ["T-2", "T-1", "T-3", "T-0"]);
}
