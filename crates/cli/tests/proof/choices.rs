//! Who works: whom a person asks for while a run is on, and whom the routes of the configuration choose.

use ralph_testkit::{PATIENCE, Project, Ran, until};

use crate::agents::{HELD, begun, let_go};
use crate::judge::{MADE, WORKS, court};
use crate::project;

/// Both take a model; `three` takes none and, unlike the others, says nothing of what it uses.
const AGENTS: &str = r#"
[agents.one]
program = "ONE"
format = "claude"
args = ["{model}", "{effort}"]
model = ["--model", "{value}"]
effort = { args = ["--effort", "{value}"], allowed = ["low", "high"] }
reports_usage = true
login = "log in"

[agents.two]
program = "TWO"
format = "claude"
args = ["{model}"]
model = ["--model", "{value}"]
reports_usage = true
login = "log in"

[agents.three]
program = "THREE"
format = "text"
args = []
login = "log in"
"#;

/// Says how it was called, and ends as its script says.
const SAYS: &str = r#"
tell() { printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"%s","session_id":"s1"}\n' "$1"; }
echo "$RALPH_ITERATION $0 $*" | sed 's|/.*/||' >> ../calls
"#;

fn agents(one: &str, two: &str) -> Project {
    let project = project();
    let path = |name: &str, script: &str| {
        project.script(name, &format!("{SAYS}{script}")).to_string_lossy().into_owned()
    };
    let config = AGENTS
        .replace("ONE", &path("one", one))
        .replace("TWO", &path("two", two))
        .replace("THREE", &path("three", "echo hm"));
    std::fs::write(project.user_config(), config).unwrap();
    project
}

fn configure(project: &Project, more: &str) {
    let config = std::fs::read_to_string(project.user_config()).unwrap();
    std::fs::write(project.user_config(), config + more).unwrap();
}

/// Every call of an agent: iteration, program, arguments.
fn calls(project: &Project) -> Vec<String> {
    let calls = std::fs::read_to_string(project.base().join("calls")).unwrap_or_default();
    calls.lines().map(|line| line.trim().to_owned()).collect()
}

fn events(project: &Project, kind: &str) -> Vec<serde_json::Value> {
    project.journal().into_iter().filter(|entry| entry["type"] == kind).collect()
}

#[track_caller]
fn ended(ran: &Ran, code: i32) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
}

#[test]
fn another_agent_and_model_go_on_from_the_next_iteration() {
    let project = agents(
        &format!("{HELD}\ntell 'not yet'").replace("exit 0", ""),
        "cat > brief.txt; tell \"<promise>$RALPH_PROMISE</promise>\"",
    );
    let mut run = project.start(&["run", "do it", "--agent", "one"]);
    begun(&project, 1, 1);
    ended(&project.ralph(&["set", "agent", "two"]), 0);
    ended(&project.ralph(&["set", "model", "large"]), 0);
    let_go(&project, 1);
    ended(&run.end(PATIENCE), 0);
    assert_eq!(calls(&project), ["1 one", "2 two --model large"]);
    let brief = std::fs::read_to_string(project.tree().join("brief.txt")).unwrap();
    assert!(brief.contains("You take over") && brief.contains("one worked on this before you"), "{brief}");
    let status = project.status().unwrap();
    assert_eq!((&status["agent"], &status["model"]), (&"two".into(), &"large".into()), "{status}");
    let chosen = events(&project, "agent_chosen");
    assert_eq!((chosen.len(), &chosen[0]["agent"], &chosen[0]["by"]), (1, &"two".into(), &"person".into()));
    assert_eq!(events(&project, "agent_changed")[0]["from"], "one");
}

#[test]
fn what_cannot_work_is_refused_and_changes_nothing() {
    let project = agents(HELD, "true");
    let limited = ["run", "do it", "--agent", "one", "--model", "small", "--max-tokens", "1000000"];
    let mut run = project.start(&limited);
    begun(&project, 1, 1);
    for (args, told) in [
        (["agent", "tow"], "there is no agent `tow`"),
        (["agent", "two words"], "agent name"),
        (["agent", "three"], "does not report what it uses"),
        (["agent", "gemini-nowhere"], "there is no agent"),
        (["effort", "huge"], "it knows low, high"),
        (["model", ""], "no model is given"),
    ] {
        let ran = project.ralph(&[&["set"], &args[..]].concat());
        ended(&ran, 2);
        assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
    }
    assert_eq!(project.rows("controls"), 0, "nothing was asked of the run");
    ended(&project.ralph(&["stop", "--now"]), 0);
    ended(&run.end(PATIENCE), 130);
}

