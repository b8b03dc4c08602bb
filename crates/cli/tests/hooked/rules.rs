//! What each event comes to.

use serde_json::{Value, json};

use super::{Session, context, note, project, reason};

fn said(id: &str, text: &str) -> Value {
    let message = json!({ "id": id, "content": [{ "type": "text", "text": text }],
        "usage": { "input_tokens": 700, "cache_read_input_tokens": 300, "output_tokens": 50 } });
    json!({ "type": "assistant", "uuid": format!("u-{id}"), "timestamp": "2026-01-01T00:00:05Z", "message": message })
}

fn spoken(text: &str) -> Value {
    let message = json!({ "role": "user", "content": text });
    json!({ "type": "user", "timestamp": "2026-01-01T00:00:00Z", "message": message })
}

#[test]
fn a_loop_goes_on_until_the_promise_and_a_turn_counts_once() {
    let project = project();
    let session = Session::of(&project, "5b68fc61-d6ff-4c98-b84e-9438b1a49b4d");
    let begun = session.types("/ralph fix \"it\"; $(rm -rf /) --max-iterations=5");
    assert!(context(&begun).contains("fix \"it\"; $(rm -rf /)"), "{begun}");
    assert!(note(&begun).contains("at most 5 iterations"), "{begun}");
    session.write(&spoken("x"));
    session.write(&said("m1", "a step"));
    let next = session.stops("a step");
    assert!(reason(&next).contains("This is iteration 2 of 5"), "{next}");
    assert_eq!(note(&next), "ralph: iteration 2/5");
    // Two hooks may be told of one turn.
    assert_eq!(session.stops("a step"), Value::Null);
    assert_eq!(session.status()["usage"]["input_tokens"], 1000);
    assert_eq!(
        session.tell("SubagentStop", json!({ "last_assistant_message": session.promise() })),
        Value::Null
    );
    let inside = json!({ "last_assistant_message": session.promise(), "agent_id": "a1" });
    assert_eq!(session.tell("Stop", inside), Value::Null);
    assert_eq!(session.stands(), (2, "running".to_owned()));
    let promise = session.promise();
    session.write(&spoken("Stop hook feedback:\nx"));
    session.write(&said("m2", &promise));
    let ended = session.stops(&promise);
    assert!(note(&ended).contains("loop complete") && reason(&ended).is_empty(), "{ended}");
    assert_eq!(session.stands(), (2, "completed".to_owned()));
    assert_eq!(session.stops("more"), Value::Null);
}

#[test]
fn of_a_long_brief_the_promise_comes_first() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    let begun = session.types(&format!("/ralph {}", "word ".repeat(3_000)));
    assert!(context(&begun).starts_with("# When it is done") && context(&begun).len() > 15_000);
    let word = session.status()["promise"].as_str().unwrap().to_owned();
    assert!(context(&begun)[..1_000].contains(&word));
}

#[test]
fn the_claim_is_read_from_the_transcript_where_the_event_has_none() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let promise = session.promise();
    session.write(&spoken("x"));
    session.write(&said("m1", &promise));
    let use_a_tool = json!({ "type": "assistant", "uuid": "u2", "isSidechain": true,
        "message": { "id": "m2", "content": [{ "type": "text", "text": "not this" }] } });
    session.write(&use_a_tool);
    session.tell("Stop", json!({}));
    assert_eq!(session.stands(), (1, "completed".to_owned()));
    let other = Session::of(&project, "ses-2");
    other.types("/ralph fix it");
    let next = other.tell("Stop", json!({ "transcript_path": "/dev/zero" }));
    assert!(reason(&next).contains("This is iteration 2"), "{next}");
}

#[test]
fn commands_are_answered_without_a_turn_and_do_not_disturb_one() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    assert!(reason(&session.types("/ralph status")).contains("No ralph loop"));
    assert!(reason(&session.types("/cancel-ralph")).contains("No ralph loop"));
    assert!(reason(&session.types("/ralph")).contains("there is no task"));
    assert!(reason(&session.types("/ralph x --strategy reset")).contains("cannot put a new session"));
    session.types("/ralph:ralph-loop fix it --max-iterations 9");
    assert!(reason(&session.types("/ralph status")).contains("iteration 1 of 9"));
    assert!(reason(&session.types("/ralph again")).contains("at iteration 1"));
    assert!(reason(&session.stops("one")).contains("This is iteration 2 of 9"));
    assert!(reason(&session.types("/ralph:cancel-ralph")).contains("cancelled"));
    assert_eq!(session.stands(), (2, "aborted".to_owned()));
}

