//! Runs are created, committed, listed, found and taken over.

use std::time::Duration;

use ralph_core::control::{Control, ControlNo};
use ralph_core::event::Event;
use ralph_core::id::RunId;
use ralph_core::report::AgentExit;
use ralph_core::run::Fresh;
use ralph_core::stop::{RunState, StopReason};

use super::sample::{
    advance, at, clean, complete, finish, incomplete, moment, report, run, run_with_id, written,
};
use super::{World, wait};
use crate::error::{Fence, StoreError};
use crate::store::{Commit, Store, Unfinished};

const REFUSE: Unfinished = Unfinished::Refuse;

pub fn a_new_run_begins_its_journal_with_line_one(world: &impl World) {
    let (store, run) = (world.open(), run());
    let entries = wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1]);
    assert_eq!((&entries[0].at, &entries[0].event), (&at(0), &run.fresh[0].event));
    assert_eq!(wait(store.entries(&run.id, 0, 10)).unwrap(), entries);
}

pub fn what_was_created_is_read_back(world: &impl World) {
    let (store, run) = (world.open(), run());
    assert_eq!(wait(store.run(&run.id)).unwrap(), None);
    assert_eq!(wait(store.take_run(&run.id)).unwrap(), None);
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    assert_eq!(wait(store.run(&run.id)).unwrap(), Some(written(&run)));
}

pub fn what_was_committed_is_read_back_whole(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    run.steering.push("mind the gap".to_owned());
    run.apply(ControlNo(1), &Control::Pause, moment(3));
    wait(store.request(&run.id, &Control::Pause, at(3))).unwrap();
    wait(store.commit(&run, at(3), &[])).unwrap();
    assert_eq!(wait(store.run(&run.id)).unwrap(), Some(written(&run)));
}

pub fn every_step_survives_being_written(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    let mut verdicts = [incomplete(), complete()].into_iter().cycle();
    for second in 1..30 {
        run.fresh.clear();
        let exit = if second == 3 { AgentExit::SilenceTimeout } else { AgentExit::Code { code: 0 } };
        advance(&mut run, report(exit), verdicts.next().expect("endless"), second);
        wait(store.commit(&run, at(second), &[])).unwrap();
        assert_eq!(wait(store.run(&run.id)).unwrap(), Some(written(&run)));
    }
    assert!(run.stop().is_some());
}

pub fn a_second_run_is_refused_while_one_is_unfinished(world: &impl World) {
    let (store, first, second) = (world.open(), run(), run());
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    let refused = wait(store.create_run(&second, at(1), REFUSE, &[])).unwrap_err();
    assert_eq!(refused, StoreError::RunExists { run: first.id, state: RunState::Running });
    assert_eq!(wait(store.run(&second.id)).unwrap(), None);
    assert_eq!(wait(store.entries(&second.id, 0, 10)).unwrap(), []);
}

pub fn a_finished_run_is_in_nobodys_way(world: &impl World) {
    let (store, mut first) = (world.open(), run());
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    first.fresh.clear();
    finish(&mut first);
    wait(store.commit(&first, at(1), &[])).unwrap();
    wait(store.create_run(&run(), at(2), REFUSE, &[])).unwrap();
}

pub fn a_stopped_run_that_may_be_resumed_is_in_the_way(world: &impl World) {
    let (store, mut first) = (world.open(), run());
    first.apply(ControlNo(1), &Control::Stop, moment(1));
    assert_eq!(first.stop().map(|stop| stop.reason), Some(StopReason::Stopped));
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    let refused = wait(store.create_run(&run(), at(1), REFUSE, &[])).unwrap_err();
    assert_eq!(refused, StoreError::RunExists { run: first.id, state: RunState::Stopped });
}

