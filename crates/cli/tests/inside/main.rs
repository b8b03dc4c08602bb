//! Loops inside the sessions of a host, with the real binary: events as OpenCode's plugin tells them go in, and what
//! the plugin is to do comes out.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

mod begun;
mod checked;
mod cost;
mod driven;
mod due;
mod hostile;
mod installed;
mod original;
mod outside;
mod remembered;
mod rules;
mod signals;
mod troubles;
mod whichever;

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use ralph_testkit::Project;
use serde_json::{Value, json};

/// What a test waits for.
const PATIENCE: Duration = Duration::from_secs(10);

fn project() -> Project {
    Project::new(env!("CARGO_BIN_EXE_ralph")).with("RALPH_SET_LIMITS__ITERATION_DELAY", "20ms")
}

/// One session of the host.
struct Session<'a> {
    project: &'a Project,
    id: String,
}

/// What the plugin is told to do.
#[derive(Debug, Clone, PartialEq)]
struct Answer(Vec<Value>);

impl<'a> Session<'a> {
    fn of(project: &'a Project, id: &str) -> Session<'a> {
        Session { project, id: id.to_owned() }
    }

    fn event(&self, kind: &str, more: Value) -> Value {
        let mut event =
            json!({ "v": 1, "event": kind, "session": self.id, "directory": self.project.tree() });
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    /// Tells what happened, and asks for what was put off when it is time, as the plugin does.
    fn tell(&self, kind: &str, more: Value) -> Answer {
        let mut answer = self.tell_once(kind, more);
        let at = answer.0.iter().position(|action| action["type"] == "due" && wait(action) < PATIENCE);
        if let Some(due) = at.map(|at| answer.0.remove(at)) {
            std::thread::sleep(wait(&due));
            answer.0.extend(self.tell("due", json!({})).0);
        }
        answer
    }

    fn tell_once(&self, kind: &str, more: Value) -> Answer {
        let out =
            told(self.project.command(&["hook", "opencode"]), self.event(kind, more).to_string().as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        Answer::of(&out)
    }

    fn command(&self, arguments: &str) -> Answer {
        self.tell("command", json!({ "command": "ralph", "arguments": arguments }))
    }

    fn idle(&self, id: &str, text: &str) -> Answer {
        let message = json!({ "id": id, "text": text, "finish": "stop", "tools": ["bash"] });
        self.tell("idle", json!({ "message": message }))
    }

    /// The same, and what is put off stays so.
    fn idle_once(&self, id: &str, text: &str) -> Answer {
        let message = json!({ "id": id, "text": text, "finish": "stop", "tools": ["bash"] });
        self.tell_once("idle", json!({ "message": message }))
    }

    fn due(&self) -> Answer {
        self.tell_once("due", json!({}))
    }

    fn run(&self) -> String {
        self.status()["run"].as_str().unwrap().to_owned()
    }

    fn error(&self, name: &str) -> Answer {
        self.tell("error", json!({ "error": { "name": name, "message": "because" } }))
    }

    /// The loop as `ralph loop status` has it.
    fn status(&self) -> Value {
        let ran = self.project.ralph(&["loop", "status", "--session", &self.id, "--json"]);
        serde_json::from_str(&ran.out).unwrap_or(Value::Null)
    }

    /// How it stands, in short.
    fn stands(&self) -> (u64, String) {
        let status = self.status();
        let how = status["stop_reason"].as_str().or(status["status"].as_str()).unwrap_or("none");
        (status["iteration"].as_u64().unwrap_or(0), how.to_owned())
    }

    fn promise(&self) -> String {
        format!("All is well.\n\n<promise>{}</promise>", self.status()["promise"].as_str().unwrap())
    }
}

impl Answer {
    fn of(out: &Output) -> Answer {
        if out.stdout.is_empty() {
            return Answer(Vec::new());
        }
        let answer: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(answer["v"], 1);
        Answer(answer["actions"].as_array().unwrap().clone())
    }

    fn kinds(&self) -> Vec<&str> {
        self.0.iter().map(|action| action["type"].as_str().unwrap()).collect()
    }

    fn get(&self, kind: &str) -> &Value {
        self.0.iter().find(|action| action["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {self:?}"))
    }

    fn prompt(&self) -> &str {
        self.get("prompt")["text"].as_str().unwrap()
    }

    fn toast(&self) -> (&str, &str) {
        let toast = self.get("toast");
        (toast["variant"].as_str().unwrap(), toast["title"].as_str().unwrap())
    }
}

fn wait(action: &Value) -> Duration {
    Duration::from_millis(action["after_ms"].as_u64().unwrap_or(0))
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