#[test]
fn whoever_speaks_in_the_middle_takes_over() {
    let project = project();
    for (id, prompt) in [("ses-1", "do something else"), ("ses-2", "/review")] {
        let session = Session::of(&project, id);
        session.types("/ralph fix it");
        session.stops("one");
        // What the host itself says is no person's.
        assert_eq!(session.types("<task-notification>\ndone</task-notification>"), Value::Null);
        assert_eq!(session.stands(), (2, "running".to_owned()));
        assert!(note(&session.types(prompt)).contains("a person took over"));
        assert_eq!(session.stands(), (2, "aborted".to_owned()));
        assert_eq!(session.stops("two"), Value::Null);
    }
}

#[test]
fn a_prompt_that_is_told_twice_is_heard_once() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    let told = |prompt: &str, id: &str| {
        session.tell("UserPromptSubmit", json!({ "prompt": prompt, "prompt_id": id }))
    };
    assert!(context(&told("/ralph fix it", "p-1")).contains("fix it"));
    assert_eq!(told("/ralph fix it", "p-1"), Value::Null);
    session.tell("SessionStart", json!({ "source": "resume" }));
    assert!(context(&told("go on", "p-2")).contains("fix it"));
    assert_eq!(told("go on", "p-2"), Value::Null);
    assert_eq!(session.stands(), (1, "running".to_owned()));
    assert!(note(&told("go on", "p-3")).contains("a person took over"));
}

#[test]
fn what_waits_for_the_end_of_the_turn_does_not_wait_for_the_end_of_the_loop() {
    let project = project();
    for (id, typed, how) in [
        ("ses-1", "/cancel-ralph", "aborted"),
        ("ses-2", "wait", "aborted"),
        ("ses-3", "/ralph status", "running"),
    ] {
        let session = Session::of(&project, id);
        session.types("/ralph fix it");
        session.write(&json!({ "type": "queue-operation", "operation": "enqueue", "content": "earlier" }));
        session.write(&json!({ "type": "queue-operation", "operation": "dequeue" }));
        session.write(&json!({ "type": "queue-operation", "operation": "enqueue", "content": typed }));
        session.write(&said("m1", "one"));
        session.stops("one");
        assert_eq!(session.stands(), (2, how.to_owned()), "{typed}");
    }
}

#[test]
fn what_waited_before_the_person_last_spoke_ends_no_loop() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    let waits = |text: &str| json!({ "type": "queue-operation", "operation": "enqueue", "content": text });
    session.write(&waits("lost with a crash long ago"));
    session.types("/ralph fix it");
    session.write(&spoken("/ralph fix it"));
    session.write(&said("m1", "one"));
    assert!(reason(&session.stops("one")).contains("This is iteration 2"));
    // What the host says in the person's name is not theirs.
    session.write(&waits("wait"));
    session.write(&spoken("<task-notification>\ndone</task-notification>"));
    session.write(
        &json!({ "type": "user", "isMeta": true, "message": { "content": "Stop hook feedback:\nx" } }),
    );
    session.write(&said("m2", "two"));
    session.stops("two");
    assert_eq!(session.stands(), (3, "aborted".to_owned()));
}

#[test]
fn a_session_learns_what_lives_in_it_and_the_task_survives_a_summary() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    assert_eq!(session.tell("SessionStart", json!({ "source": "startup" })), Value::Null);
    session.types("/ralph mend the roof --max-iterations 9");
    let compacted = session.tell("SessionStart", json!({ "source": "compact" }));
    assert!(context(&compacted).contains("mend the roof") && context(&compacted).contains("<promise>"));
    session.tell("SessionEnd", json!({ "reason": "other" }));
    let again = session.tell("SessionStart", json!({ "source": "resume" }));
    assert!(context(&again).contains("iteration 1 of 9: mend the roof. It goes on"), "{again}");
    let next = session.types("go on");
    assert!(context(&next).contains("mend the roof"), "{next}");
    assert!(reason(&session.stops("one")).contains("This is iteration 2 of 9"));
    let other = Session::of(&project, "ses-2");
    assert_eq!(other.tell("SessionStart", json!({ "source": "startup" })), Value::Null);
    let cleared = session.tell("SessionEnd", json!({ "reason": "clear" }));
    assert!(note(&cleared).contains("cleared"), "{cleared}");
    assert_eq!(session.stands(), (2, "aborted".to_owned()));
}

