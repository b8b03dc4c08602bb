//! What misleads a reader of these streams, one test for each.

mod listening;

use listening::{CLEAN, hear, lines, parser, recording};
use ralph_agents::catalog::Catalogue;
use ralph_agents::limit::Reset;
use ralph_agents::stream::{Outcome, Price};
use ralph_core::agent_event::{AgentEvent, State, Tree};
use ralph_core::policy::Cost;
use ralph_core::promise::Claim;
use ralph_core::report::{AgentExit, Usage};
use std::time::Duration;

const FAILED: AgentExit = AgentExit::Code { code: 1 };

fn outcome(agent: &str, name: &str) -> Outcome {
    recording(agent, name).heard().conclusion.outcome
}

fn usage(agent: &str, name: &str) -> (u64, u64, u64) {
    let usage = recording(agent, name).heard().conclusion.usage;
    (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
}

fn claim(agent: &str, name: &str) -> Claim {
    recording(agent, name).heard().conclusion.claim
}

#[test]
fn claude_says_success_of_a_failed_request() {
    let out = String::from_utf8(recording("claude", "e429_r1").stdout()).expect("text");
    assert!(out.contains(r#""subtype":"success","is_error":true,"api_error_status":429"#));
    assert!(matches!(outcome("claude", "e429_r1"), Outcome::Limited { reset: None, .. }));
}

#[test]
fn claude_s_tokens_are_those_of_all_models() {
    // 2000 + 400 + 600 in the main conversation, as much again in the sub-agent.
    assert_eq!(usage("claude", "task"), (6000, 1200, 200));
}

#[test]
fn claude_s_own_usage_is_zero_after_a_broken_stream() {
    let (input, _, output) = usage("claude", "cut");
    assert!(input > 0 && output > 0, "{input} {output}");
}

#[test]
fn claude_exits_with_zero_when_interrupted() {
    let interrupted = recording("claude", "sig_claude_SIGINT");
    assert_eq!(interrupted.exit(), CLEAN);
    assert_eq!(interrupted.heard().conclusion.outcome, Outcome::Unfinished);
}

#[test]
fn claude_killed_leaves_no_result() {
    assert_eq!(outcome("claude", "sig_claude_SIGTERM"), Outcome::Unfinished);
    assert_eq!(outcome("claude", "hang"), Outcome::Unfinished);
}

#[test]
fn claude_s_cost_is_for_the_whole_process_and_not_added_up() {
    let heard = recording("claude", "stream_input").heard();
    assert_eq!(heard.conclusion.price, Price::Reported(Cost(22_950)));
    assert_eq!(heard.conclusion.usage.cost, Cost(22_950));
}

#[test]
fn claude_s_retries_are_waiting_and_not_failures() {
    let heard = recording("claude", "e429x2").heard();
    let waits = heard.events.iter().filter(|event| matches!(event, AgentEvent::Waiting { .. })).count();
    assert!(waits > 0);
    assert_eq!(heard.conclusion.outcome, Outcome::Finished);
}

#[test]
fn claude_killed_while_it_waits_is_limited() {
    let waiting = r#"{"type":"system","subtype":"api_retry","attempt":7,"max_retries":10,"retry_delay_ms":32000.5,"error_status":429,"error":"rate_limit","session_id":"s"}"#;
    let going_on = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"on"}]},"parent_tool_use_id":null}"#;
    let killed = AgentExit::SilenceTimeout;
    assert!(matches!(lines("claude", &[waiting], &killed).conclusion.outcome, Outcome::Limited { .. }));
    assert_eq!(lines("claude", &[waiting, going_on], &killed).conclusion.outcome, Outcome::Unfinished);
    assert_eq!(
        lines("claude", &[waiting], &killed).events,
        [AgentEvent::Waiting {
            attempt: 7,
            of: Some(10),
            delay_ms: Some(32_000),
            why: "rate_limit 429".to_owned()
        }]
    );
}

