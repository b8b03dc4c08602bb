//! Streams of agents that were limited, that had other trouble, and that only spoke of limits.

mod listening;

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use listening::{Exit, hear, parser};
use ralph_agents::stream::Outcome;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    agent: String,
    #[serde(default = "clean")]
    exit: Exit,
    expect: String,
    /// The moment at which the limit ends, at noon of 15 November 2026 in Berlin.
    reset: Option<String>,
    /// Standard error came before standard output.
    #[serde(default)]
    stderr_first: bool,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

fn clean() -> Exit {
    Exit::Code(0)
}

impl Case {
    fn found(&self) -> (String, Option<String>) {
        let mut parser = parser(&self.agent);
        if self.stderr_first {
            parser.overhear(self.stderr.as_bytes(), &mut |_| {});
        }
        let stderr = if self.stderr_first { "" } else { &self.stderr };
        let outcome =
            hear(parser, self.stdout.as_bytes(), stderr.as_bytes(), &self.exit.exit()).conclusion.outcome;
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("now");
        let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
        match outcome {
            Outcome::Limited { reset, .. } => {
                ("limited".to_owned(), reset.map(|reset| reset.resolve(now, &berlin).to_string()))
            }
            Outcome::Finished => ("finished".to_owned(), None),
            Outcome::Unfinished => ("unfinished".to_owned(), None),
            Outcome::Overloaded { .. } => ("overloaded".to_owned(), None),
            Outcome::Network { .. } => ("network".to_owned(), None),
            Outcome::Unauthenticated { .. } => ("unauthenticated".to_owned(), None),
            Outcome::Misconfigured { .. } => ("misconfigured".to_owned(), None),
            Outcome::SessionGone { .. } => ("session_gone".to_owned(), None),
            Outcome::Failed { .. } => ("failed".to_owned(), None),
            Outcome::Asked { .. } => ("asked".to_owned(), None),
        }
    }
}

fn classes() -> BTreeMap<String, Class> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/limits");
    let files = std::fs::read_dir(folder).expect("the corpus").map(|file| file.expect("a file").path());
    files
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let class = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, class)
        })
        .collect()
}

#[test]
fn limits_are_recognised_and_nothing_else_is() {
    let classes = classes();
    let mut mismatches = Vec::new();
    let (mut streams, mut false_positives, mut false_negatives) = (0, 0, 0);
    for (name, class) in &classes {
        for case in &class.case {
            streams += 1;
            let (outcome, reset) = case.found();
            if outcome == case.expect && reset == case.reset {
                continue;
            }
            false_positives += i32::from(outcome == "limited" && case.expect != "limited");
            false_negatives += i32::from(outcome != "limited" && case.expect == "limited");
            mismatches.push(format!(
                "{name}: {} {}: expected {} {:?}, found {outcome} {reset:?}",
                case.agent, case.name, case.expect, case.reset
            ));
        }
    }
    println!(
        "{} classes, {streams} streams, {false_positives} false positives, {false_negatives} false negatives",
        classes.len()
    );
    assert!(mismatches.is_empty(), "{} mismatches:\n{}", mismatches.len(), mismatches.join("\n"));
    assert!(classes.len() >= 20 && streams >= 150, "the corpus has shrunk");
    assert!(classes.values().all(|class| class.case.len() >= 5), "a class has too few streams");
}
