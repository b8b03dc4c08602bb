//! What a loop inside a session needs of its project: settings, checks, the tree. Nobody is ever asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ralph_core::id::{RunId, SessionId};
use ralph_core::in_session::Strategy;
use ralph_core::run::Run;
use ralph_engine::Parts;
use ralph_engine::lock::{LockError, TreeLock};
use ralph_engine::loops::LoopOptions;
use ralph_engine::session::Provide;
use ralph_hosts::arguments::Start;
use ralph_hosts::{Ground, Original};
use ralph_store::SqliteStore;
use serde_json::Value;

use crate::criteria::{trusted_checks, without_secrets};
use crate::perform::{Stage, own_program, redactor, staff, unwatched};
use crate::problem::{Problem, Problems};
use crate::project::Project;
use crate::screen::Show;
use crate::settings::Given;
use crate::settings::flags::{LimitFlags, PromiseFlags};
use crate::vault;

/// How long another loop of the same directory may have the tree before it is tried again later.
const PATIENCE: Duration = Duration::from_secs(3);

/// A project as a hook finds it.
pub(crate) struct Inside {
    pub(crate) directory: PathBuf,
    pub(crate) store: Arc<SqliteStore>,
    /// What the plugin was configured with.
    pub(crate) options: Option<Value>,
    /// How long a host waits that starts a command at each event.
    pub(crate) within: Option<Duration>,
}

/// Problems in one line, for whoever cannot be shown more.
pub(crate) fn in_a_line(problems: &Problems) -> String {
    let one = |problem: &Problem| {
        let next = problem.next.first().map_or(String::new(), |next| format!(" ({next})"));
        format!("{}{next}", problem.what.replace('\n', " "))
    };
    problems.0.iter().map(one).collect::<Vec<_>>().join("; ")
}

impl Inside {
    fn project(&self, flags: Given) -> Result<Project, Problems> {
        Project::at(&self.directory, flags)
    }

    async fn ready(&self, run: &Run) -> Result<Option<Parts<SqliteStore>>, Problems> {
        let project = self.project(Given::default())?;
        let staff = staff(&project.loaded, &project.place.root)?;
        let (place, state_dir, settings) = project.settings(&self.store, false).await?;
        let lock = match TreeLock::acquire_within(PATIENCE, &place.root, &place.owner_file(), &run.id) {
            Ok(lock) => Some(lock),
            Err(LockError::Held(_)) if run.policy.verification.gives_evidence() => return Ok(None),
            // Whoever has the tree was let in beside this loop, which looks at nothing in it.
            Err(LockError::Held(_)) => None,
            Err(error) => return Err(crate::perform::lock_problem(&error).into()),
        };
        let vault = if lock.is_some() { vault::wanted(&place, &settings.snapshots)? } else { None };
        let stage = Stage {
            place,
            state_dir,
            settings,
            store: self.store.clone(),
            lock,
            staff,
            redactor: redactor(),
            how: Show::Json,
            vault,
            briefing: None,
            tracking: None,
        };
        Ok(Some(unwatched(stage, run).await?))
    }

    /// What the original plugin's configuration says, wherever OpenCode looks for it.
    pub(crate) fn configured(directory: &Path) -> Option<Original> {
        configurations(directory).iter().find_map(|file| Original::find(file))
    }

    /// What the settings and the flags make of a loop.
    pub(crate) async fn held_to(&self, flags: Given) -> Result<LoopOptions, Problems> {
        let project = self.project(flags)?;
        let (place, _, settings) = project.settings(&self.store, false).await?;
        let checks = trusted_checks(&settings, &place.root, &self.store, false).await?;
        without_secrets(&checks, &redactor())?;
        Ok(settings.in_session(checks))
    }
}

/// The flags of a loop, as the configuration file would say it.
pub(crate) fn flags(start: &Start) -> Given {
    let mut given = Given::default();
    let promise = PromiseFlags {
        promise: start.promise.clone(),
        criteria: start.criteria.clone(),
        no_nonce: start.bare_word,
        ..PromiseFlags::default()
    };
    promise.add_to(&mut given);
    let limits = LimitFlags { max_iterations: start.max_iterations.clone(), ..LimitFlags::default() };
    limits.add_to(&mut given);
    given
}

impl Provide<SqliteStore> for Inside {
    async fn parts(&self, run: &Run) -> Result<Option<Parts<SqliteStore>>, String> {
        self.ready(run).await.map_err(|problems| in_a_line(&problems))
    }

    /// What the checks may take, and never longer than the host waits.
    fn deadline(&self, run: &Run) -> Duration {
        let checks = run.policy.verification.checks.iter().map(|check| check.timeout);
        let checks = checks.sum::<Duration>() + Duration::from_secs(30);
        self.within.map_or(checks, |within| checks.min(within))
    }
}

impl Ground<SqliteStore> for Inside {
    async fn options(&self, asked: &Start) -> Result<LoopOptions, String> {
        let options = self.held_to(flags(asked)).await.map_err(|problems| in_a_line(&problems))?;
        let strategy = asked.strategy.unwrap_or_default();
        if strategy != Strategy::Continue && !self.commands_begin_turns() {
            let given = strategy.name();
            return Err(format!(
                "this host cannot put a new session in place of one, as `--strategy {given}` asks"
            ));
        }
        Ok(LoopOptions { strategy, replace: asked.replace, ..options })
    }

    /// The plugin's own options, else those of the project's configuration, else of the user's.
    fn original(&self) -> Option<Original> {
        self.options.as_ref().and_then(Original::of).or_else(|| Inside::configured(&self.directory))
    }

    fn commands_begin_turns(&self) -> bool {
        self.within.is_none()
    }

    /// By the command that a person would type, so that it is the very same.
    async fn roll_back(&self, run: &RunId) -> Result<String, String> {
        let program = own_program().map_err(|problem| problem.what)?;
        let done = Command::new(program)
            .args(["rollback", "--yes", "--run", run.as_str()])
            .current_dir(&self.directory)
            .output()
            .map_err(|error| error.to_string())?;
        let last = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).trim().lines().last().unwrap_or_default().to_owned()
        };
        if done.status.success() { Ok(last(&done.stdout)) } else { Err(last(&done.stderr)) }
    }

    fn keep_summary(&self, folder: &str, session: &SessionId, summary: &str) -> Result<(), String> {
        let project = self.project(Given::default()).map_err(|problems| in_a_line(&problems))?;
        let path = Path::new(folder).join(session.as_str()).join("ralph_summary.md");
        let text = redactor().text(summary).into_owned();
        let chronicle = ralph_chronicle::Chronicle::of(&project.place.root);
        chronicle.keep(&path, &text).map_err(|error| ralph_engine::chain(&error))
    }
}

fn configurations(directory: &Path) -> Vec<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let dirs =
        [Some(directory.to_owned()), Some(directory.join(".opencode")), user.map(|dir| dir.join("opencode"))];
    let named = |dir: PathBuf| ["opencode.json", "opencode.jsonc"].map(|name| dir.join(name));
    dirs.into_iter().flatten().flat_map(named).collect()
}
