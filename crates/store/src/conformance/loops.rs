//! Loops live in sessions, one in each.

use ralph_core::run::Run;
use ralph_core::stop::RunState;

use super::sample::{at, finish, run, seat};
use super::{World, wait};
use crate::error::StoreError;
use crate::session::{Berth, Seat};
use crate::store::{Commit, Store, Unfinished};

fn started(store: &impl Store, seat: &Seat) -> Run {
    started_in(store, &seat.clone().into())
}

fn started_in(store: &impl Store, berth: &Berth) -> Run {
    let mut run = run();
    assert_eq!(wait(store.create_loop(&run, at(0), berth, &[])).unwrap().len(), 1);
    run.fresh.clear();
    run
}

/// A session of that name, of whichever host.
fn unpresented(session: &str) -> Berth {
    Berth { host: None, session: seat("claude", session).session }
}

pub fn a_session_has_one_unfinished_loop(world: &impl World) {
    let store = world.open();
    let seat = seat("claude", "s1");
    let first = started(&store, &seat);
    let second = run();
    let refused = wait(store.create_loop(&second, at(1), &seat.clone().into(), &[])).unwrap_err();
    assert_eq!(refused, StoreError::RunExists { run: first.id.clone(), state: RunState::Running });
    assert_eq!(wait(store.run(&second.id)).unwrap(), None);
    assert_eq!(wait(store.loop_of(Some(&seat.host), &seat.session)).unwrap(), Some(first.id));
}

pub fn a_session_may_have_a_loop_after_the_last_has_finished(world: &impl World) {
    let store = world.open();
    let seat = seat("claude", "s1");
    let mut first = started(&store, &seat);
    finish(&mut first);
    wait(store.commit(&first, at(1), &[])).unwrap();
    assert_eq!(wait(store.loop_of(None, &seat.session)).unwrap(), Some(first.id));
    assert_eq!(wait(store.loops()).unwrap(), []);
    let second = started(&store, &seat);
    assert_eq!(wait(store.loop_of(None, &seat.session)).unwrap(), Some(second.id));
}

pub fn a_loop_stays_one_when_another_has_taken_its_session(world: &impl World) {
    let store = world.open();
    let (seat, other) = (seat("claude", "s1"), seat("claude", "s2"));
    for place in [&seat, &seat, &other] {
        let mut over = started(&store, place);
        finish(&mut over);
        wait(store.commit(&over, at(1), &[])).unwrap();
    }
    let moved = started(&store, &seat);
    wait(store.bind(&moved.id, &other)).unwrap();
    assert_eq!(wait(store.latest_run()).unwrap(), None);
    let outside = run();
    wait(store.create_run(&outside, at(2), Unfinished::Refuse, &[])).unwrap();
    started(&store, &seat);
    assert_eq!(wait(store.latest_run()).unwrap().map(|latest| latest.id), Some(outside.id));
}

pub fn sessions_do_not_stand_in_each_others_way(world: &impl World) {
    let store = world.open();
    let seats = [seat("claude", "s1"), seat("claude", "s2"), seat("opencode", "s1")];
    let runs = seats.each_ref().map(|seat| started(&store, seat));
    let listed = wait(store.loops()).unwrap();
    let listed: Vec<_> = listed.into_iter().map(|(seat, summary)| (seat, summary.id)).collect();
    let mut expected: Vec<_> = seats.into_iter().map(Berth::from).zip(runs.map(|run| run.id)).collect();
    expected.reverse();
    assert_eq!(listed, expected);
}

pub fn a_loop_is_found_with_and_without_its_host(world: &impl World) {
    let store = world.open();
    let (here, there) = (seat("claude", "s1"), seat("opencode", "s1"));
    let first = started(&store, &here);
    assert_eq!(wait(store.loop_of(None, &here.session)).unwrap(), Some(first.id.clone()));
    assert_eq!(wait(store.loop_of(Some(&there.host), &here.session)).unwrap(), None);
    assert_eq!(wait(store.loop_of(None, &seat("claude", "s2").session)).unwrap(), None);
    let second = started(&store, &there);
    assert_eq!(wait(store.loop_of(None, &here.session)).unwrap(), Some(second.id));
    assert_eq!(wait(store.loop_of(Some(&here.host), &here.session)).unwrap(), Some(first.id));
}

