//! What a host waits for at an event that moves no loop, beside a runtime that does nothing.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::json;

use super::{Figure, Place, median};
use crate::cargo::{has, succeed};

const TIMES: usize = 100;

pub(super) fn measure(ralph: &Path) -> anyhow::Result<Vec<Figure>> {
    let place = Place::new()?;
    // A project in which ralph was used: there is a store to look into.
    place.ralph(ralph, 3)?;
    let here = place.path().to_str().context("a temporary directory with a plain name")?;
    let idle = json!({ "v": 1, "event": "idle", "session": "ses_1", "directory": here,
                       "message": { "id": "m1", "text": "All done.", "finish": "stop" } });
    let tool = |session: &str, number: usize| {
        let used = json!({ "session_id": session, "transcript_path": "/nowhere", "cwd": here,
                           "hook_event_name": "PostToolUse", "tool_name": "Bash",
                           "tool_use_id": format!("toolu_{number}"),
                           "tool_input": { "command": "ls" }, "tool_response": {} });
        used.to_string()
    };
    succeed(place.command(ralph).args([
        "loop",
        "start",
        "--host",
        "claude",
        "--session",
        "s2",
        "--",
        "work",
    ]))?;
    let hook = |host: &str, event: &str| told(place.command(ralph).args(["hook", host]), event);
    let (mut opencode, mut claude, mut looping, mut node) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..TIMES {
        opencode.push(hook("opencode", &idle.to_string())?);
        claude.push(hook("claude", &tool("s1", number))?);
        looping.push(hook("claude", &tool("s2", number))?);
        if has("node") {
            let mut idle = place.command(Path::new("node"));
            // What a machine's own settings make it load is not what a runtime costs that does nothing.
            idle.args(["-e", "0"]).env_remove("NODE_EXTRA_CA_CERTS").env_remove("NODE_OPTIONS");
            node.push(told(&mut idle, "")?);
        }
    }
    let mut figures = vec![
        Figure::new("`ralph hook opencode`, no loop", median(opencode), "ms").at_most(10.0),
        Figure::new("`ralph hook claude`, a tool was used, no loop", median(claude), "ms").at_most(10.0),
        Figure::new("`ralph hook claude`, a tool was used in a loop", median(looping), "ms").at_most(10.0),
    ];
    if !node.is_empty() {
        figures.push(Figure::new("`node -e 0`", median(node), "ms"));
    }
    Ok(figures)
}

fn told(command: &mut Command, event: &str) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("a child with a standard input")?;
    let _it_need_not_read = stdin.write_all(event.as_bytes());
    drop(stdin);
    let status = child.wait()?;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    ensure!(status.success(), "{:?} ended with {status}", command.get_program());
    Ok(took)
}
