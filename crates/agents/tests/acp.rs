//! What counts and what does not in the stream of an agent behind the relay.

mod listening;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use listening::{CLEAN, Heard, lines};
use ralph_agents::acp::{Line, Permissions, Task, relay};
use ralph_agents::stream::Outcome;
use ralph_core::agent_event::AgentEvent;
use ralph_core::promise::Claim;
use ralph_core::report::AgentExit;

const SESSION: &str = r#"{"type":"session","sessionId":"s"}"#;
const END: &str = r#"{"type":"result","stopReason":"end_turn"}"#;
const PROMISE: &str = "<promise>COMPLETE</promise>";

fn update(update: &str) -> String {
    format!(r#"{{"type":"update","sessionId":"s","update":{update}}}"#)
}

fn chunk(kind: &str, text: &str) -> String {
    let text = serde_json::to_string(text).expect("a text");
    update(&format!(r#"{{"sessionUpdate":"{kind}","content":{{"type":"text","text":{text}}}}}"#))
}

fn said(text: &str) -> String {
    chunk("agent_message_chunk", text)
}

fn heard(middle: &[String], end: &str) -> Heard {
    let all = [&[SESSION.to_owned()], middle, &[end.to_owned()]].concat();
    lines("opencode-acp", &all.iter().map(String::as_str).collect::<Vec<_>>(), &CLEAN)
}

fn claims(middle: &[String], end: &str) -> bool {
    matches!(heard(middle, end).conclusion.claim, Claim::Made { .. })
}

#[test]
fn the_promise_counts_in_the_final_message_alone() {
    let tool = update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#);
    let usage = update(r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#);
    let plan = update(r#"{"sessionUpdate":"plan","entries":[]}"#);
    let pieces = ["Done.\n\n<prom", "ise>COMP", "LETE</promise>"].map(said);
    assert!(claims(&pieces, END));
    assert!(claims(&[said("\n"), said(PROMISE), usage.clone(), plan], END));
    let split = [pieces[0].clone(), usage, pieces[1].clone(), pieces[2].clone()];
    assert!(claims(&split, END), "what only informs interrupts nothing");
    assert!(!claims(&[said(PROMISE), tool.clone()], END), "before a tool's end");
    assert!(!claims(&[said(PROMISE), tool, said("No.")], END));
    for other in ["agent_thought_chunk", "user_message_chunk"] {
        assert!(!claims(&[chunk(other, PROMISE)], END), "{other}");
        assert!(!claims(&[said(PROMISE), chunk(other, "x")], END), "before {other}");
    }
    let of_another = said(PROMISE).replace(r#""sessionId":"s""#, r#""sessionId":"child""#);
    assert!(!claims(&[of_another], END));
    let message = |id: &str, text: &str| {
        said(text).replace("\"content\"", &format!("\"messageId\":\"{id}\",\"content\""))
    };
    assert!(!claims(&[message("1", PROMISE), message("2", "Not yet.")], END));
    assert!(claims(&[message("1", "Soon."), message("2", PROMISE)], END));
}

#[test]
fn only_an_ended_turn_is_a_good_end() {
    let outcome = |end: &str| {
        let heard = heard(&[said(PROMISE)], end);
        (heard.conclusion.outcome, matches!(heard.conclusion.claim, Claim::Made { .. }))
    };
    assert_eq!(outcome(END), (Outcome::Finished, true));
    assert_eq!(outcome(""), (Outcome::Unfinished, false), "without a result");
    assert_eq!(outcome(r#"{"type":"result","stopReason":"cancelled"}"#), (Outcome::Unfinished, false));
    for reason in ["max_tokens", "max_turn_requests", "refusal", "something_new"] {
        let end = format!(r#"{{"type":"result","stopReason":"{reason}"}}"#);
        let what = format!("it stopped for the reason {reason}");
        assert_eq!(outcome(&end), (Outcome::Failed { what }, false));
    }
    let after = lines("opencode-acp", &[SESSION, &said(PROMISE), END], &AgentExit::Code { code: 3 });
    assert_eq!(
        after.conclusion.outcome,
        Outcome::Failed { what: "exit code 3, after it had ended well".to_owned() }
    );
}

#[test]
fn errors_are_recognised_by_code_kind_and_words() {
    let check = |error: &str, expected: Outcome| {
        let end = format!(r#"{{"type":"error","method":"session/prompt",{error}}}"#);
        assert_eq!(heard(&[], &end).conclusion.outcome, expected, "{error}");
    };
    let login = "run `opencode auth login`".to_owned();
    let unauthenticated =
        |what: &str| Outcome::Unauthenticated { what: what.to_owned(), next: login.clone() };
    check(r#""code":-32000,"message":"Authentication required""#, unauthenticated("Authentication required"));
    check(
        r#""code":-32603,"message":"Internal error","data":{"details":"401 No."}"#,
        unauthenticated("401 No."),
    );
    check(
        r#""code":503,"message":"{\"error\":{\"message\":\"Busy\"}}""#,
        Outcome::Overloaded { what: "Busy".to_owned() },
    );
    check(
        r#""code":-32603,"message":"Internal error: Overloaded""#,
        Outcome::Overloaded { what: "Overloaded".to_owned() },
    );
    check(
        r#""code":-32603,"message":"Internal error","data":"no object""#,
        Outcome::Failed { what: "Internal error".to_owned() },
    );
    check(
        r#""kind":"gone","message":"the agent ended""#,
        Outcome::Failed { what: "the agent ended".to_owned() },
    );
}

#[test]
fn a_question_that_was_denied_is_what_an_attempt_without_a_promise_ends_with() {
    let asked = |policy: &str| {
        format!(
            r#"{{"type":"permission","toolCall":{{"toolCallId":"t","title":"Remove all of it","kind":"delete"}},"policy":"{policy}","allowed":false}}"#
        )
    };
    let failed = update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}"#);
    let other =
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"u","title":"ls","status":"in_progress"}"#);
    let outcome = |middle: &[String]| heard(middle, END).conclusion.outcome;
    let question = "May I? Remove all of it".to_owned();
    assert_eq!(outcome(&[asked("ask"), failed.clone()]), Outcome::Asked { question });
    assert_eq!(outcome(&[asked("deny"), failed.clone()]), Outcome::Finished);
    let told = heard(&[asked("deny"), failed.clone()], END).events;
    let results = told.iter().filter(|event| matches!(event, AgentEvent::ToolResult { ok: false, .. }));
    assert_eq!(results.count(), 1, "a denied tool fails once, whether the agent says so or not");
    assert_eq!(outcome(&[asked("ask"), failed.clone(), said(PROMISE)]), Outcome::Finished);
    assert_eq!(outcome(&[asked("ask"), failed, other]), Outcome::Finished, "it found another way");
}

#[test]
fn chunks_make_one_message_and_a_long_one_is_told_in_parts() {
    let texts = |middle: &[String]| -> Vec<String> {
        let of = |event: AgentEvent| match event {
            AgentEvent::Message { text, .. } => Some(text),
            _ => None,
        };
        heard(middle, END).events.into_iter().filter_map(of).collect()
    };
    assert_eq!(texts(&[said("a"), said("b"), said("c")]), ["abc"]);
    let long = vec![said(&"x".repeat(6000)); 8];
    let parts = texts(&long);
    assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= 16 * 1024));
    assert_eq!(parts.concat().len(), 48_000);
}

#[tokio::test]
async fn an_agent_that_never_answers_is_given_up() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let task = Task {
        words: vec!["sleep".into(), "600".into()],
        brief: "Do it.".to_owned(),
        dir: "/".into(),
        model: None,
        effort: None,
        resume: None,
        permissions: Permissions::Deny,
        patience: Duration::from_millis(300),
    };
    let begun = Instant::now();
    let code =
        relay(task, move |line| listener.lock().expect("nobody panics").push(line), std::future::pending());
    assert_eq!(code.await, 1);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let told = told.lock().expect("nobody panics");
    let [Line::Error(failed)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((failed.kind, failed.method), (Some("no_answer"), "initialize"));
}
