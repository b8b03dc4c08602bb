//! What a loop inside a session needs of its project: settings, checks, the tree. Nobody is ever asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ralph_core::id::{RunId, SessionId};
use ralph_core::in_session::Strategy;
use ralph_core::policy::Signal;
use ralph_core::run::Run;
use ralph_engine::Parts;
use ralph_engine::lock::{LockError, TreeLock};
use ralph_engine::loops::LoopOptions;
use ralph_engine::session::{Provide, Waiting};
use ralph_hosts::arguments::Start;
use ralph_hosts::hooked::beyond;
use ralph_hosts::{Ground, Manner, Original};
use ralph_store::{Register, SqliteStore};
use serde_json::Value;

use crate::criteria::{trusted_checks, without_secrets};
use crate::leash::Leash;
use crate::perform::{Stage, own_program, redactor, staff, unwatched};
use crate::problem::{Problem, Problems};
use crate::project::{Project, store_problem};
use crate::screen::Show;
use crate::settings::flags::{LimitFlags, PromiseFlags};
use crate::settings::{Given, UNLIMITED};
use crate::told_back::ToldBack;
use crate::vault;

/// How long another loop of the same directory may have the tree before it is tried again later.
const PATIENCE: Duration = Duration::from_secs(3);
/// What putting a tree back may take.
const ROLLBACK: Duration = Duration::from_secs(600);

/// How a command says that it failed.
const FAILED: &str = "error: ";

/// A project as a hook finds it.
pub(crate) struct Inside {
    pub(crate) directory: PathBuf,
    pub(crate) store: Arc<SqliteStore>,
    /// What the plugin was configured with.
    pub(crate) options: Option<Value>,
    /// How a person speaks to ralph in the host.
    pub(crate) manner: Manner,
    /// How the host waits.
    pub(crate) waiting: Waiting,
    /// Until when a host waits that starts a command at each event.
    pub(crate) until: Option<Instant>,
    /// What ends this process when it is stuck.
    pub(crate) leash: Option<Leash>,
}

/// Problems in one line, for whoever cannot be shown more.
pub(crate) fn in_a_line(problems: &Problems) -> String {
    let one = |problem: &Problem| {
        let next = match problem.next.as_slice() {
            [] => String::new(),
            hints => format!(" ({})", hints.join("; ")),
        };
        format!("{}{next}", problem.what.replace('\n', " "))
    };
    problems.0.iter().map(one).collect::<Vec<_>>().join("; ")
}

impl Inside {
    /// For a loop that is only written down: no host waits for an answer.
    pub(crate) fn unheard(directory: PathBuf, store: Arc<SqliteStore>) -> Inside {
        let (options, manner) = (None, Manner::default());
        let waiting = Waiting::HoldsBack;
        Inside { directory, store, options, manner, waiting, until: None, leash: None }
    }

    /// The host has its answer.
    pub(crate) fn answered(&self) {
        if let Some(leash) = &self.leash {
            leash.answered();
        }
    }

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

    async fn register(&self, run: &RunId) -> Result<(), String> {
        let project = self.project(Given::default()).map_err(|problems| in_a_line(&problems))?;
        let register = Register::open(&project.state_dir).map_err(|error| store_problem(&error).what)?;
        let recorded = register.record(run, &project.place.root, Timestamp::now()).await;
        recorded.map_err(|error| store_problem(&error).what)
    }

    /// What the original plugin's configuration says, wherever OpenCode looks for it.
    pub(crate) fn configured(directory: &Path) -> Option<Original> {
        configurations(directory).iter().find_map(|file| Original::find(file))
    }

    /// What the settings and the flags make of a loop.
    pub(crate) async fn held_to(&self, flags: Given) -> Result<LoopOptions, Problems> {
        self.options_of(flags).await.map_err(of_a_session)
    }

    async fn options_of(&self, flags: Given) -> Result<LoopOptions, Problems> {
        let project = self.project(flags)?;
        let (place, _, settings) = project.settings(&self.store, false).await?;
        let checks = trusted_checks(&settings, &place.root, &self.store, false).await?;
        without_secrets(&checks, &redactor())?;
        let options = settings.in_session(checks);
        showable(&options, settings.typed_criteria)?;
        Ok(options)
    }
}

/// The flags of a loop are fewer than those of a run: nobody is told of those that there are not.
fn of_a_session(mut problems: Problems) -> Problems {
    for problem in problems.0.iter_mut().filter(|problem| problem.what.starts_with("--")) {
        problem.next.retain(|hint| hint != UNLIMITED);
    }
    problems
}

