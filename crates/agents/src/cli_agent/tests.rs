//! What an agent program of the catalogue is started with, and what is heard of it.

use super::{Choice, CliAgent, CliAgentError, safe};
use crate::catalog::Catalogue;
use ralph_core::attempt::Attempt;
use ralph_core::brief::Brief;
use ralph_core::crew::Conversation;
use ralph_core::event::Stream;
use ralph_core::id::{AgentName, RunId, SessionId, TaskId};
use ralph_core::policy::Signal;
use ralph_core::promise::{Claim, Word};
use ralph_core::report::{AgentExit, Usage};
use ralph_engine::agent::{Agent, Equipment, Prompt, Tools};
use std::path::Path;
use std::sync::Arc;

const RESULT: &str = concat!(
    r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"<promise>DONE-1</promise>","#,
    r#""usage":{"input_tokens":7,"output_tokens":3},"total_cost_usd":0.5,"session_id":"s1"}"#,
    "\n"
);

fn agent(user: &str, choice: Choice) -> Result<CliAgent, CliAgentError> {
    let catalogue = Catalogue::builtin().with_user(user).expect("a catalogue");
    let entry = catalogue.get("claude").expect("claude");
    CliAgent::new(entry, choice, Arc::default(), Path::new("/"), "/bin:/usr/bin")
}

fn attempt() -> (Attempt, Brief) {
    let attempt = Attempt {
        iteration: 1,
        number: 1,
        task: TaskId::parse("t1").expect("a task"),
        agent: AgentName::parse("claude").expect("a name"),
        promise: Word::parse("DONE-1").expect("a word"),
    };
    (attempt, Brief { text: "Do it.".to_owned() })
}

#[test]
fn the_engine_hears_events_claim_usage_and_end() {
    let agent = agent("[agents.claude]\nprogram = \"sh\"", Choice::default()).expect("an agent");
    let (attempt, brief) = attempt();
    let mut listener = agent.listen(&attempt, &brief);
    let mut events = 0;
    listener.hear(Stream::Out, RESULT.as_bytes(), &mut |_| events += 1);
    listener.hear(Stream::Err, b"noise", &mut |_| events += 1);
    let heard = listener.conclude(&AgentExit::Code { code: 0 });
    assert_eq!((events, heard.exit), (4, Some(AgentExit::Code { code: 0 })));
    assert_eq!(heard.claim, Claim::Made { line: 1 });
    assert_eq!((heard.usage.tokens(), f64::from(heard.usage.cost)), (10, 0.5));
    assert!(agent.reports_usage());
}

/// What is heard of these lines of an agent of the catalogue.
fn message(name: &str, lines: &str) -> Option<String> {
    let user = format!("[agents.{name}]\nprogram = \"sh\"");
    let catalogue = Catalogue::builtin().with_user(&user).expect("a catalogue");
    let entry = catalogue.get(name).expect("an entry");
    let agent = CliAgent::new(entry, Choice::default(), Arc::default(), Path::new("/"), "/bin:/usr/bin");
    let (attempt, brief) = attempt();
    let mut listener = agent.expect("an agent").listen(&attempt, &brief);
    listener.hear(Stream::Out, lines.as_bytes(), &mut |_| {});
    listener.conclude(&AgentExit::Code { code: 0 }).message
}

#[test]
fn a_message_that_comes_in_pieces_is_heard_whole_and_nothing_before_it() {
    let said = |text: &str| {
        format!("{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\",\"delta\":true}}\n")
    };
    let tool = "{\"type\":\"tool_use\",\"tool_name\":\"ls\",\"tool_id\":\"1\"}\n";
    let result = "{\"type\":\"result\",\"status\":\"success\"}\n";
    let lines = [&said("I look."), tool, &said("It is "), &said("not "), &said("done."), result].concat();
    assert_eq!(message("gemini", &lines).as_deref(), Some("It is not done."));
    let part =
        |text: &str| format!("{{\"type\":\"text\",\"sessionID\":\"s\",\"part\":{{\"text\":\"{text}\"}}}}\n");
    let step = "{\"type\":\"step_start\",\"sessionID\":\"s\",\"part\":{}}\n";
    let end = "{\"type\":\"step_finish\",\"sessionID\":\"s\",\"part\":{\"reason\":\"stop\"}}\n";
    let lines = [step, &part("before"), step, &part("one"), &part("two"), end].concat();
    assert_eq!(message("opencode", &lines).as_deref(), Some("one\ntwo"));
}

fn conversation(id: &str) -> Conversation {
    let counter = Usage { input_tokens: 5, cached_tokens: 1, output_tokens: 2, ..Usage::default() };
    Conversation::new(SessionId::parse(id).expect("an id"), counter)
}

#[test]
fn a_conversation_is_heard_of_and_gone_on_with() {
    let heard = |choice: Choice| {
        let agent = agent("[agents.claude]\nprogram = \"sh\"", choice).expect("an agent");
        let (attempt, brief) = attempt();
        let mut listener = agent.listen(&attempt, &brief);
        listener.hear(Stream::Out, RESULT.as_bytes(), &mut |_| {});
        (agent, listener.conclude(&AgentExit::Code { code: 0 }))
    };
    let (agent, first) = heard(Choice::default());
    let talk = first.conversation.expect("a conversation");
    assert_eq!((talk.id.as_str(), talk.counter.tokens(), agent.can_continue()), ("s1", 10, true));
    let (agent, second) = heard(Choice { resume: Some(conversation("s1")), ..Choice::default() });
    let args = agent.invocation(&attempt().0).args;
    assert!(args.ends_with(&["--resume".into(), "s1".into()]), "{args:?}");
    assert_eq!(second.usage.tokens(), 10, "its counter begins anew with every process");
    assert_eq!(safe("--yolo"), None);
    assert_eq!(safe("a b"), None);
}

