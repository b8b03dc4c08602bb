//! `ralph run`.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use ralph_agents::Staff;
use ralph_core::agenda::Agenda;
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
use crate::occupied::{alone, in_use};
use crate::onlookers::Onlookers;
use crate::perform::{Stage, hooks, inherited, perform, redactor, staff};
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::prompt::{self, Prompt};
use crate::sandbox::Ground;
use crate::settings::Given;
use crate::settings::flags::{
    AgentFlags, CommitFlags, LimitFlags, PromiseFlags, SandboxFlags, SnapshotFlags,
};
use crate::show_flags::ShowFlags;
use crate::worktree::Worktree;
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
  ralph run \"port this\" --worktree             in a directory and on a branch of its own

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

    /// Run in a git work tree of its own, on a new branch at HEAD: at DIRECTORY, or beside the project. Needs a commit;
    /// what is not committed does not come along
    #[arg(long, value_name = "DIRECTORY", num_args = 0..=1, require_equals = true)]
    worktree: Option<Option<PathBuf>>,

    /// Use what the project's files ask to run, without `ralph trust`
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    show: ShowFlags,
}

pub(crate) fn run(mut args: Args) -> Outcome {
    let (flags, redactor) = (flags(&args), redactor());
    let project = Project::here(flags.clone())?;
    let at = Timestamp::now();
    let mut beginning =
        Beginning { id: RunId::new(at, ralph_engine::entropy()), at, from: super::here()?, tree: None };
    // Files are named from here, wherever the run is to be.
    let prompt = prompt(&args, &redactor)?;
    let Some(wanted) = args.worktree.take() else {
        let work = prompt.map_or_else(|| backlog(&args), Ok)?;
        return block_on(start(args, project, work, redactor, beginning));
    };
    let tree = block_on(Worktree::make(&project, wanted.as_deref(), &beginning.id, args.yes))?;
    let from = beginning.from.clone();
    args.tracker
        .moved(|file| tree.moved(&from.join(&file).canonicalize().unwrap_or_else(|_| from.join(file))));
    beginning.tree = Some(&tree);
    let begun = tree.enter().and_then(|()| {
        let mut work = prompt.map_or_else(|| backlog(&args), Ok)?;
        work.tell(&tree.notices);
        block_on(start(args, Project::here(flags)?, work, redactor, beginning))
    });
    begun.map_err(|problems| tree.told_at_home(problems))
}

fn flags(args: &Args) -> Given {
    let mut flags = Given::default();
    args.agent.add_to(&mut flags);
    args.promise.add_to(&mut flags);
    args.limits.add_to(&mut flags);
    args.sandbox.add_to(&mut flags);
    args.snapshots.add_to(&mut flags);
    args.commit.add_to(&mut flags);
    flags
}

/// Which run it will be, and where it was asked for.
struct Beginning<'a> {
    id: RunId,
    at: Timestamp,
    from: PathBuf,
    /// The work tree that was made for it.
    tree: Option<&'a Worktree>,
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

fn backlog(args: &Args) -> Result<Work, Problems> {
    Ok(Work::Backlog(Box::new(desk::begin(&args.tracker, &args.filter, Consent::by(args.yes))?)))
}

/// None where the backlog is to be worked on.
fn prompt(args: &Args, redactor: &Redactor) -> Result<Option<Work>, Problems> {
    let Some(given) = &args.prompt else { return Ok(None) };
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
    Ok(Some(Work::Prompt(Box::new(prompt))))
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

    /// People hear this before anything else.
    fn tell(&mut self, notices: &[String]) {
        let known = match self {
            Work::Prompt(prompt) => &mut prompt.notices,
            Work::Backlog(begun) => &mut begun.notices,
        };
        known.splice(..0, notices.iter().cloned());
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

async fn start(
    args: Args,
    project: Project,
    work: Work,
    redactor: Redactor,
    beginning: Beginning<'_>,
) -> Outcome {
    let Beginning { id, at, from, tree } = beginning;
    settle(&project.state_dir, &project.place.root).map_err(|error| store_problem(&error))?;
    let lock = TreeLock::acquire(&project.place.root, &project.place.owner_file(), &id)
        .map_err(|error| in_use(&error))?;
    let store = Arc::new(project.store()?);
    alone(&store, args.force).await?;
    let typed = project.loaded.command_is_typed();
    let staff = staff(&project.loaded, &project.place.root)?;
    let (place, state_dir, mut settings) = project.settings(&store, args.yes).await?;
    if typed {
        settings.agent.command = settings.agent.command.map(|words| from_here(words, &from));
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
    let over = if args.new { Unfinished::Supersede } else { Unfinished::Refuse };
    end_turns_of_latest(over, &store, &staff, &place.root).await?;
    let told = deliveries(&hooks(&settings), &run);
    let in_hand = desk::in_hand(&store).await?;
    let begun = store.create_run(&run, at, over, &told).await.map_err(|error| store_problem(&error))?;
    tree.into_iter().for_each(Worktree::keep);
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
async fn end_turns_of_latest(
    over: Unfinished,
    store: &SqliteStore,
    staff: &Staff,
    root: &Path,
) -> Result<(), Problem> {
    if over == Unfinished::Refuse {
        return Ok(());
    }
    let latest = store.latest_run().await.map_err(|error| store_problem(&error))?;
    let Some(latest) = latest else { return Ok(()) };
    let run = store.run(&latest.id).await.map_err(|error| store_problem(&error))?;
    if let Some(run) = run {
        servers::end_turns(&run, staff, root).await;
    }
    Ok(())
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
pub(crate) fn from_here(mut words: Vec<String>, here: &Path) -> Vec<String> {
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
