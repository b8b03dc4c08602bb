//! ralph inside the real Claude Code, Codex, Gemini and Qwen, through their own hooks, against a scripted model on
//! loopback.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod by_tool;
mod claude;
mod host;
mod others;
mod screen;
mod screens;
mod terminal;

use ralph_testkit::models::{Reply, Script, Turn};

fn done() -> Turn {
    Turn::say("Everything is done.\n\n<promise>{promise}</promise>")
}

/// An answer that takes some time.
fn slow() -> Turn {
    // Never the same twice, which some programs take for an agent that goes round in circles.
    let say = (1..=60).map(|number| format!("At {number}. ")).collect();
    Turn::from(Reply { say, bytes_per_second: Some(60), ..Reply::default() })
}

/// Steps that differ, as those of an agent that gets on do, up to the promise at the last iteration.
fn steps(script: Script, last: u32, of: u32) -> Script {
    let marker = |number: u32| format!("This is iteration {number} of {of}.");
    let script = (1..last)
        .fold(script, |script, number| script.on(&marker(number), [Turn::say(format!("Step {number}."))]));
    script.on(&marker(last), [done()])
}
