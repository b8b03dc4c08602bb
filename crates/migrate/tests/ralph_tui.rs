//! Projects as ralph-tui leaves them, and what they come to.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use ralph_migrate::{Fault, Plan, Predecessor, Request, Scope, plan};

const FULL: &str = r#"configVersion = "2.1"
agent = "work"
maxIterations = 25
iterationDelay = 1500
outputDir = ".ralph-tui/iterations"
autoCommit = true
commitMessageTemplate = "feat: {{taskId}} {{taskTitle}}"
tracker = "json"
command = "ccr code"
fallbackAgents = ["codex", "github-copilot", "homegrown"]
envExclude = ["AWS_SECRET", "*_TOKEN"]
envPassthrough = ["ANTHROPIC_API_KEY"]
progressFile = "notes/progress.md"
subagentTracingDetail = "moderate"
skills_dir = "skills"
colour = "red"

[agentOptions]
model = "opus"
thinking = true

[trackerOptions]
path = "plans/my prd.json"

[errorHandling]
strategy = "retry"
maxRetries = 0
retryDelayMs = 5000
continueOnNonZeroExit = true

[sandbox]
enabled = true
mode = "bwrap"
network = false
allowPaths = ["~/.cargo", "target"]
readOnlyPaths = ["/usr"]

[rateLimitHandling]
enabled = true
maxRetries = 3

[parallel]
mode = "never"
maxWorkers = 4

[[agents]]
name = "other"
plugin = "gemini"
default = true

[[agents]]
name = "work"
plugin = "claude"
timeout = 600000
defaultFlags = ["--x"]
[agents.options]
model = "sonnet"
"#;

const AS_OURS: &str = r#"
[agent]
name = "claude"
model = "opus"
fallback = ["codex", "copilot"]
env_exclude = ["AWS_SECRET"]
on_error = "skip"
retry_delay = "5s"
total_timeout = "600s"
[commit]
auto_commit = true
message = "feat: {{taskId}} {{taskTitle}}"
[limits]
max_iterations = 25
iteration_delay = "1500ms"
[output]
detail = "moderate"
[sandbox]
mode = "bubblewrap"
network = false
write = ["~/.cargo"]
[promise]
word = "COMPLETE"
nonce = false
"#;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(".ralph-tui")).unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn planned(root: &Path, scope: Scope) -> Result<Plan, Fault> {
    let agents = ["claude", "codex", "copilot", "gemini"].map(str::to_owned);
    let ours = if scope == Scope::Project { root.join(".ralph") } else { root.join(".config/ralph") };
    plan(Predecessor::RalphTui, &Request { scope, root, ours: &ours, agents: &agents })
}

fn text<'p>(plan: &'p Plan, name: &str) -> &'p str {
    let file = plan.files.iter().find(|file| file.path.ends_with(name));
    &file.unwrap_or_else(|| panic!("no {name} in {plan:#?}")).text
}

#[test]
fn every_key_has_a_fate_and_those_with_a_counterpart_are_settings() {
    let dir = project(&[(".ralph-tui/config.toml", FULL)]);
    let plan = planned(dir.path(), Scope::Project).unwrap();
    let config: toml::Table = text(&plan, "config.toml").parse().unwrap();
    assert_eq!(config, AS_OURS.parse().unwrap());
    assert_eq!(plan.flags, ["--prd 'plans/my prd.json'"]);
    let keys = FULL.lines().filter(|line| line.contains(" = ")).count();
    let of_config = plan.fates.iter().filter(|fate| fate.file.ends_with("config.toml"));
    assert_eq!(of_config.clone().count(), keys, "{:#?}", plan.fates);
    for fate in of_config {
        assert!(fate.became.is_some() || !fate.why.is_empty(), "{fate:?}");
        let line = FULL.lines().nth(fate.line.unwrap() - 1).unwrap();
        let name = fate.key.rsplit('.').next().unwrap();
        assert!(line.starts_with(name), "{fate:?} is not in {line}");
    }
    let fate = |key: &str| plan.fates.iter().find(|fate| fate.key == key).unwrap();
    assert!(fate("fallbackAgents").why.contains("homegrown"));
    assert!(fate("envExclude").why.contains("*_TOKEN"));
    assert!(fate("colour").why.contains("not a key"));
    assert!(fate("agents[1].plugin").why.contains("not the default"));
    assert_eq!(fate("agents[2].options.model").became, None);
    assert!(fate("command").why.contains("[agents.claude]"));
}

#[test]
fn no_retries_and_no_limit_are_said_in_ralphs_words() {
    let config =
        "maxIterations = 0\n[errorHandling]\nmaxRetries = 0\n[sandbox]\nenabled = false\nmode = \"bwrap\"\n";
    let dir = project(&[(".ralph-tui/config.toml", config)]);
    let plan = planned(dir.path(), Scope::Project).unwrap();
    let config: toml::Table = text(&plan, "config.toml").parse().unwrap();
    assert_eq!(config["agent"]["on_error"].as_str(), Some("skip"));
    assert_eq!(config["sandbox"]["mode"].as_str(), Some("off"));
    assert!(!config.contains_key("limits"), "0 never becomes a limit");
}

