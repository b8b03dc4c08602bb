//! What is read from outputs of the real programs, and from the documented ones of those that could not be run.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use ralph_checks::{Exit, Findings, Fingerprint, Output, Root, read};
use regex::{Captures, Regex};
use serde::Deserialize;

#[derive(Deserialize)]
struct Index {
    recording: Vec<Recording>,
}

#[derive(Debug, Clone, Deserialize)]
struct Recording {
    file: String,
    program: String,
    version: String,
    command: String,
    exit: i32,
    /// Where a text that was not recorded is documented.
    documented: Option<String>,
    /// The project that a recorded one was made with.
    project: Option<String>,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

fn recordings() -> Vec<Recording> {
    let index = |name: &str| {
        let text = std::fs::read_to_string(directory().join(name)).unwrap();
        toml::from_str::<Index>(&text).unwrap().recording
    };
    [index("index.toml"), index("documented.toml")].concat()
}

impl Recording {
    fn text(&self) -> String {
        std::fs::read_to_string(directory().join(&self.file)).unwrap()
    }

    fn read(&self) -> Findings {
        self.read_as(self.text().as_bytes(), "/project")
    }

    fn read_as(&self, bytes: &[u8], root: &str) -> Findings {
        read(&Output { tool: None, exit: Exit::Code(self.exit), root: &Root::new(Path::new(root)), bytes })
    }

    fn fingerprints(&self) -> BTreeSet<Fingerprint> {
        self.read().fingerprints()
    }
}

fn named(file: &str) -> Recording {
    recordings().into_iter().find(|recording| recording.file == file).unwrap()
}

/// As a person would want to compare it.
fn shown(found: &Findings) -> String {
    let mut text = String::new();
    match found.counts {
        Some(counts) => writeln!(
            text,
            "{} passed, {} failed, {} skipped, {} errors",
            counts.passed, counts.failed, counts.skipped, counts.errors
        )
        .unwrap(),
        None => text += "not counted\n",
    }
    match found.tests {
        Some(tests) => writeln!(text, "{tests} tests were run").unwrap(),
        None => text += "how many tests were run is not told\n",
    }
    writeln!(text, "read as {:?}", found.sources).unwrap();
    for failure in &found.failures {
        let place = failure.location.as_ref().map_or("nowhere".to_owned(), ToString::to_string);
        writeln!(text, "\n{:?} {}\n  at {place}", failure.source, failure.title).unwrap();
        failure.message.lines().for_each(|line| writeln!(text, "  | {line}").unwrap());
    }
    text
}

#[test]
fn every_recording_is_read_as_it_was() {
    for recording in recordings() {
        let name = recording.file.replace('/', "_").replace(".txt", "");
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
            description => format!("{}: {}, exit code {}", recording.version, recording.command, recording.exit) }, {
            insta::assert_snapshot!(name, shown(&recording.read()));
        });
    }
}

#[test]
fn a_recording_says_where_it_is_from_and_none_is_forgotten() {
    let all = recordings();
    for recording in &all {
        assert!(!recording.program.is_empty() && !recording.version.is_empty(), "{recording:?}");
        assert!(recording.documented.is_some() != recording.project.is_some(), "{recording:?}");
    }
    let listed: BTreeSet<String> = all.iter().map(|recording| recording.file.clone()).collect();
    let mut there = BTreeSet::new();
    for folder in
        directory().read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for file in folder.read_dir().unwrap() {
            let path = file.unwrap().path();
            there.insert(path.strip_prefix(directory()).unwrap().to_str().unwrap().to_owned());
        }
    }
    assert_eq!(listed, there);
}

#[test]
fn a_check_that_passed_has_no_failure_and_one_that_failed_has_some() {
    for recording in recordings() {
        let found = recording.read();
        assert_eq!(recording.exit == 0, found.failures.is_empty(), "{}: {found:#?}", recording.file);
        assert!(!found.truncated, "{}", recording.file);
        // Whatever a tool says nothing about when it is content cannot be counted.
        let is_silent = found.counts.is_none();
        assert!(!is_silent || recording.exit == 0, "{}: {found:#?}", recording.file);
    }
}