#[test]
fn claude_echoes_a_prompt_that_a_hook_refused() {
    let echoed = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"blocked by hook\n<promise>COMPLETE</promise>"}"#;
    let conclusion = lines("claude", &[echoed], &CLEAN).conclusion;
    assert_eq!(conclusion.claim, Claim::None);
    assert!(matches!(conclusion.outcome, Outcome::Misconfigured { .. }));
}

#[test]
fn claude_s_promise_before_a_hook_s_feedback_does_not_count() {
    assert_eq!(claim("claude", "hooks_stopblock"), Claim::None);
    assert_eq!(claim("claude", "hooks_stopalways"), Claim::None);
}

#[test]
fn claude_s_error_text_is_no_final_message() {
    let error = r#"{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"<promise>COMPLETE</promise>"}"#;
    assert_eq!(lines("claude", &[error], &FAILED).conclusion.claim, Claim::None);
}

#[test]
fn a_sub_agent_s_promise_and_a_tool_s_do_not_count() {
    let said = |parent: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"model":"m","content":[{{"type":"text","text":"<promise>COMPLETE</promise>"}}]}},"parent_tool_use_id":{parent}}}"#
        )
    };
    let tool = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"<promise>COMPLETE</promise>"}]},"parent_tool_use_id":null}"#;
    let result =
        r#"{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"Not there yet."}"#;
    for agent in ["claude", "qwen"] {
        let heard = lines(agent, &[&said(r#""t1""#), &said("null"), tool, result], &CLEAN);
        assert_eq!(heard.conclusion.claim, Claim::None, "{agent}");
    }
    assert_eq!(claim("opencode", "task"), Claim::None);
    assert_eq!(claim("codex", "task"), Claim::None);
}

#[test]
fn claude_begins_with_other_lines_than_init() {
    let heard = recording("claude", "hooks_blockprompt").heard();
    assert!(matches!(heard.events.first(), Some(AgentEvent::Session { .. })));
    assert_eq!(heard.conclusion.malformed, 0);
}

#[test]
fn claude_s_turn_after_a_result_has_to_end_too() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"<promise>COMPLETE</promise>"}"#;
    let more = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"wait"}]},"parent_tool_use_id":null}"#;
    let conclusion = lines("claude", &[result, more], &CLEAN).conclusion;
    assert_eq!((conclusion.claim, conclusion.outcome), (Claim::None, Outcome::Unfinished));
}

#[test]
fn claude_names_the_reset_in_an_event_of_its_own() {
    let limit = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794760000,"rateLimitType":"five_hour"},"session_id":"s"}"#;
    let warning = limit.replace("rejected", "allowed_warning");
    let error = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"result":"You've hit your session limit"}"#;
    let reset = Reset::from_epoch(1_794_760_000.0);
    let outcome = |lines_: &[&str]| lines("claude", lines_, &FAILED).conclusion.outcome;
    let what = "You've hit your session limit".to_owned();
    assert_eq!(outcome(&[limit, error]), Outcome::Limited { reset, what: what.clone() });
    assert_eq!(outcome(&[&warning, error]), Outcome::Limited { reset: None, what });
}

#[test]
fn claude_that_asks_and_gets_no_answer_has_asked() {
    let ask = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"tool_use","id":"q1","name":"AskUserQuestion","input":{"questions":[{"question":"Which port?"}]}}]},"parent_tool_use_id":null}"#;
    let refused = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"q1","is_error":true,"content":"no"}]},"parent_tool_use_id":null}"#;
    let answered = refused.replace("true", "false");
    let other = ask.replace("AskUserQuestion", "Bash").replace("q1", "b1");
    let end = |claim: &str| {
        format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"{claim}"}}"#
        )
    };
    let (bare, done) = (end("Tell me."), end("<promise>COMPLETE</promise>"));
    let asked = Outcome::Asked { question: "Which port?".to_owned() };
    let outcome = |lines_: &[&str]| lines("claude", lines_, &CLEAN).conclusion.outcome;
    assert_eq!(outcome(&[ask, refused, &bare]), asked);
    assert_eq!(outcome(&[ask, &bare]), asked);
    assert_eq!(outcome(&[ask, &answered, &bare]), Outcome::Finished);
    assert_eq!(outcome(&[ask, refused, &other, &bare]), Outcome::Finished);
    assert_eq!(outcome(&[ask, refused, &done]), Outcome::Finished);
}

