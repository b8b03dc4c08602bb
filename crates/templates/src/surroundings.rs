//! What is known around a run beyond the run itself.

use ralph_core::Timestamp;
use ralph_core::backlog::Item;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// Where the agent works.
    pub cwd: String,
    pub now: Timestamp,
    /// The tracker's name; none for a plain prompt.
    pub tracker: Option<String>,
    /// The task as its tracker has it; none for a plain prompt.
    pub item: Option<Item>,
    /// What the item belongs to.
    pub epic: Option<Item>,
    pub prd: Option<Prd>,
    pub recent_progress: String,
    pub codebase_patterns: String,
    /// Why it is this task's turn.
    pub selection_reason: String,
    pub beads_db: String,
    pub auto_commit: bool,
    pub memory: String,
    pub gotchas: String,
    pub symbols: String,
    /// How the agent puts down what it learns.
    pub writing: String,
}

/// What all tasks of a backlog are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prd {
    pub name: String,
    pub description: String,
    pub content: String,
    pub completed: usize,
    pub total: usize,
}

impl Surroundings {
    /// Those of a plain prompt of which nothing else is known.
    pub fn new(cwd: impl Into<String>, now: Timestamp) -> Surroundings {
        Surroundings {
            cwd: cwd.into(),
            now,
            tracker: None,
            item: None,
            epic: None,
            prd: None,
            recent_progress: String::new(),
            codebase_patterns: String::new(),
            selection_reason: String::new(),
            beads_db: String::new(),
            auto_commit: false,
            memory: String::new(),
            gotchas: String::new(),
            symbols: String::new(),
            writing: String::new(),
        }
    }
}
