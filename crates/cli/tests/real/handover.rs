//! One real program runs into its limit in the middle of a task, another goes on from its files.

use ralph_testkit::models::{Call, Fault, Script, Server, Turn};
use ralph_testkit::programs::{Program, Programs, offline_env};

use crate::scenario::{PATIENCE, expect, project};

/// Who begins and who goes on.
pub(crate) const PAIRS: [(Program, Program); 2] =
    [(Program::Claude, Program::OpenCode), (Program::Gemini, Program::Codex)];

/// The second file is only written on a brief that says what happened.
fn script() -> Script {
    let write = |path: &str| {
        let call = Call::Write { path: path.into(), content: format!("this is {path}\n") };
        Turn::call("I write the file.", call)
    };
    let done = Turn::say("Both files are there.\n\n<promise>{promise}</promise>");
    Script::of([Turn::say("There is nothing to say.")])
        .on("You take over", [write("second.txt"), done])
        .on("This is iteration 1 of", [write("first.txt"), Turn::fault(Fault::UsedUp { reset_in: 7200 })])
}

pub(crate) fn play((first, second): (Program, Program), programs: &Programs) -> Result<(), String> {
    let server = Server::start(script()).map_err(|error| error.to_string())?;
    let mut project = project(first, programs, &server);
    for (name, value) in
        offline_env(second, &server.url(), project.base()).map_err(|error| error.to_string())?
    {
        project = project.with(&name, &value);
    }
    let prompt = "Make first.txt, then second.txt.";
    let args = [
        "run",
        prompt,
        "--agent",
        first.name(),
        "--fallback",
        second.name(),
        "--max-iterations",
        "3",
        "--json",
    ];
    let ran = project.start(&args).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    for file in ["first.txt", "second.txt"] {
        let text = std::fs::read_to_string(project.tree().join(file)).unwrap_or_default();
        expect(text == format!("this is {file}\n"), file, &ran)?;
    }
    let changes: Vec<_> =
        project.journal().into_iter().filter(|entry| entry["type"] == "agent_changed").collect();
    let is_ours = |entry: &serde_json::Value| entry["from"] == first.name() && entry["to"] == second.name();
    expect(matches!(&changes[..], [one] if is_ours(one)), "one hand-over", &ran)?;
    let status = project.status().ok_or("no status")?;
    let at_the_end = status["iteration"] == 1 && status["attempts"] == 2 && status["agent"] == second.name();
    expect(at_the_end, "the second attempt of iteration 1 by the second program", &ran)
}
