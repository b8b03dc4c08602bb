//! What happens in the sessions of hosts, told to the user's own hooks.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use ralph_core::id::RunId;
use ralph_core::note::Used;
use ralph_core::sessions::{Role, What};
use ralph_engine::{Announcing, Hook, announce, deliver_due};
use ralph_store::{Seat, SqliteStore};
use serde_json::{Value, json};

use crate::commands::guard;
use crate::inside::in_a_line;
use crate::perform::{cgroup, hooks, inherited, own_program, redactor};
use crate::problem::Problems;
use crate::project::Project;
use crate::settings::Given;

/// How much of what was said is told.
const LONGEST: usize = 16_000;

/// An event of a host as hooks know it.
pub(crate) struct Lifecycle {
    name: &'static str,
    more: Value,
}

impl Lifecycle {
    pub(crate) fn started(source: &str) -> Lifecycle {
        Lifecycle { name: "session_start", more: json!({ "source": source }) }
    }

    /// None where it is nothing that hooks are told of.
    pub(crate) fn of(what: &What, used: Option<&Used>) -> Option<Lifecycle> {
        let (name, more) = match what {
            What::Said { role: Role::User, content, .. } => {
                ("user_prompt_submit", json!({ "prompt": content }))
            }
            What::Said { role: Role::Assistant, content, .. } => ("stop", json!({ "message": content })),
            What::Idle => ("stop", json!({ "message": null })),
            What::Tool { name } => {
                let Used { command, file, exit_code, error, .. } = used.cloned().unwrap_or_default();
                let more = json!({
                    "tool": name, "command": command, "file": file, "exit_code": exit_code, "error": error,
                });
                ("post_tool_use", more)
            }
            What::Ended => ("session_end", json!({})),
            What::Seen | What::Interrupted | What::Error { .. } => return None,
        };
        Some(Lifecycle { name, more })
    }

    /// Whether anybody wants to know; no more is done where nobody does.
    pub(crate) fn is_wanted(&self, project: &Project) -> bool {
        project.loaded.merged.hooks.iter().any(|set| set.value.on.contains(self.name))
    }

    /// Calls the hooks, each within its own time and all of them within this one. What goes wrong is a line on standard
    /// error, for nothing depends on it.
    pub(crate) async fn announce(
        self,
        directory: &Path,
        store: &SqliteStore,
        seat: &Seat,
        run: Option<RunId>,
        within: Duration,
    ) {
        let Some(own) = Own::at(directory, store).await else { return };
        let redactor = redactor();
        let mut payload = json!({
            "type": self.name, "at": Timestamp::now(), "host": seat.host, "session": seat.session,
        });
        for (name, told) in self.more.as_object().into_iter().flatten() {
            payload[name] = match told {
                Value::String(text) => {
                    Value::from(redactor.text(text).chars().take(LONGEST).collect::<String>())
                }
                other => other.clone(),
            };
        }
        let announcing = Announcing { run, ..own.announcing };
        for complaint in announce(&own.hooks, self.name, &payload, announcing, within).await {
            eprintln!("ralph: {complaint}");
        }
    }
}

/// The user's hooks, where no run is driven, and what they are started with.
pub(crate) struct Own {
    pub(crate) hooks: Vec<Hook>,
    announcing: Announcing,
}

impl Own {
    /// How long a command that a person waits for lets them take.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

    /// None where there are none. Why they cannot be called is a line on standard error.
    pub(crate) async fn at(directory: &Path, store: &SqliteStore) -> Option<Own> {
        Own::try_at(directory, store).await.unwrap_or_else(|problems| {
            eprintln!("ralph: no hook is called: {}", in_a_line(&problems));
            None
        })
    }

    async fn try_at(directory: &Path, store: &SqliteStore) -> Result<Option<Own>, Problems> {
        let project = Project::at(directory, Given::default())?;
        if project.loaded.merged.hooks.is_empty() {
            return Ok(None);
        }
        let (place, _, settings) = project.settings(store, false).await?;
        let announcing = Announcing {
            program: own_program()?,
            args: vec![guard::NAME.into()],
            cgroup: cgroup(settings.agent.custody),
            root: place.root,
            environment: inherited(&settings),
            redactor: redactor(),
            run: None,
        };
        Ok(Some(Own { hooks: hooks(&settings), announcing }))
    }

    /// Calls them for what was written down of loops meanwhile. What does not fit into this time, the next one who
    /// drives a run does.
    pub(crate) async fn deliver(self, store: Arc<SqliteStore>, within: Duration) {
        for complaint in deliver_due(store, self.hooks, self.announcing, within).await {
            eprintln!("ralph: {complaint}");
        }
    }
}
