//! What `ralph agents` and `ralph doctor` find on a machine with no agent, one and several.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ralph_testkit::{Project, Ran};
use serde_json::Value;

use crate::project;

/// What each of the real programs prints for `--version`.
const CLAUDE: (&str, &str) = ("claude", "2.1.197 (Claude Code)");
const CODEX: (&str, &str) = ("codex", "codex-cli 0.166.0");
const GEMINI: (&str, &str) = ("gemini", "0.61.0");
const KIMI: (&str, &str) = ("kimi", "kimi, version 1.2.3");
const CURSOR: (&str, &str) = ("cursor-agent", "2026.10.02-ab12cd3");

/// A machine whose search path has these programs and nothing else.
fn machine(programs: &[(&str, &str)]) -> (Project, PathBuf) {
    let project = project();
    let bin = project.base().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for (name, version) in programs {
        let script = format!("[ \"$*\" = --version ] && echo '{version}' && exit 0; exit 64");
        project.script(&format!("bin/{name}"), &script);
    }
    let path = bin.to_str().unwrap().to_owned();
    (project.with("PATH", &path), bin)
}

fn json(ran: &Ran) -> Vec<Value> {
    serde_json::from_str(&ran.out).expect(&ran.err)
}

/// Name, version and path of those that are installed.
fn installed(project: &Project) -> Vec<(String, String, String)> {
    let ran = project.ralph(&["agents", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let agents = json(&ran);
    assert!(agents.len() >= 10, "those that are missing are listed too");
    let text = |agent: &Value, key: &str| agent[key].as_str().unwrap_or("?").to_owned();
    let there = agents.iter().filter(|agent| agent["installed"] == true);
    there.map(|agent| (text(agent, "name"), text(agent, "version"), text(agent, "path"))).collect()
}

fn finding(project: &Project, name: &str) -> Value {
    let ran = project.ralph(&["doctor", "--json"]);
    assert_eq!(ran.code, Some(0), "nothing is broken: {}{}", ran.out, ran.err);
    json(&ran).into_iter().find(|finding| finding["name"] == name).unwrap()
}

#[test]
fn without_an_agent_it_says_how_to_get_one() {
    let (project, _) = machine(&[]);
    assert_eq!(installed(&project), []);
    let agents = project.ralph(&["agents"]);
    assert_eq!(agents.code, Some(0), "{}", agents.err);
    let doctor = project.ralph(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}{}", doctor.out, doctor.err);
    let run = project.ralph(&["run", "do it"]);
    assert_eq!(run.code, Some(5), "{}", run.err);
    for told in [&agents.out, &doctor.out, &run.err] {
        for part in ["npm install -g @anthropic-ai/claude-code", "--agent-command"] {
            assert!(told.contains(part), "{part} in {told}");
        }
    }
    let finding = finding(&project, "agents");
    assert_eq!(finding["state"], "reduced");
    assert!(finding["next"].as_str().unwrap().contains("npm install"), "{finding}");
}

#[test]
fn one_agent_is_found_with_its_version_and_place() {
    let (project, bin) = machine(&[CLAUDE]);
    let path = bin.join("claude").to_str().unwrap().to_owned();
    assert_eq!(installed(&project), [("claude".to_owned(), "2.1.197".to_owned(), path.clone())]);
    let agents = project.ralph(&["agents"]).out;
    let line = agents.lines().find(|line| line.starts_with("claude ")).unwrap();
    assert!(line.contains("2.1.197") && line.contains(&path), "{line}");
    assert!(!agents.contains("None is installed"), "{agents}");
    let found = finding(&project, "agents");
    assert_eq!((&found["state"], &found["finding"]), (&"good".into(), &"claude".into()));
    // Nobody chose it: it is named, not taken.
    let agent = finding(&project, "agent");
    assert!(agent["finding"].as_str().unwrap().contains("--agent claude"), "{agent}");
    let chosen = project.with("RALPH_SET_AGENT__NAME", "claude");
    assert_eq!(finding(&chosen, "agent")["finding"], "claude");
}

#[test]
fn several_agents_are_found_whatever_way_they_say_their_version() {
    let (project, bin) = machine(&[CLAUDE, CODEX, GEMINI, KIMI, CURSOR]);
    let expected = [
        ("claude", "2.1.197", "claude"),
        ("codex", "0.166.0", "codex"),
        ("cursor", "2026.10.02-ab12cd3", "cursor-agent"),
        ("gemini", "0.61.0", "gemini"),
        ("kimi", "1.2.3", "kimi"),
    ];
    let expected = expected.map(|(name, version, program)| {
        (name.to_owned(), version.to_owned(), bin.join(program).to_str().unwrap().to_owned())
    });
    assert_eq!(installed(&project), expected);
    assert_eq!(finding(&project, "agents")["finding"], "claude, codex, cursor, gemini, kimi");
    let doctor = project.ralph(&["doctor"]);
    assert!(doctor.out.contains("claude, codex, cursor, gemini, kimi"), "{}", doctor.out);
}

#[test]
fn a_program_that_does_not_say_its_version_is_there_all_the_same() {
    let (project, bin) = machine(&[("claude", "no version today"), GEMINI]);
    // One that leaves a process behind with its standard output, and one that cannot say.
    project.script("bin/codex", "/bin/sleep 30 & echo 'codex-cli 0.166.0'");
    project.script("bin/qwen", "exit 1");
    let start = Instant::now();
    let found = installed(&project);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let versions: Vec<_> = found.iter().map(|(name, version, _)| (name.as_str(), version.as_str())).collect();
    assert_eq!(versions, [("claude", "?"), ("codex", "0.166.0"), ("gemini", "0.61.0"), ("qwen", "?")]);
    assert_eq!(found[1].2, bin.join("codex").to_str().unwrap());
}
