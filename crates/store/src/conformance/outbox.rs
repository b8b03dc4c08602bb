//! Hooks are called for what was written, and only for that.

use ralph_core::control::Control;
use ralph_core::run::Run;

use super::sample::{advance, at, clean, incomplete, run};
use super::{World, wait};
use crate::outbox::NewDelivery;
use crate::store::{Commit, Store, Unfinished};

fn call(hook: &str) -> NewDelivery {
    NewDelivery { event: 0, hook: hook.to_owned() }
}

fn created(store: &impl Store, deliveries: &[NewDelivery]) -> Run {
    let mut run = run();
    wait(store.create_run(&run, at(0), Unfinished::Refuse, deliveries)).unwrap();
    run.fresh.clear();
    run
}

pub fn a_delivery_is_due_until_it_was_made(world: &impl World) {
    let store = world.open();
    let mut run = created(&store, &[call("chime")]);
    advance(&mut run, clean(), incomplete(), 1);
    wait(store.commit(&run, at(1), &[call("log"), call("chime")])).unwrap();
    let due = wait(store.due(at(1), 10)).unwrap();
    let hooks: Vec<_> = due.iter().map(|one| (one.entry.seq, one.hook.as_str(), one.attempts)).collect();
    assert_eq!(hooks, [(1, "chime", 0), (2, "log", 0), (2, "chime", 0)]);
    assert_eq!((&due[1].run, &due[1].entry.event), (&run.id, &run.fresh[0].event));
    assert_eq!(wait(store.due(at(1), 2)).unwrap(), due[..2]);
    assert_eq!(wait(store.due(at(1), 10)).unwrap(), due);
    wait(store.delivered(due[0].id)).unwrap();
    assert_eq!(wait(store.due(at(1), 10)).unwrap(), due[1..]);
}

pub fn a_delivered_call_is_never_due_again(world: &impl World) {
    let store = world.open();
    created(&store, &[call("chime")]);
    let id = wait(store.due(at(0), 10)).unwrap()[0].id;
    wait(store.delivered(id)).unwrap();
    wait(store.failed(id, "came too late", Some(at(1)))).unwrap();
    wait(store.delivered(id)).unwrap();
    assert_eq!(wait(store.due(at(99), 10)).unwrap(), []);
}

pub fn a_failed_call_is_due_later_and_counted(world: &impl World) {
    let store = world.open();
    created(&store, &[call("chime")]);
    let id = wait(store.due(at(0), 10)).unwrap()[0].id;
    wait(store.failed(id, "exit code 1", Some(at(30)))).unwrap();
    assert_eq!(wait(store.due(at(29), 10)).unwrap(), []);
    let due = wait(store.due(at(30), 10)).unwrap();
    assert_eq!((due.len(), due[0].id, due[0].attempts), (1, id, 1));
}

pub fn a_call_that_was_given_up_is_not_due(world: &impl World) {
    let store = world.open();
    created(&store, &[call("chime")]);
    let id = wait(store.due(at(0), 10)).unwrap()[0].id;
    wait(store.failed(id, "exit code 1", None)).unwrap();
    assert_eq!(wait(store.due(at(99), 10)).unwrap(), []);
}

pub fn a_hook_named_twice_for_an_event_is_called_once(world: &impl World) {
    let store = world.open();
    created(&store, &[call("chime"), call("chime")]);
    assert_eq!(wait(store.due(at(0), 10)).unwrap().len(), 1);
}

pub fn a_refused_commit_delivers_nothing(world: &impl World) {
    let store = world.open();
    let mut run = created(&store, &[]);
    wait(store.request(&run.id, &Control::Stop, at(1))).unwrap();
    advance(&mut run, clean(), incomplete(), 1);
    let refused = wait(store.commit(&run, at(1), &[call("chime")])).unwrap();
    assert!(matches!(refused, Commit::Controls(_)));
    assert_eq!(wait(store.due(at(99), 10)).unwrap(), []);
}
