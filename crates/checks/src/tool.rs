//! The programs whose output is understood, and those that only start them.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    CargoTest,
    Nextest,
    /// The compiler and clippy, as text or as JSON.
    Rustc,
    Pytest,
    Ruff,
    Mypy,
    Jest,
    Vitest,
    Mocha,
    NodeTest,
    BunTest,
    Tsc,
    Eslint,
    GoTest,
    /// The compiler and `go vet`.
    Go,
    /// gcc, clang and their linkers, and whatever else prints `file:line:column: error: text`.
    Cc,
    Javac,
    Maven,
    Gradle,
    Junit,
    Tap,
    /// A script of package.json, whatever it starts.
    NodeScript,
    Make,
    Just,
    /// Output that no format fits.
    Unknown,
}

impl Tool {
    /// The word it is stored and shown under.
    pub fn name(self) -> &'static str {
        match self {
            Tool::CargoTest => "cargo_test",
            Tool::Nextest => "nextest",
            Tool::Rustc => "rustc",
            Tool::Pytest => "pytest",
            Tool::Ruff => "ruff",
            Tool::Mypy => "mypy",
            Tool::Jest => "jest",
            Tool::Vitest => "vitest",
            Tool::Mocha => "mocha",
            Tool::NodeTest => "node_test",
            Tool::BunTest => "bun_test",
            Tool::Tsc => "tsc",
            Tool::Eslint => "eslint",
            Tool::GoTest => "go_test",
            Tool::Go => "go",
            Tool::Cc => "cc",
            Tool::Javac => "javac",
            Tool::Maven => "maven",
            Tool::Gradle => "gradle",
            Tool::Junit => "junit",
            Tool::Tap => "tap",
            Tool::NodeScript => "node_script",
            Tool::Make => "make",
            Tool::Just => "just",
            Tool::Unknown => "unknown",
        }
    }
}
