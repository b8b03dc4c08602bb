//! The journal is what was written, in order, without gaps.

use ralph_core::choice::ChosenBy;
use ralph_core::control::{Change, Control, ControlNo};
use ralph_core::event::{Custody, Ending, Entry, Event};
use ralph_core::id::TaskId;
use ralph_core::recollection::Recalled;
use ralph_core::report::{AgentExit, Fault, Usage};
use ralph_core::run::Fresh;
use ralph_core::stop::{RunState, StopReason};
use ralph_core::view::RunView;

use super::sample::{advance, agent, at, clean, complete, finish, incomplete, report, run};
use super::{World, wait};
use crate::store::{Commit, Store, Unfinished};

const REFUSE: Unfinished = Unfinished::Refuse;

/// One of each kind.
fn every_event() -> Vec<Event> {
    let (iteration, attempt, task) = (1, 2, TaskId::prompt());
    let text = || "a \"word\" \u{1f980} \0\n".to_owned();
    let Some(Fresh { event: Event::RunStarted(started), .. }) = run().fresh.pop() else {
        panic!("a run starts with its start")
    };
    let mut all = vec![
        Event::RunStarted(started),
        Event::RunResumed {},
        Event::IterationStarted { iteration, max_iterations: Some(3), task: task.clone() },
        Event::IterationStarted { iteration, max_iterations: None, task: task.clone() },
        Event::AttemptStarted {
            iteration,
            attempt,
            agent: agent(),
            model: Some(text()),
            effort: None,
            promise: text(),
            brief_bytes: (1 << 53) + 1,
        },
        Event::AgentSpawned { iteration, attempt, pid: 7, custody: Custody::Cgroup },
        Event::AttemptEnded { iteration, attempt, ending: Ending::Reported(Box::new(clean())) },
        Event::AttemptEnded {
            iteration,
            attempt,
            ending: Ending::Reported(Box::new(report(AgentExit::NotStarted { why: text() }))),
        },
        Event::AttemptEnded { iteration, attempt, ending: Ending::Lost(Fault::Interrupted) },
        Event::Verdict { iteration, attempt, verdict: incomplete() },
        Event::Verdict { iteration, attempt, verdict: complete() },
        Event::FilesChanged { iteration, attempt, changed: 1, files: vec![text()] },
        Event::IterationEnded { iteration, task: task.clone(), complete: true },
        Event::TaskCompleted { task: task.clone(), iteration },
        Event::TaskCommitted { task: task.clone(), iteration, commit: text() },
        Event::TaskSkipped { task, iteration, why: text() },
        Event::AgentChosen {
            iteration,
            agent: agent(),
            model: None,
            effort: Some(text()),
            by: ChosenBy::Route { number: 2, when: text() },
        },
        Event::AgentChosen {
            iteration,
            agent: agent(),
            model: Some(text()),
            effort: None,
            by: ChosenBy::Person,
        },
        Event::ControlApplied {
            no: ControlNo(u64::from(u32::MAX) + 1),
            control: Control::SetIterations { change: Change::By(-3) },
            changed: false,
        },
        Event::ControlApplied { no: ControlNo(1), control: Control::Steer { text: text() }, changed: true },
        Event::Waiting { until: at(5), why: text() },
        Event::Paused {},
        Event::Unpaused {},
        Event::Limit { reason: StopReason::Budget, evidence: text() },
        Event::Notice { text: text() },
        Event::RunStopped {
            stop_reason: "budget".to_owned(),
            detail: StopReason::Budget,
            status: RunState::Failed,
            exit_code: 3,
            evidence: text(),
        },
    ];
    all.extend(of_the_memory());
    all
}

fn of_the_memory() -> [Event; 3] {
    let (iteration, attempt, task) = (1, 2, TaskId::prompt());
    [
        Event::Recalled { iteration, attempt, recalled: Recalled { tokens: 12, ..Recalled::default() } },
        Event::MemoryAsked {
            task: task.clone(),
            iteration,
            agent: agent(),
            model: None,
            notes: 1,
            exit: AgentExit::Code { code: 0 },
            usage: Usage::default(),
            duration_ms: 3,
        },
        Event::Consolidated {
            task,
            iteration,
            promoted: 1,
            deduplicated: 2,
            conflicts_resolved: 3,
            dropped: 4,
            entities_updated: 5,
        },
    ]
}