#[test]
fn claude_in_plain_text_prints_its_error_on_standard_output() {
    assert!(matches!(outcome("claude", "e429_text"), Outcome::Limited { .. }));
}

#[test]
fn sub_agents_become_a_tree() {
    for (agent, name) in
        [("claude", "task"), ("qwen", "task"), ("gemini", "task"), ("codex", "task"), ("opencode", "task")]
    {
        let mut tree = Tree::default();
        for (second, event) in recording(agent, name).heard().events.iter().enumerate() {
            tree.apply(event, Duration::from_secs(second as u64));
        }
        let branches: Vec<_> = tree.outline().into_iter().map(|(_, branch)| branch).collect();
        assert_eq!(branches.len(), 1, "{agent}");
        assert!(matches!(branches[0].state, State::Done { .. }), "{agent}: {:?}", branches[0]);
    }
}

#[test]
fn a_task_in_the_background_ends_when_it_says_so() {
    let start = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"tool_use","id":"t1","name":"Agent","input":{"description":"job","subagent_type":"general-purpose"}}]},"parent_tool_use_id":null}"#;
    let task = r#"{"type":"system","subtype":"task_started","task_id":"x","tool_use_id":"t1","description":"job","task_type":"local_agent"}"#;
    let launched = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"launched"}]},"parent_tool_use_id":null}"#;
    let over = r#"{"type":"system","subtype":"task_notification","task_id":"x","tool_use_id":"t1","status":"failed"}"#;
    let ended = |lines_: &[&str]| -> Vec<AgentEvent> {
        let events = lines("claude", lines_, &CLEAN).events;
        events.into_iter().filter(|event| matches!(event, AgentEvent::SubAgentEnded { .. })).collect()
    };
    assert_eq!(ended(&[start, task, launched]), []);
    assert_eq!(ended(&[start, launched]), [AgentEvent::SubAgentEnded { id: "t1".to_owned(), ok: true }]);
    assert_eq!(
        ended(&[start, task, launched, over]),
        [AgentEvent::SubAgentEnded { id: "t1".to_owned(), ok: false }]
    );
}

#[test]
fn codex_counts_the_whole_conversation() {
    let resumed = recording("codex", "resume");
    assert_eq!(usage("codex", "resume").0, 3000);
    let catalogue = Catalogue::builtin();
    let before = Usage {
        input_tokens: 1000,
        cached_tokens: 300,
        output_tokens: 50,
        cost: Cost(0),
        ..Usage::default()
    };
    let hearing =
        ralph_agents::stream::Hearing { counter: before, ..listening::hearing(&catalogue, "codex") };
    let parser = catalogue.get("codex").expect("codex").parser(hearing);
    let conclusion = hear(parser, &resumed.stdout(), b"", &CLEAN).conclusion;
    assert_eq!((conclusion.usage.input_tokens, conclusion.usage.output_tokens), (2000, 100));
    assert_eq!(conclusion.counter.input_tokens, 3000);
}

#[test]
fn codex_that_fails_before_a_turn_used_nothing() {
    let catalogue = Catalogue::builtin();
    let before = Usage {
        input_tokens: 1000,
        cached_tokens: 300,
        output_tokens: 50,
        cost: Cost(0),
        ..Usage::default()
    };
    let hearing =
        ralph_agents::stream::Hearing { counter: before, ..listening::hearing(&catalogue, "codex") };
    let parser = catalogue.get("codex").expect("codex").parser(hearing);
    let conclusion = hear(parser, &recording("codex", "e429").stdout(), b"", &FAILED).conclusion;
    assert_eq!(conclusion.usage, Usage::default());
    assert_eq!(conclusion.counter, before);
}

