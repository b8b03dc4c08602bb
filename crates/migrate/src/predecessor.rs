//! Whom ralph takes over from.

use std::path::Path;

use crate::fault::Fault;
use crate::plan::Plan;
use crate::ralph_tui;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predecessor {
    RalphTui,
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
    pub const ALL: [Predecessor; 1] = [Predecessor::RalphTui];

    pub fn name(self) -> &'static str {
        match self {
            Predecessor::RalphTui => "ralph-tui",
        }
    }

    /// What it leaves, from the root of the scope.
    pub fn leaves(self, scope: Scope) -> &'static str {
        match (self, scope) {
            (Predecessor::RalphTui, Scope::Project) => ".ralph-tui",
            (Predecessor::RalphTui, Scope::User) => ".config/ralph-tui",
        }
    }

    pub fn is_at(self, scope: Scope, root: &Path) -> bool {
        match self {
            Predecessor::RalphTui => root.join(self.leaves(scope)).is_dir(),
        }
    }
}

/// What would come of it. A file that makes no sense is an error, and nothing is planned.
pub fn plan(predecessor: Predecessor, request: &Request<'_>) -> Result<Plan, Fault> {
    match predecessor {
        Predecessor::RalphTui => ralph_tui::plan(request),
    }
}
