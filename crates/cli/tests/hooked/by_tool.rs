//! What an agent says by ralph's own tools: the host's event of the call says in which session that was.

use ralph_testkit::Project;
use serde_json::{Value, json};

use super::{Session, context, note, project, reason};

const DONE: &str = "It is noted that the task is done. End with a short account of what you did.";

fn requiring_the_tool() -> Project {
    let project = project();
    std::fs::write(project.user_config(), "[completion]\nrequire = [\"tool\"]\n").unwrap();
    project
}

/// A call of a tool that ended, as a host tells it.
fn call(tool: &str, input: Value, answer: &str) -> Value {
    json!({ "tool_name": tool, "tool_input": input, "tool_response": [{ "type": "text", "text": answer }] })
}

fn done() -> Value {
    call("mcp__ralph__task_complete", json!({ "summary": "the roof is mended" }), DONE)
}

#[test]
fn a_call_of_the_tool_completes_the_loop_of_its_session_in_every_host() {
    for (host, prompts, uses, stops, tool) in [
        ("claude", "UserPromptSubmit", "PostToolUse", "Stop", "mcp__ralph__task_complete"),
        ("codex", "UserPromptSubmit", "PostToolUse", "Stop", "mcp__ralph__task_complete"),
        ("gemini", "BeforeAgent", "AfterTool", "AfterAgent", "mcp_ralph_task_complete"),
        ("qwen", "UserPromptSubmit", "PostToolUse", "Stop", "mcp__ralph__task_complete"),
    ] {
        let project = requiring_the_tool();
        let session = Session::of(&project, "s-1");
        let tell = |event: &str, more: Value| {
            session.tell_with(project.command(&["hook", host, "--within", "60"]), event, more)
        };
        let begun = tell(prompts, json!({ "prompt": "/ralph mend the roof" }));
        assert!(context(&begun).contains("Call the tool `task_complete` once"), "{host}: {begun}");
        assert!(
            begun["systemMessage"].as_str().unwrap().ends_with("done when it calls `task_complete`"),
            "{begun}"
        );
        let again = tell(stops, json!({ "last_assistant_message": "done", "timestamp": "a" }));
        assert!(again["reason"].as_str().unwrap_or_default().contains("iteration 2"), "{host}: {again}");
        tell(uses, call(tool, json!({ "summary": "the roof is mended" }), DONE));
        tell(stops, json!({ "last_assistant_message": "done, really", "timestamp": "b" }));
        let ran = project.ralph(&["loop", "status", "--session", "s-1", "--json"]);
        let status: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (&status["iteration"], &status["stop_reason"]),
            (&json!(2), &json!("completed")),
            "{host}"
        );
        let journal = project.ralph(&["logs", status["run"].as_str().unwrap(), "--json"]).out;
        assert!(journal.contains("the agent called `task_complete`: the roof is mended"), "{journal}");
    }
}

#[test]
fn calls_of_others_in_other_sessions_and_in_other_turns_count_for_nothing() {
    let project = requiring_the_tool();
    let (session, other) = (Session::of(&project, "s-1"), Session::of(&project, "s-2"));
    session.types("/ralph mend the roof");
    other.types("/ralph paint the door");
    let ours = "mcp__ralph__task_complete";
    let strangers = [
        call("mcp__other__task_complete", json!({}), DONE),
        call("task_complete", json!({}), DONE),
        call(ours, json!({}), "there is no task of ralph here"),
        json!({ "tool_name": ours, "error": "no such tool" }),
    ];
    for told in strangers {
        session.tell("PostToolUse", told);
    }
    assert!(reason(&session.stops("one")).contains("iteration 2"));
    // What was said in the session beside it, and in the turn before, is not said here.
    other.tell("PostToolUse", done());
    assert!(reason(&session.stops("two")).contains("iteration 3"));
    session.tell("PostToolUse", done());
    session.tell("SessionStart", json!({ "source": "resume" }));
    assert!(context(&session.types("go on")).contains("iteration 3"), "the turn was cut short");
    assert!(reason(&session.stops("three")).contains("iteration 4"));
    assert_eq!(session.stands(), (4, "running".to_owned()));
    other.stops("painted");
    assert_eq!(other.stands(), (1, "completed".to_owned()));
}

