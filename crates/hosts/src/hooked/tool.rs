//! What an event says of a tool that has ended: which one, on what, and how it ended.

use ralph_core::note::Used;
use serde_json::Value;

/// What tools call the file that they are about.
const FILES: [&str; 4] = ["file_path", "notebook_path", "absolute_path", "path"];
/// How hosts begin to say how a command ended.
const EXIT_CODES: [&str; 2] = ["Exit code ", "Exit Code: "];
const NAME: usize = 100;
/// How much of what a tool was given and said is looked at: far more than is ever kept of it.
const LONGEST: usize = 64 << 10;

pub(super) fn used(event: &Value) -> Used {
    let input = &event["tool_input"];
    let word = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(beginning);
    let error = word(&event["error"]).or_else(|| failure(&event["tool_response"]));
    Used {
        tool: event["tool_name"].as_str().unwrap_or_default().chars().take(NAME).collect(),
        command: command(&input["command"]),
        file: FILES.iter().find_map(|name| word(&input[name])),
        exit_code: exit_code(event, error.as_deref()),
        error,
    }
}

/// Cut between words where there are any: half a secret would not be known for one.
fn beginning(text: &str) -> String {
    let near = &text[..text.floor_char_boundary(LONGEST)];
    let words = near.rfind(char::is_whitespace).filter(|_| near.len() < text.len());
    near[..words.unwrap_or(near.len())].to_owned()
}

/// A line, or the words of one.
fn command(given: &Value) -> Option<String> {
    match given {
        Value::String(line) if !line.trim().is_empty() => Some(beginning(line)),
        Value::Array(words) if !words.is_empty() => {
            Some(beginning(&shell_words::join(words.iter().filter_map(Value::as_str))))
        }
        _ => None,
    }
}

/// What a response says of a failure, where it says so itself and not in what the tool printed.
fn failure(response: &Value) -> Option<String> {
    match &response["error"] {
        Value::String(error) if !error.trim().is_empty() => Some(beginning(error)),
        Value::Object(error) => error.get("message").and_then(Value::as_str).map(beginning),
        _ => None,
    }
}

fn exit_code(event: &Value, error: Option<&str>) -> Option<i32> {
    let response = &event["tool_response"];
    let number = ["exit_code", "exitCode"].iter().find_map(|name| response[name].as_i64());
    let told = || {
        let error = error?;
        let after = EXIT_CODES.iter().find_map(|before| error.strip_prefix(before))?;
        after.split(|c: char| !c.is_ascii_digit() && c != '-').next()?.parse().ok()
    };
    number.and_then(|number| i32::try_from(number).ok()).or_else(told)
}

#[cfg(test)]
mod tests {
    use super::used;
    use ralph_core::note::Used;
    use serde_json::json;

    #[test]
    fn every_host_says_what_was_run_and_how_it_ended() {
        let bash = |more: Used| Used { tool: "Bash".to_owned(), command: Some("make x".to_owned()), ..more };
        let claude = json!({ "tool_name": "Bash", "tool_input": { "command": "make x", "description": "run" },
            "tool_response": { "stdout": "error: no", "stderr": "", "interrupted": false } });
        assert_eq!(used(&claude), bash(Used::default()));
        let failed = json!({ "tool_name": "Bash", "tool_input": { "command": "make x" },
            "error": "Exit code 3\noops", "is_interrupt": false });
        let error = Some("Exit code 3\noops".to_owned());
        assert_eq!(used(&failed), bash(Used { exit_code: Some(3), error, ..Used::default() }));
        let codex = json!({ "tool_name": "Bash", "tool_input": { "command": ["make", "x"] },
            "tool_response": "from-bash\n" });
        assert_eq!(used(&codex), bash(Used::default()));
        let gemini = json!({ "tool_name": "run_shell_command", "tool_input": { "command": "make x" },
            "tool_response": { "llmContent": "x", "error": { "type": "t", "message": "denied" } } });
        let expected = Used {
            tool: "run_shell_command".to_owned(),
            command: Some("make x".to_owned()),
            error: Some("denied".to_owned()),
            ..Used::default()
        };
        assert_eq!(used(&gemini), expected);
    }

    #[test]
    fn of_endless_texts_the_beginning_is_enough() {
        let long = "é".repeat(1 << 20);
        let told = json!({ "tool_name": "Bash", "tool_input": { "command": long }, "error": long });
        let Used { command, error, .. } = used(&told);
        assert_eq!((command.unwrap().len(), error.unwrap().len()), (64 << 10, 64 << 10));
        let told = json!({ "tool_input": { "command": format!("{} secret", "x".repeat((64 << 10) - 4)) } });
        assert_eq!(used(&told).command.unwrap().len(), (64 << 10) - 4);
    }

    #[test]
    fn files_are_found_by_whatever_name_they_have() {
        for name in ["file_path", "notebook_path", "absolute_path", "path"] {
            let event = json!({ "tool_name": "Edit", "tool_input": { name: "/p/a.rs" } });
            assert_eq!(used(&event).file.as_deref(), Some("/p/a.rs"), "{name}");
        }
        let odd = json!({ "tool_name": 7, "tool_input": [1], "tool_response": 3, "error": {} });
        assert_eq!(used(&odd), Used::default());
    }
}
