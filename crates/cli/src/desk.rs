//! The backlog of a run: chosen when it begins, found again when it goes on.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use ralph_core::agenda::{Agenda, Source};
use ralph_core::backlog::{Backlog, Item, Order, Severity, Status, review};
use ralph_core::id::TaskId;
use ralph_core::moment::Moment;
use ralph_core::put_back::Why;
use ralph_core::run::Run;
use ralph_engine::{Circle, Desk, DeskError, Place, Since, Tracking};
use ralph_store::{SqliteStore, Store};
use ralph_trackers::{Accounts, Kind, Surroundings, Tracker, TrackerError, detect, open};

use crate::backlog::{Chosen, Consent, FilterFlags, TrackerFlags, accounts, is_shared, tracker_problem};
use crate::conversation::say;
use crate::own;
use crate::problem::{Problem, Problems};
use crate::project::{Project, store_problem};
use crate::settings::Given;
use crate::settings::tracker::is_remote;
use crate::words::counted;

/// How many runs are looked back on.
const RECENT: usize = 20;

/// A backlog that a run is about to go through.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) agenda: Agenda,
    pub(crate) title: String,
    /// What is wrong with it, and does not keep the rest from being done.
    pub(crate) notices: Vec<String>,
    /// How many tasks can be reached.
    pub(crate) open: NonZeroU32,
    tracker: Box<dyn Tracker>,
}

/// Reads the backlog once: what it lacks is told before anything is done.
pub(crate) fn begin(
    tracker: &TrackerFlags,
    filter: &FilterFlags,
    consent: Consent,
) -> Result<Begun, Problems> {
    let Chosen { mut tracker, others } = tracker.choose_as(consent)?;
    let backlog = tracker.load().map_err(|error| tracker_problem(&error))?;
    let wanted = filter.wanted(&backlog, tracker.order(), is_shared(tracker.kind()))?;
    let open = u32::try_from(backlog.plan(&wanted).turns.len()).unwrap_or(u32::MAX);
    let source = Source {
        tracker: tracker.kind().name().to_owned(),
        name: tracker.source(),
        file: file(&*tracker)?,
        open,
    };
    let mut notices: Vec<String> =
        others.iter().map(|other| format!("there is another backlog: {}", other.display())).collect();
    notices.extend(faults(&backlog));
    Ok(Begun {
        title: format!("{} of {}", counted(open.into(), "task"), source.name),
        agenda: Agenda::new(source, wanted.filter),
        notices,
        open: NonZeroU32::new(open).unwrap_or(NonZeroU32::MIN),
        tracker,
    })
}

/// What will never be worked on.
fn faults(backlog: &Backlog) -> impl Iterator<Item = String> + '_ {
    let errors = review(backlog).into_iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{}; {}", finding.what, finding.next))
}

/// The file by which the backlog is found again.
fn file(tracker: &dyn Tracker) -> Result<Option<String>, Problems> {
    let file = match tracker.kind() {
        Kind::Prd | Kind::Markdown => tracker.files().into_iter().next(),
        Kind::Beads | Kind::BeadsBv | Kind::Github | Kind::Linear | Kind::Jira | Kind::Native => None,
    };
    let text = |file: PathBuf| {
        let name = file.display().to_string();
        file.into_os_string().into_string().map_err(|_| {
            Problem::new(format!("the name of {name} is not UTF-8")).next("give the file another name")
        })
    };
    Ok(file.map(text).transpose()?)
}

impl Begun {
    pub(crate) fn tracking(self, place: &Place) -> Result<Tracking, Problems> {
        tracking(self.tracker, place)
    }
}

/// The tracker of a run that goes on; none where it has a prompt.
pub(crate) fn again(
    agenda: Option<&Agenda>,
    place: &Place,
    consent: Consent,
) -> Result<Option<Tracking>, Problems> {
    let Some(agenda) = agenda else { return Ok(None) };
    tracking(find(&agenda.source, place, consent)?, place).map(Some)
}

/// Why a run that goes on leaves the files as they are, although an attempt was cut short: whoever has worked on the
/// backlog since has changed files as well.
pub(crate) fn others_work(
    run: &Run,
    place: &Place,
    now: Moment,
    consent: Consent,
) -> Result<Option<String>, Problems> {
    let Some(agenda) = &run.agenda else { return Ok(None) };
    let mut next = run.clone();
    next.resume(now);
    if next.to_put_back().is_none_or(|owed| owed.why != Why::Torn) {
        return Ok(None);
    }
    let backlog = find(&agenda.source, place, consent)?.load().map_err(|error| tracker_problem(&error))?;
    let settled = run.settled_by_others(&backlog);
    Ok((settled > 0).then(|| {
        format!(
            "{} settled by others since the attempt that was cut short began: the files stay as they are",
            if settled == 1 { "1 task was".to_owned() } else { format!("{settled} tasks were") },
        )
    }))
}

/// The variable with the token that the backlog is reached by.
pub(crate) fn token(source: &Source) -> Option<&'static str> {
    match source.tracker.as_str() {
        "linear" => Some("LINEAR_API_KEY"),
        "jira" => Some("JIRA_API_TOKEN"),
        _ => None,
    }
}

