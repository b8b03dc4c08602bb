//! Whatever an agent prints, reading it neither fails nor fills the memory.

mod listening;

use listening::{CLEAN, hear, parser, recordings};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use ralph_agents::stream::Outcome;
use ralph_core::agent_event::AgentEvent;

const AGENTS: [&str; 7] = ["opencode-acp", "claude", "opencode", "codex", "gemini", "qwen", "pi"];

/// Lines of recordings, cut and disturbed anywhere.
fn disturbed() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<Vec<u8>> = recordings()
        .iter()
        .flat_map(|recording| {
            recording.stdout().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
        })
        .collect();
    let line = prop::sample::select(lines);
    let edit = (any::<prop::sample::Index>(), prop_oneof![Just(None), any::<u8>().prop_map(Some)]);
    (line, prop::collection::vec(edit, 0..4)).prop_map(|(mut line, edits)| {
        for (at, byte) in edits {
            if line.is_empty() {
                break;
            }
            let at = at.index(line.len());
            match byte {
                Some(byte) => line[at] = byte,
                None => line.truncate(at),
            }
        }
        line
    })
}

proptest! {
    #[test]
    fn any_bytes_are_events_or_malformed_lines(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for agent in AGENTS {
            hear(parser(agent), &bytes, &bytes, &CLEAN);
        }
    }

    #[test]
    fn disturbed_lines_are_events_or_malformed_lines(lines in prop::collection::vec(disturbed(), 0..6)) {
        for agent in AGENTS {
            hear(parser(agent), &lines.concat(), b"", &CLEAN);
        }
    }
}

#[test]
fn what_is_not_the_format_is_counted_and_passed_over() {
    let text = b"not json\n{\"type\":\n[1]\n\xff\n   \n{}\n{\"type\":\"result\",\"is_error\":false,\"result\":\"hi\"}\n";
    let heard = hear(parser("claude"), text, b"", &CLEAN);
    assert_eq!(heard.conclusion.malformed, 5);
    assert_eq!(heard.conclusion.outcome, Outcome::Finished);
}

#[test]
fn a_line_without_end_is_one_malformed_line() {
    for agent in AGENTS.iter().filter(|agent| **agent != "pi") {
        let mut parser = parser(agent);
        let piece = vec![b'x'; 1024 * 1024];
        parser.push(b"{\"type\":\"", &mut |_| {});
        for _ in 0..20 {
            parser.push(&piece, &mut |_| {});
        }
        parser.push(b"\n", &mut |_| panic!("{agent} made an event of it"));
        assert_eq!(parser.conclude(&CLEAN, "").malformed, 1, "{agent}");
    }
}

#[test]
fn deep_nesting_is_no_trouble() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    for agent in AGENTS {
        for member in ["message", "part", "item", "input", "update", "toolCall", "x"] {
            let line = format!("{{\"type\":\"assistant\",\"{member}\":{deep}}}\n");
            hear(parser(agent), line.as_bytes(), b"", &CLEAN);
        }
    }
}

#[test]
fn a_text_in_an_event_is_cut() {
    let text = "é".repeat(1_000_000);
    let line = format!("{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\"}}\n");
    let lines = line + "{\"type\":\"result\",\"status\":\"success\"}\n";
    let heard = hear(parser("gemini"), lines.as_bytes(), b"", &CLEAN);
    let [AgentEvent::Message { text, .. }, AgentEvent::End { ok: true }] = heard.events.as_slice() else {
        panic!("{:?}", heard.events.len())
    };
    assert!(text.len() < 17_000);
    let message = heard.conclusion.message.expect("a message");
    assert_eq!(message.chars().count(), 32 * 1024, "of a long message the end is kept");
}

#[test]
fn absurd_numbers_are_numbers_all_the_same() {
    for number in ["-1", "1e300", "1e-300", "18446744073709551615", "null", "0.5"] {
        let retry = format!(
            "{{\"type\":\"system\",\"subtype\":\"api_retry\",\"attempt\":{number},\"max_retries\":{number},\"retry_delay_ms\":{number},\"error_status\":{number}}}\n{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"rejected\",\"resetsAt\":{number}}}}}\n{{\"type\":\"result\",\"total_cost_usd\":{number}}}\n"
        );
        let conclusion = hear(parser("claude"), retry.as_bytes(), b"", &CLEAN).conclusion;
        assert_eq!(conclusion.malformed, 0, "{number}");
        let step = format!(
            "{{\"type\":\"step_finish\",\"part\":{{\"cost\":{number},\"tokens\":{{\"input\":1e300,\"output\":-5}}}}}}\n"
        );
        assert_eq!(
            hear(parser("opencode"), step.as_bytes(), b"", &CLEAN).conclusion.malformed,
            0,
            "{number}"
        );
    }
}