#[test]
fn codex_s_item_errors_are_warnings() {
    let heard = recording("codex", "text_json").heard();
    assert!(heard.events.iter().any(|event| matches!(event, AgentEvent::Error { .. })));
    assert_eq!(heard.conclusion.outcome, Outcome::Finished);
}

#[test]
fn codex_s_error_lines_are_retries_until_the_turn_failed() {
    let retry = r#"{"type":"error","message":"Reconnecting... 1/2 (exceeded retry limit, last status: 429 Too Many Requests)"}"#;
    let message = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"<promise>COMPLETE</promise>"}}"#;
    let done =
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}"#;
    let heard = lines("codex", &[retry, message, done], &CLEAN);
    assert_eq!(heard.conclusion.outcome, Outcome::Finished);
    assert_eq!(
        heard.events[0],
        AgentEvent::Waiting {
            attempt: 1,
            of: Some(2),
            delay_ms: None,
            why: "exceeded retry limit, last status: 429 Too Many Requests".to_owned()
        }
    );
    let killed = lines("codex", &[retry], &AgentExit::Signal { signal: 9 });
    assert!(matches!(killed.conclusion.outcome, Outcome::Limited { .. }));
    let later = lines("codex", &[retry, message], &AgentExit::Signal { signal: 9 });
    assert_eq!((later.conclusion.outcome, later.conclusion.claim), (Outcome::Unfinished, Claim::None));
}

#[test]
fn codex_s_failed_turn_is_a_failure_whatever_was_said_before() {
    let message = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"<promise>COMPLETE</promise>"}}"#;
    let failed = r#"{"type":"turn.failed","error":{"message":"something new"}}"#;
    let conclusion = lines("codex", &[message, failed], &FAILED).conclusion;
    assert_eq!(conclusion.claim, Claim::None);
    assert_eq!(conclusion.outcome, Outcome::Failed { what: "something new".to_owned() });
}

#[test]
fn codex_s_earlier_messages_are_not_final() {
    assert_eq!(claim("codex", "hooks_stopblock"), Claim::None);
}

#[test]
fn codex_has_no_cost_but_an_estimate() {
    let catalogue = Catalogue::builtin();
    let hearing = ralph_agents::stream::Hearing {
        model: Some("gpt-5-codex".to_owned()),
        ..listening::hearing(&catalogue, "codex")
    };
    let parser = catalogue.get("codex").expect("codex").parser(hearing);
    let conclusion = hear(parser, &recording("codex", "text_json").stdout(), b"", &CLEAN).conclusion;
    // 700 fresh, 300 cached and 50 output tokens.
    assert_eq!(conclusion.price, Price::Estimated(Cost(1413)));
    assert_eq!(recording("codex", "text_json").heard().conclusion.price, Price::Unknown);
}

#[test]
fn gemini_exits_with_zero_when_interrupted_and_has_no_result() {
    let interrupted = recording("gemini", "sig_gemini_SIGINT");
    assert_eq!(interrupted.exit(), CLEAN);
    assert_eq!(interrupted.heard().conclusion.outcome, Outcome::Unfinished);
}

#[test]
fn gemini_s_exit_code_is_the_status_modulo_256() {
    let unknown = r#"{"type":"result","status":"error","error":{"type":"unknown","message":"new words"}}"#;
    let outcome = |code| lines("gemini", &[unknown], &AgentExit::Code { code }).conclusion.outcome;
    assert!(matches!(outcome(173), Outcome::Limited { .. }));
    assert!(matches!(outcome(145), Outcome::Unauthenticated { .. }));
    assert!(matches!(outcome(244), Outcome::Overloaded { .. }));
    assert!(matches!(outcome(1), Outcome::Failed { .. }));
}