#[test]
fn one_tool_in_several_forms_gives_the_same_failures() {
    let families: [&[&str]; 11] = [
        &["cargo_test/failing.txt", "cargo_test/colour.txt"],
        &["nextest/failing.txt", "nextest/colour.txt", "nextest/retries.txt"],
        &["rustc/failing.txt", "rustc/json.txt", "rustc/colour.txt"],
        &["pytest/failing.txt", "pytest/colour.txt", "pytest/short.txt", "pytest/no-summary.txt"],
        &["ruff/failing.txt", "ruff/concise.txt", "ruff/grouped.txt"],
        &["mypy/failing.txt", "mypy/columns.txt"],
        &["jest/failing.txt", "jest/colour.txt", "jest/verbose.txt"],
        &["vitest/failing.txt", "vitest/colour.txt"],
        &["mocha/failing.txt", "mocha/colour.txt"],
        &["eslint/failing.txt", "eslint/json.txt", "eslint/colour.txt"],
        &["go_test/failing.txt", "go_test/verbose.txt", "go_test/json.txt"],
    ];
    let more: [&[&str]; 2] = [
        &["tsc/failing.txt", "tsc/pretty.txt"],
        &["go_test/kinds.txt", "go_test/kinds-verbose.txt", "go_test/kinds-json.txt"],
    ];
    for family in families.iter().chain(&more) {
        let first = named(family[0]);
        for other in &family[1..] {
            let other = named(other);
            assert_eq!(first.fingerprints(), other.fingerprints(), "{} and {}", first.file, other.file);
        }
    }
}

#[test]
fn different_failures_are_told_apart() {
    let mut seen: BTreeMap<Fingerprint, (String, String)> = BTreeMap::new();
    for recording in recordings() {
        for failure in recording.read().failures {
            let title = (failure.title, failure.location.map(|place| place.file).unwrap_or_default());
            let first = seen.entry(failure.fingerprint).or_insert_with(|| title.clone());
            assert_eq!(first.0, title.0, "{}", recording.file);
        }
    }
}

/// What another run of the same would have printed.
#[derive(Debug, Clone)]
struct Elsewhere {
    root: String,
    lines: u32,
    time: u32,
    number: u32,
    hex: u64,
    windows_ends: bool,
    colour: bool,
}

fn elsewhere() -> impl Strategy<Value = Elsewhere> {
    let root = "/(home|tmp|var/tmp|data)/[a-z]{1,8}/[a-zA-Z0-9_.-]{1,12}x";
    let numbers = (1..5_000_u32, 1..9_999_u32, 1..4_000_000_u32, any::<u64>());
    (root, numbers, any::<bool>(), any::<bool>()).prop_map(
        |(root, (lines, time, number, hex), windows_ends, colour)| Elsewhere {
            root,
            lines,
            time,
            number,
            hex,
            windows_ends,
            colour,
        },
    )
}

struct Patterns {
    places: Regex,
    table: Regex,
    tsc: Regex,
    times: Regex,
    pids: Regex,
    hashes: Regex,
    clock: Regex,
}

