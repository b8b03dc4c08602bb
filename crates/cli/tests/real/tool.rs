//! A real program calls `task_complete` of ralph's own server: where that is required, nothing else will do.

use ralph_testkit::models::{Call, Script, Server, Turn};
use ralph_testkit::programs::{Program, Programs};
use serde_json::json;

use crate::scenario::{PATIENCE, expect, project};

/// A program, and the sandbox that it works in.
pub(crate) type Case = (Program, &'static str);

pub(crate) const CASES: [Case; 5] = [
    (Program::Claude, "off"),
    (Program::Claude, "landlock"),
    (Program::Claude, "bubblewrap"),
    (Program::Codex, "off"),
    (Program::Qwen, "off"),
];

fn script(program: Program) -> Script {
    let tool = match program {
        Program::Claude | Program::Qwen => "mcp__ralph__task_complete",
        Program::Codex | Program::Gemini | Program::OpenCode => "task_complete",
    };
    let write = Call::Write { path: "made.txt".into(), content: "made\n".to_owned() };
    let call =
        |name: &str, arguments| Turn::call("So be it.", Call::Tool { name: name.to_owned(), arguments });
    // It shows tools of servers only to a model that looks for them.
    let search =
        (program == Program::Qwen).then(|| call("tool_search", json!({ "query": format!("select:{tool}") })));
    let said = [call(tool, json!({ "summary": "made.txt was made" })), Turn::say("It is done.")];
    Script::of([Turn::say("There is nothing to say.")])
        .on("This is iteration 1 of", [Turn::call("I write it.", write), Turn::say("Everything is done.")])
        .on("This is iteration 2 of", search.into_iter().chain(said))
}

pub(crate) fn play((program, sandbox): Case, programs: &Programs) -> Result<(), String> {
    let server = Server::start(script(program)).map_err(|error| error.to_string())?;
    let project = project(program, programs, &server);
    let sandbox = format!("--sandbox={sandbox}");
    let args =
        ["run", "Make made.txt.", "--agent", program.name(), "--max-iterations", "3", "--json", &sandbox];
    let required = ["--require", "tool,criteria", "--criteria", "custom=test -e made.txt"];
    let ran = project.start(&[&args[..], &required].concat()).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let status = project.status().ok_or("no status")?;
    expect(status["iteration"] == 2, "completed in iteration 2, not before the tool was called", &ran)?;
    let evidence = status["evidence"].as_str().unwrap_or_default();
    expect(evidence.contains("the agent called `task_complete`"), "the call in the evidence", &ran)?;
    let missed = ran.out.contains("the tool `task_complete` was not called");
    expect(missed, "that it was missed in iteration 1", &ran)?;
    expect(ran.out.contains("made.txt was made"), "its summary", &ran)?;
    let temporary = std::fs::read_dir(project.base().join("tmp")).into_iter().flatten().flatten();
    let left: Vec<_> = temporary.map(|entry| entry.file_name()).collect();
    let boxes = left.iter().filter(|name| name.to_string_lossy().starts_with("ralph-")).count();
    expect(boxes == 0, &format!("nothing of ralph's left among {left:?}"), &ran)
}
