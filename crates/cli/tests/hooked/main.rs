//! Loops inside hosts that start a command at each event, with the real binary: events as Claude Code tells them go in,
//! and its own format comes out.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod again;
mod announced;
mod by_tool;
mod cost;
mod gone;
mod hostile;
mod installed;
mod line;
mod locked;
mod malformed;
mod plan;
mod remembered;
mod rules;
mod unasked;
mod whichever;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use ralph_testkit::Project;
use serde_json::{Value, json};

fn project() -> Project {
    Project::new(env!("CARGO_BIN_EXE_ralph"))
}

/// One session of Claude Code.
struct Session<'a> {
    project: &'a Project,
    id: String,
}

impl<'a> Session<'a> {
    fn of(project: &'a Project, id: &str) -> Session<'a> {
        Session { project, id: id.to_owned() }
    }

    fn transcript(&self) -> PathBuf {
        self.project.base().join(format!("{}.jsonl", self.id))
    }

    /// Adds a line to the conversation as Claude Code keeps it.
    fn write(&self, line: &Value) {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(self.transcript()).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    fn event(&self, name: &str, more: Value) -> Value {
        let mut event = json!({
            "session_id": self.id, "hook_event_name": name, "cwd": self.project.tree(),
            "transcript_path": self.transcript(), "permission_mode": "default",
        });
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    fn tell(&self, name: &str, more: Value) -> Value {
        self.tell_with(self.project.command(&["hook", "claude", "--within", "60"]), name, more)
    }

    fn tell_with(&self, command: Command, name: &str, more: Value) -> Value {
        let out = told(command, self.event(name, more).to_string().as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        answer(&out)
    }

    fn types(&self, prompt: &str) -> Value {
        self.tell("UserPromptSubmit", json!({ "prompt": prompt }))
    }

    fn stops(&self, said: &str) -> Value {
        self.tell("Stop", json!({ "last_assistant_message": said, "stop_hook_active": true }))
    }

    /// How its loop stands, in short.
    fn stands(&self) -> (u64, String) {
        let status = self.status();
        let how = status["stop_reason"].as_str().or(status["status"].as_str()).unwrap_or("none");
        (status["iteration"].as_u64().unwrap_or(0), how.to_owned())
    }

    fn status(&self) -> Value {
        let ran =
            self.project.ralph(&["loop", "status", "--host", "claude", "--session", &self.id, "--json"]);
        serde_json::from_str(&ran.out).unwrap_or(Value::Null)
    }

    fn promise(&self) -> String {
        format!("All is well.\n\n<promise>{}</promise>", self.status()["promise"].as_str().unwrap())
    }
}

fn answer(out: &Output) -> Value {
    if out.stdout.is_empty() { Value::Null } else { serde_json::from_slice(&out.stdout).unwrap() }
}

fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

fn reason(answer: &Value) -> &str {
    if answer["decision"] == "block" { answer["reason"].as_str().unwrap_or_default() } else { "" }
}

fn note(answer: &Value) -> &str {
    answer["systemMessage"].as_str().unwrap_or_default()
}

/// Runs a command with this on its standard input.
fn told(mut command: Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    out
}
