//! What agents are asked outside of a run: whether they answer, and which models they have.

use ralph_testkit::{Project, survivors};
use serde_json::Value;

use crate::project;

/// Agents of the person's own, each a script that plays one part.
fn agents(parts: &[(&str, &str, &str)]) -> Project {
    let project = project();
    let mut config = String::new();
    for (name, more, script) in parts {
        let program = project.script(&format!("{name}.sh"), script);
        config += &format!(
            "[agents.{name}]\nprogram = \"{}\"\nformat = \"text\"\nargs = [\"{{model}}\"]\nmodel = [\"-m\", \"{{value}}\"]\n\
             login = \"type your name\"\n{more}\n",
            program.display()
        );
    }
    std::fs::write(project.user_config(), config).unwrap();
    project
}

fn signal(name: &str, means: &str, line: &str) -> String {
    format!("[[agents.{name}.signals]]\nmeans = \"{means}\"\nlast_line = [\"{line}\"]")
}

#[test]
fn a_preflight_says_of_each_agent_what_came_of_one_small_prompt() {
    let limited = signal("limited", "limited", "usage LIMIT*");
    let stranger = signal("stranger", "unauthenticated", "WHO ARE YOU*");
    let project = agents(&[
        ("good", "", "cat > asked; echo ready"),
        ("limited", &limited, "cat >/dev/null; echo 'usage LIMIT: try again in 3h'; exit 1"),
        ("stranger", &stranger, "cat >/dev/null; echo 'WHO ARE YOU'; exit 1"),
        ("broken", "", "exit 9"),
        ("silent", "", "(setsid sleep 300 &) ; sleep 300"),
    ]);
    let names = ["good", "limited", "stranger", "broken", "silent", "nobody"];
    let args = [&["agents", "--json", "--patience", "3", "--preflight"], &names[..]].concat();
    let ran = project.ralph(&args);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let tried: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let results: Vec<_> = tried.iter().map(|one| one["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["answered", "limited", "not_logged_in", "broken", "silent", "not_installed"]);
    let seconds = |at: usize| tried[at]["seconds"].as_f64().unwrap();
    assert!(seconds(0) < 3.0 && (3.0..10.0).contains(&seconds(4)), "{tried:?}");
    assert_eq!(tried[2]["next"], "type your name");
    assert!(tried[1]["next"].as_str().unwrap().starts_with("try again after 20"), "{}", tried[1]);
    let asked = std::fs::read_to_string(project.tree().join("asked")).unwrap();
    assert!(asked.contains("Do nothing else"), "{asked}");
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        cwd == project.tree()
    });
    assert_eq!(left.count(), 0, "nothing of them is left");
    let ran = project.ralph(&["agents", "--preflight", "good"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("good ") && ran.out.contains(" answered after "), "{}", ran.out);
    assert!(!project.state_home().join("ralph/projects").exists(), "asking leaves no trace");
    assert!(survivors("preflight").is_empty());
}

const NAMES: &str = "[ \"$1\" = list ] && { echo >> ../asked; echo one/big; echo one/small; exit; }\n\
                     echo \"$*\" > given; cat >/dev/null; echo \"<promise>$RALPH_PROMISE</promise>\"";

fn with_models(name: &str, script: &str) -> Project {
    agents(&[(name, "models = [\"list\"]", script)])
}

#[test]
fn a_model_that_the_agent_does_not_list_is_refused_before_the_first_attempt() {
    let project = with_models("mine", NAMES);
    let ran = project.ralph(&["agents", "models", "mine"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "one/big\none/small\n"), "{}", ran.err);
    let ran = project.ralph(&["agents", "models", "mine", "--json"]);
    let listed: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(listed["models"], serde_json::json!(["one/big", "one/small"]));

    let ran = project.ralph(&["run", "do it", "--agent", "mine", "--model", "one/smal"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    for text in ["mine has no model `one/smal`", "did you mean `one/small`?", "ralph agents models mine"] {
        assert!(ran.err.contains(text), "{text} in {}", ran.err);
    }
    assert!(!project.tree().join("given").exists(), "no attempt was made");
    assert_eq!(project.status(), None, "and no run");

    let asked = || std::fs::read_to_string(project.base().join("asked")).unwrap().lines().count();
    let before = asked();
    let ran = project.ralph(&["run", "do it", "--agent", "mine", "--model", "one/small"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(std::fs::read_to_string(project.tree().join("given")).unwrap(), "-m one/small\n");
    assert_eq!(asked(), before, "a name that was listed before is not asked for again");
}

#[test]
fn where_a_model_cannot_be_known_the_agent_decides() {
    let works = "cat >/dev/null; echo \"<promise>$RALPH_PROMISE</promise>\"";
    for listing in ["echo 'Models:'; echo '- one'; exit", "echo no >&2; exit 3"] {
        let project = with_models("mine", &format!("[ \"$1\" = list ] && {{ {listing}; }}\n{works}"));
        let ran = project.ralph(&["run", "do it", "--agent", "mine", "--model", "any"]);
        assert_eq!(ran.code, Some(0), "{listing}: {}{}", ran.out, ran.err);
    }
    let mute = agents(&[("mine", "", works)]);
    let ran = mute.ralph(&["agents", "models", "mine"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("cannot list its models"), "{}", ran.err);
    let failing = with_models("mine", "echo 'no account' >&2; exit 3");
    let ran = failing.ralph(&["agents", "models", "mine"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("exit code 3") && ran.err.contains("no account"), "{}", ran.err);
}