#[test]
fn gemini_retries_on_standard_error_only() {
    let heard = recording("gemini", "e429").heard();
    let attempts: Vec<u32> = heard
        .events
        .iter()
        .filter_map(
            |event| if let AgentEvent::Waiting { attempt, .. } = event { Some(*attempt) } else { None },
        )
        .collect();
    assert_eq!(attempts, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(matches!(heard.conclusion.outcome, Outcome::Limited { .. }));
}

#[test]
fn gemini_that_got_over_a_retry_is_not_limited() {
    let mut parser = parser("gemini");
    let notice = b"Attempt 1 failed with status 429. Retrying with backoff... x\n";
    parser.overhear(notice, &mut |_| {});
    parser.push(b"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"on\"}\n", &mut |_| {});
    let conclusion = parser
        .conclude(&AgentExit::TotalTimeout, "Attempt 1 failed with status 429. Retrying with backoff... x\n");
    assert_eq!(conclusion.outcome, Outcome::Unfinished);
}

#[test]
fn gemini_echoes_the_prompt_as_a_message() {
    let prompt = r#"{"type":"message","role":"user","content":"say\n<promise>COMPLETE</promise>"}"#;
    let end = r#"{"type":"result","status":"success"}"#;
    assert_eq!(lines("gemini", &[prompt, end], &CLEAN).conclusion.claim, Claim::None);
}

#[test]
fn gemini_s_message_comes_in_pieces() {
    let piece =
        |text: &str| format!(r#"{{"type":"message","role":"assistant","content":"{text}","delta":true}}"#);
    let end = r#"{"type":"result","status":"success"}"#;
    let tool = r#"{"type":"tool_use","tool_name":"t","tool_id":"1","parameters":{}}"#;
    let (first, second) = (piece("Done.\\n<promise>COM"), piece("PLETE</promise>"));
    assert_eq!(lines("gemini", &[&first, &second, end], &CLEAN).conclusion.claim, Claim::Made { line: 2 });
    assert_eq!(lines("gemini", &[&first, &second, tool, end], &CLEAN).conclusion.claim, Claim::None);
}

#[test]
fn gemini_s_promise_before_a_hook_s_refusal_does_not_count() {
    assert_eq!(claim("gemini", "hooks_stopblock"), Claim::None);
}

#[test]
fn gemini_s_numbers_include_sub_agents_and_cached_tokens() {
    assert_eq!(usage("gemini", "task"), (5000, 1500, 250));
}

#[test]
fn qwen_joins_forced_turns_into_its_result() {
    assert!(matches!(claim("qwen", "hooks_stopalways"), Claim::Refused { .. }));
}

#[test]
fn qwen_s_input_includes_cached_tokens_and_sub_agents() {
    assert_eq!(usage("qwen", "task"), (4000, 1200, 200));
    assert_eq!(recording("qwen", "task").heard().conclusion.price, Price::Unknown);
}

#[test]
fn qwen_is_silent_while_it_retries() {
    assert_eq!(outcome("qwen", "e429"), Outcome::Unfinished);
}

#[test]
fn qwen_s_reason_is_an_object() {
    let error = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1,"error":{"message":"[API Error: 429 too many]"}}"#;
    assert!(matches!(lines("qwen", &[error], &FAILED).conclusion.outcome, Outcome::Limited { .. }));
}

#[test]
fn opencode_has_no_end_line() {
    assert_eq!(outcome("opencode", "run"), Outcome::Finished);
    assert_eq!(outcome("opencode", "killed"), Outcome::Unfinished);
    assert_eq!(claim("opencode", "killed"), Claim::None);
}

#[test]
fn opencode_s_steps_are_added_up() {
    let conclusion = recording("opencode", "run").heard().conclusion;
    assert_eq!((conclusion.usage.input_tokens, conclusion.usage.output_tokens), (22, 14));
    assert_eq!(conclusion.price, Price::Reported(Cost(30_000)));
}

#[test]
fn opencode_s_headers_say_when_to_try_again() {
    assert_eq!(
        outcome("opencode", "e429"),
        Outcome::Limited { reset: Some(Reset::after_seconds(0.05)), what: "fake 429".to_owned() }
    );
}

#[test]
fn opencode_that_ran_out_of_tokens_has_not_finished() {
    let step = r#"{"type":"step_finish","sessionID":"s","part":{"reason":"length"}}"#;
    assert!(matches!(lines("opencode", &[step], &CLEAN).conclusion.outcome, Outcome::Failed { .. }));
}

#[test]
fn plain_text_is_one_message_and_the_exit_code_decides() {
    let heard = lines("pi", &["Working.", "<promise>COMPLETE</promise>"], &CLEAN);
    assert_eq!(heard.conclusion.claim, Claim::Made { line: 2 });
    assert_eq!(heard.conclusion.outcome, Outcome::Finished);
    let failed = lines("pi", &["<promise>COMPLETE</promise>", "no such key"], &FAILED);
    assert_eq!(failed.conclusion.claim, Claim::Made { line: 1 });
    assert_eq!(failed.conclusion.outcome, Outcome::Failed { what: "no such key".to_owned() });
}

#[test]
fn an_end_that_was_well_with_a_bad_exit_is_a_failure() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"<promise>COMPLETE</promise>"}"#;
    let conclusion = lines("claude", &[result], &FAILED).conclusion;
    assert_eq!(conclusion.claim, Claim::Made { line: 1 });
    assert_eq!(
        conclusion.outcome,
        Outcome::Failed { what: "exit code 1, after it had ended well".to_owned() }
    );
}

