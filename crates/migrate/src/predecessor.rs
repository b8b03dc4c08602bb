//! Whom ralph takes over from.

use std::path::{Path, PathBuf};

use crate::fault::Fault;
use crate::plan::Plan;
use crate::{claude_plugin, oh_my_opencode, ralph_mem, ralph_tui, supercode};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predecessor {
    RalphTui,
    OhMyOpencode,
    ClaudePlugin,
    Supercode,
    RalphMem,
}

/// Whose files are taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Project,
    User,
}

#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub scope: Scope,
    /// The project's root, or the user's home.
    pub root: &'a Path,
    /// Where ralph's own files go: `.ralph` of the project, or the directory of the user's `config.toml`.
    pub ours: &'a Path,
    /// The agents that ralph knows by name.
    pub agents: &'a [String],
}

impl Predecessor {
    pub const ALL: [Predecessor; 5] = [
        Predecessor::RalphTui,
        Predecessor::OhMyOpencode,
        Predecessor::ClaudePlugin,
        Predecessor::Supercode,
        Predecessor::RalphMem,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Predecessor::RalphTui => "ralph-tui",
            Predecessor::OhMyOpencode => "oh-my-opencode",
            Predecessor::ClaudePlugin => "claude-plugin",
            Predecessor::Supercode => "supercode",
            Predecessor::RalphMem => "ralph-mem",
        }
    }

    /// What it leaves, from the root of the scope; what it leaves nowadays comes first.
    pub fn leaves(self, scope: Scope) -> &'static [&'static str] {
        match (self, scope) {
            (Predecessor::RalphTui, Scope::Project) => &[".ralph-tui"],
            (Predecessor::RalphTui, Scope::User) => &[".config/ralph-tui"],
            (Predecessor::OhMyOpencode, Scope::Project) => &[
                ".omo/ralph-loop.local.md",
                ".sisyphus/ralph-loop.local.md",
                ".opencode/ralph-loop.local.md",
            ],
            (Predecessor::ClaudePlugin, Scope::Project) => &[".claude/ralph-loop.local.md"],
            (Predecessor::Supercode, Scope::Project) => &[".supercoin/ralph-loop-state.json"],
            (Predecessor::RalphMem, Scope::Project) => &[".ralph-mem"],
            // They keep nothing of a person's that ralph could use.
            (_, Scope::User) => &[],
        }
    }

    /// Where something of its is.
    pub fn found(self, scope: Scope, root: &Path) -> Option<PathBuf> {
        let is_it = |path: &PathBuf| match self {
            Predecessor::RalphTui | Predecessor::RalphMem => path.is_dir(),
            Predecessor::OhMyOpencode | Predecessor::ClaudePlugin | Predecessor::Supercode => {
                path.symlink_metadata().is_ok()
            }
        };
        self.leaves(scope).iter().map(|place| root.join(place)).find(is_it)
    }
}

/// What would come of it. A file that makes no sense is an error, and nothing is planned; of loops it is told in the plan.
pub fn plan(predecessor: Predecessor, request: &Request<'_>) -> Result<Plan, Fault> {
    match predecessor {
        Predecessor::RalphTui => ralph_tui::plan(request),
        Predecessor::OhMyOpencode => Ok(oh_my_opencode::plan(request)),
        Predecessor::ClaudePlugin => Ok(claude_plugin::plan(request)),
        Predecessor::Supercode => Ok(supercode::plan(request)),
        Predecessor::RalphMem => Ok(ralph_mem::plan(request)),
    }
}
