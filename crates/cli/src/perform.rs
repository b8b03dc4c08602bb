//! Wires a run's parts together, drives it, and shows it: what `run`, `resume` and `demo` share.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ralph_agents::acp::Relay;
use ralph_agents::opencode::{Login, ServerRelay};
use ralph_agents::{Relays, Staff};
use ralph_core::redact::Redactor;
use ralph_core::run::Run;
use ralph_engine::custody::{CgroupUse, GuardOptions};
use ralph_engine::environment::Variables;
use ralph_engine::lock::{LockError, TreeLock};
use ralph_engine::output::Caps;
use ralph_engine::sandbox::Confiner;
use ralph_engine::{
    Appetite, Briefing, Chronicling, EngineError, Extracting, Guard, Hook, Librarian, Parts, Place,
    Remembering, Tracking, Urgency, chain, drive, environment, feed,
};
use ralph_memory::{Allowance, Measure};
use ralph_snapshot::{Keep, Vault};
use ralph_store::SqliteStore;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::commands::{acp, confine, guard, opencode};
use crate::library::library;
use crate::problem::{self, Problem, Problems};
use crate::project::store_problem;
use crate::screen::{Show, show};
use crate::settings::{CustodyChoice, Loaded, Settings, excludes_file};
use crate::toasts::Toasts;
use crate::{advice, desk, follow, memory, messages, summary, vault, vectors, worktree};

/// What a screen gets to show the end of a run that was aborted.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A reader that takes nothing for this long once the run is over is not waited for: it is all in the journal.
const STANDSTILL: Duration = Duration::from_secs(5);

/// What a run needs beside itself.
pub(crate) struct Stage {
    pub(crate) place: Place,
    pub(crate) state_dir: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) store: Arc<SqliteStore>,
    /// None where nothing in the tree is looked at.
    pub(crate) lock: Option<TreeLock>,
    pub(crate) staff: Staff,
    pub(crate) redactor: Redactor,
    pub(crate) how: Show,
    /// Where the tree is kept; none where that is not wanted or not possible.
    pub(crate) vault: Option<Arc<Vault>>,
    /// What words the briefs; none for ralph's own plain words.
    pub(crate) briefing: Option<Box<dyn Briefing>>,
    /// Where the backlog is kept; none for a prompt.
    pub(crate) tracking: Option<Tracking>,
}

/// Drives the run to its end and answers with its exit code.
pub(crate) async fn perform(
    stage: Stage,
    run: Run,
    begun: Vec<ralph_core::event::Entry>,
) -> Result<Run, Problems> {
    let (mut feed, watch) = feed(stage.how.appetite());
    let adopted = run.crew.candidates().iter().find_map(|member| stage.staff.adopted(member));
    let toasts = adopted.and_then(|server| Toasts::at(&server, &stage.place.root));
    let (shown, last) = show(watch, stage.how, toasts);
    feed.begin(begun);
    let urgency = listen_to_signals()?;
    let mut pressing = urgency.clone();
    let (id, place, store) = (run.id.clone(), stage.place.clone(), stage.store.clone());
    let retention = vault::retention(&stage.store, &stage.settings.snapshots).await?;
    let chronicling = messages::chronicling(&run, &stage.place)?;
    let measure = stage.settings.vectors.as_ref().and_then(|wish| vectors::of_run(wish, &stage.state_dir));
    let mut parts = parts(stage, measure, retention, chronicling, feed, urgency)?;
    // Whoever writes an issue writes a part of the brief: its agent does not hold the key to all of them.
    let token = run.agenda.as_ref().and_then(|agenda| desk::token(&agenda.source));
    parts.environment.retain(|(name, _)| token.is_none_or(|token| name != token));
    let outcome = drive(parts, run).await;
    if let Ok(run) = &outcome {
        let journal = follow::journal(&store, &id).await.unwrap_or_default();
        let summary = summary::table(&journal);
        let advice = advice::told(run, &advice::advice(run, &journal, &place));
        for text in summary.into_iter().chain(advice).chain(worktree::parting(&place)) {
            let _screen_went_away = last.send(text);
        }
    }
    drop(last);
    leave_screen(shown, &mut pressing).await;
    outcome.map_err(|error| engine_problem(&error, &id).into())
}

