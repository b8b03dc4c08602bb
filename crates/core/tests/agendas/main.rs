//! Runs over backlogs: random backlogs, agents, persons and crashes, and what must hold in every one of them.

#![expect(clippy::unwrap_used, reason = "what a test cannot make, it fails for")]

mod controls;
mod questions;
mod shared;
mod world;

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use proptest::prelude::{Strategy, any, prop, proptest};
use ralph_core::backlog::{Item, Status};
use ralph_core::control::Control;
use ralph_core::event::Event;
use ralph_core::id::TaskId;
use ralph_core::question::QuestionNo;
use ralph_core::run::Step;
use ralph_core::stop::StopReason;

use world::{Act, World, id, items};

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = (0_u8..16).prop_map(|dice| match dice {
        0..7 => Act::Finish,
        7..10 => Act::Fail,
        10 => Act::Ask,
        11 => Act::Err,
        12 => Act::Crash,
        13 => Act::CrashLate,
        14 => Act::Skip,
        _ => Act::StopAndResume,
    });
    prop::collection::vec(act, 0..60)
}

proptest! {
    #[test]
    fn in_every_world_a_backlog_is_gone_through_in_order_and_accounted_for(
        count in 1_usize..12,
        arrows in prop::collection::vec((any::<usize>(), any::<usize>()), 0..12),
        acts in acts(),
        attended in any::<bool>(),
    ) {
        let mut world = World::new(items(count, &arrows), acts, attended);
        let reason = world.go();
        let completed: BTreeSet<TaskId> = world.items.iter()
            .filter(|item| item.status == Status::Completed).map(|item| item.id.clone()).collect();
        let told: Vec<&TaskId> = world.journal.iter().filter_map(|event| match event {
            Event::TaskCompleted { task, .. } => Some(task),
            _ => None,
        }).collect();
        assert_eq!(told.len(), completed.len(), "every completion is journalled once");
        assert!(told.iter().all(|task| completed.contains(*task)));
        assert!(world.items.iter().all(|item| item.status != Status::InProgress), "nobody works any more");
        for (task, iterations) in &world.iterations {
            assert!(*iterations <= 3, "{task} had {iterations} iterations");
        }
        let left: Vec<&Item> = world.items.iter().filter(|item| item.status != Status::Completed).collect();
        match reason {
            StopReason::Completed => assert!(left.is_empty()),
            StopReason::TasksUndone | StopReason::MaxIterations => assert!(!left.is_empty()),
            StopReason::NoTasks => assert!(world.iterations.is_empty()),
            other => panic!("{other:?}"),
        }
        if reason == StopReason::TasksUndone {
            let evidence = &world.run.stop().unwrap().evidence;
            for item in left {
                assert!(evidence.contains(item.id.as_str()), "{} is not accounted for: {evidence}", item.id);
            }
        }
    }
}

#[test]
fn a_task_that_waits_for_an_answer_lets_the_others_go_on_and_is_taken_up_with_it() {
    let mut world = World::new(items(2, &[]), vec![Act::Ask], true);
    while world.done < 1 {
        world.step();
    }
    while !matches!(world.run.step, Step::Code(..)) {
        world.step();
    }
    assert_eq!(world.run.task.id, id(1), "the other goes on");
    world.control(&Control::Answer { question: QuestionNo(1), text: "this one".to_owned() });
    assert_eq!(world.go(), StopReason::Completed);
    assert_eq!(world.iterations[&id(0)], 2);
}

#[test]
fn a_person_who_names_a_task_skips_it_before_its_turn() {
    let mut world = World::new(items(3, &[(2, 1)]), Vec::new(), false);
    world.control(&Control::Skip { task: Some(id(1)) });
    assert_eq!(world.go(), StopReason::TasksUndone);
    assert_eq!(world.iterations.keys().collect::<Vec<_>>(), [&id(0)]);
    let evidence = &world.run.stop().unwrap().evidence;
    assert!(evidence.contains("T-1 was skipped") && evidence.contains("T-2 waits for T-1"), "{evidence}");
}

#[test]
fn all_tasks_on_the_last_allowed_iteration_is_success() {
    let mut world = World::new(items(3, &[]), Vec::new(), false);
    world.run.policy.limits.max_iterations = NonZeroU32::new(3);
    assert_eq!(world.go(), StopReason::Completed);
    let mut world = World::new(items(3, &[]), Vec::new(), false);
    world.run.policy.limits.max_iterations = NonZeroU32::new(2);
    assert_eq!(world.go(), StopReason::MaxIterations);
}