#[test]
fn a_stopped_run_takes_up_another_agent_when_it_is_resumed() {
    let project = agents(HELD, "tell \"<promise>$RALPH_PROMISE</promise>\"");
    let mut run = project.start(&["run", "do it", "--agent", "one"]);
    begun(&project, 1, 1);
    ended(&project.ralph(&["stop", "--now"]), 0);
    ended(&run.end(PATIENCE), 130);
    ended(&project.ralph(&["set", "agent", "two"]), 0);
    // Nobody needs the first agent any more.
    std::fs::remove_file(project.base().join("one")).unwrap();
    ended(&project.ralph(&["resume"]), 0);
    assert_eq!(calls(&project), ["1 one", "1 two"]);
    assert!(project.brief(1, 2).contains("You take over"), "{}", project.brief(1, 2));
}

#[test]
fn an_agent_that_vanished_stops_the_run_until_another_is_named() {
    let project = agents("rm -f \"$0\"; tell 'not yet'", "tell \"<promise>$RALPH_PROMISE</promise>\"");
    let ran = project.ralph(&["run", "do it", "--agent", "one"]);
    ended(&ran, 1);
    let status = project.status().unwrap();
    assert_eq!((&status["stop_reason"], &status["resumable"]), (&"failed".into(), &true.into()), "{status}");
    let refused = project.ralph(&["resume"]);
    ended(&refused, 2);
    assert!(refused.err.contains("`one` cannot be used"), "{}", refused.err);
    ended(&project.ralph(&["set", "agent", "two"]), 0);
    ended(&project.ralph(&["resume"]), 0);
}

#[test]
fn routes_choose_by_iteration_label_and_priority_until_a_person_does() {
    let never = "tell 'not yet'";
    let project = agents(never, never);
    configure(
        &project,
        "[[route]]\nlabels = [\"hard\"]\npriority = \"0-1\"\nmodel = \"huge\"\neffort = \"high\"\n\
         [[route]]\niteration = \">=3\"\nagent = \"two\"\nmodel = \"large\"\n\
         [[route]]\niteration = 2\nmodel = \"mid\"\n",
    );
    let args = ["run", "do it", "--agent", "one", "--max-iterations", "3"];
    ended(&project.ralph(&args), 3);
    assert_eq!(calls(&project), ["1 one", "2 one --model mid", "3 two --model large"]);
    let numbers: Vec<_> =
        events(&project, "agent_chosen").iter().map(|entry| entry["by"]["route"]["number"].clone()).collect();
    assert_eq!(numbers, [3, 2]);
    assert_eq!(events(&project, "agent_changed")[0]["to"], "two");

    std::fs::remove_file(project.base().join("calls")).unwrap();
    ended(&project.ralph(&[&args[..], &["--label", "hard", "--priority", "1"]].concat()), 3);
    let hard = "one --model huge --effort high";
    assert_eq!(calls(&project), [1, 2, 3].map(|n| format!("{n} {hard}")));
}

#[test]
fn a_run_keeps_its_routes_and_a_person_beats_them() {
    let project = agents(&format!("{HELD}\ntell 'not yet'").replace("exit 0", ""), "tell 'not yet'");
    configure(&project, "[[route]]\niteration = \">=2\"\nagent = \"two\"\n");
    let mut run = project.start(&["run", "do it", "--agent", "one", "--max-iterations", "3"]);
    begun(&project, 1, 1);
    run.kill();
    std::fs::write(
        project.user_config(),
        std::fs::read_to_string(project.user_config()).unwrap().replace("agent = \"two\"", "model = \"x\""),
    )
    .unwrap();
    ended(&project.ralph(&["set", "effort", "low"]), 0);
    (1..=3).for_each(|iteration| let_go(&project, iteration));
    ended(&project.ralph(&["resume"]), 3);
    assert_eq!(calls(&project)[1..], ["1 one --effort low", "2 one --effort low", "3 one --effort low"]);

    std::fs::remove_file(project.base().join("calls")).unwrap();
    let fresh = project.ralph(&["run", "do it", "--agent", "one", "--max-iterations", "2"]);
    ended(&fresh, 3);
    assert_eq!(calls(&project), ["1 one", "2 one --model x"]);
}

