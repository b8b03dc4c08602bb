//! Agents that the person's own configuration describes: one runs into its limit, the other takes over, and the first
//! comes back when it answers again.

use std::time::Duration;

use ralph_testkit::Project;

use crate::project;

const AGENTS: &str = r#"
[agents.one]
program = "ONE"
format = "text"
args = []
login = "log in"
[[agents.one.signals]]
means = "limited"
last_line = ["usage LIMIT*"]

[agents.two]
program = "TWO"
format = "text"
args = []
login = "log in"
"#;

fn crew(one: &str, two: &str) -> Project {
    let project = project();
    let path = |name: &str, script: &str| project.script(name, script).to_string_lossy().into_owned();
    let config = AGENTS.replace("ONE", &path("one.sh", one)).replace("TWO", &path("two.sh", two));
    std::fs::write(project.user_config(), config).unwrap();
    project
}

fn changes(project: &Project) -> Vec<(String, String)> {
    let journal = project.journal();
    let changed = journal.iter().filter(|entry| entry["type"] == "agent_changed");
    let name = |entry: &serde_json::Value, key: &str| entry[key].as_str().unwrap().to_owned();
    changed.map(|entry| (name(entry, "from"), name(entry, "to"))).collect()
}

#[test]
fn at_its_limit_an_agent_hands_over_with_a_brief_that_says_so() {
    let project = crew(
        "cat >/dev/null; echo 'usage LIMIT: try again in 3h'; exit 1",
        "cat > brief.txt; echo \"<promise>$RALPH_PROMISE</promise>\"",
    );
    let ran = project.ralph(&["run", "do it", "--agent", "one", "--fallback", "two"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(changes(&project), [("one".to_owned(), "two".to_owned())]);
    let brief = std::fs::read_to_string(project.tree().join("brief.txt")).unwrap();
    assert!(brief.contains("You take over") && brief.contains("one worked on this before you"), "{brief}");
    let status = project.status().unwrap();
    assert_eq!((status["iteration"].as_u64(), status["attempts"].as_u64()), (Some(1), Some(2)));
}

#[test]
fn the_first_agent_comes_back_when_it_answers_again() {
    let project = crew(
        "cat >/dev/null\nif [ -e limited ]; then echo ready; echo \"<promise>$RALPH_PROMISE</promise>\"\n\
         else touch limited; echo 'usage LIMIT: try again in 61s'; exit 1; fi",
        "cat >/dev/null; echo working",
    );
    let args = ["run", "do it", "--agent", "one", "--fallback", "two", "--iteration-delay", "1"];
    let ran = project.start(&args).end(Duration::from_secs(150));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let there_and_back = [("one".to_owned(), "two".to_owned()), ("two".to_owned(), "one".to_owned())];
    assert_eq!(changes(&project), there_and_back);
}

#[test]
fn an_agent_without_a_login_stops_the_run_at_once_and_says_what_to_do() {
    let project = crew("cat >/dev/null; echo 'PLEASE LOG IN'; exit 1", "exit 0");
    let config = std::fs::read_to_string(project.user_config()).unwrap();
    let signal = "\n[[agents.one.signals]]\nmeans = \"unauthenticated\"\nlast_line = [\"PLEASE LOG IN*\"]\n\n[agents.two]";
    std::fs::write(project.user_config(), config.replace("\n[agents.two]", signal)).unwrap();
    let ran = project.ralph(&["run", "do it", "--agent", "one"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("log in"), "{}", ran.out);
    assert_eq!(project.status().unwrap()["attempts"], 1);
}
