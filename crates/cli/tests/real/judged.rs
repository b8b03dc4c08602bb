//! A real program works and judges what it did: it objects first, then agrees, and as a judge it may not write.

use ralph_testkit::models::{Call, Script, Server, Turn};
use ralph_testkit::programs::{Program, Programs};

use crate::scenario::{PATIENCE, expect, project};

const OBJECTION: &str =
    r#"{"success": false, "reason": "It is a draft.", "suggestions": ["Write the rest."]}"#;
const AGREEMENT: &str = "I looked at it.\n\n```json\n{\"success\": true, \"reason\": \"All of it is there.\", \
                         \"suggestions\": []}\n```";

fn script() -> Script {
    let write = |path: &str, content: &str| {
        Turn::call("I write the file.", Call::Write { path: path.into(), content: content.to_owned() })
    };
    // A program that offers a judge no tool to write with takes this for its answer.
    let meddle = Turn::call(
        OBJECTION,
        Call::Write { path: "meddled.txt".into(), content: "by the judge\n".to_owned() },
    );
    Script::of([Turn::say("There is nothing to say.")])
        .on("This is iteration 1 of", [write("made.txt", "a draft\n"), Turn::say("FIRST DRAFT is there.")])
        .on("This is iteration 2 of", [write("rest.txt", "the rest\n"), Turn::say("SECOND PART is there.")])
        .on("SECOND PART is there.", [Turn::say(AGREEMENT)])
        .on("You are the judge", [meddle, Turn::say(OBJECTION)])
}

pub(crate) fn play(program: Program, programs: &Programs) -> Result<(), String> {
    let server = Server::start(script()).map_err(|error| error.to_string())?;
    let project = project(program, programs, &server);
    let args = ["run", "Make made.txt and rest.txt.", "--agent", program.name(), "--max-iterations", "3"];
    let judged = ["--criteria", "custom=test -e made.txt", "--judge", "both", "--json"];
    let ran = project.start(&[&args[..], &judged].concat()).end(PATIENCE);
    expect(ran.code == Some(0), "exit code 0", &ran)?;
    let journal = project.journal();
    let asked: Vec<_> = journal.iter().filter(|entry| entry["type"] == "judge_asked").collect();
    let opinions: Vec<_> = asked.iter().filter_map(|entry| entry["judgement"]["opinion"].as_str()).collect();
    expect(
        opinions == ["failure", "success"],
        &format!("an objection, then agreement, not {opinions:?}"),
        &ran,
    )?;
    let tokens = asked.iter().all(|entry| entry["usage"]["output_tokens"].as_u64().unwrap_or(0) > 0);
    expect(tokens, "the judge's tokens counted", &ran)?;
    let told = server.seen().iter().any(|seen| seen.user_text.contains("suggestion: Write the rest."));
    expect(told, "the suggestion in the next brief", &ran)?;
    expect(project.tree().join("rest.txt").exists(), "what the worker wrote", &ran)?;
    expect(!project.tree().join("meddled.txt").exists(), "nothing that the judge wrote", &ran)?;
    let status = project.status().ok_or("no status")?;
    let evidence = status["evidence"].as_str().unwrap_or_default();
    expect(evidence.contains("the judge agrees: All of it is there."), "the judge in the evidence", &ran)
}