#[test]
fn a_turn_that_the_host_ends_leaves_the_loop_paused() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let told = session.tell("StopFailure", json!({ "error": "rate_limit" }));
    assert!(note(&told).contains("rate_limit") && note(&told).contains("ralph resume"), "{told}");
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    assert_eq!(session.stops("one"), Value::Null);
    assert_eq!(session.types("hello"), Value::Null);
    let run = session.status()["run"].as_str().unwrap().to_owned();
    assert_eq!(project.ralph(&["resume", &run]).code, Some(0));
    assert!(context(&session.types("go on")).contains("fix it"));
    assert!(reason(&session.stops("two")).contains("This is iteration 2"));

    // Without the variable that is installed, Claude Code ends a turn by itself after so many blocks.
    for number in 0..8 {
        session.write(&json!({ "type": "user", "isMeta": true,
            "message": { "content": format!("Stop hook feedback:\n{number}") } }));
    }
    session.write(&said("m9", "three"));
    let told = session.stops("three");
    assert!(reason(&told).is_empty() && note(&told).contains("8 times in a row"), "{told}");
    assert_eq!(session.stands(), (3, "paused".to_owned()));
}

#[test]
fn the_same_words_without_a_tool_are_sent_back_three_times() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    for number in 2..5 {
        assert!(reason(&session.stops("hm")).contains(&format!("This is iteration {number}")));
        session.tell("PostToolUse", json!({ "tool_name": "Bash" }));
    }
    for number in 5..8 {
        assert!(reason(&session.stops("hm")).contains(&format!("This is iteration {number}")), "{number}");
    }
    let last = session.stops("hm");
    assert!(note(&last).contains("no_progress"), "{last}");
    let run = session.status()["run"].as_str().unwrap().to_owned();
    let kept =
        std::fs::read_to_string(project.state().join("output").join(run).join("host-events.jsonl")).unwrap();
    assert!(kept.contains("\"tool\":\"Bash\"") && kept.contains("\"iteration\":4"), "{kept}");
}

#[test]
fn the_same_words_are_counted_however_long_the_loop_was_before() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let run = session.status()["run"].as_str().unwrap().to_owned();
    let output = project.state().join("output").join(run);
    std::fs::create_dir_all(&output).unwrap();
    std::fs::write(output.join("host-events.jsonl"), "{}\n".repeat(400_000)).unwrap();
    session.tell("PostToolUse", json!({ "tool_name": "Bash" }));
    for number in 2..5 {
        assert!(reason(&session.stops("hm")).contains(&format!("This is iteration {number}")), "{number}");
    }
    let last = session.stops("hm");
    assert!(note(&last).contains("no_progress"), "{last}");
}

#[test]
fn checks_that_outlast_the_hook_pause_the_loop_and_let_the_host_go() {
    let project = project();
    std::fs::write(
        project.user_config(),
        "[[check]]\nname = \"slow\"\ncommand = \"test -e ready || sleep 60\"\n",
    )
    .unwrap();
    std::fs::write(project.tree().join("ready"), "").unwrap();
    let session = Session::of(&project, "ses-1");
    assert!(context(&session.types("/ralph fix it")).contains("fix it"));
    std::fs::remove_file(project.tree().join("ready")).unwrap();
    let event = session.event("Stop", json!({ "last_assistant_message": "one" })).to_string();
    let begun = std::time::Instant::now();
    let out = super::told(project.command(&["hook", "claude", "--within", "3"]), event.as_bytes());
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    assert_eq!(out.status.code(), Some(0));
    let told = super::answer(&out);
    assert!(reason(&told).is_empty() && note(&told).contains("loop paused"), "{told}");
    assert!(note(&told).contains("`ralph resume "), "{told}");
    // What is left of the three seconds, and never more.
    let said = String::from_utf8_lossy(&out.stderr);
    assert!((0..=3).any(|left| said.contains(&format!("took longer than {left} s"))), "{said}");
    assert_eq!(session.stands(), (1, "paused".to_owned()));
}

#[test]
fn checks_that_fail_do_not_let_a_promise_count() {
    let project = project();
    std::fs::write(project.user_config(), "[[check]]\nname = \"c\"\ncommand = \"test -e ready\"\n").unwrap();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let next = session.stops(&session.promise());
    assert!(reason(&next).contains("This is iteration 2"), "{next}");
    std::fs::write(project.tree().join("ready"), "").unwrap();
    assert!(note(&session.stops(&session.promise())).contains("loop complete"));
}