/// The tracker that a run was begun with.
pub(crate) fn find(source: &Source, place: &Place, consent: Consent) -> Result<Box<dyn Tracker>, Problems> {
    let Source { tracker, file, .. } = source;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == tracker);
    let Some(kind) = kind else {
        let problem = Problem::new(format!("this ralph knows no tracker `{tracker}`"));
        return Err(problem.next("use the version that the run was begun with").into());
    };
    let search = std::env::var_os("PATH");
    let accounts = if is_remote(kind) {
        accounts(&Project::here(Given::default())?, consent)?
    } else {
        Accounts::default()
    };
    let (root, state) = (&place.root, place.common());
    let around = Surroundings { root, state: Some(&state), search: search.as_deref(), accounts: &accounts };
    let found = detect(&around, Some(kind), file.as_deref().map(Path::new));
    let tracker = open(found.map_err(|error| tracker_problem(&error))?.place);
    if is_remote(kind) && tracker.source() != source.name {
        let what = format!("this run is about {}, and configured are {}", source.name, tracker.source());
        return Err(Problem::new(what).next("configure it as it was, or begin a new run").into());
    }
    Ok(tracker)
}

/// A task that is not there, or is settled, is not left out but mistaken. A tracker that cannot be read just now says
/// nothing of the kind.
pub(crate) fn may_skip(task: &TaskId, source: &Source, place: &Place) -> Result<(), Problems> {
    let Ok(backlog) = find(source, place, Consent::AsGranted)?.load() else { return Ok(()) };
    let next = "`ralph tasks` lists those that are to be done";
    match backlog.item(task) {
        None => Err(Problem::new(format!("there is no task {task} in {}", source.name)).next(next).into()),
        Some(item) if item.status.is_settled() => {
            Err(Problem::new(format!("{task} is settled already")).next(next).into())
        }
        Some(_) => Ok(()),
    }
}

/// Nobody drives the run any more, so its tracker shows nothing as being worked on. Where that cannot be written now,
/// the run still knows what it owes.
pub(crate) fn put_down(run: &mut Run, place: &Place) {
    let left = run.no_longer_shown();
    let Some(agenda) = run.agenda.as_ref().filter(|_| !left.is_empty()) else { return };
    let Ok(tracker) = find(&agenda.source, place, Consent::AsGranted) else { return };
    if let Ok(taken_back) = ralph_engine::put_down(&mut AtDesk(tracker), &left, Since::Crash) {
        for task in &taken_back {
            say(&format!(
                "{task} was closed in {}, and is open again: nothing proves it",
                agenda.source.name
            ));
        }
        run.tracker_told();
    }
}

/// What earlier runs may still show as being worked on, with where it is kept.
pub(crate) async fn in_hand(store: &SqliteStore) -> Result<Vec<(Source, TaskId)>, Problems> {
    let mut found = Vec::new();
    for summary in store.runs(RECENT).await.map_err(|error| store_problem(&error))? {
        if summary.superseded_by.is_some() {
            continue;
        }
        let run = store.run(&summary.id).await.map_err(|error| store_problem(&error))?;
        let Some(Agenda { source, at_hand, mut showing, .. }) = run.and_then(|run| run.agenda) else {
            continue;
        };
        showing.extend(at_hand);
        found.extend(showing.into_iter().map(|task| (source.clone(), task)));
    }
    Ok(found)
}

/// Sets open again what a run had in hand that another has taken the place of: nobody is at it any more. What a person
/// or another program has made of it since stays so.
pub(crate) fn give_back(in_hand: &[(Source, TaskId)], place: &Place) {
    for (source, task) in in_hand {
        let told = find(source, place, Consent::AsGranted).and_then(|mut tracker| {
            let backlog = tracker.load().map_err(|error| tracker_problem(&error))?;
            let is_begun = |item: &Item| item.id == *task && item.status == Status::InProgress;
            if backlog.items().iter().any(is_begun) {
                tracker.set_status(task, Status::Open).map_err(|error| tracker_problem(&error))?;
            }
            Ok(())
        });
        if let Err(problems) = told {
            say(&format!("{task} stays as begun in {}", source.name));
            problems.print();
        }
    }
}

fn tracking(tracker: Box<dyn Tracker>, place: &Place) -> Result<Tracking, Problems> {
    own::add(place, &tracker.files()).map_err(|error| {
        Problem::new(format!("cannot write to {}: {error}", place.state.display())).exit(1)
    })?;
    Ok(Tracking::new(Box::new(AtDesk(tracker))))
}

#[derive(Debug)]
struct AtDesk(Box<dyn Tracker>);

impl Desk for AtDesk {
    fn backlog(&mut self) -> Result<(Backlog, Order), DeskError> {
        let backlog = self.0.load().map_err(told)?;
        Ok((backlog, self.0.order()))
    }

    fn show(&mut self, task: &TaskId, status: Status) -> Result<(), DeskError> {
        // What the format cannot say is in the run's own state.
        self.0.set_status(task, status).map(|_| ()).map_err(told)
    }

    fn complete(&mut self, task: &TaskId, reason: &str) -> Result<(), DeskError> {
        self.0.complete(task, reason).map_err(told)
    }

    fn circle(&self) -> Circle {
        match self.0.kind() {
            Kind::Prd | Kind::Markdown | Kind::Beads | Kind::BeadsBv | Kind::Native => Circle::Machine,
            Kind::Github => Circle::Team,
            Kind::Linear | Kind::Jira => Circle::Others,
        }
    }
}

fn told(error: TrackerError) -> DeskError {
    DeskError { what: error.to_string(), next: error.hint() }
}
