//! Whatever happens to a run, its journal has no gaps and tells the same story as its checkpoint.

use proptest::prelude::{Just, Strategy, prop_oneof, proptest};
use proptest::test_runner::Config;
use ralph_core::control::{Change, Control};
use ralph_core::id::AgentName;
use ralph_core::report::AgentExit;
use ralph_core::run::Run;
use ralph_core::stop::RunState;
use ralph_core::view::RunView;
use ralph_store::conformance::sample::{advance, at, complete, incomplete, moment, report, written};
use ralph_store::conformance::wait;
use ralph_store::{Commit, SqliteStore, Store};

use super::created;

#[derive(Debug, Clone)]
enum Happening {
    Step {
        exit: AgentExit,
        complete: bool,
    },
    Asked(Control),
    Heartbeat(u64),
    /// The process dies with what it had not committed, and another goes on.
    Crash,
}

fn happening() -> impl Strategy<Value = Happening> {
    let exit = prop_oneof![
        6 => Just(AgentExit::Code { code: 0 }),
        1 => Just(AgentExit::Code { code: 1 }),
        1 => Just(AgentExit::SilenceTimeout),
    ];
    let control = prop_oneof![
        Just(Control::Pause),
        Just(Control::Resume),
        Just(Control::Stop),
        Just(Control::Abort),
        Just(Control::SetIterations { change: Change::By(-60) }),
        Just(Control::SetAgent { agent: AgentName::parse("another").expect("a name") }),
        Just(Control::SetModel { model: "large".to_owned() }),
        Just(Control::Steer { text: "left".to_owned() }),
    ];
    prop_oneof![
        12 => (exit, proptest::bool::weighted(0.05))
            .prop_map(|(exit, complete)| Happening::Step { exit, complete }),
        2 => control.prop_map(Happening::Asked),
        1 => (0..500_u64).prop_map(Happening::Heartbeat),
        1 => Just(Happening::Crash),
    ]
}

/// Commits as the engine does.
fn commit(store: &SqliteStore, run: &mut Run, second: i64) {
    loop {
        match wait(store.commit(run, at(second), &[])).unwrap() {
            Commit::Written(entries) => {
                assert!(
                    entries.iter().map(|entry| &entry.event).eq(run.fresh.iter().map(|fresh| &fresh.event))
                );
                run.fresh.clear();
                return;
            }
            Commit::Controls(controls) => {
                for (no, control) in controls {
                    run.apply(no, &control, moment(second));
                }
            }
        }
    }
}

fn agree(store: &SqliteStore, run: &Run) {
    let entries = wait(store.entries(&run.id, 0, usize::MAX)).unwrap();
    assert!(entries.iter().map(|entry| entry.seq).eq(1..=entries.len() as u64));
    let view = RunView::of(&entries).unwrap();
    let stored = wait(store.run(&run.id)).unwrap().unwrap();
    let tally = stored.tally;
    assert!(tally.running >= run.tally.running);
    assert_eq!(Run { tally: run.tally, ..stored.clone() }, written(run));
    assert_eq!(
        (view.iteration, view.attempts, view.usage),
        (tally.iterations, tally.attempts_total, tally.usage)
    );
    assert_eq!(view.max_iterations, stored.policy.limits.max_iterations.map(Into::into));
    let summary = wait(store.latest_run()).unwrap().unwrap();
    assert_eq!((summary.seq, summary.state), (view.seq, view.status));
    assert_eq!(summary.state != RunState::Running && summary.state != RunState::Paused, run.stop().is_some());
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_journal_and_the_checkpoint_agree(happenings in proptest::collection::vec(happening(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(dir.path()).unwrap();
        let mut run = created(&store);
        for (happening, second) in happenings.into_iter().zip(1..) {
            match happening {
                Happening::Step { exit, complete: done } => {
                    let verdict = if done { complete() } else { incomplete() };
                    advance(&mut run, report(exit), verdict, second);
                    commit(&store, &mut run, second);
                }
                Happening::Asked(control) => {
                    let asked = wait(store.request(&run.id, &control, at(second)));
                    assert_eq!(asked.is_ok(), run.is_unfinished());
                }
                Happening::Heartbeat(seconds) => {
                    wait(store.heartbeat(&run.id, std::time::Duration::from_secs(seconds))).unwrap();
                }
                Happening::Crash => {
                    drop(store);
                    store = SqliteStore::open(dir.path()).unwrap();
                    run = wait(store.take_run(&run.id)).unwrap().unwrap();
                    if run.is_unfinished() {
                        run.resume(moment(second));
                        commit(&store, &mut run, second);
                    }
                }
            }
            agree(&store, &run);
        }
    }
}
