//! The real agent programs, pinned in `tests/agents`, made to run headless against a scripted model server.

mod headless;
mod install;
mod offline;
mod opencode;
mod scenario;
mod survivors;
mod transcript;

pub use headless::{End, Ended, Headless, Launch};
pub use install::{Programs, install, target_dir};
pub use offline::offline_env;
pub use opencode::{OpenCode, Setup};
pub use scenario::{Play, Scenario};
pub use survivors::end_survivors;
pub use transcript::final_message;

/// An agent program that runs here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    Claude,
    Codex,
    Gemini,
    OpenCode,
    Qwen,
}

impl Program {
    pub const ALL: [Program; 5] =
        [Program::Claude, Program::Codex, Program::Gemini, Program::OpenCode, Program::Qwen];

    /// The name it is called by.
    pub fn name(self) -> &'static str {
        match self {
            Program::Claude => "claude",
            Program::Codex => "codex",
            Program::Gemini => "gemini",
            Program::OpenCode => "opencode",
            Program::Qwen => "qwen",
        }
    }

    /// The package it comes in.
    fn package(self) -> &'static str {
        match self {
            Program::Claude => "@anthropic-ai/claude-code",
            Program::Codex => "@openai/codex",
            Program::Gemini => "@google/gemini-cli",
            Program::OpenCode => "opencode-ai",
            Program::Qwen => "@qwen-code/qwen-code",
        }
    }

    /// Arguments that make it speak the Agent Client Protocol, where it can.
    pub fn acp_arguments(self) -> Option<&'static [&'static str]> {
        match self {
            Program::OpenCode => Some(&["acp"]),
            Program::Gemini | Program::Qwen => Some(&["--acp"]),
            Program::Claude | Program::Codex => None,
        }
    }

    /// Arguments that make it carry a prompt out by itself and report in JSON, one event per line.
    pub fn arguments(self, prompt: &str) -> Vec<String> {
        let words: &[&str] = match self {
            Program::Claude => &[
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--dangerously-skip-permissions",
                prompt,
            ],
            Program::Codex => &[
                "exec",
                "--json",
                "--dangerously-bypass-approvals-and-sandbox",
                "--skip-git-repo-check",
                prompt,
            ],
            Program::Gemini => &["-m", "gemini-2.5-flash", "-o", "stream-json", "-y", "-p", prompt],
            Program::OpenCode => &["run", "--format", "json", "--auto", prompt],
            Program::Qwen => &["-o", "stream-json", "-y", prompt],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }
}
