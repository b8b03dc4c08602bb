//! `ralph run`.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use ralph_agents::Staff;
use ralph_core::agenda::Agenda;
use ralph_core::agent_event::Detail;
use ralph_core::crew::Crew;
use ralph_core::event::Event;
use ralph_core::id::RunId;
use ralph_core::moment::Moment;
use ralph_core::policy::{Policy, Signal};
use ralph_core::promise::contains_literal_tag;
use ralph_core::redact::Redactor;
use ralph_core::run::{Request, Run};
use ralph_core::task::Task;
use ralph_engine::lock::TreeLock;
use ralph_engine::{Place, Tracking, deliveries};
use ralph_store::{Register, SqliteStore, Store, StoreError, Unfinished, settle};

use super::Outcome;
use crate::backlog::{Consent, FilterFlags, TrackerFlags};
use crate::briefing;
use crate::crew::{check, crew};
use crate::criteria::{protects_something, trusted_checks, without_secrets};
use crate::desk;
use crate::judge;
use crate::models::{self, Asking};
use crate::onlookers::Onlookers;
use crate::perform::{Stage, hooks, inherited, lock_problem, perform, redactor, staff};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::prompt::{self, Prompt};
use crate::sandbox::Ground;
use crate::screen::Show;
use crate::settings::Given;
use crate::settings::flags::{
    AgentFlags, CommitFlags, LimitFlags, PromiseFlags, SandboxFlags, SnapshotFlags,
};
use crate::{messages, servers, vault};

/// Keep an agent at a prompt or a backlog until it is done, a limit is reached, or you stop it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph run \"fix the failing tests\" --agent-command 'my-agent --yes' --max-iterations 10
  ralph run - < prompt.md                      the prompt from standard input
  ralph run \"port this\" --file src/old.c --max-duration 2h --json
  ralph run                                    the backlog that is there: `ralph tasks` shows it
  ralph run --prd TODO.md --label ui --max-iterations-per-task 5

The first Ctrl-C, SIGTERM or SIGHUP ends the agent and stops the run, which can be resumed; the second
kills it at once. Under `nohup` SIGHUP is ignored.")]
pub(crate) struct Args {
    /// What the agent is to do; `-` reads it from standard input. Without it, the tasks of a backlog
    prompt: Option<String>,

    /// Attach a file; may be repeated. Small texts are put into the prompt, other files are named, and handed over to
    /// agents that take files
    #[arg(long = "file", value_name = "PATH", requires = "prompt")]
    files: Vec<PathBuf>,

    /// The prompt's priority, for the routes of the configuration: 0, the most urgent, to 4
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=4), requires = "prompt")]
    priority: Option<u8>,

    #[command(flatten)]
    tracker: TrackerFlags,
    #[command(flatten)]
    filter: FilterFlags,

    #[command(flatten)]
    agent: AgentFlags,
    #[command(flatten)]
    promise: PromiseFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    sandbox: SandboxFlags,
    #[command(flatten)]
    snapshots: SnapshotFlags,
    #[command(flatten)]
    commit: CommitFlags,

    /// Leave an unfinished run of this directory behind and start a new one
    #[arg(long)]
    new: bool,

    /// Run beside a loop that goes on in a session of a host, in the same files
    #[arg(long)]
    force: bool,

    /// Use what the project's files ask to run, without `ralph trust`
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    show: ShowFlags,
}

/// How a run is shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ShowFlags {
    /// Print every event as one JSON object per line
    #[arg(long)]
    json: bool,

    /// Show what the agent says and does: at least `--detail moderate`
    #[arg(long, short, conflicts_with = "json")]
    verbose: bool,

    /// How much of the agent's work is shown: its sub-agents and troubles (minimal), also what it says
    /// and does (moderate), everything (full)
    #[arg(long, value_name = "LEVEL", value_parser = level(), conflicts_with_all = ["json", "verbose"])]
    detail: Option<Detail>,
}

/// The levels of detail, for a flag.
pub(crate) fn level() -> impl TypedValueParser<Value = Detail> {
    let names = PossibleValuesParser::new(Detail::ALL.map(Detail::name));
    names.map(|name| Detail::parse(&name).expect("a possible value is a level"))
}

impl ShowFlags {
    /// `set` is what the settings say.
    pub(crate) fn how(self, set: Option<Detail>) -> Show {
        let least = if self.verbose { Detail::Moderate } else { Detail::Off };
        let otherwise = set.unwrap_or(Detail::Minimal).max(least);
        if self.json { Show::Json } else { Show::People { detail: self.detail.unwrap_or(otherwise) } }
    }
}