impl Patterns {
    fn new() -> Patterns {
        let of = |pattern: &str| Regex::new(pattern).unwrap();
        Patterns {
            places: of(r"(?P<file>\.(?:rs|js|ts|py|go|c|h|java|kt)):(?P<line>\d+)"),
            table: of(r"(?m)^(?P<file>  )(?P<line>\d+)(?P<rest>:\d+ )"),
            tsc: of(r"(?P<file>\.ts\()(?P<line>\d+)(?P<rest>,\d+\))"),
            times: of(r"\b\d+(\.\d+)?(?P<unit>ms|s)\b"),
            pids: of(r"\(\d+\) panicked"),
            hashes: of(r"-[0-9a-f]{16}\b"),
            clock: of(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"),
        }
    }
}

impl Elsewhere {
    fn of(&self, text: &str, patterns: &Patterns) -> Vec<u8> {
        let shifted = |found: &Captures<'_>| {
            let line = found["line"].parse::<u32>().unwrap() + self.lines;
            let rest = found.name("rest").map_or("", |rest| rest.as_str());
            format!("{}{}{line}{rest}", &found["file"], if rest.is_empty() { ":" } else { "" })
        };
        let text = patterns.places.replace_all(text, shifted);
        let text = patterns.table.replace_all(&text, shifted);
        let text = patterns.tsc.replace_all(&text, shifted);
        let time =
            |found: &Captures<'_>| format!("{}.{:03}{}", self.time / 100, self.time % 100, &found["unit"]);
        let text = patterns.times.replace_all(&text, time);
        let text = patterns.pids.replace_all(&text, format!("({}) panicked", self.number));
        let text = patterns.hashes.replace_all(&text, format!("-{:016x}", self.hex));
        let text = patterns.clock.replace_all(&text, format!("2031-02-03T04:05:{:02}", self.time % 60));
        let mut text = text.replace("/project", &self.root);
        if self.windows_ends {
            text = text.replace('\n', "\r\n");
        }
        // Not in documents: there they would not be colours.
        if self.colour && !text.contains("<testsuite") && !text.contains("{\"") {
            text = text.replace('\n', "\x1b[0m\n").replace("error", "\x1b[1;31merror\x1b[0m");
        }
        text.into_bytes()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_same_failures_elsewhere_have_the_same_fingerprints(elsewhere in elsewhere(), pick in any::<prop::sample::Index>()) {
        let all = recordings();
        let recording = pick.get(&all);
        let again = elsewhere.of(&recording.text(), &Patterns::new());
        let (here, there) = (recording.read(), recording.read_as(&again, &elsewhere.root));
        prop_assert_eq!(here.details(), there.details(), "{}:\n{}", recording.file, String::from_utf8_lossy(&again));
        prop_assert_eq!(here.counts, there.counts, "{}", recording.file);
    }

    #[test]
    fn cut_anywhere_nothing_breaks(at in any::<prop::sample::Index>(), pick in any::<prop::sample::Index>()) {
        let all = recordings();
        let text = pick.get(&all).text();
        let bytes = &text.as_bytes()[..at.index(text.len() + 1)];
        pick.get(&all).read_as(bytes, "/project");
    }
}

/// Whether what one prints changes what the other's output means: both are of one tool, warnings count only where there is
/// nothing worse, and node's own report is in a form of TAP.
fn is_one_report(one: &Recording, other: &Recording) -> bool {
    let tool = |recording: &Recording| recording.file.split('/').next().unwrap_or_default().to_owned();
    let warns = |recording: &Recording| recording.file == "eslint/only-warnings.txt";
    let is_tap = ["mocha/tap.txt", "tap/just.txt"].contains(&other.file.as_str());
    tool(one) == tool(other) || warns(one) || warns(other) || (tool(one) == "node_test" && is_tap)
}

#[test]
fn two_outputs_in_one_give_the_failures_of_both() {
    let all = recordings();
    let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (one, other)));
    for (one, other) in pairs.filter(|(one, other)| !is_one_report(one, other)) {
        // A text that ends in the middle of something is not completed by another.
        let text = [one.text(), other.text()].join("\n");
        let both = read(&Output {
            tool: None,
            exit: Exit::Code(one.exit.max(other.exit)),
            root: &Root::new(Path::new("/project")),
            bytes: text.as_bytes(),
        });
        let expected: BTreeSet<Fingerprint> =
            one.fingerprints().union(&other.fingerprints()).copied().collect();
        let missing: Vec<_> = expected.difference(&both.fingerprints()).copied().collect();
        assert!(missing.is_empty(), "{} and {}: {missing:?}", one.file, other.file);
    }
}
