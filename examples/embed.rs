//! A program that lives with ralph: it starts a loop in one of its sessions, watches it, and cancels it.
//!
//! Nothing is spawned: the loop is a row in ralph's store, and the program's own events would drive it.
//!
//! ```sh
//! cargo run -p ralph-engine --example embed
//! ```

use std::sync::Arc;

use ralph_core::id::AgentName;
use ralph_core::redact::Redactor;
use ralph_core::stop::RunState;
use ralph_engine::loops::{LoopOptions, Loops};
use ralph_store::SqliteStore;

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(embed())
}

async fn embed() -> Result<(), Box<dyn std::error::Error>> {
    let state = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::open(state.path())?);
    let redactor = Redactor::new(std::env::vars());
    let loops = Loops::new(store, AgentName::parse("my-editor")?, redactor);

    let options = LoopOptions { description: Some("tidy up".to_owned()), ..LoopOptions::default() };
    assert!(loops.start_loop("session-1", "Tidy up the parser.", options).await?);
    assert!(!loops.start_loop("session-1", "Something else.", LoopOptions::default()).await?);

    let state = loops.state(Some("session-1")).await?.expect("the loop was started");
    println!("run {} is {}: {}", state.run, state.status.name(), state.description);
    println!("it may have {:?} iterations and must promise {}", state.max_iterations, state.promise);

    // Another session never sees this loop, and cannot cancel it.
    assert!(loops.is_active("session-1").await?);
    assert!(!loops.is_active("session-2").await?);
    assert!(!loops.cancel_loop("session-2").await?);

    let mut seen = watch(&loops, 0).await?;
    assert!(loops.cancel_loop("session-1").await?);
    seen = watch(&loops, seen).await?;
    assert!(!loops.cancel_loop("session-1").await?, "cancelling twice is harmless");

    let state = loops.state(Some("session-1")).await?.expect("an ended loop can still be looked at");
    assert_eq!(state.status, RunState::Stopped);
    println!("after {seen} events: {}", state.evidence.unwrap_or_default());
    Ok(())
}

/// Prints what is new in the journal and returns how far it was read.
async fn watch(loops: &Loops<SqliteStore>, after: u64) -> Result<u64, Box<dyn std::error::Error>> {
    let entries = loops.entries("session-1", after).await?;
    for entry in &entries {
        println!("  {:>2} {}", entry.seq, entry.event.name());
    }
    Ok(entries.last().map_or(after, |entry| entry.seq))
}