#[test]
fn what_was_printed_on_the_way_to_a_good_end_explains_no_bad_exit() {
    let result = br#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok"}"#;
    let heard = hear(parser("claude"), result, b"error: unknown option '--nope'\n", &FAILED);
    assert_eq!(
        heard.conclusion.outcome,
        Outcome::Failed { what: "exit code 1, after it had ended well".to_owned() }
    );
}

#[test]
fn qwen_calls_a_failed_request_a_success() {
    for (name, is_expected) in [
        ("e401", (|outcome| matches!(outcome, Outcome::Unauthenticated { .. })) as fn(&Outcome) -> bool),
        ("e429_end", |outcome| matches!(outcome, Outcome::Limited { reset: Some(_), .. })),
        ("e500", |outcome| matches!(outcome, Outcome::Overloaded { .. })),
    ] {
        let failed = recording("qwen", name);
        assert_eq!(failed.exit(), CLEAN, "{name}");
        assert!(String::from_utf8_lossy(&failed.stdout()).contains(r#""subtype":"success""#), "{name}");
        let conclusion = failed.heard().conclusion;
        assert!(is_expected(&conclusion.outcome), "{name}: {:?}", conclusion.outcome);
        assert_eq!(conclusion.claim, Claim::None, "{name}");
    }
}

#[test]
fn qwen_s_words_about_an_error_are_no_error() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"It printed [API Error: 429 x].\n<promise>COMPLETE</promise>"}"#;
    let conclusion = lines("qwen", &[result], &CLEAN).conclusion;
    assert_eq!((conclusion.outcome, conclusion.claim), (Outcome::Finished, Claim::Made { line: 2 }));
    let claude = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"[API Error: 429 x]"}"#;
    assert_eq!(lines("claude", &[claude], &CLEAN).conclusion.outcome, Outcome::Finished);
}

#[test]
fn qwen_counts_the_whole_conversation() {
    let catalogue = Catalogue::builtin();
    let before = Usage { input_tokens: 2000, cached_tokens: 600, output_tokens: 100, ..Usage::default() };
    let hearing = ralph_agents::stream::Hearing { counter: before, ..listening::hearing(&catalogue, "qwen") };
    let parser = catalogue.get("qwen").expect("qwen").parser(hearing);
    let conclusion = hear(parser, &recording("qwen", "resume").stdout(), b"", &CLEAN).conclusion;
    assert_eq!((conclusion.usage.input_tokens, conclusion.usage.output_tokens), (2000, 100));
    assert_eq!(conclusion.counter.input_tokens, 4000);
}

