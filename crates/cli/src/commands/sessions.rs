//! `ralph sessions`: what was seen in the sessions of hosts, and how one is gone on with.

use jiff::Timestamp;
use ralph_core::sessions::{Hydration, LAST, Message, Mode, Role, Session, State};
use ralph_core::task::Task;
use ralph_engine::output::printable;
use ralph_engine::sessions::{Resumed, resume};
use ralph_store::{Sessions, SqliteStore, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use super::Outcome;
use crate::hydration::{remembered, too_old};
use crate::perform::redactor;
use crate::problem::{Problem, Problems};
use crate::project::{Project, block_on, store_problem};
use crate::recalled::{About, recalled};
use crate::settings::Given;
use crate::words::{print, print_json, since, span};

/// How much of a message is shown in a line.
const LINE: usize = 100;
const LIST_EXAMPLES: &str = "\
Examples:
  ralph sessions list
  ralph sessions list --json";
const SHOW_EXAMPLES: &str = "\
Examples:
  ralph sessions show 3               by the number that `ralph sessions list` gives it
  ralph sessions show ses_12 --json   by its name, or the beginning of that";
const RESUME_EXAMPLES: &str = "\
Examples:
  ralph sessions resume ses_12
  ralph sessions resume 3 --json

Where its last messages are older than 30 minutes, what is to go on with is its task, or what was last asked.";
const UNSEEN: &str = "no session of a host was seen here";

/// List the sessions of hosts that ralph has seen here, show one, or make it active again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph sessions list
  ralph sessions show ses_12 --json
  ralph sessions resume ses_12   what to go on with: its last messages, or, where they are older than 30 minutes, its task")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// The one seen last first
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Print it as JSON (docs/schema/sessions.json)
        #[arg(long)]
        json: bool,
    },
    /// One session, with its last messages
    #[command(after_help = SHOW_EXAMPLES)]
    Show(NamedArgs),
    /// Make a session active, and print what its agent is to go on with
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(NamedArgs),
}

/// The session.
#[derive(Debug, clap::Args)]
struct NamedArgs {
    /// Its number, the host's name for it, or the beginning of that
    session: String,
    /// Print it as JSON (docs/schema/session.json)
    #[arg(long)]
    json: bool,
}

/// What `show --json` and `resume --json` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    #[serde(flatten)]
    session: Session,
    messages: Vec<Message>,
    /// With `resume`: whether it goes on with what was said, or anew with its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    hydration: Option<Hydration>,
    /// With `resume`: the task of the loop that was last started in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Task>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let project = Project::here(Given::default())?;
    let store = match SqliteStore::open_existing(&project.place.state) {
        Ok(store) => store,
        Err(StoreError::NoDatabase { .. }) => return Err(unseen().into()),
        Err(error) => return Err(store_problem(&error).into()),
    };
    match args.action {
        Action::List { json } => list(&store, json),
        Action::Show(named) => show(&store, &named),
        Action::Resume(named) => go_on(&project, &store, &named),
    }
}

/// Nothing of ralph's was ever done in this project.
fn unseen() -> Problem {
    Problem::new(UNSEEN)
        .next("`ralph install HOST` puts there what tells of them")
        .next("they are known from then on, once ralph has been used in this project")
        .exit(4)
}

fn list(store: &SqliteStore, json: bool) -> Outcome {
    let sessions = block_on(store.sessions()).map_err(|error| store_problem(&error))?;
    if json {
        print_json(&sessions);
    } else if sessions.is_empty() {
        print(&format!("{UNSEEN}; `ralph install` puts there what tells ralph of them\n"));
    } else {
        print(&sessions.iter().map(line).collect::<String>());
    }
    Ok(0)
}

fn show(store: &SqliteStore, named: &NamedArgs) -> Outcome {
    let session = find(store, &named.session)?;
    let messages =
        block_on(store.session_messages(session.no, LAST)).map_err(|error| store_problem(&error))?;
    let shown = Shown { session, messages, hydration: None, task: None };
    if named.json {
        print_json(&shown);
    } else {
        print(&tell(&shown));
    }
    Ok(0)
}