pub fn the_same_id_is_refused(world: &impl World) {
    let (store, run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    for over in [REFUSE, Unfinished::Supersede] {
        let refused = wait(store.create_run(&run, at(1), over, &[])).unwrap_err();
        assert_eq!(refused, StoreError::RunExists { run: run.id.clone(), state: RunState::Running });
    }
    assert!(wait(store.latest_run()).unwrap().unwrap().is_unfinished());
}

pub fn a_superseded_run_can_never_be_written_again(world: &impl World) {
    let (store, mut first, second) = (world.open(), run(), run());
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    wait(store.create_run(&second, at(1), Unfinished::Supersede, &[])).unwrap();
    advance(&mut first, clean(), incomplete(), 1);
    let fenced = StoreError::Fenced { run: first.id.clone(), why: Fence::Superseded { by: second.id } };
    assert_eq!(wait(store.commit(&first, at(2), &[])).unwrap_err(), fenced);
    assert_eq!(wait(store.take_run(&first.id)).unwrap_err(), fenced);
    assert_eq!(wait(store.heartbeat(&first.id, Duration::from_secs(9))).unwrap_err(), fenced);
    assert_eq!(wait(store.entries(&first.id, 0, 10)).unwrap().len(), 1);
    assert!(wait(store.run(&first.id)).unwrap().is_some());
}

pub fn a_superseded_run_is_in_nobodys_way(world: &impl World) {
    let (store, first, mut second) = (world.open(), run(), run());
    wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    wait(store.create_run(&second, at(1), Unfinished::Supersede, &[])).unwrap();
    second.fresh.clear();
    finish(&mut second);
    wait(store.commit(&second, at(2), &[])).unwrap();
    wait(store.create_run(&run(), at(3), REFUSE, &[])).unwrap();
    let listed = wait(store.runs(10)).unwrap();
    assert_eq!(listed[2].superseded_by, Some(second.id));
    assert!(!listed[2].is_unfinished());
}

pub fn a_run_that_was_taken_over_is_fenced(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    let Some(other) = world.open_beside() else { return };
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    let mut theirs = wait(other.take_run(&run.id)).unwrap().unwrap();
    theirs.resume(moment(1));
    advance(&mut run, clean(), incomplete(), 1);
    let fenced = StoreError::Fenced { run: run.id.clone(), why: Fence::HeldElsewhere };
    assert_eq!(wait(store.commit(&run, at(2), &[])).unwrap_err(), fenced);
    assert!(matches!(wait(other.commit(&theirs, at(2), &[])).unwrap(), Commit::Written(_)));
    assert_eq!(wait(store.commit(&run, at(3), &[])).unwrap_err(), fenced);
    assert_eq!(wait(store.run(&run.id)).unwrap(), Some(written(&theirs)));
}

pub fn a_run_can_be_taken_back(world: &impl World) {
    let (store, run) = (world.open(), run());
    let Some(other) = world.open_beside() else { return };
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    wait(other.take_run(&run.id)).unwrap();
    let mut back = wait(store.take_run(&run.id)).unwrap().unwrap();
    back.resume(moment(1));
    assert!(matches!(wait(store.commit(&back, at(1), &[])).unwrap(), Commit::Written(_)));
    assert!(matches!(wait(other.commit(&back, at(1), &[])), Err(StoreError::Fenced { .. })));
}

pub fn looking_takes_nothing_over(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    let Some(other) = world.open_beside() else { return };
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    let seen = wait(other.run(&run.id)).unwrap().unwrap();
    wait(other.runs(5)).unwrap();
    assert!(matches!(wait(other.commit(&seen, at(1), &[])), Err(StoreError::Fenced { .. })));
    advance(&mut run, clean(), incomplete(), 1);
    assert!(matches!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Written(_)));
}

pub fn a_run_that_was_never_created_cannot_be_committed(world: &impl World) {
    let (store, run) = (world.open(), run());
    let none = StoreError::NoRun { run: run.id.to_string() };
    assert_eq!(wait(store.commit(&run, at(0), &[])).unwrap_err(), none);
    assert_eq!(wait(store.heartbeat(&run.id, Duration::ZERO)).unwrap_err(), none);
}

