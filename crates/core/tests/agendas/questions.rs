//! What becomes of tasks that wait for an answer.

use ralph_core::control::Control;
use ralph_core::question::QuestionNo;
use ralph_core::run::{Step, Until};
use ralph_core::stop::StopReason;

use crate::world::{Act, World, id, items};

/// The brief of the next attempt.
fn next_brief(world: &mut World) -> (ralph_core::id::TaskId, String) {
    loop {
        world.step();
        if let Step::Code(attempt, brief) = &world.run.step {
            return (attempt.task.clone(), brief.text.clone());
        }
    }
}

#[test]
fn an_answer_reaches_the_task_that_asked_and_no_other() {
    let mut world = World::new(items(2, &[]), vec![Act::Ask, Act::Fail, Act::Finish], true);
    assert_eq!(next_brief(&mut world).0, id(0));
    assert_eq!(next_brief(&mut world).0, id(1), "the other goes on");
    world.control(&Control::Answer { question: QuestionNo(1), text: "PORT-8080".to_owned() });
    let (task, brief) = next_brief(&mut world);
    assert_eq!(task, id(1), "what is at hand is gone on with");
    assert!(!brief.contains("PORT-8080"), "{brief}");
    let (task, brief) = next_brief(&mut world);
    assert_eq!(task, id(0));
    assert!(brief.contains("PORT-8080"), "{brief}");
    assert!(brief.contains("not complete"), "what was tried is known: {brief}");
}

#[test]
fn a_task_whose_deadline_passes_during_the_last_other_one_is_worked_on_again() {
    let mut world = World::new(items(2, &[]), vec![Act::Ask], true);
    next_brief(&mut world);
    next_brief(&mut world);
    world.clock += 1_000;
    assert_eq!(world.go(), StopReason::Completed);
    assert_eq!(world.iterations[&id(0)], 2);
}

#[test]
fn nobody_waits_for_an_answer_about_a_task_that_is_skipped() {
    let mut world = World::new(items(1, &[]), vec![Act::Ask], true);
    while !matches!(world.run.step, Step::Wait(Until::Answer { .. }, _)) {
        world.step();
    }
    world.control(&Control::Skip { task: Some(id(0)) });
    assert_eq!(world.run.step, Step::Select);
    assert!(
        world.run.inbox.questions().iter().all(|question| question.fate != ralph_core::question::Fate::Open)
    );
    assert_eq!(world.go(), StopReason::TasksUndone);
}
