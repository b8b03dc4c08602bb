//! What real programs are asked beside their work: whether they answer, which models they have, whether they take a file.

use ralph_testkit::models::{Fault, Script, Server, Turn};
use ralph_testkit::programs::{Program, Programs};
use serde_json::Value;

use crate::scenario::{PATIENCE, expect, project};

/// It answers, and says so where it is not let in.
pub(crate) fn preflight(program: Program, programs: &Programs) -> Result<(), String> {
    let check = |script: Script, code: i32, result: &str| {
        let server = Server::start(script).map_err(|error| error.to_string())?;
        let project = project(program, programs, &server);
        let args = ["agents", "--json", "--patience", "120", "--preflight", program.name()];
        let ran = project.start(&args).end(PATIENCE);
        let tried: Vec<Value> = serde_json::from_str(&ran.out).unwrap_or_default();
        let came = tried.first().is_some_and(|one| one["result"] == result);
        expect(ran.code == Some(code) && came, result, &ran)
    };
    check(Script::of([Turn::say("ready")]), 0, "answered")?;
    // Its client tries seven times, for more than a minute.
    if program == Program::Qwen {
        return Ok(());
    }
    let refused = Turn::fault(Fault::Status { code: 401, times: Fault::ALWAYS });
    check(Script::of([refused]), 1, "not_logged_in")
}

/// OpenCode lists its models; another one is refused.
pub(crate) fn models(programs: &Programs) -> Result<(), String> {
    let done = Turn::say("Done.\n\n<promise>{promise}</promise>");
    let server = Server::start(Script::of([done])).map_err(|error| error.to_string())?;
    let project = project(Program::OpenCode, programs, &server);
    let ran = project.start(&["agents", "models", "opencode"]).end(PATIENCE);
    expect(ran.code == Some(0) && ran.out == "scripted/scripted\n", "the one model", &ran)?;
    let run = |model: &str| {
        let args = ["run", "Do it.", "--agent", "opencode", "--max-iterations", "1", "--model", model];
        project.start(&args).end(PATIENCE)
    };
    let ran = run("scripted/scriptd");
    let told =
        ran.err.contains("has no model `scripted/scriptd`") && ran.err.contains("`scripted/scripted`?");
    expect(ran.code == Some(2) && told, "a refusal with the nearest name", &ran)?;
    let ran = run("scripted/scripted");
    expect(ran.code == Some(0), "a run with the model that there is", &ran)
}

/// One grey point.
const PICTURE: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 58,
    126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 104, 0, 0, 0, 130, 0, 129, 119, 205, 114, 182,
    0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

/// Programs with a flag for files take one beside the prompt on standard input.
pub(crate) fn picture(program: Program, programs: &Programs) -> Result<(), String> {
    let done = Turn::say("I saw it.\n\n<promise>{promise}</promise>");
    let server = Server::start(Script::of([done])).map_err(|error| error.to_string())?;
    let project = project(program, programs, &server);
    std::fs::write(project.tree().join("point.png"), PICTURE).map_err(|error| error.to_string())?;
    let args =
        ["run", "Look at it.", "--agent", program.name(), "--file", "point.png", "--max-iterations", "1"];
    let ran = project.start(&args).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let pictures: usize = server.seen().iter().map(|seen| seen.pictures).max().unwrap_or(0);
    expect(pictures > 0, "the picture in the request", &ran)
}
