//! What an agent says by ralph's own tools, as its host tells of it: the host knows in which session that was.

use ralph_engine::mailbox::Said;
use serde_json::Value;

use super::dialect::Dialect;

/// What the server has to be called in the host's settings: whoever else serves tools of the same names is nobody.
const SERVER: &str = "ralph";

/// None where the tool is another's, or the call was not answered as one that counts.
pub(super) fn said(event: &Value, dialect: &Dialect) -> Option<Said> {
    let tool = event["tool_name"].as_str()?.strip_prefix(dialect.own_tools)?;
    // A sub-agent has the tools as well, and its part is not the task.
    if !event["agent_id"].is_null() {
        return None;
    }
    // Where underscores alone would not tell the server from the tool, the host does.
    if event["mcp_context"]["server_name"].as_str().is_some_and(|server| server != SERVER) {
        return None;
    }
    let given = |field: &str| event["tool_input"][field].as_str().map(str::to_owned);
    let said = match tool {
        "task_complete" => Said::TaskComplete { summary: given("summary") },
        "ask" => Said::Asked { question: given("question")? },
        _ => return None,
    };
    // Hosts tell of a refusal in different ways; none of them has these words in it.
    let is_noted = event["tool_response"].to_string().contains(said.noted());
    (is_noted && event["error"].is_null() && said.is_short().is_ok()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::said;
    use crate::hooked::of;
    use ralph_engine::mailbox::Said;
    use serde_json::{Value, json};

    fn heard(host: &str, tool: &str, more: Value) -> Option<Said> {
        let mut event = json!({ "tool_name": tool, "tool_input": { "summary": "all of it", "question": "which?" },
            "tool_response": [{ "type": "text", "text": "It is noted that the task is done. The question is noted." }] });
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        said(&event, of(host).unwrap())
    }

    #[test]
    fn each_host_calls_the_tools_of_a_server_in_its_own_way() {
        let done = Some(Said::TaskComplete { summary: Some("all of it".to_owned()) });
        for (host, name) in [
            ("claude", "mcp__ralph__task_complete"),
            ("codex", "mcp__ralph__task_complete"),
            ("gemini", "mcp_ralph_task_complete"),
            ("qwen", "mcp__ralph__task_complete"),
        ] {
            assert_eq!(heard(host, name, json!({})), done, "{host}");
        }
        let asked = Some(Said::Asked { question: "which?".to_owned() });
        assert_eq!(heard("claude", "mcp__ralph__ask", json!({})), asked);
    }

    #[test]
    fn tools_of_others_and_calls_that_were_refused_count_for_nothing() {
        let names = [
            "task_complete",
            "mcp__other__task_complete",
            "mcp__ralph-2__task_complete",
            "mcp__ralph__x__task_complete",
            "mcp_ralph_task_complete",
            "mcp__ralph__task",
        ];
        for name in names {
            assert_eq!(heard("claude", name, json!({})), None, "{name}");
        }
        let ours = "mcp__ralph__task_complete";
        for more in [
            json!({ "error": "no" }),
            json!({ "tool_response": "there is no task of ralph here" }),
            json!({ "tool_response": null }),
            json!({ "mcp_context": { "server_name": "ralph_task" } }),
            json!({ "agent_id": "a1b2" }),
            json!({ "tool_input": { "summary": "x".repeat(9_000) } }),
        ] {
            assert_eq!(heard("claude", ours, more.clone()), None, "{more}");
        }
        assert_eq!(heard("claude", "mcp__ralph__ask", json!({ "tool_input": {} })), None);
    }
}
