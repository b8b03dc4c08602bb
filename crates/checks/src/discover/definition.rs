//! What a check consists of beside its tests: the files, or the parts of files, that say what its command does.
//!
//! A part is named behind a `#`: a key of a JSON or TOML document, with dots, or a section of an INI file. Names are
//! listed whether or not they are there, for a file that appears can take the place of another.

use std::path::Path;

use super::{Criterion, Proposal};
use crate::tool::Tool;

const CLIPPY: &[&str] = &[
    "clippy.toml",
    ".clippy.toml",
    "Cargo.toml#lints",
    "Cargo.toml#workspace.lints",
    ".cargo/config.toml",
    ".cargo/config",
];
/// With a runner of its own, a test program is not even started.
const CARGO_TEST: &[&str] = &[".cargo/config.toml", ".cargo/config"];
const NEXTEST: &[&str] = &[".config/nextest.toml", ".cargo/config.toml", ".cargo/config"];
const PYTEST: &[&str] = &[
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "pyproject.toml#tool.pytest",
    "tox.ini#pytest",
    "setup.cfg#tool:pytest",
];
const RUFF: &[&str] = &["ruff.toml", ".ruff.toml", "pyproject.toml#tool.ruff"];
const MYPY: &[&str] = &["mypy.ini", ".mypy.ini", "pyproject.toml#tool.mypy", "setup.cfg#mypy"];
const JEST: &[&str] = &[
    "package.json#jest",
    "jest.config.js",
    "jest.config.mjs",
    "jest.config.cjs",
    "jest.config.ts",
    "jest.config.mts",
    "jest.config.cts",
    "jest.config.json",
];
/// What stands in vite.config is how the program is built, too, and so the agent's to change.
const VITEST: &[&str] = &[
    "vitest.config.js",
    "vitest.config.mjs",
    "vitest.config.cjs",
    "vitest.config.ts",
    "vitest.config.mts",
    "vitest.config.cts",
];
const MOCHA: &[&str] = &[
    "package.json#mocha",
    ".mocharc.js",
    ".mocharc.cjs",
    ".mocharc.mjs",
    ".mocharc.json",
    ".mocharc.jsonc",
    ".mocharc.yml",
    ".mocharc.yaml",
];
const ESLINT: &[&str] = &[
    "package.json#eslintConfig",
    "package.json#eslintIgnore",
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    "eslint.config.cts",
    ".eslintrc",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
    ".eslintignore",
];
const TSC: &[&str] = &["tsconfig.json", "tsconfig.base.json"];
const BUN_TEST: &[&str] = &["bunfig.toml"];
/// A shell of its own for the scripts, and every script comes to what that shell makes of it.
const NPM: &[&str] = &["package.json#scripts", ".npmrc"];
const PNPM: &[&str] = &["package.json#scripts", ".npmrc", "pnpm-workspace.yaml"];
const YARN: &[&str] = &["package.json#scripts", ".npmrc", ".yarnrc", ".yarnrc.yml"];
const BUN: &[&str] = &["package.json#scripts", "bunfig.toml"];
const MAVEN: &[&str] = &[
    "mvnw",
    ".mvn/maven.config",
    ".mvn/jvm.config",
    ".mvn/extensions.xml",
    ".mvn/wrapper/maven-wrapper.properties",
];
const GRADLE: &[&str] = &["gradlew", "gradle.properties", "gradle/wrapper/gradle-wrapper.properties"];

/// The files that say what a command runs.
pub fn scripts(command: &[impl AsRef<str>]) -> Vec<&'static str> {
    let files = |word: &str| -> &'static [&'static str] {
        match base(word) {
            "npm" | "npx" => NPM,
            "pnpm" | "pnpx" => PNPM,
            "yarn" => YARN,
            "bun" | "bunx" => BUN,
            "make" | "gmake" => &super::make::FILES,
            "just" => &super::just::FILES,
            "mvn" | "mvnw" => MAVEN,
            "gradle" | "gradlew" => GRADLE,
            _ => &[],
        }
    };
    command.iter().flat_map(|word| files(word.as_ref())).copied().collect()
}

/// The name that a program is known by, wherever it lies.
pub(super) fn base(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}

/// Everything that a proposal is defined in. What settles how a program is built is the agent's to change.
pub fn defined_in(root: &Path, proposal: &Proposal) -> Vec<String> {
    let settings = match (proposal.criterion, proposal.tool) {
        (Criterion::BuildSuccess, _) => &[],
        (Criterion::LintClean, Tool::Rustc) => CLIPPY,
        (Criterion::LintClean, Tool::Go) => &super::go::LINTER_SETTINGS,
        (_, Tool::CargoTest) => CARGO_TEST,
        (_, Tool::Nextest) => NEXTEST,
        (_, Tool::Pytest) => PYTEST,
        (_, Tool::Ruff) => RUFF,
        (_, Tool::Mypy) => MYPY,
        (_, Tool::Jest) => JEST,
        (_, Tool::Vitest) => VITEST,
        (_, Tool::Mocha) => MOCHA,
        (_, Tool::BunTest) => BUN_TEST,
        (_, Tool::Eslint) => ESLINT,
        (_, Tool::Tsc) => TSC,
        (_, _) => &[],
    };
    let named = scripts(&proposal.command).into_iter().chain(settings.iter().copied());
    let mut found: Vec<String> = named.map(str::to_owned).collect();
    if proposal.criterion != Criterion::BuildSuccess {
        found.extend(super::given::defined_by_words(root, "", &proposal.command));
    }
    super::given::distinct(found)
}

/// The settings of the programs that words name.
pub(super) fn settings(words: &[String]) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        found.extend(match base(word) {
            "cargo" if words[at..].iter().any(|word| ["test", "t"].contains(&word.as_str())) => CARGO_TEST,
            "bun" if words[at..].iter().any(|word| word == "test") => BUN_TEST,
            "clippy" | "cargo-clippy" => CLIPPY,
            "nextest" | "cargo-nextest" => NEXTEST,
            "golangci-lint" => &super::go::LINTER_SETTINGS,
            "pytest" | "py.test" => PYTEST,
            "ruff" => RUFF,
            "mypy" => MYPY,
            "jest" => JEST,
            "vitest" => VITEST,
            "mocha" => MOCHA,
            "eslint" => ESLINT,
            "tsc" | "vue-tsc" => TSC,
            _ => &[],
        });
    }
    found
}