#[test]
fn a_conversation_that_is_gone_is_told_from_other_failures() {
    for agent in ["claude", "codex", "gemini", "qwen", "opencode"] {
        let found = outcome(agent, "resume_missing");
        assert!(matches!(found, Outcome::SessionGone { .. }), "{agent}: {found:?}");
    }
    let said = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"No conversation found with session ID: x"}"#;
    assert_eq!(lines("claude", &[said], &CLEAN).conclusion.outcome, Outcome::Finished);
}

#[test]
fn claude_s_assistant_lines_are_not_added_up() {
    let block = |text: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"msg_1","model":"m","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input_tokens":1000,"output_tokens":1}}}},"parent_tool_use_id":null}}"#
        )
    };
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"b","usage":{"input_tokens":1000,"output_tokens":50}}"#;
    let usage = lines("claude", &[&block("a"), &block("b"), result], &CLEAN).conclusion.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (1000, 50));
}

#[test]
fn claude_calls_its_sub_agent_tool_by_two_names() {
    for name in ["Task", "Agent"] {
        let start = format!(
            r#"{{"type":"assistant","message":{{"model":"m","content":[{{"type":"tool_use","id":"t1","name":"{name}","input":{{"description":"job"}}}}]}},"parent_tool_use_id":null}}"#
        );
        let events = lines("claude", &[&start], &CLEAN).events;
        assert!(events.iter().any(|event| matches!(event, AgentEvent::SubAgentStarted { .. })), "{name}");
    }
}

#[test]
fn claude_s_other_system_lines_are_passed_over() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok"}"#;
    let kinds =
        ["status", "compact_boundary", "hook_response", "model_fallback", "turn_duration", "brand_new"];
    let system = kinds.map(|kind| format!(r#"{{"type":"system","subtype":"{kind}","session_id":"s"}}"#));
    let mut all: Vec<&str> = system.iter().map(String::as_str).collect();
    all.extend([r#"{"type":"brand_new_type","x":[1,{}]}"#, result]);
    let conclusion = lines("claude", &all, &CLEAN).conclusion;
    assert_eq!((conclusion.outcome, conclusion.malformed), (Outcome::Finished, 0));
}

#[test]
fn claude_that_a_hook_kept_going_too_often_ends_with_nothing_said() {
    let said = r#"{"type":"assistant","message":{"model":"m","content":[{"type":"text","text":"<promise>COMPLETE</promise>"}]},"parent_tool_use_id":null}"#;
    let capped = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":9,"result":""}"#;
    let conclusion = lines("claude", &[said, capped], &CLEAN).conclusion;
    assert_eq!((conclusion.outcome, conclusion.claim), (Outcome::Finished, Claim::None));
}

#[test]
fn claude_s_prompt_that_is_too_long_and_its_turns_that_ran_out_are_failures() {
    for name in ["e400", "maxturns", "budget"] {
        let found = outcome("claude", name);
        assert!(matches!(found, Outcome::Failed { .. }), "{name}: {found:?}");
    }
}

#[test]
fn codex_s_warning_on_standard_error_is_harmless() {
    let warning = b"WARNING: proceeding, even though we could not update PATH\n";
    let heard = hear(parser("codex"), &recording("codex", "text_json").stdout(), warning, &CLEAN);
    assert_eq!(heard.conclusion.outcome, Outcome::Finished);
    let failed = hear(parser("codex"), b"", &[&warning[..], b"Error: something new\n"].concat(), &FAILED);
    assert_eq!(failed.conclusion.outcome, Outcome::Failed { what: "Error: something new".to_owned() });
}

#[test]
fn codex_that_a_signal_ended_prints_no_last_line() {
    assert_eq!(outcome("codex", "sig_codexbin_SIGTERM"), Outcome::Unfinished);
    assert_eq!(claim("codex", "sig_codexbin_SIGTERM"), Claim::None);
}

#[test]
fn gemini_calls_a_failed_command_a_success() {
    let heard = recording("gemini", "bashfail").heard();
    let results =
        heard.events.iter().filter(|event| matches!(event, AgentEvent::ToolResult { ok: true, .. }));
    assert_eq!((results.count(), heard.conclusion.outcome), (1, Outcome::Finished));
}
