//! What holds when two ask at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ralph_core::control::{Control, ControlNo};
use ralph_core::event::Event;

use super::sample::{at, moment, run};
use super::{World, wait};
use crate::store::{Commit, Store, Unfinished};

const ROUNDS: u64 = 1000;

/// One thread asks, another commits as fast as it can. A commit that began after a request had returned must have
/// seen it.
pub fn no_commit_succeeds_that_has_not_seen_an_acknowledged_control(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    let asking = world.open_beside();
    wait(store.create_run(&run, at(0), Unfinished::Refuse, &[])).unwrap();
    let (acknowledged, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let id = run.id.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let asking = asking.as_ref().unwrap_or(&store);
            for round in 1..=ROUNDS {
                let control = Control::Steer { text: round.to_string() };
                let no = wait(asking.request(&id, &control, at(1))).unwrap();
                acknowledged.store(no.0, Ordering::SeqCst);
            }
            done.store(true, Ordering::SeqCst);
        });
        while !done.load(Ordering::SeqCst) || run.controls_seen < ControlNo(ROUNDS) {
            run.fresh.clear();
            run.note(at(0), Event::Notice { text: "a step begins".to_owned() });
            let promised = acknowledged.load(Ordering::SeqCst);
            match wait(store.commit(&run, at(1), &[])).unwrap() {
                Commit::Written(_) => {
                    assert!(run.controls_seen.0 >= promised, "{:?} < {promised}", run.controls_seen);
                }
                Commit::Controls(controls) => {
                    for (no, control) in controls {
                        run.apply(no, &control, moment(1));
                    }
                    run.steering.clear();
                }
            }
        }
    });
    assert_eq!(run.controls_seen, ControlNo(ROUNDS));
    let entries = wait(store.entries(&id, 0, usize::MAX)).unwrap();
    assert!(entries.iter().map(|entry| entry.seq).eq(1..=entries.len() as u64));
}

pub fn requests_from_many_threads_are_all_kept_in_order(world: &impl World) {
    let (store, run) = (world.open(), run());
    wait(store.create_run(&run, at(0), Unfinished::Refuse, &[])).unwrap();
    let ask = |thread: usize| -> Vec<(ControlNo, Control)> {
        let ask_one = |n: usize| {
            let control = Control::Steer { text: format!("{thread} {n}") };
            (wait(store.request(&run.id, &control, at(1))).unwrap(), control)
        };
        (0..25).map(ask_one).collect()
    };
    let mut asked: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || ask(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    asked.sort_by_key(|(no, _)| *no);
    assert!(asked.iter().map(|(no, _)| no.0).eq(1..=200));
    assert_eq!(wait(store.waiting_controls(&run.id, ControlNo(0))).unwrap(), asked);
}
