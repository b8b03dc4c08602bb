//! What a person asks of a run over a backlog, one thing after another.

use ralph_core::control::Control;
use ralph_core::event::{Event, Occasion};
use ralph_core::policy::OnFailure;
use ralph_core::put_back::Why;
use ralph_core::run::{Step, Until};
use ralph_core::stop::StopReason;

use crate::world::{Act, World, id, items};

const SKIP: Control = Control::Skip { task: None };

/// The first task is being worked on.
fn at_work(acts: Vec<Act>) -> World {
    let mut world = World::new(items(3, &[]), acts, false);
    until_code(&mut world);
    world
}

fn until_code(world: &mut World) {
    while !matches!(world.run.step, Step::Code(..)) {
        world.step();
    }
    world.commit();
}

/// As the engine ends an attempt that a control cut short.
fn cut_short(world: &mut World) {
    let Step::Code(attempt, _) = world.run.step.clone() else { panic!("{:?}", world.run.step) };
    let fault = world.run.cut_short_by().unwrap();
    let now = world.now();
    world.run.after_code(attempt, Err(fault), now);
    if let Step::Abandon(_, stop) = world.run.step.clone() {
        world.run.after_abandon(&stop, now);
    }
    world.commit();
}

fn resume(world: &mut World) {
    let now = world.now();
    world.run.resume(now);
}

#[test]
fn whoever_stops_and_skips_gets_both_in_either_order() {
    let orders =
        [[Control::Stop, SKIP], [SKIP, Control::Stop], [Control::Abort, SKIP], [SKIP, Control::Abort]];
    for order in orders {
        let mut world = at_work(Vec::new());
        order.iter().for_each(|control| world.control(control));
        cut_short(&mut world);
        assert!(world.run.stop().is_some(), "{order:?}: a new iteration began");
        assert_eq!(world.run.tally.iterations, 1, "{order:?}");
        resume(&mut world);
        assert_eq!(world.go(), StopReason::TasksUndone, "{order:?}");
        assert_eq!(world.run.skipped[0].task, id(0), "{order:?}");
        assert_eq!(world.iterations[&id(0)], 1, "{order:?}: it was worked on again");
    }
}

#[test]
fn whoever_pauses_and_skips_gets_both_in_either_order() {
    for order in [[Control::Pause, SKIP], [SKIP, Control::Pause]] {
        let mut world = at_work(Vec::new());
        order.iter().for_each(|control| world.control(control));
        cut_short(&mut world);
        assert!(world.run.is_paused(), "{order:?}");
        assert!(world.run.is_skipped(&world.run.task.clone()), "{order:?}");
    }
}

#[test]
fn a_paused_run_stays_paused_without_the_task_that_is_skipped() {
    let mut world = World::new(items(2, &[]), vec![Act::Fail], false);
    until_code(&mut world);
    world.control(&Control::Pause);
    while !world.run.is_paused() {
        world.step();
    }
    world.control(&SKIP);
    assert!(matches!(&world.run.step, Step::Wait(Until::Told, then) if **then == Step::Select));
    assert_eq!(world.run.skipped[0].task, id(0));
}

#[test]
fn a_skip_outlasts_the_process_that_was_to_obey_it() {
    let mut world = at_work(Vec::new());
    world.control(&SKIP);
    world.commit();
    world.crash();
    assert_eq!(world.go(), StopReason::TasksUndone);
    assert_eq!(world.run.skipped[0].task, id(0));
    assert_eq!(world.iterations[&id(0)], 1);
}

#[test]
fn a_task_that_is_skipped_while_the_run_is_stopped_is_not_gone_on_with() {
    let mut world = at_work(Vec::new());
    world.control(&Control::Abort);
    cut_short(&mut world);
    world.control(&Control::Skip { task: Some(id(0)) });
    resume(&mut world);
    assert_eq!(world.go(), StopReason::TasksUndone);
    assert_eq!(world.iterations[&id(0)], 1);
    assert_eq!(world.run.agenda.as_ref().unwrap().completed, 2);
}

#[test]
fn what_is_settled_meanwhile_is_not_gone_on_with() {
    let mut world = at_work(Vec::new());
    world.control(&Control::Abort);
    cut_short(&mut world);
    resume(&mut world);
    let now = world.now();
    world.run.task_is_gone("was completed by somebody else", now);
    world.set(&id(0), ralph_core::backlog::Status::Completed);
    assert_eq!(world.go(), StopReason::Completed);
    assert_eq!(world.iterations[&id(0)], 1);
}

#[test]
fn what_tasks_were_completed_with_stays_when_one_is_given_up() {
    let mut world = World::new(items(2, &[]), vec![Act::Finish, Act::Fail, Act::Fail, Act::Fail], false);
    world.run.policy.on_failure = OnFailure::Restore;
    let mut owed = Vec::new();
    while world.run.stop().is_none() {
        if let Step::Code(attempt, _) = &world.run.step {
            let snapshot = format!("before {}", attempt.iteration);
            world.run.kept(&snapshot, None, Occasion::Begin);
        }
        world.step();
        owed.extend(world.run.to_put_back().cloned());
    }
    let last = owed.last().unwrap();
    assert_eq!((last.snapshot.as_str(), last.why), ("before 2", Why::GivenUp));
    assert_eq!(last.iteration, Some(2));
    assert!(owed.iter().all(|owed| owed.snapshot != "before 1"), "the first was completed: {owed:?}");
}

#[test]
fn a_run_that_ends_in_the_middle_of_a_task_takes_back_only_that() {
    let mut world = World::new(items(2, &[]), vec![Act::Finish, Act::Fail], false);
    world.run.policy.on_failure = OnFailure::Restore;
    world.run.policy.limits.max_iterations = std::num::NonZeroU32::new(2);
    while world.run.stop().is_none() {
        if let Step::Code(attempt, _) = &world.run.step {
            let snapshot = format!("before {}", attempt.iteration);
            world.run.kept(&snapshot, None, Occasion::Begin);
        }
        world.step();
    }
    let owed = world.run.to_put_back().unwrap();
    assert_eq!((owed.snapshot.as_str(), owed.why), ("before 2", Why::Failed));
    let evidence = &world.run.stop().unwrap().evidence;
    assert_eq!(evidence, "2 iterations are used up: 1 task completed, 1 left: T-1 is open");
}

#[test]
fn what_was_proven_when_the_run_was_aborted_is_settled_when_it_goes_on() {
    let mut world = at_work(Vec::new());
    while !matches!(world.run.step, Step::Consolidate(..)) {
        world.step();
    }
    let Step::Consolidate(attempt, verdict) = world.run.step.clone() else { unreachable!() };
    world.commit();
    world.set(&attempt.task, ralph_core::backlog::Status::Completed);
    let now = world.now();
    world.run.leave_unsettled(attempt.clone(), verdict.clone(), "was being committed", now);
    world.commit();
    assert_eq!(world.status(&id(0)), ralph_core::backlog::Status::Completed, "what is proven stays");
    resume(&mut world);
    assert_eq!(world.run.step, Step::Consolidate(attempt, verdict));
    assert_eq!(world.go(), StopReason::Completed);
    let completed = world.journal.iter().filter(|event| matches!(event, Event::TaskCompleted { .. })).count();
    assert_eq!(completed, 3);
}