fn go_on(project: &Project, store: &SqliteStore, named: &NamedArgs) -> Outcome {
    let session = find(store, &named.session)?;
    let resumed =
        block_on(resume(store, session, Timestamp::now())).map_err(|error| store_problem(&error))?;
    let mut resumed = resumed.ok_or_else(|| unknown(&named.session))?;
    resumed.session.state = State::Active;
    if named.json {
        let Resumed { session, how, messages, task } = resumed;
        print_json(&Shown { session, messages, hydration: Some(how), task });
    } else {
        let notes = match resumed.how {
            Hydration::Kept => String::new(),
            Hydration::Anew => block_on(recalled(project, store, about(&resumed), &redactor())),
        };
        let now = Timestamp::now();
        let text = match remembered(Some(&resumed), None, &notes, now) {
            text if text.is_empty() => format!("{} Nothing else is known of it.", too_old(&resumed, now)),
            text => text,
        };
        print(&format!("{}\n{}\n", line(&resumed.session), printable(&text)));
    }
    Ok(0)
}

/// The task of its loop, or what was last asked in it.
fn about(resumed: &Resumed) -> About<'_> {
    let asked = resumed.session.context.asked.as_deref();
    let body = resumed.task.as_ref().map(|task| task.body.as_str());
    About { task: None, text: body.or(asked).unwrap_or_default() }
}

fn find(store: &SqliteStore, named: &str) -> Result<Session, Problems> {
    let mut found = block_on(store.find_sessions(named)).map_err(|error| store_problem(&error))?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(unknown(named).into()),
        _ => {
            let problem = Problem::new(format!("several sessions are called `{named}`; which one is meant?"));
            let each = found
                .iter()
                .map(|session| format!("{} is {} of {}", session.no, session.session, session.host));
            Err(each.fold(problem, Problem::next).into())
        }
    }
}

fn unknown(named: &str) -> Problem {
    Problem::new(format!("no session `{named}` was seen here"))
        .next("`ralph sessions list` shows those that were")
}

fn line(session: &Session) -> String {
    let ago = span(since(session.seen_at, Timestamp::now()));
    let asked = session.context.asked.as_deref().unwrap_or_default();
    format!(
        "{:>4}  {}  {}  {:<9}  {}{ago} ago  {}\n",
        session.no,
        session.host,
        printable(session.session.as_str()),
        name(session.state),
        if session.mode == Mode::Plan { "plans  " } else { "" },
        in_a_line(asked)
    )
}

fn name(state: State) -> &'static str {
    match state {
        State::Active => "active",
        State::Paused => "paused",
        State::Completed => "completed",
        State::Failed => "failed",
    }
}

fn in_a_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    printable(&text.chars().take(LINE).collect::<String>()).into_owned()
}

fn tell(shown: &Shown) -> String {
    let session = &shown.session;
    let ago = |at| span(since(at, Timestamp::now()));
    let mut text = line(session);
    let run = session.run.as_ref().map_or("none".to_owned(), ToString::to_string);
    text += &format!("  in {}; loop: {run}\n", printable(&session.directory));
    text += &format!(
        "  began {} ago, last checkpoint {} ago\n",
        ago(session.started_at),
        ago(session.checkpoint_at)
    );
    let context = [("last tool", &session.context.tool), ("last error", &session.context.error)];
    for (what, told) in context.iter().filter_map(|(what, told)| Some((what, told.as_deref()?))) {
        text += &format!("  {what}: {}\n", in_a_line(told));
    }
    for message in &shown.messages {
        let who = match message.role {
            Role::User => "person",
            Role::Assistant => "agent",
        };
        text += &format!("  {who}, {} ago: {}\n", ago(message.at), in_a_line(&message.content));
    }
    text
}