#[test]
fn an_agent_that_is_driven_from_outside_is_heard_and_not_answered() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let run = session.status()["run"].as_str().unwrap().to_owned();
    for event in ["Stop", "UserPromptSubmit", "SessionStart", "SessionEnd"] {
        let mut command = project.command(&["hook", "claude"]);
        command.env("RALPH_RUN", &run);
        let more = json!({ "prompt": "/cancel-ralph", "last_assistant_message": "x" });
        assert_eq!(session.tell_with(command, event, more), Value::Null, "{event}");
    }
    assert_eq!(session.stands(), (1, "running".to_owned()));
    let kept =
        std::fs::read_to_string(project.state().join("output").join(run).join("host-events.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 4, "{kept}");
}

#[test]
fn the_project_is_the_hosts_wherever_its_agent_has_gone() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let elsewhere = project.base().join("elsewhere/.git");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let mut command = project.command(&["hook", "claude"]);
    command.env("CLAUDE_PROJECT_DIR", project.tree());
    let more = json!({ "cwd": elsewhere.parent(), "last_assistant_message": "x" });
    assert!(reason(&session.tell_with(command, "Stop", more)).contains("This is iteration 2"));
}

#[test]
fn a_loop_that_was_paused_and_resumed_is_not_ended_by_the_next_word() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    let run = session.status()["run"].as_str().unwrap().to_owned();
    assert_eq!(project.ralph(&["pause", &run]).code, Some(0));
    let told = session.stops("one");
    assert!(reason(&told).is_empty() && note(&told).contains("`ralph resume "), "{told}");
    assert_eq!(session.stops("more"), Value::Null, "it is told once");
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    assert_eq!(project.ralph(&["resume", &run]).code, Some(0));
    assert!(context(&session.types("go on")).contains("fix it"));
    assert!(reason(&session.stops("two")).contains("This is iteration 3"));
}

#[test]
fn a_paused_loop_does_not_wait_for_the_tree() {
    let project = project();
    std::fs::write(project.user_config(), "[[check]]\nname = \"c\"\ncommand = \"true\"\n").unwrap();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    session.tell("StopFailure", json!({ "error": "rate_limit" }));
    let tree = std::fs::File::open(project.tree()).unwrap();
    tree.lock().unwrap();
    let command = || project.command(&["hook", "claude", "--within", "8"]);
    let stopped = session.tell_with(command(), "Stop", json!({ "last_assistant_message": "one" }));
    assert!(!note(&stopped).contains("in use"), "{stopped}");
    assert_eq!(session.stands(), (1, "paused".to_owned()));
    // Whoever asked it to go on is told what keeps it.
    let run = session.status()["run"].as_str().unwrap().to_owned();
    assert_eq!(project.ralph(&["resume", &run]).code, Some(0));
    let stopped = session.tell_with(command(), "Stop", json!({ "last_assistant_message": "two" }));
    assert!(note(&stopped).contains("in use"), "{stopped}");
    drop(tree);
}

#[test]
fn signals_that_a_host_never_tells_of_are_refused() {
    let project = project();
    std::fs::write(project.user_config(), "[completion]\nrequire = [\"promise\", \"todo\"]\n").unwrap();
    let refused = Session::of(&project, "ses-1").types("/ralph fix it");
    assert!(refused.to_string().contains("never tells ralph of the signal `todo`"), "{refused}");
    let ran = project.ralph(&["loop", "start", "--session", "ses-2", "--host", "claude", "--", "fix it"]);
    assert_eq!((ran.code, ran.err.contains("`todo`")), (Some(2), true), "{ran:?}");
}

#[test]
fn a_loop_of_a_host_that_nobody_knows_is_refused() {
    let project = project();
    let ran = project.ralph(&["loop", "start", "--session", "ses-1", "--host", "clade", "--", "fix it"]);
    let told = ran.err.contains("`clade`") && ran.err.contains("claude") && ran.err.contains("`ralph hosts`");
    assert_eq!((ran.code, told), (Some(2), true), "{ran:?}");
    assert_eq!(project.ralph(&["loop", "status", "--session", "ses-1"]).code, Some(4));
}

#[test]
fn whoever_says_nothing_takes_nothing_over() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    session.types("/ralph fix it");
    // Qwen tells of each answer of a tool like this.
    for prompt in ["", " \n"] {
        assert_eq!(session.types(prompt), serde_json::Value::Null);
    }
    assert_eq!(session.stands(), (1, "running".to_owned()));
    assert!(reason(&session.stops("one")).contains("This is iteration 2"));
}

#[test]
fn a_host_that_would_wait_for_ever_is_answered_as_any_other() {
    let project = project();
    let session = Session::of(&project, "ses-1");
    let command = project.command(&["hook", "claude", "--within", "18446744073709551615"]);
    let begun = session.tell_with(command, "UserPromptSubmit", json!({ "prompt": "/ralph fix it" }));
    assert!(context(&begun).contains("fix it"), "{begun}");
}