#[test]
fn what_cannot_work_is_told_before_the_run() {
    let refused = |user: &str, choice: Choice| agent(user, choice).expect_err("refused").to_string();
    let none = Choice::default;
    assert_eq!(
        refused("[agents.claude]\nprogram = \"no-such-agent\"", none()),
        "no program `no-such-agent` on the search path"
    );
    let resume = Some(conversation("s"));
    assert_eq!(
        refused("[agents.claude]\nprogram = \"sh\"\nresume = []", Choice { resume, ..none() }),
        "claude cannot resume a session"
    );
}

#[test]
fn a_prompt_by_argument_goes_where_its_slot_is_or_to_the_end() {
    let prompt = |args: &str| {
        let user = format!("[agents.claude]\nprogram = \"sh\"\nprompt = \"argument\"\nargs = {args}");
        let agent = agent(&user, Choice::default()).expect("an agent");
        let (attempt, _) = attempt();
        (agent.prompt(), agent.invocation(&attempt).args)
    };
    assert_eq!(prompt(r#"["-p", "{prompt}", "-x"]"#), (Prompt::Argument(1), vec!["-p".into(), "-x".into()]));
    assert_eq!(prompt(r#"["{yolo}", "--"]"#).0, Prompt::Argument(2));
}

#[test]
fn files_go_where_their_slot_is_one_flag_each_and_the_prompt_keeps_its_place() {
    let attached = |args: &str, only: &str| {
        let user = format!(
            "[agents.claude]\nprogram = \"sh\"\nprompt = \"argument\"\nargs = {args}\n\
             file = {{ args = [\"-f\", \"{{value}}\"], only = {only} }}"
        );
        let agent = agent(&user, Choice::default()).expect("an agent");
        let (mut invocation, mut prompt) = (agent.invocation(&attempt().0), agent.prompt());
        let files = ["/a b.png".to_owned(), "/c.bin".to_owned()];
        agent.equip(Equipment { files: &files, tools: None }, &mut invocation, &mut prompt);
        let Prompt::Argument(at) = prompt else { panic!("{prompt:?}") };
        invocation.args.insert(at, "PROMPT".into());
        invocation.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join("|")
    };
    assert_eq!(attached(r#"["x", "{file}", "{prompt}", "y"]"#, "[]"), "x|-f|/a b.png|-f|/c.bin|PROMPT|y");
    assert_eq!(attached(r#"["x", "{prompt}", "y", "{file}"]"#, r#"["PNG"]"#), "x|PROMPT|y|-f|/a b.png");
}

#[test]
fn tools_go_where_their_slot_is_and_only_who_has_both_shows_the_signal() {
    let tools = Tools {
        program: "/opt/a \"b\"/ralph".into(),
        run: RunId::new(jiff::Timestamp::UNIX_EPOCH, 1),
        mailbox: "/tmp/box".into(),
    };
    let given = |name: &str, user: &str| {
        let catalogue = Catalogue::builtin().with_user(user).expect("a catalogue");
        let entry = catalogue.get(name).expect("an entry");
        let agent = CliAgent::new(entry, Choice::default(), Arc::default(), Path::new("/"), "/bin:/usr/bin");
        let agent = agent.expect("an agent");
        let (mut invocation, mut prompt) = (agent.invocation(&attempt().0), agent.prompt());
        agent.equip(Equipment { files: &[], tools: Some(&tools) }, &mut invocation, &mut prompt);
        let args: Vec<String> =
            invocation.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        (agent.shows(Signal::Tool), args)
    };
    let (shows, args) = given("claude", "[agents.claude]\nprogram = \"sh\"");
    let at = args.iter().position(|arg| arg == "--mcp-config").expect("the servers");
    let servers: serde_json::Value = serde_json::from_str(&args[at + 1]).expect("JSON");
    let ralph = &servers["mcpServers"]["ralph"];
    assert_eq!((shows, &ralph["command"]), (true, &"/opt/a \"b\"/ralph".into()));
    assert_eq!(ralph["env"]["RALPH_MAILBOX"], "/tmp/box");
    let (shows, args) = given("codex", "[agents.codex]\nprogram = \"sh\"");
    let settings: Vec<&String> = args.iter().filter(|arg| arg.starts_with("mcp_servers.ralph")).collect();
    let text = settings.iter().map(|line| format!("{line}\n")).collect::<String>();
    let read: toml::Table = toml::from_str(&text).expect("TOML");
    let ralph = &read["mcp_servers"]["ralph"];
    assert_eq!((shows, ralph["command"].as_str()), (true, Some("/opt/a \"b\"/ralph")));
    assert_eq!(ralph["env"]["RALPH_MAILBOX"].as_str(), Some("/tmp/box"));
    let (shows, args) = given("claude", "[agents.claude]\nprogram = \"sh\"\nargs = [\"-p\"]");
    assert_eq!(
        (shows, args),
        (false, vec!["-p".to_owned()]),
        "a person's own arguments have no place for them"
    );
    assert!(!given("gemini", "[agents.gemini]\nprogram = \"sh\"").0);
}