#[test]
fn wrong_routes_are_told_before_anything_begins() {
    let project = agents("true", "true");
    for (route, told) in [
        ("iteration = 2\nagent = \"tow\"", "there is no agent `tow`"),
        ("iteration = 2\nagent = \"three\"\nmodel = \"x\"", "three takes no model"),
        ("agent = \"two\"", "no condition"),
        ("iteration = 2\nagnet = \"two\"", "did you mean `agent`?"),
    ] {
        let original = std::fs::read_to_string(project.user_config()).unwrap();
        configure(&project, &format!("[[route]]\n{route}\n"));
        let ran = project.ralph(&["run", "do it", "--agent", "one"]);
        ended(&ran, 2);
        assert!(ran.err.contains(told), "{route}: {}", ran.err);
        std::fs::write(project.user_config(), original).unwrap();
    }
    assert_eq!(project.ralph(&["status"]).code, Some(4), "no run was made");
}

#[test]
fn a_project_s_route_to_an_agent_needs_trust() {
    let project = agents("tell 'not yet'", "true");
    std::fs::create_dir_all(project.tree().join(".ralph")).unwrap();
    let file = project.tree().join(".ralph/config.toml");
    std::fs::write(&file, "[[route]]\niteration = 1\nagent = \"two\"\n").unwrap();
    let ran = project.ralph(&["run", "do it", "--agent", "one"]);
    ended(&ran, 2);
    assert!(ran.err.contains("runs the agent two") && ran.err.contains("ralph trust"), "{}", ran.err);
    std::fs::write(&file, "[[route]]\niteration = 1\nmodel = \"m\"\n").unwrap();
    ended(&project.ralph(&["run", "do it", "--agent", "one", "--max-iterations", "1"]), 3);
    assert_eq!(calls(&project), ["1 one --model m"]);
}

#[test]
fn with_every_agent_limited_another_ends_the_standstill() {
    let limited = "printf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":429,\"num_turns\":1,\"result\":\"too many, try again in 3h\"}\\n'; exit 1";
    let project = agents(limited, "tell \"<promise>$RALPH_PROMISE</promise>\"");
    let mut run = project.start(&["run", "do it", "--agent", "one"]);
    until(PATIENCE, "a standstill", || (project.status()?["status"] == "paused").then_some(()));
    ended(&project.ralph(&["set", "agent", "two"]), 0);
    ended(&run.end(PATIENCE), 0);
    assert_eq!(calls(&project), ["1 one", "1 two"]);
}

/// A first agent that never does, and a second that a route has for a trouble.
fn rescued(first: &str, trouble: &str) -> Vec<serde_json::Value> {
    let project = court(first, WORKS);
    configure(&project, &format!("[[route]]\nwhen = \"{trouble}\"\nagent = \"judge\"\n"));
    let ran = project.ralph(&["run", "make done.txt", "--criteria", MADE]);
    ended(&ran, 0);
    assert!(ran.out.contains(&format!("route 1: after {trouble}")), "{}", ran.out);
    assert_eq!(events(&project, "agent_changed")[0]["to"], "judge");
    events(&project, "attempt_started").iter().map(|entry| entry["agent"].clone()).collect()
}

#[test]
fn a_run_that_gets_nowhere_goes_on_with_whom_a_route_has_for_that() {
    let idle = rescued("cat > /dev/null; echo 'I thought about it.'", "no_progress");
    assert_eq!(idle, ["worker", "worker", "worker", "judge"]);
    let to_and_fro = r#"cat > /dev/null; echo "fix $((RALPH_ITERATION % 2))" > fix.txt"#;
    assert_eq!(rescued(to_and_fro, "circular"), ["worker", "worker", "worker", "worker", "judge"]);
}