pub(crate) fn run(args: Args) -> Outcome {
    let mut flags = Given::default();
    args.agent.add_to(&mut flags);
    args.promise.add_to(&mut flags);
    args.limits.add_to(&mut flags);
    args.sandbox.add_to(&mut flags);
    args.snapshots.add_to(&mut flags);
    args.commit.add_to(&mut flags);
    let project = Project::here(flags)?;
    let redactor = redactor();
    let work = work(&args, &redactor)?;
    block_on(start(args, project, work, redactor))
}

/// What a run begins with.
struct ToDo {
    task: Task,
    agenda: Option<Agenda>,
    template: Option<String>,
    notices: Vec<String>,
}

/// What a run is given to do.
enum Work {
    Prompt(Box<Prompt>),
    Backlog(Box<desk::Begun>),
}

fn work(args: &Args, redactor: &Redactor) -> Result<Work, Problems> {
    let Some(given) = &args.prompt else {
        let consent = if args.yes { Consent::Given } else { Consent::AsGranted };
        return Ok(Work::Backlog(Box::new(desk::begin(&args.tracker, &args.filter, consent)?)));
    };
    if args.tracker.is_given() || args.filter.chooses() {
        let problem = Problem::new("a prompt is no task of a backlog");
        return Err(problem
            .next("leave out the prompt to work on the backlog, or the flags that choose from it")
            .into());
    }
    let (text, files) = prompt::read(given, &args.files)?;
    let mut prompt = prompt::redacted(&text, redactor);
    prompt.task.files = files;
    prompt.task.labels = args.filter.label.iter().map(|label| redactor.text(label).into_owned()).collect();
    prompt.task.priority = args.priority;
    Ok(Work::Prompt(Box::new(prompt)))
}

impl Work {
    /// What goes into the run, and where its backlog is kept.
    fn begin(self, place: &Place, redactor: &Redactor) -> Result<(ToDo, Option<Tracking>), Problems> {
        match self {
            Work::Prompt(prompt) => {
                let Prompt { task, notices } = *prompt;
                Ok((ToDo { task, agenda: None, template: None, notices }, None))
            }
            Work::Backlog(begun) => {
                let clean = |text: &str| redactor.text(text).into_owned();
                let to_do = ToDo {
                    task: Task::backlog(&clean(&begun.title)),
                    agenda: Some(begun.agenda.clone()),
                    template: None,
                    notices: begun.notices.iter().map(|notice| clean(notice)).collect(),
                };
                Ok((to_do, Some(begun.tracking(place)?)))
            }
        }
    }

    /// The kind of tracker, for a backlog.
    fn tracker(&self) -> Option<&str> {
        match self {
            Work::Prompt(_) => None,
            Work::Backlog(begun) => Some(&begun.agenda.source.tracker),
        }
    }

    fn open_tasks(&self) -> Option<NonZeroU32> {
        match self {
            Work::Prompt(_) => None,
            Work::Backlog(begun) => Some(begun.open),
        }
    }
}

