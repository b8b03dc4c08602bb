//! From what a call is to do to the tool that the program offers for it.

use serde_json::{Map, Value, json};

use super::conversation::{Request, Tool};
use super::schema;
use super::script::Call;

/// A call of one of the tools in the request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) arguments: Value,
}

const WRITERS: [&str; 3] = ["Write", "write_file", "write"];
const SHELLS: [&str; 6] = ["Bash", "run_shell_command", "bash", "exec_command", "shell_command", "shell"];
const DELEGATES: [&str; 6] = ["Agent", "Task", "task", "agent", "invoke_agent", "spawn_agent"];
const JOINS: [&str; 2] = ["wait_agent", "wait"];

/// The request's tool for a call with its arguments, or the kind of tool that is missing.
pub(super) fn tool_call(call: &Call, request: &Request, id: String) -> Result<ToolCall, &'static str> {
    let (tool, arguments) = match call {
        Call::Write { path, content } => {
            let path = match request.working_directory() {
                Some(directory) => std::path::Path::new(directory).join(path),
                None => path.clone(),
            };
            write(request, &path.to_string_lossy(), content)?
        }
        Call::Shell(command) => shell(request, command)?,
        Call::Delegate(prompt) => delegate(request, prompt)?,
        Call::Join => join(request)?,
        Call::Tool { name, arguments } => {
            let given = arguments.as_object().cloned().unwrap_or_default();
            (find(request, &[name]).ok_or("a tool of that name")?, given)
        }
    };
    Ok(ToolCall {
        id,
        name: tool.name.clone(),
        namespace: tool.namespace.clone(),
        arguments: schema::object(&tool.schema, arguments),
    })
}

type Prepared<'a> = Result<(&'a Tool, Map<String, Value>), &'static str>;

/// Programs without a tool for files write them with the shell.
fn write<'a>(request: &'a Request, path: &str, content: &str) -> Prepared<'a> {
    let Some(tool) = find(request, &WRITERS) else {
        let quoted = [shell_words::quote(content), shell_words::quote(path)];
        return shell(request, &format!("printf '%s' {} > {}", quoted[0], quoted[1]));
    };
    let mut arguments = Map::new();
    arguments.insert(property(tool, &["file_path", "filePath", "path"]).into(), json!(path));
    arguments.insert("content".into(), json!(content));
    Ok((tool, arguments))
}

fn shell<'a>(request: &'a Request, command: &str) -> Prepared<'a> {
    let tool = find(request, &SHELLS).ok_or("a shell")?;
    let name = property(tool, &["command", "cmd"]);
    let command = match tool.schema["properties"][name]["type"].as_str() {
        Some("array") => json!(["bash", "-lc", command]),
        Some(_) | None => json!(command),
    };
    let mut arguments = Map::new();
    arguments.insert(name.into(), command);
    Ok((tool, arguments))
}

fn delegate<'a>(request: &'a Request, prompt: &str) -> Prepared<'a> {
    let tool = find(request, &DELEGATES).ok_or("a sub-agent")?;
    let mut arguments = Map::new();
    arguments.insert(property(tool, &["prompt", "message", "objective"]).into(), json!(prompt));
    // Names that programs know but their schemas do not list.
    for (field, value) in [
        ("subagent_type", if tool.name == "task" { "general" } else { "general-purpose" }),
        ("agent_name", "generalist"),
    ] {
        if tool.schema["properties"].get(field).is_some() {
            arguments.insert(field.into(), json!(value));
        }
    }
    Ok((tool, arguments))
}

/// The sub-agent's id is the last one that a tool result named.
fn join(request: &Request) -> Prepared<'_> {
    let tool = find(request, &JOINS).ok_or("a wait for sub-agents")?;
    let id = request.tool_results().rev().find_map(agent_id).ok_or("the id of a sub-agent")?;
    let mut arguments = Map::new();
    arguments.insert(property(tool, &["targets", "ids"]).into(), json!([id]));
    Ok((tool, arguments))
}

fn agent_id(result: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(result).ok()?;
    ["agent_id", "id", "task_name"].iter().find_map(|field| parsed[field].as_str().map(str::to_owned))
}

fn find<'a>(request: &'a Request, names: &[&str]) -> Option<&'a Tool> {
    names.iter().find_map(|name| request.tools.iter().find(|tool| tool.name == *name))
}

/// The first of the names that the tool's arguments know, or else the first.
fn property<'a>(tool: &Tool, names: &[&'a str]) -> &'a str {
    names.iter().find(|name| tool.schema["properties"].get(**name).is_some()).unwrap_or(&names[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offering(name: &str, schema: Value) -> Request {
        let tool = Tool { name: name.into(), namespace: None, schema };
        Request { tools: vec![tool], system: "Working directory: /p".into(), ..Request::default() }
    }

    fn check(call: Call, request: &Request, expected: (&str, Value)) {
        let made = tool_call(&call, request, "1".into()).unwrap();
        assert_eq!((made.name.as_str(), made.arguments), expected);
    }

    #[test]
    fn a_write_takes_the_words_of_the_tool_that_is_offered() {
        let write = || Call::Write { path: "a b".into(), content: "it's".into() };
        let claude = offering(
            "Write",
            json!({"properties": {"file_path": {}, "content": {}}, "required": ["file_path"]}),
        );
        check(write(), &claude, ("Write", json!({"file_path": "/p/a b", "content": "it's"})));
        let opencode = offering("write", json!({"properties": {"filePath": {}, "content": {}}}));
        check(write(), &opencode, ("write", json!({"filePath": "/p/a b", "content": "it's"})));
        let codex = offering("exec_command", json!({"properties": {"cmd": {"type": "string"}}}));
        check(write(), &codex, ("exec_command", json!({"cmd": r"printf '%s' 'it'\''s' > '/p/a b'"})));
    }

    #[test]
    fn a_shell_command_gets_whatever_else_is_required() {
        let qwen = offering(
            "run_shell_command",
            json!({
                "properties": {"command": {"type": "string"}, "is_background": {"type": "boolean"}},
                "required": ["command", "is_background"]
            }),
        );
        check(
            Call::Shell("ls".into()),
            &qwen,
            ("run_shell_command", json!({"command": "ls", "is_background": false})),
        );
        assert_eq!(tool_call(&Call::Shell("ls".into()), &Request::default(), "1".into()), Err("a shell"));
    }
}
