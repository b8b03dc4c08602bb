//! Whether completed tasks are committed, and how.

use schemars::JsonSchema;

use super::origin::Set;
use super::raw::Raw;
use super::reader::Reader;
use super::value::{Refused, plain};

const MESSAGE: &str = "{{taskId}}: {{taskTitle}}";

/// What becomes of the changes of a completed task; only for runs over a backlog.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CommitPart {
    /// Whether each completed task is committed: the files it changed, and nothing else. The repository's own hooks run.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(crate) auto_commit: Option<Set<bool>>,
    /// The message, a template with the variables that briefs have (`ralph template vars`).
    #[schemars(with = "Option<String>", extend("default" = MESSAGE))]
    pub(crate) message: Option<Set<String>>,
    /// Whether tasks are committed although files were uncommitted when the run began; what a task changes in such a
    /// file is committed with what was there.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(crate) allow_dirty: Option<Set<bool>>,
}

impl CommitPart {
    pub(super) fn take(from: &mut Reader<'_>) -> CommitPart {
        CommitPart {
            auto_commit: from.take("commit", "auto_commit", plain::boolean),
            message: from.take("commit", "message", message),
            allow_dirty: from.take("commit", "allow_dirty", plain::boolean),
        }
    }

    pub(super) fn over(self, lower: CommitPart) -> CommitPart {
        CommitPart {
            auto_commit: self.auto_commit.or(lower.auto_commit),
            message: self.message.or(lower.message),
            allow_dirty: self.allow_dirty.or(lower.allow_dirty),
        }
    }

    pub(super) fn defaults() -> CommitPart {
        CommitPart {
            auto_commit: Set::default(false),
            message: Set::default(MESSAGE.to_owned()),
            allow_dirty: Set::default(false),
        }
    }
}

fn message(raw: &Raw) -> Result<String, Refused> {
    let text = plain::text(raw, "a template")?;
    if text.trim().is_empty() {
        return Err(Refused::new("the message is empty", format!("write a template such as \"{MESSAGE}\"")));
    }
    Ok(text.to_owned())
}