async fn start(args: Args, project: Project, work: Work, redactor: Redactor) -> Outcome {
    let at = Timestamp::now();
    let id = RunId::new(at, ralph_engine::entropy());
    settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    let lock = TreeLock::acquire(&project.place.root, &project.place.owner_file(), &id)
        .map_err(|error| lock_problem(&error))?;
    let store = Arc::new(project.store()?);
    if !args.force {
        alone(&store).await?;
    }
    let typed = project.loaded.command_is_typed();
    let staff = staff(&project.loaded, &project.place.root)?;
    let (place, state_dir, mut settings) = project.settings(&store, args.yes).await?;
    if typed {
        settings.agent.command = settings.agent.command.map(|words| from_here(words, &place.root));
    }
    let checks = trusted_checks(&settings, &place.root, &store, args.yes).await?;
    protects_something(&args.promise.protect, &place.root)?;
    without_secrets(&checks, &redactor)?;
    let crew = crew(&settings, &staff, &redactor)?;
    let policy = settings.policy(checks, work.open_tasks());
    closes_something(&policy, &work)?;
    judge::asked_for(&settings, &policy)?;
    check(&crew, &staff, &policy.limits, &policy.completion.require)?;
    servers::check(&crew, &staff, &place.root, &policy.completion.require).await?;
    let onlookers = Onlookers::check(&crew, &staff, &policy, &settings.memory)?;
    let environment = inherited(&settings);
    let ground = Ground {
        root: &place.root,
        state_dir: &state_dir,
        environment: &environment,
        crew: &crew,
        staff: &staff,
    };
    let asking = Asking { staff: &staff, root: &place.root, environment: &environment };
    models::check(&crew, &state_dir, asking).await?;
    messages::check(settings.commits.as_ref())?;
    let template = briefing::template(work.tracker(), &settings.wording, (&place, &store), args.yes).await?;
    let (mut given, tracking) = work.begin(&place, &redactor)?;
    let (policy, notice) = briefing::fitted(policy, template.as_ref());
    given.notices.extend(notice);
    given.template = settings.wording.template.as_ref().map(|file| file.to_string_lossy().into_owned());
    if let Some(agenda) = &mut given.agenda {
        agenda.commits.clone_from(&settings.commits);
    }
    let vault = vault::wanted(&place, &settings.snapshots)?;
    let policy = Policy { sandbox: ground.decide(&settings.sandbox)?, ..policy };
    onlookers.check_surroundings(&place, &policy, ground, asking).await?;
    let mut run = new_run(id, at, given, policy, crew);
    if args.new {
        end_turns_of_latest(&store, &staff, &place.root).await?;
    }
    let over = if args.new { Unfinished::Supersede } else { Unfinished::Refuse };
    let told = deliveries(&hooks(&settings), &run);
    let in_hand = desk::in_hand(&store).await?;
    let begun = store.create_run(&run, at, over, &told).await.map_err(|error| store_problem(&error))?;
    desk::give_back(&in_hand, &place);
    run.fresh.clear();
    register(&state_dir, &run.id, &place.root).await.map_err(|error| store_problem(&error))?;
    let how = args.show.how(settings.detail);
    let briefing = briefing::briefing(template, &run, &place, Consent::by(args.yes))?;
    let stage = Stage {
        place,
        state_dir,
        settings,
        store,
        lock: Some(lock),
        staff,
        redactor,
        how,
        vault,
        briefing,
        tracking,
    };
    let run = perform(stage, run, begun).await?;
    Ok(run.stop().map_or(1, |stop| stop.reason.exit_code()))
}

/// A run that is left behind leaves nobody at work.
async fn end_turns_of_latest(store: &SqliteStore, staff: &Staff, root: &Path) -> Result<(), Problem> {
    let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
    let Some(latest) = latest else { return Ok(()) };
    let run = store.run(&latest.id).await.map_err(|error| store_problem(&error))?;
    if let Some(run) = run {
        servers::end_turns(&run, staff, root).await;
    }
    Ok(())
}

/// Two agents in one tree undo each other's work.
async fn alone(store: &SqliteStore) -> Result<(), Problem> {
    let loops = store.loops().await.map_err(|error| store_problem(&error))?;
    let Some((berth, run)) = loops.first() else { return Ok(()) };
    let what = format!("a loop goes on here, in {berth}: {}", run.id);
    let host = berth.host.as_ref().map_or(String::new(), |host| format!(" --host {host}"));
    let cancel = format!("ralph loop cancel --session {}{host}", berth.session);
    Err(Problem::new(what).next(format!("end it: `{cancel}`; or run beside it: --force")))
}

/// Only a task of a backlog can be closed in a tracker.
fn closes_something(policy: &Policy, work: &Work) -> Result<(), Problem> {
    let is_prompt = matches!(work, Work::Prompt(_));
    if !is_prompt || !policy.completion.require.contains(&Signal::Tracker) {
        return Ok(());
    }
    let problem = Problem::new("a prompt is in no tracker, so nobody could close it there");
    Err(problem.next("leave `tracker` out of --require (or of `completion.require`), or work on a backlog"))
}

/// Where every run of this machine can be found.
pub(crate) async fn register(state_dir: &Path, id: &RunId, root: &Path) -> Result<(), StoreError> {
    Register::open(state_dir)?.record(id, root, Timestamp::now()).await
}

/// A relative path to a program that was typed is meant from where it was typed, also when the run is resumed.
pub(crate) fn from_here(mut words: Vec<String>, root: &Path) -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_else(|_| root.to_owned());
    if let Some(program) = words.first_mut().filter(|program| program.contains('/')) {
        *program = here.join(&*program).to_string_lossy().into_owned();
    }
    words
}

fn new_run(id: RunId, at: Timestamp, given: ToDo, policy: Policy, crew: Crew) -> Run {
    let mut notices = given.notices;
    if contains_literal_tag(&given.task.body) && policy.completion.promise.nonce {
        notices.push(
            "the prompt contains a whole promise tag; only the word with this run's nonce counts".to_owned(),
        );
    }
    let request = Request {
        id,
        task: given.task,
        agenda: given.agenda,
        template: given.template,
        policy,
        crew,
        seed: ralph_engine::entropy(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        in_session: None,
        forked_from: None,
    };
    let mut run = Run::start(request, Moment { at, running: std::time::Duration::ZERO });
    for text in notices {
        run.note(at, Event::Notice { text });
    }
    run
}