#[test]
fn templates_go_by_ralphs_names_and_name_ralphs_progress() {
    let template = "{{taskId}}\nread .ralph-tui/progress.md and notes/p.md\n<promise>COMPLETE</promise>\n";
    let dir = project(&[
        (".ralph-tui/config.toml", "progressFile = \"notes/p.md\"\nprompt_template = \"mine.hbs\"\n"),
        ("mine.hbs", "{{taskTitle}}\n"),
        ("notes/p.md", "## Codebase Patterns (Study These First)\n- one\n"),
        (".ralph-tui/templates/json.hbs", template),
        (".ralph-tui/templates/beads-rust.hbs", "rust {{taskId}}"),
        (".ralph-tui/templates/beads.hbs", "go {{taskId}}"),
        (".ralph-tui/templates/default.hbs", "any"),
        (".ralph-tui/templates/beads-bv.hbs", "one\n{{taskIdd}}\n"),
    ]);
    let plan = planned(dir.path(), Scope::Project).unwrap();
    let expected =
        "{{taskId}}\nread .ralph/progress.md and .ralph/progress.md\n<promise>COMPLETE</promise>\n";
    assert_eq!(text(&plan, "templates/prd.hbs"), expected);
    assert_eq!(text(&plan, "templates/beads.hbs"), "go {{taskId}}");
    assert_eq!(text(&plan, ".ralph/progress.md"), "## Codebase Patterns (Study These First)\n- one\n");
    assert!(text(&plan, "config.toml").contains("template = \".ralph/templates/custom-mine.hbs\""));
    assert!(!plan.files.iter().any(|file| file.path.ends_with("beads-bv.hbs")));
    let [fault] = plan.faults.as_slice() else { panic!("{:?}", plan.faults) };
    assert!(fault.path.ends_with("beads-bv.hbs") && fault.spot.as_ref().unwrap().line == 2, "{fault}");
    assert!(fault.next.contains("taskId"), "{fault:?}");
    for name in ["default.hbs", "beads-rust.hbs"] {
        let fate = plan.fates.iter().find(|fate| fate.file.ends_with(name)).unwrap();
        assert!(fate.became.is_none() && !fate.why.is_empty(), "{fate:?}");
    }
}

#[test]
fn what_makes_no_sense_is_an_error_with_its_line() {
    let config = ".ralph-tui/config.toml";
    let session = "{\n  \"status\": \"paused\",\n  \"skippedTaskIds\": \"S-1\"\n}";
    let cases: [(&str, &str, usize, &str); 6] = [
        (config, "a = 1\na = 2\n", 2, ""),
        (config, "x = 1\nmaxIterations = \"many\"\n", 2, "from 0 to 1000"),
        (config, "x = 1\n\nautoCommit = 1\n", 3, "true or false"),
        (config, "[[agents]]\nname = 7\n", 2, "a text"),
        (".ralph-tui/session.json", session, 3, "expected a sequence"),
        (".ralph-tui/session-meta.json", "{\n  \"a\": 1,\n}", 3, "trailing comma"),
    ];
    for (name, content, line, what) in cases {
        let dir = project(&[(name, content)]);
        let fault = planned(dir.path(), Scope::Project).unwrap_err();
        assert!(fault.path.ends_with(name), "{fault}");
        assert_eq!(fault.spot.as_ref().map(|spot| spot.line), Some(line), "{fault}");
        assert!(fault.what.contains(what) && !fault.next.is_empty(), "{fault}");
    }
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let outside = project(&[("config.toml", "maxIterations = 3\n")]);
    for name in ["config.toml", "progress.md", "session.json", "templates/json.hbs"] {
        let dir = project(&[(".ralph-tui/templates/beads.hbs", "{{taskId}}")]);
        symlink(outside.path().join("config.toml"), dir.path().join(".ralph-tui").join(name)).unwrap();
        let fault = planned(dir.path(), Scope::Project).unwrap_err();
        assert!(fault.what.contains("leads out of"), "{name}: {fault}");
    }
}

#[test]
fn a_session_is_told_of_and_its_backlog_is_named() {
    let session = r#"{"version":1,"status":"running","currentIteration":4,"maxIterations":10,"tasksCompleted":2,
        "agentPlugin":"claude","trackerState":{"plugin":"json","prdPath":"prd.json","epicIds":["E-1","E-2"],"tasks":[]},
        "iterations":[{},{}],"skippedTaskIds":["S-3"],"activeTaskIds":["S-4"]}"#;
    let dir = project(&[(".ralph-tui/session.json", session), (".ralph-tui/iterations/a.log", "x")]);
    let plan = planned(dir.path(), Scope::Project).unwrap();
    assert_eq!(plan.flags, ["--prd prd.json", "--epic E-1", "--epic E-2"]);
    let why = |key: &str| plan.fates.iter().find(|fate| fate.key == key).unwrap().why.clone();
    assert!(why("skippedTaskIds").contains("S-3") && why("activeTaskIds").contains("S-4"));
    assert!(plan.notices.iter().any(|notice| notice.contains("running")));
    assert!(plan.fates.iter().any(|fate| fate.file.ends_with("iterations")));
}

#[test]
fn a_persons_own_settings_have_no_word_of_one_project() {
    let dir = project(&[
        (".config/ralph-tui/config.toml", "defaultAgent = \"claude\"\ncommand = \"/opt/claude\"\n"),
        (".config/ralph-tui/templates/json.hbs", "{{taskId}} <promise>COMPLETE</promise>"),
    ]);
    let plan = planned(dir.path(), Scope::User).unwrap();
    let config: toml::Table = text(&plan, ".config/ralph/config.toml").parse().unwrap();
    let expected = "[agent]\nname = \"claude\"\n[agents.claude]\nprogram = \"/opt/claude\"\n";
    assert_eq!(config, expected.parse().unwrap());
    assert!(plan.notices[0].contains("--promise COMPLETE"));
}