pub fn every_event_is_read_back_as_it_was(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    run.fresh = every_event().into_iter().map(|event| Fresh { at: at(1), event }).collect();
    let entries = wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    let written: Vec<_> =
        entries.iter().map(|Entry { at, event, .. }| Fresh { at: *at, event: event.clone() }).collect();
    assert_eq!(written, run.fresh);
    assert_eq!(wait(store.entries(&run.id, 0, 100)).unwrap(), entries);
}

pub fn lines_have_no_gaps_over_commits(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    let mut all = wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    for second in 1..40 {
        run.fresh.clear();
        advance(&mut run, clean(), incomplete(), second);
        let Commit::Written(entries) = wait(store.commit(&run, at(second), &[])).unwrap() else {
            panic!("nobody asked anything")
        };
        all.extend(entries);
    }
    assert!(all.iter().map(|entry| entry.seq).eq(1..=all.len() as u64));
    assert_eq!(wait(store.entries(&run.id, 0, 1000)).unwrap(), all);
}

pub fn two_journals_do_not_mix(world: &impl World) {
    let (store, first, second) = (world.open(), run(), run());
    let one = wait(store.create_run(&first, at(0), REFUSE, &[])).unwrap();
    let two = wait(store.create_run(&second, at(1), Unfinished::Supersede, &[])).unwrap();
    assert_eq!(wait(store.entries(&first.id, 0, 10)).unwrap(), one);
    assert_eq!(wait(store.entries(&second.id, 0, 10)).unwrap(), two);
}

pub fn pages_join_without_loss(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    run.fresh.clear();
    (0..25).for_each(|n| run.note(at(1), Event::Notice { text: n.to_string() }));
    let all = wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    let mut read = Vec::new();
    loop {
        let page = wait(store.entries(&run.id, read.len() as u64, 4)).unwrap();
        assert!(page.len() <= 4);
        if page.is_empty() {
            break;
        }
        read.extend(page);
    }
    assert_eq!(read, all);
    assert_eq!(wait(store.entries(&run.id, u64::MAX, usize::MAX)).unwrap(), []);
    assert_eq!(wait(store.entries(&run.id, 0, usize::MAX)).unwrap(), all);
}

pub fn a_commit_without_events_writes_the_checkpoint(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    run.steering.push("hello".to_owned());
    assert_eq!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Written(Vec::new()));
    assert_eq!(wait(store.run(&run.id)).unwrap(), Some(run));
}

pub fn a_refused_commit_leaves_nothing(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    let before = wait(store.run(&run.id)).unwrap();
    let listed = wait(store.latest_run()).unwrap();
    wait(store.request(&run.id, &Control::Stop, at(1))).unwrap();
    advance(&mut run, clean(), incomplete(), 1);
    assert!(matches!(wait(store.commit(&run, at(1), &[])).unwrap(), Commit::Controls(_)));
    assert_eq!(wait(store.run(&run.id)).unwrap(), before);
    assert_eq!(wait(store.latest_run()).unwrap(), listed);
    assert_eq!(wait(store.entries(&run.id, 0, 10)).unwrap().len(), 1);
}

pub fn the_view_of_the_journal_agrees_with_the_checkpoint(world: &impl World) {
    let (store, mut run) = (world.open(), run());
    wait(store.create_run(&run, at(0), REFUSE, &[])).unwrap();
    run.fresh.clear();
    finish(&mut run);
    wait(store.commit(&run, at(20), &[])).unwrap();
    let view = RunView::of(&wait(store.entries(&run.id, 0, 100)).unwrap()).unwrap();
    let stored = wait(store.run(&run.id)).unwrap().unwrap();
    assert_eq!(
        (view.iteration, view.attempts, view.usage, view.status),
        (stored.tally.iterations, stored.tally.attempts_total, stored.tally.usage, RunState::Success)
    );
}
