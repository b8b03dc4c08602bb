//! What a tool that has ended costs the host: it waits for it each time.

use std::process::Command;

use serde_json::json;

use super::{Session, project, told};

/// What opening the store reads of it, and what may be read besides.
const OPENING: usize = 2;
const MOST_LOOKS: usize = 3;

/// Counted by the system calls that would make another process, open a socket, lock the store for reading or for
/// writing, or wait for the disk.
#[test]
fn a_tool_used_in_a_loop_is_one_process_no_network_one_write_and_no_wait_for_the_disk() {
    let project = project();
    let session = Session::of(&project, "s-1");
    session.types("/ralph fix it");
    // The first begins the store's log, which is flushed once.
    session.tell("PostToolUse", json!({ "tool_name": "Read" }));
    let trace = project.base().join("trace");
    let inner = project.command(&["hook", "claude", "--within", "30"]);
    let mut strace = Command::new("strace");
    let traced = "trace=execve,fork,vfork,clone,clone3,socket,connect,fcntl,fsync,fdatasync";
    strace.args(["-f", "-y", "-qq", "-e", traced, "-o"]).arg(&trace);
    strace.arg(inner.get_program()).args(inner.get_args()).env_clear().current_dir(project.tree());
    strace.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let more = json!({ "tool_name": "Bash", "tool_input": { "command": "true" } });
    assert!(told(strace, session.event("PostToolUse", more).to_string().as_bytes()).status.success());
    let seen = std::fs::read_to_string(trace).unwrap();
    let of = |what: &str| seen.lines().filter(|line| line.contains(what)).count();
    assert_eq!(of("execve("), 1, "{seen}");
    let children = seen.lines().filter(|line| line.contains("clone") || line.contains("fork"));
    assert_eq!(children.filter(|line| !line.contains("CLONE_THREAD")).count(), 0, "{seen}");
    assert_eq!((of("AF_INET"), of("connect("), of("sync(")), (0, 0, 0), "{seen}");
    let locked = |kind: &str, bytes: std::ops::Range<u32>| {
        let is_meant = |line: &&str| {
            line.contains("-shm>")
                && line.contains(kind)
                && bytes.clone().any(|at| line.contains(&format!("l_start={at},")))
        };
        seen.lines().filter(is_meant).count()
    };
    let reads = locked("F_RDLCK", 123..128);
    assert!((OPENING + 1..=OPENING + MOST_LOOKS).contains(&reads), "{reads} reads: {seen}");
    // Whoever opens the store alone takes in its log under the same lock.
    assert_eq!(locked("F_WRLCK", 120..121), 1 + 1, "one write: {seen}");
    assert_eq!(project.rows("memory_log"), 2);
    assert_eq!(project.rows("sessions WHERE tool = 'Bash'"), 1);
}
