//! A loop that ends when the agent calls ralph's own tool, in programs that were given `ralph mcp` as a server called
//! `ralph`.

use ralph_testkit::models::{Call, Script, Turn};
use ralph_testkit::programs::Program;
use serde_json::{Value, json};

use super::host::Host;

const SESSION: &str = "00000000-0000-4000-8000-000000000001";
const PROMPT: &str = "/ralph mend the roof --max-iterations 5";

/// What models are to call a tool of the server by.
fn named(program: Program, tool: &str) -> String {
    match program {
        Program::Claude | Program::Qwen => format!("mcp__ralph__{tool}"),
        Program::Gemini => format!("mcp_ralph_{tool}"),
        Program::Codex | Program::OpenCode => tool.to_owned(),
    }
}

/// In the second iteration it looks at its task, puts something down, and says by the tool that it is done.
fn script(program: Program) -> Script {
    let call = |name: String, arguments: Value| Turn::call("By the tool.", Call::Tool { name, arguments });
    let calling = |tool: &str, arguments: Value| {
        // Qwen shows a tool to its model once that has looked for it.
        let found = json!({ "query": format!("select:{}", named(program, tool)) });
        let first = (program == Program::Qwen).then(|| call("tool_search".to_owned(), found));
        first.into_iter().chain([call(named(program, tool), arguments)])
    };
    let remember = json!({ "kind": "discovery", "content": "the roof leaks" });
    let looks = calling("task", json!({})).chain(calling("remember", remember));
    let says = calling("task_complete", json!({ "summary": "mended" }));
    Script::default()
        .on("This is iteration 1 of 5.", [Turn::say("Not yet.")])
        .on("This is iteration 2 of 5.", looks.chain(says).chain([Turn::say("Now it is done.")]))
}

fn with_the_tool(program: Program) -> Host {
    let host = Host::new(program, script(program));
    std::fs::write(host.project.user_config(), "[completion]\nrequire = [\"tool\"]\n").unwrap();
    host
}

/// The server, as the programs' own settings name it.
fn server() -> Value {
    json!({ "ralph": { "command": env!("CARGO_BIN_EXE_ralph"), "args": ["mcp"] } })
}

/// What the model was told by a tool, in all conversations.
fn told(host: &Host, text: &str) -> bool {
    host.models.seen().iter().any(|seen| seen.last_tool_result.contains(text))
}

fn completed(host: &Host, session: &str) {
    host.stood(session, 2, "completed");
    let run = host.status(session)["run"].as_str().unwrap().to_owned();
    let journal = host.project.ralph(&["logs", &run, "--json"]).out;
    assert!(journal.contains("the agent called `task_complete`: mended"), "{journal}");
}

/// The server was told which session calls.
fn known(host: &Host, session: &str) {
    assert!(told(host, "mend the roof") && told(host, "It is remembered as"), "the session is not known");
    let left = host.project.ralph(&["memory", "search", "roof leaks", "--scope", "all", "--json"]).out;
    assert!(left.contains(host.status(session)["run"].as_str().unwrap()), "{left}");
}

#[test]
fn in_claude_code_the_tools_know_the_session_and_a_call_completes_its_loop() {
    let host = with_the_tool(Program::Claude);
    let settings = json!({ "mcpServers": server() });
    std::fs::write(host.project.tree().join(".mcp.json"), settings.to_string()).unwrap();
    host.says(SESSION, PROMPT);
    completed(&host, SESSION);
    known(&host, SESSION);
}

#[test]
fn in_codex_the_tools_know_the_session_and_a_call_completes_its_loop() {
    let host = with_the_tool(Program::Codex);
    // Its servers are started with little of its environment.
    let (state, config) = (json!(host.project.state_home()), json!(host.project.base().join("config")));
    let given = format!(
        "mcp_servers.ralph={{command={:?},args=[\"mcp\"],env={{XDG_STATE_HOME={state},XDG_CONFIG_HOME={config}}}}}",
        env!("CARGO_BIN_EXE_ralph")
    );
    let out = host.run(&[
        "exec",
        "-c",
        &given,
        "--json",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--skip-git-repo-check",
        PROMPT,
    ]);
    let line = out.lines().find(|line| line.contains("thread.started")).unwrap();
    let started: Value = serde_json::from_str(line).unwrap();
    let session = started["thread_id"].as_str().unwrap();
    completed(&host, session);
    known(&host, session);
}

/// The host names no session to servers, but tells ralph's hooks of the call.
fn by_its_event(program: Program) {
    let host = with_the_tool(program);
    let path = host.project.tree().join(format!(".{}/settings.json", program.name()));
    let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    settings["mcpServers"] = server();
    std::fs::write(&path, settings.to_string()).unwrap();
    host.says(SESSION, PROMPT);
    completed(&host, SESSION);
    assert!(told(&host, "does not tell this server which of its sessions calls"));
    assert!(!told(&host, "It is remembered as"));
}

#[test]
fn in_gemini_a_call_of_the_tool_completes_the_loop() {
    by_its_event(Program::Gemini);
}

#[test]
fn in_qwen_a_call_of_the_tool_completes_the_loop() {
    by_its_event(Program::Qwen);
}
