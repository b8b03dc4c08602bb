//! A real program searches what is remembered, adds to it and says that it is done, all through ralph's own server; in a
//! sandbox, too, where it does not see ralph's state.

use ralph_testkit::models::{Call, Script, Server, Turn};
use ralph_testkit::programs::{Program, Programs};
use serde_json::{Value, json};

use crate::scenario::{PATIENCE, expect, project};

/// A program, and the sandbox that it works in. OpenCode works behind its server.
pub(crate) const CASES: [Case; 4] = [
    (Program::Claude, "off"),
    (Program::Claude, "landlock"),
    (Program::Claude, "bubblewrap"),
    (Program::OpenCode, "off"),
];

pub(crate) type Case = (Program, &'static str);

const KNOWN: &str = "The port of the exporter is 9100";
const LEARNT: &str = "made.txt has to end with a newline";

/// The agent's name, and what it puts before the names of a server's tools.
fn known_as(program: Program) -> (&'static str, &'static str) {
    match program {
        Program::OpenCode => ("opencode-server", "ralph_"),
        Program::Claude | Program::Codex | Program::Gemini | Program::Qwen => {
            (program.name(), "mcp__ralph__")
        }
    }
}

fn script(before: &str) -> Script {
    let call = |name: &str, arguments| {
        let name = format!("{before}{name}");
        Turn::call("I ask ralph.", Call::Tool { name, arguments })
    };
    let write = Call::Write { path: "made.txt".into(), content: "made\n".to_owned() };
    let remember =
        json!({ "kind": "gotcha", "content": LEARNT, "files": ["made.txt"], "cites": ["made.txt:1"] });
    Script::of([Turn::say("There is nothing to say.")]).on(
        "This is iteration 1 of",
        [
            call("memory_search", json!({ "query": "which port does the exporter use" })),
            Turn::call("I write it.", write),
            call("remember", remember),
            call("memory_search", json!({ "query": "newline", "files": ["made.txt"] })),
            call("task_complete", json!({ "summary": "made.txt was made" })),
            Turn::say("It is done."),
        ],
    )
}

pub(crate) fn play((program, sandbox): Case, programs: &Programs) -> Result<(), String> {
    let (agent, before) = known_as(program);
    let server = Server::start(script(before)).map_err(|error| error.to_string())?;
    let project = project(program, programs, &server);
    let added = project.ralph(&["memory", "add", KNOWN]);
    expect(added.code == Some(0), "something to find", &added)?;
    let sandbox = format!("--sandbox={sandbox}");
    let args = ["run", "Make made.txt.", "--agent", agent, "--max-iterations", "2", "--json", &sandbox];
    let ran = project.start(&[&args[..], &["--require", "tool"]].concat()).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let results: Vec<String> = server.seen().into_iter().map(|seen| seen.last_tool_result).collect();
    let told = |part: &str| results.iter().any(|result| result.contains(part) && result.contains("<memory-"));
    expect(told(KNOWN), &format!("what was known, between fences, not {results:?}"), &ran)?;
    expect(told(LEARNT), &format!("what it remembered itself a moment ago, not {results:?}"), &ran)?;
    let found = project.ralph(&["memory", "search", "newline", "--scope", "all", "--json"]);
    let found: Value = serde_json::from_str(&found.out).map_err(|error| format!("{error}: {}", found.err))?;
    let results = found["results"].as_array().ok_or("no results")?;
    let own = |one: &&Value| one["note"]["content"] == LEARNT && one["note"]["origin"] == "agent";
    let note = results.iter().find(own).ok_or(format!("no note of its own in {found:#}"))?;
    let run = project.run_id().ok_or("no run")?;
    expect(note["note"]["source"]["run"] == run.as_str(), "the run that it is from", &ran)?;
    expect(note["note"]["source"]["iteration"] == 1, "the iteration that it is from", &ran)
}