/// What nobody could ever show in a session is refused before a loop waits for it.
fn showable(options: &LoopOptions, typed_criteria: bool) -> Result<(), Problem> {
    let Some(require) = &options.require else { return Ok(()) };
    let requires = |signal| require.contains(&signal);
    let problem = match () {
        () if requires(Signal::Tracker) => {
            Problem::new("a loop inside a session is in no tracker, so nobody could close its task there")
                .next("leave `tracker` out of `completion.require`")
        }
        () if requires(Signal::Criteria) && !options.criteria.gives_evidence() => {
            Problem::new("criteria are required and there are none")
                .next("name some with --criteria or in [[check]]")
        }
        () if typed_criteria && !requires(Signal::Criteria) => {
            Problem::new("--criteria is given, and criteria are not among what shows that a task is done")
                .next("put `criteria` into `completion.require`, or leave --criteria out")
        }
        () => return Ok(()),
    };
    Err(problem)
}

/// What no host that starts a command at each event could see through is refused for all of them.
pub(crate) fn within_reach(strategy: Strategy, options: &LoopOptions) -> Result<(), Problem> {
    match beyond(strategy, &options.require.clone().unwrap_or_default()) {
        Some(beyond) => Err(Problem::new(beyond.to_string()).next(beyond.hint())),
        None => Ok(()),
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

    fn expect(&self, within: Duration) {
        if let Some(leash) = &self.leash {
            leash.allow(within);
        }
    }

    fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// What is left: whatever was waited for before is part of it.
    fn within(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }
}

impl Ground<SqliteStore> for Inside {
    async fn options(&self, asked: &Start) -> Result<LoopOptions, String> {
        let options = self.held_to(flags(asked)).await.map_err(|problems| in_a_line(&problems))?;
        let strategy = asked.strategy.unwrap_or_default();
        if !self.commands_begin_turns() {
            within_reach(strategy, &options).map_err(|problem| in_a_line(&problem.into()))?;
        }
        Ok(LoopOptions { strategy, replace: asked.replace, ..options })
    }

    /// Every run of the person is found in one place, wherever it lives.
    async fn begun(&self, run: &RunId) {
        if let Err(problem) = self.register(run).await {
            eprintln!("ralph: {}", problem.replace('\n', " "));
        }
    }

    /// The plugin's own options, else those of the project's configuration, else of the user's.
    fn original(&self) -> Option<Original> {
        self.options.as_ref().and_then(Original::of).or_else(|| Inside::configured(&self.directory))
    }

    fn commands_begin_turns(&self) -> bool {
        self.until.is_none()
    }

    fn manner(&self) -> Manner {
        self.manner
    }

    fn refusal(&self, run: &Run) -> Option<String> {
        let place = run.in_session.as_ref().filter(|_| !self.commands_begin_turns())?;
        Some(beyond(place.strategy, &run.policy.completion.require)?.to_string())
    }

    /// By the command that a person would type, so that it is the very same.
    async fn roll_back(&self, run: &RunId) -> Result<String, String> {
        let program = own_program().map_err(|problem| problem.what)?;
        self.expect(ROLLBACK);
        let done = Command::new(program)
            .args(["rollback", "--yes", "--json", "--run", run.as_str()])
            .current_dir(&self.directory)
            .output()
            .map_err(|error| error.to_string())?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match ToldBack::read(&done.stdout) {
            Some(told) => told.told(run),
            None => Err(failure(&said(&done.stderr))),
        }
    }

    fn keep_summary(&self, folder: &str, session: &SessionId, summary: &str) -> Result<(), String> {
        let project = self.project(Given::default()).map_err(|problems| in_a_line(&problems))?;
        let path = Path::new(folder).join(session.as_str()).join("ralph_summary.md");
        let text = redactor().text(summary).into_owned();
        let chronicle = ralph_chronicle::Chronicle::of(&project.place.root);
        chronicle.keep(&path, &text).map_err(|error| ralph_engine::chain(&error))
    }
}

/// What a command of ralph's failed for and what it advises, in a line, from what it printed.
fn failure(printed: &str) -> String {
    let from = printed.find(FAILED).map_or(0, |at| at + FAILED.len());
    let lines = printed[from..].lines().map(str::trim);
    let told = lines.filter(|line| !line.is_empty() && !line.starts_with("-->"));
    let worded = told.map(|line| match line.strip_prefix("next: ") {
        Some(next) => format!("({next})"),
        None => line.to_owned(),
    });
    worded.collect::<Vec<_>>().join(" ")
}

/// Where OpenCode looks: upwards to the root of the repository, then where the environment says, then the user's own.
fn configurations(directory: &Path) -> Vec<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let named = |dir: PathBuf| ["opencode.json", "opencode.jsonc"].map(|name| dir.join(name));
    let versioned = directory.ancestors().position(|dir| dir.join(".git").exists());
    let upwards = directory.ancestors().take(versioned.map_or(1, |at| at + 1));
    let project = upwards.flat_map(|dir| [dir.to_owned(), dir.join(".opencode")]).flat_map(named);
    let user = user.into_iter().map(|dir| dir.join("opencode")).flat_map(named);
    project.chain(absolute("OPENCODE_CONFIG")).chain(user).collect()
}
