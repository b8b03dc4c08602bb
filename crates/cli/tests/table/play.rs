//! One project, one agent: the run, and whether it ended as it must.

use std::path::PathBuf;

use ralph_testkit::fixtures::{Fixture, Tools};
use ralph_testkit::programs::target_dir;
use ralph_testkit::{Project, Ran};
use serde_json::Value;

use crate::agent::Agent;

/// What a run came to, as its journal tells it.
struct Played {
    ran: Ran,
    /// How much failed: at first, and after each iteration.
    failing: Vec<u64>,
    command: String,
    tampering: Vec<String>,
    stop_reason: String,
    journal: Vec<Value>,
}

/// The result in one line; an error is a result that may not be.
pub(crate) fn play(fixture: &Fixture, agent: &Agent, tools: &Tools) -> Result<String, String> {
    let played = run(fixture, agent, tools);
    let counts: Vec<String> = played.failing.iter().map(u64::to_string).collect();
    let told = format!("`{}` {} {}", played.command, counts.join(" → "), played.stop_reason);
    let wanted: (&str, Option<i32>, &[u64]) = match agent {
        Agent::Honest => ("completed", Some(0), &[3, 2, 1, 0]),
        Agent::Idle => ("no_progress", Some(3), &[3, 3, 3, 3]),
        Agent::Circling => ("circular", Some(3), &[3, 3, 3, 3, 3]),
        Agent::Lying => ("max_iterations", Some(3), &[3, 3, 3]),
        Agent::Tampering(_) => ("max_iterations", Some(3), &[3, 0]),
    };
    let is_right = (played.stop_reason.as_str(), played.ran.code, played.failing.as_slice()) == wanted
        && played.command == fixture.command.join(" ")
        && played.tampering.is_empty() != matches!(agent, Agent::Tampering(_));
    let told =
        if played.tampering.is_empty() { told } else { format!("{told}; {}", played.tampering.join("; ")) };
    if is_right { Ok(told) } else { Err(format!("{told}\n{}", played.details())) }
}

fn run(fixture: &Fixture, agent: &Agent, tools: &Tools) -> Played {
    let mut project = Project::new(env!("CARGO_BIN_EXE_ralph"));
    for (name, value) in surroundings(tools) {
        project = project.with(name, &value);
    }
    if let Agent::Tampering(tamper) = agent
        && !tamper.protect.is_empty()
    {
        project = project.with("RALPH_SET_VERIFY__PROTECT", &tamper.protect.join("\n"));
    }
    fixture.lay(&project.tree(), tools).unwrap();
    let script = agent.script(fixture, &project.base().join("plan"));
    let project = project.agent(&script);
    let mut args = vec!["run", "Mend what fails.", "--criteria", &fixture.criterion, "--yes"];
    args.extend(agent.flags());
    let ran = project.ralph(&args);
    if ran.code == Some(2) {
        panic!("{}: {}", fixture.name, ran.err);
    }
    let journal = project.journal();
    let checked: Vec<&Value> =
        journal.iter().filter(|entry| entry["type"] == "baseline" || entry["type"] == "checked").collect();
    let failing =
        checked.iter().map(|entry| entry["checks"][0]["failing"]["count"].as_u64().unwrap()).collect();
    let tampering = checked.iter().filter_map(|entry| entry["tampering"].as_array()).flatten();
    Played {
        ran,
        failing,
        command: checked
            .first()
            .map_or("nothing", |entry| entry["checks"][0]["command"].as_str().unwrap())
            .to_owned(),
        tampering: tampering.map(|what| what.as_str().unwrap().to_owned()).collect(),
        stop_reason: journal.last().unwrap()["stop_reason"].as_str().unwrap_or("did not stop").to_owned(),
        journal,
    }
}

/// What the tools need of the machine, whose home is not that of the project.
fn surroundings(tools: &Tools) -> Vec<(&'static str, String)> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let kept = |name: &str, otherwise: &str| {
        std::env::var(name).unwrap_or_else(|_| home.join(otherwise).to_string_lossy().into_owned())
    };
    vec![
        ("PATH", tools.path().to_string_lossy().into_owned()),
        ("CARGO_HOME", kept("CARGO_HOME", ".cargo")),
        ("RUSTUP_HOME", kept("RUSTUP_HOME", ".rustup")),
        ("GOCACHE", target_dir().join("fixtures/go-cache").to_string_lossy().into_owned()),
        ("NO_COLOR", "1".to_owned()),
        ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
    ]
}

impl Played {
    fn details(&self) -> String {
        let last = self.journal.iter().rev().find(|entry| entry["type"] == "checked");
        format!(
            "command: {}\nexit code: {:?}\n{}\n{}\n{:#}",
            self.command,
            self.ran.code,
            self.ran.out,
            self.ran.err,
            last.unwrap_or(&Value::Null)
        )
    }
}
