//! What a commit costs on this disk: `cargo run --release -p ralph-store --features testing --example cost [DIR]`.

use std::path::Path;
use std::time::{Duration, Instant};

use ralph_core::control::Control;
use ralph_core::event::Event;
use ralph_core::run::Run;
use ralph_store::conformance::sample::{at, run, seat};
use ralph_store::conformance::wait;
use ralph_store::{SqliteStore, Store, StoreError};

const ROUNDS: u32 = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base = std::env::args().nth(1).unwrap_or_else(|| "/tmp".to_owned());
    let dir = Path::new(&base).join(format!("ralph-cost-{}", std::process::id()));
    std::fs::create_dir(&dir)?;
    let measured = measure(&dir);
    std::fs::remove_dir_all(&dir)?;
    Ok(measured?)
}

fn measure(dir: &Path) -> Result<(), StoreError> {
    let made = Instant::now();
    let store = SqliteStore::open(dir)?;
    println!("make a store            {:>8.0?}", made.elapsed());
    let mut one = run();
    wait(store.create_loop(&one, at(0), &seat("claude", "s0").into(), &[]))?;
    let three = |run: &mut Run| {
        run.fresh.clear();
        (0..3).for_each(|n| run.note(at(1), Event::Notice { text: format!("{n} {}", "word ".repeat(30)) }));
    };
    three(&mut one);
    let before = store.stats();
    each("commit of 3 events", || wait(store.commit(&one, at(1), &[])).map(drop))?;
    let after = store.stats();
    println!(
        "  bytes a commit        {:>8}",
        (after.bytes - before.bytes) / (after.commits - before.commits)
    );
    one.steering = vec!["x".repeat(60_000)];
    each("with 60 kB checkpoint", || wait(store.commit(&one, at(1), &[])).map(drop))?;
    each("heartbeat", || wait(store.heartbeat(&one.id, Duration::from_secs(1))))?;
    each("read the run", || wait(store.run(&one.id)).map(drop))?;
    each("100 lines", || wait(store.entries(&one.id, 50, 100)).map(drop))?;
    let mut many: Vec<Run> = (0..8).map(|_| run()).collect();
    for (run, n) in many.iter_mut().zip(1..) {
        wait(store.create_loop(run, at(0), &seat("claude", &format!("s{n}")).into(), &[]))?;
        three(run);
    }
    together(&store, &many)?;
    each("request", || wait(store.request(&many[0].id, &Control::Stop, at(1))).map(drop))?;
    let opened = Instant::now();
    drop(store);
    println!("close                   {:>8.0?}", opened.elapsed());
    let opened = Instant::now();
    drop(SqliteStore::open_existing(dir)?);
    println!("open and close again    {:>8.0?}", opened.elapsed());
    Ok(())
}

fn each(what: &str, mut work: impl FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        work()?;
        took.push(begun.elapsed());
    }
    took.sort();
    let at = |percent: usize| took[(took.len() - 1) * percent / 100];
    println!("{what:<24}{:>8.0?}   p99 {:.0?}  most {:.0?}", at(50), at(99), at(100));
    Ok(())
}

/// Eight threads commit at once: how far the shared flush carries.
fn together(store: &SqliteStore, runs: &[Run]) -> Result<(), StoreError> {
    let (before, begun) = (store.stats(), Instant::now());
    std::thread::scope(|scope| {
        let commit = |run| (0..ROUNDS / 8).try_for_each(|_| wait(store.commit(run, at(1), &[])).map(drop));
        let threads: Vec<_> = runs.iter().map(|run| scope.spawn(move || commit(run))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    let after = store.stats();
    let (writes, commits) = (after.writes - before.writes, after.commits - before.commits);
    println!(
        "8 threads, a commit     {:>8.0?}   {writes} in {commits} transactions",
        begun.elapsed() / (ROUNDS / 8 * 8)
    );
    Ok(())
}
