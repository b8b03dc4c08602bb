//! Trackers that people share.

use ralph_core::agenda::{Selection, select};
use ralph_core::backlog::{Order, Status};
use ralph_core::put_back::Extent;
use ralph_core::run::{Step, Until};
use ralph_core::stop::StopReason;

use crate::world::{World, id, items};

fn chosen(world: &World, is_shared: bool) -> Selection {
    let agenda = world.run.agenda.clone().unwrap();
    select(&world.run, &agenda, &world.backlog(), Order::Priority, is_shared)
}

#[test]
fn what_others_work_on_is_left_to_them_unless_it_was_named() {
    let mut world = World::new(items(2, &[]), Vec::new(), false);
    world.set(&id(0), Status::InProgress);
    let of = |selection: Selection| match selection {
        Selection::Task { task, .. } => Some(task.id),
        Selection::Nothing(_) => None,
    };
    assert_eq!(of(chosen(&world, false)), Some(id(0)), "alone, it is what was begun");
    assert_eq!(of(chosen(&world, true)), Some(id(1)));
    world.set(&id(1), Status::Completed);
    match chosen(&world, true) {
        Selection::Nothing(left) => assert!(left[0].why.contains("somebody is at it"), "{left:?}"),
        other @ Selection::Task { .. } => panic!("{other:?}"),
    }
    world.run.agenda.as_mut().unwrap().filter.tasks = vec![id(0)];
    assert_eq!(of(chosen(&world, true)), Some(id(0)));
}

#[test]
fn what_was_begun_here_is_gone_on_with() {
    let mut world = World::new(items(1, &[]), Vec::new(), false);
    world.set(&id(0), Status::InProgress);
    world.run.agenda.as_mut().unwrap().showing.insert(id(0));
    assert!(matches!(chosen(&world, true), Selection::Task { .. }));
}

#[test]
fn a_tracker_that_does_not_answer_is_asked_again_for_half_an_hour() {
    let mut world = World::new(items(1, &[]), Vec::new(), false);
    let mut waited = 0;
    while world.run.stop().is_none() {
        let now = world.now();
        world.run.without_tracker("no answer", now);
        if let Step::Wait(Until::Time { from, to }, then) = world.run.step.clone() {
            assert_eq!(*then, Step::Select);
            waited += to.duration_since(from).as_secs();
            world.run.step = Step::Select;
        }
    }
    assert_eq!(world.run.stop().unwrap().reason, StopReason::Configuration);
    assert!((1_800..3_600).contains(&waited), "{waited}");
    assert!(world.run.is_unfinished(), "a person may go on with it");
}

#[test]
fn what_could_not_be_told_to_be_open_again_is_not_done() {
    let mut world = World::new(items(1, &[]), Vec::new(), false);
    world.set(&id(0), Status::Completed);
    world.run.agenda.as_mut().unwrap().showing.insert(id(0));
    match chosen(&world, false) {
        Selection::Nothing(left) => assert_eq!(left[0].task, id(0)),
        other @ Selection::Task { .. } => panic!("{other:?}"),
    }
}

#[test]
fn who_rolls_back_what_was_proven_has_it_done_again() {
    let mut world = World::new(items(1, &[]), Vec::new(), false);
    while !matches!(world.run.step, Step::Consolidate(..)) {
        world.step();
    }
    let Step::Consolidate(attempt, verdict) = world.run.step.clone() else { unreachable!() };
    world.set(&attempt.task, Status::Completed);
    let now = world.now();
    world.run.leave_unsettled(attempt, verdict, "was being committed", now);
    world.commit();
    world.run.disown(Extent::Whole, now);
    assert_eq!(world.run.no_longer_shown(), [id(0)], "its tracker is told");
    world.run.resume(now);
    assert!(matches!(world.run.step, Step::Think(_)), "{:?}", world.run.step);
}