pub fn a_loop_moves_with_its_session(world: &impl World) {
    let store = world.open();
    let (old, new, taken) = (seat("opencode", "s1"), seat("opencode", "s2"), seat("opencode", "s3"));
    let run = started(&store, &old);
    started(&store, &taken);
    wait(store.bind(&run.id, &new)).unwrap();
    assert_eq!(wait(store.loop_of(None, &old.session)).unwrap(), None);
    assert_eq!(wait(store.loop_of(None, &new.session)).unwrap(), Some(run.id.clone()));
    let refused = wait(store.bind(&run.id, &taken));
    assert!(matches!(refused, Err(StoreError::RunExists { .. })), "{refused:?}");
    assert_eq!(wait(store.loop_of(None, &new.session)).unwrap(), Some(run.id));
}

pub fn a_loop_does_not_keep_a_run_from_starting(world: &impl World) {
    let store = world.open();
    let seat = seat("claude", "s1");
    let inside = started(&store, &seat);
    wait(store.create_run(&run(), at(1), Unfinished::Refuse, &[])).unwrap();
    wait(store.create_run(&run(), at(2), Unfinished::Supersede, &[])).unwrap();
    let left: Vec<_> = wait(store.loops()).unwrap().into_iter().map(|(_, summary)| summary.id).collect();
    assert_eq!(left, [inside.id]);
}

pub fn a_loop_without_a_host_is_that_hosts_which_presents_it_first(world: &impl World) {
    let store = world.open();
    let (berth, first, second) = (unpresented("s1"), seat("claude", "s1"), seat("codex", "s1"));
    let id = started_in(&store, &berth).id;
    assert_eq!(wait(store.loop_of(Some(&first.host), &first.session)).unwrap(), None);
    assert_eq!(wait(store.loop_of(None, &first.session)).unwrap(), Some(id.clone()));
    assert_eq!(wait(store.loops()).unwrap()[0].0, berth);
    let Some(other) = world.open_beside() else { return };
    // Both look, and the last who takes it is the one.
    let mut late = wait(store.take_unpresented(&id)).unwrap().unwrap();
    let quick = wait(other.take_unpresented(&id)).unwrap().unwrap();
    late.fresh.clear();
    assert!(matches!(wait(store.present(&late, at(1), &second, &[])), Err(StoreError::Fenced { .. })));
    assert_eq!(wait(store.loops()).unwrap()[0].0, berth, "nothing of it was written");
    assert!(matches!(wait(other.present(&quick, at(1), &first, &[])), Ok(Commit::Written(_))));
    assert_eq!(wait(store.take_unpresented(&id)).unwrap(), None, "whoever has it is left alone");
    assert_eq!(wait(store.loop_of(Some(&first.host), &first.session)).unwrap(), Some(id));
    assert_eq!(wait(store.loop_of(Some(&second.host), &first.session)).unwrap(), None);
    assert_eq!(wait(store.loops()).unwrap()[0].0, Berth::from(first));
}

pub fn a_session_whose_host_is_not_known_may_be_any_of_that_name(world: &impl World) {
    let store = world.open();
    let refused = |berth: &Berth| {
        let refused = wait(store.create_loop(&run(), at(1), berth, &[]));
        assert!(matches!(refused, Err(StoreError::RunExists { .. })), "{refused:?}");
    };
    started_in(&store, &unpresented("s1"));
    refused(&unpresented("s1"));
    refused(&seat("claude", "s1").into());
    let moved = started(&store, &seat("claude", "s2"));
    let bound = wait(store.bind(&moved.id, &seat("claude", "s1")));
    assert!(matches!(bound, Err(StoreError::RunExists { .. })), "{bound:?}");
    refused(&unpresented("s2"));
    let mut over = started(&store, &seat("claude", "s3"));
    finish(&mut over);
    wait(store.commit(&over, at(1), &[])).unwrap();
    started_in(&store, &unpresented("s3"));
}
