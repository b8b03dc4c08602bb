//! For whom a note is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::TaskId;

/// A note begins in its task's scope, where nobody else sees it, and is promoted from there: to the project when the
/// task is completed, to all projects when a person says so.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scope", rename_all = "snake_case")]
pub enum Scope {
    Task { task: TaskId },
    Project,
    Global,
}

impl Scope {
    pub fn name(&self) -> &'static str {
        match self {
            Scope::Task { .. } => "task",
            Scope::Project => "project",
            Scope::Global => "global",
        }
    }

    /// Notes only ever go up.
    pub fn can_become(&self, wider: &Scope) -> bool {
        self.width() < wider.width()
    }

    fn width(&self) -> u8 {
        match self {
            Scope::Task { .. } => 0,
            Scope::Project => 1,
            Scope::Global => 2,
        }
    }
}
