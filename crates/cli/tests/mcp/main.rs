//! `ralph mcp` with the real binary and the official client: what each role can, and what neither lets through.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod driven;
mod inhabited;
mod knowing;
mod operated;
mod raw;
mod walled;

use std::path::Path;
use std::process::Command;

use ralph_testkit::programs::target_dir;
use ralph_testkit::{McpClient, Project, install_mcp_client, is_alive, until};
use serde_json::{Value, json};

fn project() -> Project {
    Project::new(env!("CARGO_BIN_EXE_ralph"))
}

fn client() -> McpClient {
    install_mcp_client(&target_dir()).unwrap()
}

fn list() -> Value {
    json!({ "list": true })
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// The steps as the client takes them.
fn script(args: &[&str], steps: &[Value]) -> String {
    json!({ "command": env!("CARGO_BIN_EXE_ralph"), "args": args, "steps": steps }).to_string()
}

/// What came back of each step; the server is gone by then.
fn answers(out: &[u8]) -> (Value, Vec<Value>) {
    let played: Value = serde_json::from_slice(out).unwrap();
    let pid = u32::try_from(played["pid"].as_u64().unwrap()).unwrap();
    until(std::time::Duration::from_secs(10), "the server to end", || (!is_alive(pid)).then_some(()));
    (played["server"].clone(), played["answers"].as_array().unwrap().clone())
}

/// Plays steps in the project's tree, with the environment that ralph gets there.
fn play(project: &Project, args: &[&str], steps: &[Value]) -> Vec<Value> {
    let like = project.command(&[]);
    let mut command = client().command(&script(args, steps));
    dress(&mut command, &like, &project.tree());
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    answers(&out.stdout).1
}

fn dress(command: &mut Command, like: &Command, directory: &Path) {
    command.current_dir(directory);
    for (name, value) in like.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
}

/// The names in a list of tools.
fn names(listed: &Value) -> Vec<&str> {
    listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}

fn is_error(answer: &Value) -> bool {
    answer["isError"] == true
}