pub fn runs_are_listed_newest_first(world: &impl World) {
    let store = world.open();
    assert_eq!(wait(store.latest_run()).unwrap(), None);
    let runs: Vec<_> = (0..5).map(|_| run()).collect();
    for run in &runs {
        wait(store.create_run(run, at(0), Unfinished::Supersede, &[])).unwrap();
    }
    let listed: Vec<RunId> = wait(store.runs(3)).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(listed, [runs[4].id.clone(), runs[3].id.clone(), runs[2].id.clone()]);
    assert_eq!(wait(store.latest_run()).unwrap().map(|summary| summary.id), Some(runs[4].id.clone()));
}

pub fn the_summary_follows_the_run(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    let begun = wait(store.latest_run()).unwrap().unwrap();
    assert_eq!((begun.state, begun.reason, begun.iterations, begun.seq), (RunState::Running, None, 0, 1));
    assert_eq!((begun.title.as_str(), begun.started_at), (run.task.title.as_str(), at(0)));
    finish(&mut run);
    wait(store.commit(&run, at(20), &[])).unwrap();
    let ended = wait(store.latest_run()).unwrap().unwrap();
    assert_eq!((ended.state, ended.reason), (RunState::Success, Some(StopReason::Completed)));
    assert_eq!((ended.iterations, ended.changed_at), (1, at(20)));
    assert_eq!(ended.seq, 1 + run.fresh.len() as u64);
    assert!(matches!(run.fresh.last(), Some(Fresh { event: Event::RunStopped { .. }, .. })));
}

pub fn a_prefix_finds_its_run(world: &impl World) {
    let store = world.open();
    let id = |text| RunId::parse(text).unwrap();
    for one in ["aaaa00000000", "aaab00000000", "bbbb00000000"] {
        wait(store.create_run(&run_with_id(id(one)), at(0), Unfinished::Supersede, &[])).unwrap();
    }
    assert_eq!(wait(store.find_run("b")).unwrap(), id("bbbb00000000"));
    assert_eq!(wait(store.find_run("aaab00000000")).unwrap(), id("aaab00000000"));
    let candidates = vec![id("aaab00000000"), id("aaaa00000000")];
    let ambiguous = StoreError::AmbiguousRun { prefix: "aaa".to_owned(), candidates };
    assert_eq!(wait(store.find_run("aaa")).unwrap_err(), ambiguous);
    for nothing in ["c", "%", "_", "*", "aaaa000000000", "\u{fc}", "' OR 1=1 --"] {
        let none = StoreError::NoRun { run: nothing.to_owned() };
        assert_eq!(wait(store.find_run(nothing)).unwrap_err(), none);
    }
}

pub fn a_heartbeat_is_folded_into_the_running_time(world: &impl World) {
    let (store, run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    let running = Duration::new(77, 123_456_789);
    wait(store.heartbeat(&run.id, running)).unwrap();
    assert_eq!(wait(store.run(&run.id)).unwrap().unwrap().tally.running, running);
    assert_eq!(wait(store.take_run(&run.id)).unwrap().unwrap().tally.running, running);
}

pub fn a_heartbeat_never_goes_back(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    for seconds in [50, 20] {
        wait(store.heartbeat(&run.id, Duration::from_secs(seconds))).unwrap();
    }
    run.tally.running = Duration::from_secs(30);
    wait(store.commit(&run, at(1), &[])).unwrap();
    assert_eq!(wait(store.run(&run.id)).unwrap().unwrap().tally.running, Duration::from_secs(50));
    run.tally.running = Duration::from_secs(60);
    wait(store.commit(&run, at(1), &[])).unwrap();
    assert_eq!(wait(store.run(&run.id)).unwrap().unwrap().tally.running, Duration::from_secs(60));
}

pub fn a_fenced_handle_has_no_heartbeat(world: &impl World) {
    let (store, run) = (world.open(), run());
    let Some(other) = world.open_beside() else { return };
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    wait(other.take_run(&run.id)).unwrap();
    let fenced = StoreError::Fenced { run: run.id.clone(), why: Fence::HeldElsewhere };
    assert_eq!(wait(store.heartbeat(&run.id, Duration::from_secs(99))).unwrap_err(), fenced);
    assert_eq!(wait(store.run(&run.id)).unwrap().unwrap().tally.running, Duration::ZERO);
}
