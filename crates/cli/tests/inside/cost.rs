//! What an event costs that is none of ralph's business.

use std::process::Command;

use serde_json::json;

use super::{Session, project, told};

/// What opening the store reads of it, and what may be read besides.
const OPENING: usize = 2;
const MOST_LOOKS: usize = 3;

/// One process, no network, a few looks at the store: seen by the system calls that would make another process, open a
/// socket to the world, or lock the store for reading, which each statement does by itself.
#[test]
fn an_event_without_a_loop_is_one_process_no_network_and_a_few_looks_at_the_store() {
    let project = project();
    Session::of(&project, "ses_1").command("fix it");
    let session = Session::of(&project, "ses_2");
    let trace = project.base().join("trace");
    let inner = project.command(&["hook", "opencode"]);
    let mut strace = Command::new("strace");
    let traced = "trace=execve,fork,vfork,clone,clone3,socket,connect,fcntl";
    strace.args(["-f", "-y", "-qq", "-e", traced, "-o"]).arg(&trace);
    strace.arg(inner.get_program()).args(inner.get_args()).env_clear().current_dir(project.tree());
    strace.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let message = json!({ "id": "m1", "text": "x", "finish": "stop" });
    let event = session.event("idle", json!({ "message": message })).to_string();
    assert!(told(strace, event.as_bytes()).status.success());
    let seen = std::fs::read_to_string(trace).unwrap();
    let of = |what: &str| seen.lines().filter(|line| line.contains(what)).count();
    assert_eq!(of("execve("), 1, "{seen}");
    let children = seen.lines().filter(|line| line.contains("clone") || line.contains("fork"));
    assert_eq!(children.filter(|line| !line.contains("CLONE_THREAD")).count(), 0, "{seen}");
    assert_eq!((of("AF_INET"), of("connect(")), (0, 0), "{seen}");
    let is_read = |line: &&str| {
        line.contains("-shm>")
            && line.contains("F_RDLCK")
            && (123..128).any(|at| line.contains(&format!("l_start={at},")))
    };
    let reads = seen.lines().filter(is_read).count();
    assert!((OPENING + 1..=OPENING + MOST_LOOKS).contains(&reads), "{reads} reads: {seen}");
}