/// Lets everything be shown to a reader that takes it. Someone who has asked to end does not wait for one that is slow.
async fn leave_screen(mut shown: watch::Receiver<u64>, urgency: &mut watch::Receiver<Urgency>) {
    let pressed = async {
        if urgency.wait_for(|now| *now > Urgency::None).await.is_ok() {
            tokio::time::sleep(LAST_WORDS).await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    let taken = async { while let Ok(Ok(())) = tokio::time::timeout(STANDSTILL, shown.changed()).await {} };
    tokio::select! {
        () = taken => {}
        () = pressed => {}
    }
}

/// The parts of a run that nobody watches.
pub(crate) async fn unwatched(stage: Stage, run: &Run) -> Result<Parts<SqliteStore>, Problems> {
    let (feed, _nobody) = feed(Appetite::Glimpses);
    let retention = vault::retention(&stage.store, &stage.settings.snapshots).await?;
    let chronicling = messages::chronicling(run, &stage.place)?;
    // Signals are not for the loop, which outlives the process.
    let (_nobody_presses, urgency) = watch::channel(Urgency::None);
    // Nobody waits in a hook for what notes mean.
    parts(stage, None, retention, chronicling, feed, urgency)
}

fn parts(
    stage: Stage,
    measure: Option<Arc<dyn Measure>>,
    retention: Keep,
    chronicling: Chronicling,
    feed: ralph_engine::Feed,
    urgency: watch::Receiver<Urgency>,
) -> Result<Parts<SqliteStore>, Problems> {
    let program = own_program()?;
    let settings = stage.settings;
    let apart = memory::apart(&stage.place)?.map(Arc::new);
    let notes = Some(apart.as_ref().unwrap_or(&stage.store).clone());
    let librarian =
        library(&stage.place, &stage.state_dir, notes, stage.redactor.clone(), measure.clone(), None);
    let memory = remembering(&settings, &stage.state_dir, &stage.place, apart, measure);
    let librarian: Option<Arc<dyn Librarian>> = memory.is_some().then(|| Arc::new(librarian) as _);
    Ok(Parts {
        store: stage.store,
        place: stage.place,
        roster: Box::new(stage.staff),
        redactor: stage.redactor,
        caps: Caps { head: settings.output.head, tail: settings.output.tail, ..Caps::default() },
        environment: inherited(&settings),
        confiner: Confiner {
            program: program.clone(),
            args: vec![confine::NAME.into()],
            hidden: stage.state_dir,
        },
        guard: Guard {
            program,
            args: vec![guard::NAME.into()],
            lock: stage.lock,
            cgroup: cgroup(settings.agent.custody),
        },
        hooks: hooks(&settings),
        vault: stage.vault,
        briefing: stage.briefing,
        tracking: stage.tracking,
        memory,
        chronicling,
        retention,
        rescue: rescue_places(),
        librarian,
        feed,
        attended: stage.how.is_watched(),
        urgency,
    })
}

/// What a run remembers with; none where that is not wanted.
fn remembering(
    settings: &Settings,
    state_dir: &Path,
    place: &Place,
    project: Option<Arc<SqliteStore>>,
    measure: Option<Arc<dyn Measure>>,
) -> Option<Remembering<SqliteStore>> {
    let wish = settings.memory.clone();
    if !wish.enabled {
        return None;
    }
    let variables = std::env::vars_os().collect();
    Some(Remembering {
        project,
        global: memory::global(state_dir).map(Arc::new),
        measure,
        allowance: Allowance { tokens: wish.budget.get(), ..Allowance::default() },
        holdout: wish.holdout.share(),
        tools: wish.tools,
        asks: wish.questions,
        extracting: wish.extract.map(|(by, tokens)| Extracting { by, tokens: tokens.get() }),
        excludes_file: excludes_file(&variables, &place.root),
    })
}

/// A guard for what is started outside of any run.
pub(crate) fn bare_guard(purpose: &str) -> Result<GuardOptions, Problem> {
    let program = std::env::current_exe()
        .map_err(|error| Problem::new(format!("cannot find ralph's own program: {error}")).exit(1))?;
    Ok(GuardOptions {
        program,
        args: vec![guard::NAME.into()],
        run: format!("{purpose}-{}", std::process::id()),
        lock: None,
        cgroup: CgroupUse::Auto,
    })
}

/// What agents and hooks inherit.
pub(crate) fn inherited(settings: &Settings) -> Variables {
    environment::inherited(std::env::vars_os(), &settings.agent.env_exclude)
}

pub(crate) fn hooks(settings: &Settings) -> Vec<Hook> {
    settings.hooks.iter().map(hook).collect()
}

pub(crate) fn hook(hook: &crate::settings::Hook) -> Hook {
    let mut words = hook.action.words().into_iter();
    Hook {
        name: hook.name.clone(),
        on: hook.on.iter().map(|event| (*event).to_owned()).collect(),
        program: words.next().expect("a hook's command is never empty").into(),
        args: words.map(Into::into).collect(),
        timeout: hook.timeout,
        veto: hook.veto,
    }
}

pub(crate) fn cgroup(choice: CustodyChoice) -> CgroupUse {
    match choice {
        CustodyChoice::Auto => CgroupUse::Auto,
        CustodyChoice::Subreaper => CgroupUse::Never,
    }
}

fn rescue_places() -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    runtime.into_iter().chain([std::env::temp_dir()]).collect()
}

/// Whether this was started by `nohup`: then the end of a session is none of its business.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (SignalKind::hangup().as_raw_value() - 1)) != 0
}

