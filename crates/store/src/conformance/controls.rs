//! What a person asks is kept, in order, and never overtaken.

use ralph_core::control::{Change, Control, ControlNo};

use super::sample::{advance, agent, at, clean, finish, incomplete, moment, run};
use super::{World, wait};
use crate::error::StoreError;
use crate::store::{Commit, Store, Unfinished};
use ralph_core::stop::StopReason;

const REFUSE: Unfinished = Unfinished::Refuse;

pub fn a_control_waits_until_it_was_seen(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    let no = wait(store.request(&run.id, &Control::Pause, at(1))).unwrap();
    let waiting = vec![(no, Control::Pause)];
    assert_eq!(wait(store.waiting_controls(&run.id, run.controls_seen)).unwrap(), waiting);
    run.apply(no, &Control::Pause, moment(1));
    assert!(matches!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Written(_)));
    assert_eq!(wait(store.waiting_controls(&run.id, run.controls_seen)).unwrap(), []);
    run.fresh.clear();
    assert!(matches!(wait(store.commit(&run, at(2), &[])).unwrap(), Commit::Written(_)));
}

pub fn a_commit_that_has_not_seen_a_control_writes_nothing(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    let first = wait(store.request(&run.id, &Control::Pause, at(1))).unwrap();
    let second = wait(store.request(&run.id, &Control::Abort, at(1))).unwrap();
    advance(&mut run, clean(), incomplete(), 1);
    let asked = vec![(first, Control::Pause), (second, Control::Abort)];
    assert_eq!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Controls(asked));
    run.apply(first, &Control::Pause, moment(1));
    let left = vec![(second, Control::Abort)];
    assert_eq!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Controls(left));
    run.apply(second, &Control::Abort, moment(1));
    assert!(matches!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Written(_)));
}

pub fn controls_keep_their_order_and_count_per_run(world: &impl World) {
    let (store, first, second) = (world.open(), run(), run());
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    let texts: Vec<_> = (1..=5).map(|n| Control::Steer { text: n.to_string() }).collect();
    for (control, no) in texts.iter().zip(1..) {
        assert_eq!(wait(store.request(&first.id, control, at(1))).unwrap(), ControlNo(no));
    }
    wait(store.create_run(&second, at(2), Unfinished::Supersede, &[])).unwrap();
    assert_eq!(wait(store.request(&second.id, &Control::Stop, at(3))).unwrap(), ControlNo(1));
    let waiting = wait(store.waiting_controls(&first.id, ControlNo(2))).unwrap();
    assert_eq!(waiting, [3, 4, 5].map(|no| (ControlNo(no), texts[no as usize - 1].clone())));
}

pub fn a_run_that_ended_for_good_takes_no_controls(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    finish(&mut run);
    wait(store.commit(&run, at(1), &[])).unwrap();
    let refused = wait(store.request(&run.id, &Control::Stop, at(2))).unwrap_err();
    assert_eq!(refused, StoreError::RunFinished { run: run.id, reason: StopReason::Completed });
}

pub fn a_stopped_run_still_takes_controls(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    run.apply(ControlNo(1), &Control::Stop, moment(1));
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    let control = Control::Steer { text: "when you go on".to_owned() };
    wait(store.request(&run.id, &control, at(2))).unwrap();
}

pub fn a_control_for_no_run_is_refused(world: &impl World) {
    let (store, run) = (world.open(), run());
    let refused = wait(store.request(&run.id, &Control::Stop, at(1))).unwrap_err();
    assert_eq!(refused, StoreError::NoRun { run: run.id.to_string() });
}

pub fn a_superseded_run_takes_no_controls(world: &impl World) {
    let (store, first) = (world.open(), run());
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    wait(store.create_run(&run(), at(1), Unfinished::Supersede, &[])).unwrap();
    let refused = wait(store.request(&first.id, &Control::Stop, at(2)));
    assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
}

pub fn every_control_is_read_back_as_it_was(world: &impl World) {
    let (store, run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    let all = [
        Control::Pause,
        Control::Resume,
        Control::Stop,
        Control::Abort,
        Control::SetIterations { change: Change::To(9) },
        Control::SetIterations { change: Change::By(i32::MIN) },
        Control::SetAgent { agent: agent() },
        Control::SetModel { model: "a/b:c 'd'".to_owned() },
        Control::SetEffort { effort: "high".to_owned() },
        Control::Steer { text: "\u{1f980}\0'\"\n".to_owned() },
    ];
    for control in &all {
        wait(store.request(&run.id, control, at(1))).unwrap();
    }
    let read = wait(store.waiting_controls(&run.id, ControlNo(0))).unwrap();
    assert_eq!(read.into_iter().map(|(_, control)| control).collect::<Vec<_>>(), all);
}
