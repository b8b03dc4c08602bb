//! Selection against a model that is too simple to be wrong, and against backlogs too large for anything that is not linear.

#![expect(clippy::unwrap_used, reason = "what a test cannot make, it fails for")]

use std::collections::BTreeSet;

use proptest::prelude::{Just, Strategy, any, prop, proptest};
use proptest::{prop_assert, prop_assert_eq};
use ralph_core::backlog::{Backlog, Filter, Hold, Item, Kind, Order, Priority, Status, Wait, Wanted};
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
    (some(), some(), some(), epics, labels, range, any::<bool>()).prop_map(
        |(skipped, parked, taken, epics, labels, range, graph)| {
            let range = range.map(|text| text.parse().unwrap());
            let order = if graph { Order::Graph } else { Order::Priority };
            let filter = Filter { epics, labels, range, tasks: Vec::new() };
            Wanted { filter, skipped, parked, taken, order }
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

/// What it is part of; whoever is above itself is part of nothing.
fn parent(items: &[Item], at: usize) -> Option<usize> {
    let named = |at: usize| items.iter().position(|item| Some(&item.id) == items[at].parent.as_ref());
    let above = std::iter::successors(named(at), |above| named(*above)).take(items.len());
    if above.clone().any(|above| above == at) { None } else { named(at) }
}

fn above(items: &[Item], at: usize) -> Vec<usize> {
    std::iter::successors(parent(items, at), |above| parent(items, *above)).collect()
}

fn is_missing(items: &[Item], at: usize) -> bool {
    items[at].depends_on.iter().any(|id| items.iter().all(|item| item.id != *id))
}

/// What a task depends on that is no part of it.
fn outside(items: &[Item], at: usize) -> Vec<usize> {
    let is_part = |one: &usize| *one == at || above(items, *one).contains(&at);
    needs(items)[at].iter().copied().filter(|one| !is_part(one)).collect()
}

/// Whether nothing holds it up, neither itself nor what it is part of.
fn is_free(items: &[Item], at: usize, done: &[bool]) -> bool {
    let is_held_up = |one: usize| is_missing(items, one) || outside(items, one).iter().any(|to| !done[*to]);
    !is_missing(items, at)
        && needs(items)[at].iter().all(|to| done[*to])
        && above(items, at).into_iter().all(|one| items[one].status.is_settled() || !is_held_up(one))
}

/// What is done once these are taken: containers are with all that is in them.
fn done(items: &[Item], taken: &[usize]) -> Vec<bool> {
    let mut done: Vec<bool> =
        (0..items.len()).map(|at| items[at].status.is_settled() || taken.contains(&at)).collect();
    loop {
        let comes = |at: &usize| {
            let parts: Vec<usize> = (0..items.len()).filter(|one| parent(items, *one) == Some(*at)).collect();
            !done[*at]
                && items[*at].kind == Kind::Container
                && items[*at].status != Status::Blocked
                && !parts.is_empty()
                && parts.iter().all(|one| done[*one])
                && is_free(items, *at, &done)
        };
        match (0..items.len()).find(comes) {
            Some(at) => done[at] = true,
            None => return done,
        }
    }
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
        && !wanted.taken.contains(&item.id)
        && (filter.epics.is_empty() || is_below(items, at, &filter.epics))
        && (filter.labels.is_empty() || item.labels.iter().any(|label| filter.labels.contains(label)))
        && filter.range.as_ref().is_none_or(|range| range.holds(at + 1))
}

/// One after the other: of what may be picked and has everything before it done, the best.
fn model(items: &[Item], wanted: &Wanted) -> Vec<usize> {
    let ranks = ranks(items);
    let mut taken: Vec<usize> = Vec::new();
    loop {
        let done = done(items, &taken);
        let is_free = |at: &usize| {
            may_be_picked(items, *at, wanted) && !taken.contains(at) && is_free(items, *at, &done)
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

/// From where to where a way leads, in one step or more, among what is open. Behind the tasks are their gates, for which
/// their parts wait.
fn reach(items: &[Item]) -> Vec<Vec<bool>> {
    let n = items.len();
    let needs = needs(items);
    let is_open = |at: usize| !items[at].status.is_settled();
    let leads = |a: usize, b: usize| match (a < n, b < n) {
        (true, true) => {
            let is_part = items[a].kind == Kind::Container && parent(items, b) == Some(a);
            is_open(a) && is_open(b) && (needs[a].contains(&b) || is_part)
        }
        (true, false) => is_open(a) && parent(items, a) == Some(b - n),
        (false, true) => is_open(a - n) && is_open(b) && outside(items, a - n).contains(&b),
        (false, false) => parent(items, a - n) == Some(b - n),
    };
    let mut reach: Vec<Vec<bool>> = (0..2 * n).map(|a| (0..2 * n).map(|b| leads(a, b)).collect()).collect();
    for k in 0..2 * n {
        for a in 0..2 * n {
            if reach[a][k] {
                let through = reach[k].clone();
                through.into_iter().enumerate().for_each(|(b, leads)| reach[a][b] |= leads);
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
        let now = done(&items, &[]);
        for turn in &plan.turns {
            let at = items.iter().position(|item| item.id == turn.item.id).unwrap();
            prop_assert_eq!(turn.is_ready(), is_free(&items, at, &now), "{}", turn);
            prop_assert_eq!(backlog.is_ready(&turn.item.id), turn.is_ready());
        }
    }

    #[test]
    fn whatever_is_held_is_held_for_what_it_says(items in backlogs(), wanted in wishes()) {
        let backlog = Backlog::new(items.clone()).unwrap();
        let plan = backlog.plan(&wanted);
        let reach = reach(&items);
        let place = |id: &TaskId| items.iter().position(|item| item.id == *id);
        let is_held = |id: &TaskId| plan.held.iter().any(|held| held.item.id == *id);
        for held in &plan.held {
            let at = place(&held.item.id).unwrap();
            let candidate = may_be_picked(&items, at, &wanted);
            let is_stuck = matches!(held.why, Hold::Cycle(_) | Hold::Unknown(_) | Hold::Waits(_));
            prop_assert_eq!(candidate, is_stuck, "{}: {}", held.item.id, held.why);
            match &held.why {
                Hold::Cycle(_) => prop_assert!(reach[at][at]),
                Hold::Unknown(missing) => prop_assert!(missing.iter().all(|id| backlog.item(id).is_none())),
                Hold::Waits(Wait { above: None, on }) => prop_assert!(!on.is_empty() && on.iter().all(|id| is_held(id))),
                Hold::Waits(Wait { above: Some(whole), on }) => {
                    prop_assert!(above(&items, at).contains(&place(whole).unwrap()));
                    prop_assert!(!on.is_empty() && on.iter().all(|id| place(id).is_none() || is_held(id)));
                }
                Hold::Completed => prop_assert_eq!(held.item.status, Status::Completed),
                Hold::Skipped => prop_assert!(wanted.skipped.contains(&held.item.id)),
                Hold::Parked => prop_assert!(wanted.parked.contains(&held.item.id)),
                Hold::Taken => prop_assert!(wanted.taken.contains(&held.item.id)),
                Hold::Cancelled | Hold::Blocked | Hold::Container | Hold::Filtered => {}
            }
        }
    }

    #[test]
    fn containers_are_finished_with_what_is_in_them_each_behind_what_it_needs(items in backlogs()) {
        let backlog = Backlog::new(items.clone()).unwrap();
        let place = |id: &TaskId| items.iter().position(|item| item.id == *id).unwrap();
        let finished: Vec<usize> = backlog.finished().map(|item| place(&item.id)).collect();
        let done = done(&items, &[]);
        let expected: BTreeSet<usize> = (0..items.len()).filter(|at| done[*at] && !items[*at].status.is_settled()).collect();
        prop_assert_eq!(finished.iter().copied().collect::<BTreeSet<_>>(), expected);
        for (no, at) in finished.iter().enumerate() {
            let is_before = |one: &usize| items[*one].status.is_settled() || finished[..no].contains(one);
            prop_assert!(needs(&items)[*at].iter().all(is_before));
            prop_assert!((0..items.len()).filter(|one| parent(&items, *one) == Some(*at)).all(|one| is_before(&one)));
        }
    }

    #[test]
    fn every_tangle_of_what_is_open_is_named_once_by_a_round_that_is_one(items in backlogs()) {
        let backlog = Backlog::new(items.clone()).unwrap();
        let (reach, needs, n) = (reach(&items), needs(&items), items.len());
        let place = |id: &TaskId| items.iter().position(|item| item.id == *id).unwrap();
        let rounds: Vec<Vec<usize>> = backlog.cycles().map(|round| round.iter().map(place).collect()).collect();
        for round in &rounds {
            for (at, next) in round.iter().zip(round.iter().cycle().skip(1)) {
                let is_whole = parent(&items, *at) == Some(*next);
                let is_part = items[*at].kind == Kind::Container && parent(&items, *next) == Some(*at);
                prop_assert!(needs[*at].contains(next) || is_whole || is_part, "{round:?}");
            }
        }
        for at in (0..n).filter(|at| reach[*at][*at]) {
            let with = |node: usize| reach[at][node] && reach[node][at];
            let names = |round: &&Vec<usize>| round.iter().any(|one| with(*one)) && round.iter().all(|one| with(*one) || with(n + one));
            prop_assert_eq!(rounds.iter().filter(names).count(), 1, "{:?}", rounds);
        }
        prop_assert!(rounds.iter().flatten().all(|at| reach[*at][*at] || reach[n + at][n + at]));
        let unknown: BTreeSet<(usize, TaskId)> = backlog.unknown().iter().map(|one| (place(&one.task), one.missing.clone())).collect();
        let open = items.iter().enumerate().filter(|(_, item)| !item.status.is_settled());
        let expected = open.flat_map(|(at, item)| item.depends_on.iter().map(move |id| (at, id.clone())));
        prop_assert_eq!(unknown, expected.filter(|(_, id)| items.iter().all(|item| item.id != *id)).collect::<BTreeSet<_>>());
    }
}

fn task(name: &str, parent: &str, needs: &[&str]) -> Item {
    let id = |name: &str| TaskId::parse(name).unwrap();
    let mut item = Item::new(id(name), name);
    item.parent = Some(parent).filter(|parent| !parent.is_empty()).map(id);
    item.depends_on = needs.iter().map(|one| id(one)).collect();
    item
}

fn epic(name: &str, parent: &str, needs: &[&str]) -> Item {
    Item { kind: Kind::Container, ..task(name, parent, needs) }
}

fn planned(backlog: &Backlog) -> Vec<&str> {
    backlog.plan(&Wanted::default()).turns.iter().map(|turn| turn.item.id.as_str()).collect()
}

fn why(backlog: &Backlog, name: &str) -> String {
    let plan = backlog.plan(&Wanted::default());
    plan.held.iter().find(|held| held.item.id.as_str() == name).unwrap().to_string()
}

#[test]
fn a_part_waits_for_what_the_whole_waits_for() {
    let items = |first: Status| {
        let mut last = task("c1", "E1", &[]);
        last.status = first;
        vec![epic("E1", "", &[]), last, epic("E2", "", &["E1"]), task("c2", "E2", &[]), task("c3", "c2", &[])]
    };
    let backlog = Backlog::new(items(Status::Open)).unwrap();
    assert_eq!(planned(&backlog), ["c1", "c2", "c3"]);
    let plan = backlog.plan(&Wanted::default());
    assert_eq!(plan.turns[1].after, plan.turns[2].after);
    assert_eq!(plan.turns[2].to_string(), "after E1; priority 2; nothing waits for it");
    assert!(!backlog.is_ready(&TaskId::parse("c3").unwrap()));
    let backlog = Backlog::new(items(Status::Blocked)).unwrap();
    assert_eq!(why(&backlog, "c3"), "is part of E2, which waits for E1: not going to be done");
    let backlog = Backlog::new(items(Status::Completed)).unwrap();
    assert_eq!(backlog.next(&Wanted::default()).unwrap().item.id.as_str(), "c2");
    assert!(backlog.is_ready(&TaskId::parse("c3").unwrap()));
    // A whole may depend on its own parts: they do not wait for each other.
    let nested =
        vec![task("P", "", &["a", "b", "X"]), task("a", "P", &[]), task("b", "P", &[]), task("X", "", &[])];
    assert_eq!(planned(&Backlog::new(nested).unwrap()), ["X", "a", "b", "P"]);
    let lost = vec![epic("E", "", &["nowhere"]), task("c", "E", &[])];
    let lost = Backlog::new(lost).unwrap();
    assert_eq!(why(&lost, "c"), "is part of E, which waits for nowhere: not going to be done");
}

#[test]
fn a_container_is_done_with_what_is_in_it() {
    let mut done = task("c1", "E1", &[]);
    done.status = Status::Completed;
    let mut items =
        vec![epic("E1", "", &[]), epic("E0", "E1", &[]), done.clone(), task("after", "", &["E1"])];
    items[2].parent = Some(items[1].id.clone());
    let finished = |backlog: &Backlog| backlog.finished().map(|item| item.id.to_string()).collect::<Vec<_>>();
    let backlog = Backlog::new(items.clone()).unwrap();
    assert_eq!(finished(&backlog), ["E0", "E1"], "what is inside is closed first");
    assert!(backlog.next(&Wanted::default()).unwrap().is_ready());
    items.push(task("c2", "E0", &[]));
    let backlog = Backlog::new(items.clone()).unwrap();
    assert_eq!((planned(&backlog), finished(&backlog)), (vec!["c2", "after"], vec![]));
    let empty = Backlog::new(vec![epic("E", "", &[]), task("after", "", &["E"])]).unwrap();
    assert_eq!(finished(&empty), [] as [&str; 0], "nobody has said yet what is in it");
    assert_eq!(why(&empty, "after"), "waits for E, which is not going to be done");
    let mut deferred = vec![epic("E", "", &[]), done, task("after", "", &["E"])];
    deferred[0].status = Status::Blocked;
    deferred[1].parent = Some(deferred[0].id.clone());
    assert_eq!(finished(&Backlog::new(deferred).unwrap()), [] as [&str; 0]);
}

#[test]
fn a_circle_through_a_whole_or_a_container_is_named() {
    let rounds = |items: Vec<Item>| {
        let backlog = Backlog::new(items).unwrap();
        backlog
            .cycles()
            .map(|round| round.iter().map(ToString::to_string).collect())
            .collect::<Vec<Vec<String>>>()
    };
    assert_eq!(
        rounds(vec![task("P", "", &["D"]), task("c", "P", &[]), task("D", "", &["c"])]),
        [["c", "P", "D"]]
    );
    assert_eq!(
        rounds(vec![epic("E", "", &[]), task("c", "E", &["X"]), task("X", "", &["E"])]),
        [["E", "c", "X"]]
    );
    let both = vec![task("c", "E", &[]), epic("E", "", &["Y"]), task("Y", "", &["E"])];
    assert_eq!(rounds(both), [["E", "Y"]]);
    let parents = vec![task("x", "y", &[]), task("y", "x", &[])];
    assert_eq!(rounds(parents.clone()), [] as [Vec<String>; 0]);
    assert_eq!(planned(&Backlog::new(parents).unwrap()), ["x", "y"]);
}

#[test]
fn numbers_beyond_the_scale_are_an_order_of_their_own() {
    let items = [9, 6, 5, 0, 1].map(|number: i64| {
        let mut item = Item::new(TaskId::parse(&format!("n{number}")).unwrap(), "x");
        item.priority = Priority::nearest(number - 1);
        item.metadata.insert(Item::PRIORITY.to_owned(), number.into());
        item
    });
    assert_eq!(planned(&Backlog::new(items.to_vec()).unwrap()), ["n0", "n1", "n5", "n6", "n9"]);
}

#[test]
fn a_tree_of_a_hundred_thousand_tasks_that_all_wait_is_planned() {
    const COUNT: usize = 100_000;
    let items = |needed: Status| {
        let items = (0..COUNT).map(|at| {
            let mut item = Item::new(id(at), "x");
            item.parent = if at < 2 { None } else { Some(id(at - 1)) };
            item.depends_on = if at == 0 { Vec::new() } else { vec![id(0)] };
            item.status = if at == 0 { needed } else { Status::Open };
            item
        });
        items.collect::<Vec<_>>()
    };
    let open = Backlog::new(items(Status::Open)).unwrap();
    assert_eq!(open.plan(&Wanted::default()).turns.len(), COUNT);
    let blocked = Backlog::new(items(Status::Blocked)).unwrap();
    assert_eq!(blocked.plan(&Wanted::default()).held.len(), COUNT);
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

#[test]
fn what_nothing_else_tells_apart_comes_in_the_order_of_age_and_then_of_ids() {
    let item = |number: usize, created: Option<&str>| {
        let mut item = Item::new(id(number), "x");
        item.metadata.extend(created.map(|at| (Item::CREATED.to_owned(), at.into())));
        item
    };
    let order = |all: Vec<Item>| {
        let backlog = Backlog::new(all).unwrap();
        let plan = backlog.plan(&Wanted::default());
        plan.turns.iter().map(|turn| turn.item.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(order(vec![item(10, None), item(2, None)]), ["T-2", "T-10"]);
    let (early, late) = (Some("2026-06-01T12:00:00.9Z"), Some("2026-06-01T16:00:00+02:00"));
    assert_eq!(order(vec![item(1, late), item(3, early), item(2, late)]), ["T-3", "T-1", "T-2"]);
}