/// SIGINT, SIGTERM and SIGHUP.
pub(crate) fn signals() -> Result<Vec<Signal>, Problem> {
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !hangup_is_ignored() {
        kinds.push(SignalKind::hangup());
    }
    let listened: std::io::Result<Vec<Signal>> = kinds.into_iter().map(signal).collect();
    listened.map_err(|error| Problem::new(format!("cannot listen to signals: {error}")).exit(1))
}

/// The first of them aborts, the second kills.
fn listen_to_signals() -> Result<watch::Receiver<Urgency>, Problems> {
    let (pressing, urgency) = watch::channel(Urgency::None);
    for mut signals in signals()? {
        let pressing = pressing.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                pressing.send_modify(|now| {
                    *now = match now {
                        Urgency::None => Urgency::Abort,
                        Urgency::Abort | Urgency::Kill => Urgency::Kill,
                    }
                });
            }
        });
    }
    Ok(urgency)
}

/// The agents there are, with programs looked up from `base`.
pub(crate) fn staff(loaded: &Loaded, base: &std::path::Path) -> Result<Staff, Problems> {
    let (catalogue, prices) = loaded.agents()?;
    let search_path = std::env::var("PATH").unwrap_or_default();
    let (program, permissions) = (own_program()?, loaded.merged.permissions());
    let relays = Relays {
        acp: Relay { program: program.clone(), args: vec![acp::NAME.into()], permissions },
        opencode: ServerRelay { program, args: vec![opencode::NAME.into()], permissions, is_looking: false },
        attach: loaded.merged.opencode.attach.as_ref().map(|set| set.value.clone()),
        login: login(),
    };
    Ok(Staff::new(catalogue, prices, base.to_owned(), search_path, relays))
}

/// How an OpenCode server is entered, which stands on no command line.
pub(crate) fn login() -> Option<Login> {
    Login::from_environment(|name| std::env::var(name).ok())
}

pub(crate) fn own_program() -> Result<PathBuf, Problem> {
    std::env::current_exe()
        .map_err(|error| Problem::new(format!("cannot find ralph's own program: {error}")).exit(1))
}

/// Every secret that this process can know of. Its environment never changes, so one is made.
pub(crate) fn redactor() -> Redactor {
    static MADE: OnceLock<Redactor> = OnceLock::new();
    let words = |(name, value): (OsString, OsString)| {
        (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
    };
    MADE.get_or_init(|| Redactor::new(std::env::vars_os().map(words))).clone()
}

pub(crate) fn lock_problem(error: &LockError) -> Problem {
    match error {
        LockError::Held(Some(owner)) => Problem::new(error.to_string())
            .next(format!("watch it: `ralph logs {} --follow`", owner.run))
            .next(format!("or end it: `ralph stop {}`", owner.run)),
        LockError::Held(None) => Problem::new(error.to_string()).next("`ralph status` shows what it does"),
        LockError::Io { .. } => Problem::new(chain(error))
            .next("make that place writable, or set XDG_STATE_HOME to one that is")
            .exit(1),
    }
}

fn engine_problem(error: &EngineError, run: &ralph_core::id::RunId) -> Problem {
    match error {
        EngineError::Store(error) => store_problem(error),
        EngineError::StateLost { path, .. } => Problem::new(chain(error))
            .at(problem::Place::from(path.clone()))
            .next("the agent was ended; put the directory back from a backup, or start anew with `ralph run`")
            .exit(1),
        EngineError::Custody(_)
        | EngineError::Output(_)
        | EngineError::Snapshot(_)
        | EngineError::NoSnapshots
        | EngineError::Desk(_)
        | EngineError::NoTracker
        | EngineError::CutOff
        | EngineError::Write { .. }
        | EngineError::ShareLock { .. }
        | EngineError::Pipe { .. }
        | EngineError::StateVanished { .. } => {
            Problem::new(chain(error)).next(format!("once that is mended: `ralph resume {run}`")).exit(1)
        }
    }
}
