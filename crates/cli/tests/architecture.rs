//! What the compiler does not see: which crate may know which, what the core may touch, and how long things are.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Who may depend on whom; a rim sees no other rim, and nobody sees `cli`.
const ARROWS: [(&str, &[&str]); 16] = [
    ("ralph-core", &[]),
    ("ralph-store", &["ralph-core"]),
    ("ralph-memory", &["ralph-core", "ralph-store"]),
    ("ralph-checks", &["ralph-core"]),
    ("ralph-snapshot", &[]),
    ("ralph-graph", &[]),
    (
        "ralph-engine",
        &[
            "ralph-core",
            "ralph-store",
            "ralph-checks",
            "ralph-snapshot",
            "ralph-chronicle",
            "ralph-memory",
            "ralph-graph",
        ],
    ),
    ("ralph-agents", &["ralph-core", "ralph-engine"]),
    ("ralph-trackers", &["ralph-core", "ralph-store"]),
    ("ralph-chronicle", &["ralph-core"]),
    ("ralph-templates", &["ralph-core"]),
    ("ralph-migrate", &["ralph-core", "ralph-store", "ralph-templates"]),
    ("ralph-hosts", &["ralph-core", "ralph-store", "ralph-engine"]),
    ("ralph-mcp", &["ralph-core", "ralph-engine", "ralph-graph", "ralph-memory", "ralph-store"]),
    ("ralph-vectors", &["ralph-memory"]),
    (
        "ralph-cli",
        &[
            "ralph-core",
            "ralph-store",
            "ralph-memory",
            "ralph-checks",
            "ralph-snapshot",
            "ralph-graph",
            "ralph-engine",
            "ralph-agents",
            "ralph-trackers",
            "ralph-chronicle",
            "ralph-templates",
            "ralph-migrate",
            "ralph-hosts",
            "ralph-mcp",
            "ralph-vectors",
        ],
    ),
];

/// Everything that the core may depend on: neither async nor IO.
const OF_CORE: [&str; 8] =
    ["memchr", "jiff", "regex", "schemars", "serde", "serde_json", "strsim", "thiserror"];

/// Time, files and processes reach the core as values.
const BANNED_IN_CORE: [&str; 11] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "tokio",
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "async fn",
    "println!",
];

const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 80;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn packages() -> Vec<Value> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version=1", "--no-deps", "--offline"]).current_dir(root());
    let out = cargo.output().expect("cargo starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let metadata: Value = serde_json::from_slice(&out.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The names of what a package depends on, for use, for building or for tests.
fn dependencies(package: &Value, is_wanted: impl Fn(Option<&str>) -> bool) -> BTreeSet<&str> {
    let all = package["dependencies"].as_array().unwrap().iter();
    let wanted = all.filter(|dependency| is_wanted(dependency["kind"].as_str()));
    wanted.map(|dependency| dependency["name"].as_str().unwrap()).collect()
}

fn of_the_product(package: &Value) -> BTreeSet<&str> {
    dependencies(package, |kind| kind != Some("dev"))
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap()
}

#[test]
fn dependencies_point_down() {
    let arrows = BTreeMap::from(ARROWS);
    for package in packages().iter().filter(|package| !["xtask", "ralph-testkit"].contains(&name(package))) {
        let allowed = arrows.get(name(package)).unwrap_or_else(|| {
            panic!("{} is new: say here what it may depend on", name(package));
        });
        for ours in of_the_product(package).into_iter().filter(|one| one.starts_with("ralph-")) {
            assert!(allowed.contains(&ours), "{} depends on {ours}", name(package));
        }
    }
}

#[test]
fn the_core_depends_on_no_async_and_no_io() {
    let packages = packages();
    let core = packages.iter().find(|package| name(package) == "ralph-core").unwrap();
    let surplus: Vec<_> = of_the_product(core).into_iter().filter(|one| !OF_CORE.contains(one)).collect();
    assert!(surplus.is_empty(), "ralph-core depends on {surplus:?}");
}

#[test]
fn only_the_store_knows_sql_and_only_tests_know_the_testkit() {
    for package in &packages() {
        let all = dependencies(package, |_| true);
        assert!(!all.contains("rusqlite") || name(package) == "ralph-store", "{}", name(package));
        let uses_testkit = of_the_product(package).contains("ralph-testkit");
        assert!(!uses_testkit || name(package) == "xtask", "{} ships the testkit", name(package));
    }
}

#[test]
fn a_folder_is_named_like_its_package() {
    for package in &packages() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let short = name(package).trim_start_matches("ralph-");
        assert_eq!(folder, short);
    }
}

/// Every Rust file of the crates, with its path below the workspace and its text.
fn sources(is_wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut dirs = vec![root().join("crates")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let short = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                if is_wanted(&short) {
                    found.push((short, std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
    }
    assert!(found.len() > 5, "the sources have moved");
    found.sort();
    found
}

/// Without comments and without the tests at the end of a file.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let product = lines.take_while(|(_, line)| *line != "#[cfg(test)]");
    product.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn the_core_reaches_for_nothing() {
    for (path, text) in sources(|path| path.starts_with("crates/core/src/")) {
        for (at, line) in code(&text) {
            let banned = BANNED_IN_CORE.iter().find(|word| line.contains(**word));
            assert!(banned.is_none(), "{path}:{at}: {}", line.trim());
        }
    }
}

#[test]
fn lints_are_expected_with_a_reason_and_nothing_is_left_to_do() {
    // Put together, so that this file does not contain them.
    let banned = [["#[allow", "("].concat(), ["#![allow", "("].concat(), ["todo", "!("].concat()];
    for (path, text) in sources(|_| true) {
        for (at, line) in text.lines().enumerate() {
            let found = banned.iter().find(|word| line.contains(word.as_str()));
            assert!(found.is_none(), "{path}:{}: {}", at + 1, line.trim());
        }
    }
}

#[test]
fn no_file_and_no_function_is_too_long() {
    let mut offenders = Vec::new();
    for (path, text) in sources(|path| path.contains("/src/")) {
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            offenders.push(format!("{path}: {lines} lines"));
        }
        for (at, length) in functions(&text).into_iter().filter(|(_, length)| *length > LONGEST_FUNCTION) {
            offenders.push(format!("{path}:{at}: a function of {length} lines"));
        }
    }
    assert!(offenders.is_empty(), "{offenders:#?}");
}

/// Where each function begins and how many lines it has. As the formatter leaves it, a function ends at the first
/// line that is a closing brace at its own indentation.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let qualifiers = trimmed.split_once("fn ").map(|(before, _)| before.split_whitespace());
        let is_function = qualifiers.is_some_and(|mut words| words.all(is_qualifier));
        if trimmed.starts_with("//") || !is_function || line.ends_with([';', '}']) {
            continue;
        }
        let end = format!("{}}}", " ".repeat(line.len() - trimmed.len()));
        if let Some(length) = lines[at..].iter().position(|line| *line == end) {
            found.push((at + 1, length + 1));
        }
    }
    found
}

fn is_qualifier(word: &str) -> bool {
    word.starts_with("pub") || ["async", "const", "unsafe", "extern"].contains(&word)
}

#[test]
fn a_function_is_counted_from_its_name_to_its_brace() {
    let text = "impl A {\n    pub(crate) fn b(\n        &self,\n    ) {\n        if x {\n        }\n    }\n}\nfn c() {}\n";
    assert_eq!(functions(text), [(2, 6)]);
}