#[test]
fn a_call_before_there_is_a_loop_or_a_brief_is_not_kept_for_it() {
    let project = requiring_the_tool();
    let session = Session::of(&project, "s-1");
    session.tell("PostToolUse", done());
    assert_eq!(project.ralph(&["loop", "start", "--session", "s-1", "--", "mend the roof"]).code, Some(0));
    session.tell("PostToolUse", done());
    assert!(context(&session.types("go on")).contains("mend the roof"));
    assert!(reason(&session.stops("one")).contains("iteration 2"));
}

#[test]
fn a_command_in_between_takes_nothing_back() {
    let project = requiring_the_tool();
    let session = Session::of(&project, "s-1");
    session.types("/ralph mend the roof");
    session.tell("PostToolUse", done());
    for typed in ["/ralph status", "/ralph paint the door", "/ralph"] {
        assert!(!reason(&session.types(typed)).is_empty(), "{typed}");
    }
    session.stops("mended");
    assert_eq!(session.stands(), (1, "completed".to_owned()));
}

#[test]
fn however_much_is_said_in_a_loop_the_word_that_ends_it_counts() {
    let project = requiring_the_tool();
    let session = Session::of(&project, "s-1");
    session.types("/ralph mend the roof");
    // As long as a question may be, and in all more than a megabyte.
    let long = "\u{1f3e0}".repeat(8_000);
    for _ in 0..34 {
        let answer = "The question is noted, and is put into";
        session.tell("PostToolUse", call("mcp__ralph__ask", json!({ "question": long }), answer));
    }
    session.tell("PostToolUse", done());
    session.stops("mended");
    assert_eq!(session.stands(), (1, "completed".to_owned()));
}

#[test]
fn a_question_that_is_asked_by_the_tool_is_in_the_inbox_when_the_turn_ends() {
    let project = project();
    let session = Session::of(&project, "s-1");
    session.types("/ralph mend the roof");
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    let question = format!("Which tiles, with {secret}?");
    let ask =
        call("mcp__ralph__ask", json!({ "question": question }), "The question is noted, and is put into");
    session.tell("PostToolUse", ask);
    assert_eq!(session.status()["questions"], json!([]));
    session.stops("I wait.");
    let questions = session.status()["questions"].clone();
    let text = questions[0]["text"].as_str().unwrap_or_else(|| panic!("{questions}"));
    assert!(text.starts_with("Which tiles, with ") && !text.contains(secret), "{text}");
    let output = project.state().join("output").join(session.status()["run"].as_str().unwrap());
    assert!(!std::fs::read_to_string(output.join("said.json")).unwrap().contains(secret));
}

#[test]
fn a_question_waits_for_its_answer_where_a_deadline_is_set() {
    let ask =
        call("mcp__ralph__ask", json!({ "question": "Which tiles?" }), "The question is noted, and is put");
    let project = project();
    std::fs::write(project.user_config(), "[agent]\nanswer_deadline = \"1h\"\n").unwrap();
    let session = Session::of(&project, "s-1");
    session.types("/ralph mend the roof");
    session.tell("PostToolUse", ask.clone());
    let told = session.stops("I wait.");
    assert!(reason(&told).is_empty() && note(&told).contains("Which tiles? `ralph answer"), "{told}");
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    // Nothing else lets it go on.
    assert_eq!(context(&session.types("hello")), "");
    assert_eq!(reason(&session.stops("Hello.")), "");
    assert_eq!(project.ralph(&["answer", "the red ones"]).code, Some(0));
    assert_eq!(session.stands(), (1, "running".to_owned()));
    let next = session.types("go on");
    assert!(context(&next).contains("The answer: the red ones"), "{next}");

    std::fs::write(project.user_config(), "[agent]\nanswer_deadline = \"1ms\"\n").unwrap();
    let session = Session::of(&project, "s-2");
    session.types("/ralph mend the roof");
    session.tell("PostToolUse", ask);
    let next = session.stops("I wait.").to_string() + &session.types("go on").to_string();
    assert!(next.contains("Nobody is there to answer"), "{next}");
}
