//! What an event costs that is none of ralph's business.

use std::process::Command;

use serde_json::json;

use super::{Session, project, told};

/// One process, no network: seen by the system calls that would make another or open a socket to the world.
#[test]
fn an_event_without_a_loop_is_one_process_and_no_network() {
    let project = project();
    Session::of(&project, "ses_1").command("fix it");
    let session = Session::of(&project, "ses_2");
    let trace = project.base().join("trace");
    let inner = project.command(&["hook", "opencode"]);
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=execve,fork,vfork,clone,clone3,socket,connect", "-o"]).arg(&trace);
    strace.arg(inner.get_program()).args(inner.get_args()).env_clear().current_dir(project.tree());
    strace.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let event = session.event("tool", json!({ "tool": "bash" })).to_string();
    assert!(told(strace, event.as_bytes()).status.success());
    let seen = std::fs::read_to_string(trace).unwrap();
    let of = |what: &str| seen.lines().filter(|line| line.contains(what)).count();
    assert_eq!(of("execve("), 1, "{seen}");
    let children = seen.lines().filter(|line| line.contains("clone") || line.contains("fork"));
    assert_eq!(children.filter(|line| !line.contains("CLONE_THREAD")).count(), 0, "{seen}");
    assert_eq!((of("AF_INET"), of("connect(")), (0, 0), "{seen}");
}
