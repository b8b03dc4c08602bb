//! What agents say in their own formats, as people read it: live, in the logs and in a replay alike.

use std::path::{Path, PathBuf};

use ralph_testkit::{PATIENCE, Project, Ran};

use crate::project;

/// Each of the real programs, recorded while it let a sub-agent work.
const STRUCTURED: [&str; 5] = ["claude", "codex", "gemini", "opencode", "qwen"];

/// What it says on its standard error.
const SIDE: &str = "a word on the side\n";

fn recording(agent: &str, name: &str) -> PathBuf {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/tests/recordings");
    recordings.join(agent).join(name).canonicalize().unwrap()
}

/// A project with an agent of this name that prints what the real one printed.
fn recorded(agent: &str, name: &str) -> (Project, Ran) {
    let project = project();
    let printed = recording(agent, &format!("{name}.out"));
    let script =
        format!("cat > /dev/null; cat '{}'; printf '{}' >&2", printed.display(), SIDE.escape_default());
    let program = project.script("agent.sh", &script);
    let config = format!("[agents.{agent}]\nprogram = \"{}\"\n", program.display());
    std::fs::write(project.user_config(), config).unwrap();
    let args = ["run", "x", "--agent", agent, "--max-iterations", "1", "--verbose"];
    let ran = project.start(&args).end(PATIENCE);
    assert_eq!(ran.code, Some(3), "{agent}: {}{}", ran.out, ran.err);
    (project, ran)
}

/// The lines that tell of the agent's work, without times.
fn work(shown: &str) -> Vec<String> {
    let lines = shown.lines().filter_map(|line| line.strip_prefix("  │ "));
    lines.map(|line| line.split(" after ").next().unwrap().to_owned()).collect()
}

#[test]
fn every_structured_agent_is_shown_as_people_read_it() {
    for agent in STRUCTURED {
        let (project, ran) = recorded(agent, "task");
        let logs = project.ralph(&["logs"]).out;
        for part in ["│ → ", "│ ⇒ ", "│ ⇐ ", "✓ done after", "│ sub-agents", "agent is done."]
        {
            assert!(logs.contains(part), "{agent}: {part} in\n{logs}");
        }
        assert!(!logs.contains("{\""), "{agent}: no JSON in\n{logs}");
        assert!(!logs.contains(SIDE), "{agent}: {logs}");
        assert_eq!(work(&ran.out), work(&logs), "{agent}: live and later are alike");
        assert_eq!(project.ralph(&["replay"]).out, logs, "{agent}");
    }
}

#[test]
fn the_bytes_are_there_as_they_were_printed() {
    for agent in STRUCTURED {
        let (project, _) = recorded(agent, "task");
        let expected = std::fs::read_to_string(recording(agent, "task.out")).unwrap();
        for command in ["logs", "replay"] {
            // The two streams come through pipes of their own, so either may come first.
            let raw = project.ralph(&[command, "--raw"]).out;
            assert!(raw.contains(SIDE) && raw.replace(SIDE, "") == expected, "{agent}: {command}: {raw}");
        }
        // Programs get what they always got: the journal, and the text of what was printed.
        let json = project.ralph(&["logs", "--json"]).out;
        let lines = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let (output, journal): (Vec<_>, Vec<_>) = lines.partition(|line| line["type"] == "output");
        let text: String = output.iter().filter_map(|line| line["text"].as_str()).collect();
        assert_eq!(text.lines().count(), expected.lines().count() + 1, "{agent}");
        assert_eq!(journal, project.journal(), "{agent}: {json}");
    }
}

#[test]
fn each_level_of_detail_shows_more_than_the_one_below() {
    let (project, _) = recorded("claude", "task");
    let shown = |level: &str| work(&project.ralph(&["logs", "--detail", level]).out);
    let mut levels = ["off", "minimal", "moderate", "full"].map(shown);
    // What came on standard error is only in the last one, wherever it came.
    let beside = |lines: &mut Vec<String>| {
        let before = lines.len();
        lines.retain(|line| line != SIDE.trim_end());
        before - lines.len()
    };
    assert_eq!(levels.each_mut().map(beside), [0, 0, 0, 1]);
    insta::assert_snapshot!("levels_of_detail", levels.map(|lines| lines.join("\n")).join("\n\n--\n\n"));
    assert_eq!(work(&project.ralph(&["replay", "--quiet"]).out), [""; 0]);
    let wrong = project.ralph(&["logs", "--detail", "loud"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("minimal"), "{}", wrong.err);
}

#[test]
fn the_setting_is_the_default_everywhere() {
    let (project, ran) = recorded("claude", "task");
    assert!(ran.out.contains("│ Delegating."), "{}", ran.out);
    let project = project.with("RALPH_SET_OUTPUT__DETAIL", "minimal");
    let logs = project.ralph(&["logs"]).out;
    assert!(logs.contains("│ ⇒ ") && !logs.contains("Delegating"), "{logs}");
    let args = ["run", "x", "--agent", "claude", "--max-iterations", "1"];
    let live = project.ralph(&args).out;
    assert_eq!(work(&live), work(&logs));
    let full = project.with("RALPH_SET_OUTPUT__DETAIL", "full").ralph(&args).out;
    assert!(full.contains("→ Bash echo from-bash"), "{full}");
}

#[test]
fn a_cost_from_the_price_table_is_marked_wherever_it_is_shown() {
    for (agent, price, other) in [("gemini", "~$0.0017 estimated", "XX"), ("claude", "$0.03", "estimated")] {
        let (project, ran) = recorded(agent, "task");
        let summary = ran.out.lines().find(|line| line.contains("1 iteration, 1 attempt, ")).unwrap();
        assert!(summary.ends_with(price), "{summary}");
        for shown in [&ran.out, &project.ralph(&["logs"]).out, &project.ralph(&["status"]).out] {
            assert!(shown.contains(price) && !shown.contains(other), "{agent}: {price} in\n{shown}");
        }
        let status = project.status().unwrap();
        assert_eq!(status["usage"]["cost_is_estimated"] == true, agent == "gemini", "{status}");
    }
    let (project, _) = recorded("gemini", "task");
    let args = ["run", "x", "--agent", "gemini", "--max-cost-usd", "0.001", "--new"];
    assert_eq!(project.ralph(&args).code, Some(3));
    let evidence = project.status().unwrap()["evidence"].as_str().unwrap().to_owned();
    assert!(evidence.starts_with("~$0.0017 estimated of"), "{evidence}");
}

#[test]
fn what_no_parser_understands_is_pointed_at() {
    let project = project();
    let program = project.script("agent.sh", "cat > /dev/null; echo 'Segmentation fault'; exit 139");
    let config = format!("[agents.claude]\nprogram = \"{}\"\n", program.display());
    std::fs::write(project.user_config(), config).unwrap();
    let args = ["run", "x", "--agent", "claude", "--max-consecutive-failures", "1"];
    assert_eq!(project.ralph(&args).code, Some(1));
    let logs = project.ralph(&["logs"]).out;
    assert!(logs.contains("--raw shows what it printed"), "{logs}");
    assert_eq!(project.ralph(&["logs", "--raw"]).out, "Segmentation fault\n");
}

#[test]
fn how_long_a_sub_agent_took_is_known_afterwards() {
    let project = project();
    let printed = recording("claude", "task.out");
    let text = std::fs::read_to_string(&printed).unwrap();
    // The sub-agent is begun in this line and works until the next one.
    let begun = 1 + text.lines().position(|line| line.contains(r#""name":"Agent""#)).unwrap();
    let printed = printed.display();
    let script =
        format!("cat > /dev/null; head -n {begun} {printed}; sleep 1.5; tail -n +{} {printed}", begun + 1);
    let program = project.script("agent.sh", &script);
    let config = format!("[agents.claude]\nprogram = \"{}\"\n", program.display());
    std::fs::write(project.user_config(), config).unwrap();
    let ran = project.start(&["run", "x", "--agent", "claude", "--max-iterations", "1"]).end(PATIENCE);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    for shown in [&ran.out, &project.ralph(&["logs"]).out] {
        let took = shown.split("general-purpose ✓ done after ").nth(1).unwrap();
        let seconds: f64 = took.split(' ').next().unwrap().parse().unwrap();
        assert!((1.2..6.0).contains(&seconds), "{seconds} in {shown}");
    }
}
