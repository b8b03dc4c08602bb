//! `ralph tasks list`: a backlog in the order in which it is worked on.

use ralph_core::backlog::{Backlog, Hold, Item, Plan, Turn, UnknownDependency};
use ralph_core::id::TaskId;
use serde::Serialize;

use crate::backlog::{Chosen, FilterFlags, TrackerFlags, is_shared, tracker_problem};
use crate::commands::Outcome;
use crate::render::{BAD, CALM, FAINT, GOOD, HEAD, inert, paint};
use crate::words::{counted, cut, print, print_json};

/// The exit code where there is nothing to do.
const NOTHING: u8 = 4;
/// As much of a title as a line shows, in characters.
const TITLE: usize = 72;

/// List a backlog in the order in which it is worked on, and say what is not going to be done.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph tasks list                   what comes when, if each is completed in its turn
  ralph tasks list --next --why      what comes now, and why that
  ralph tasks list --json | jq -r '.next'

Exit codes: 4 if there is nothing to do.")]
pub(crate) struct ListArgs {
    /// Only what would be worked on now
    #[arg(long)]
    next: bool,
    /// Tell the reason of each place in the order, and what is settled already
    #[arg(long)]
    why: bool,
    /// Print it as JSON (docs/schema/tasks.json)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tracker: TrackerFlags,
    #[command(flatten)]
    filter: FilterFlags,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Tasks {
    /// prd, markdown, beads, beads-bv, github, linear, jira or native.
    tracker: String,
    /// The file, or the program and its directory.
    source: String,
    /// What would be worked on now.
    next: Option<TaskId>,
    /// In the order in which they are worked on, if each is completed in its turn.
    tasks: Vec<Planned>,
    /// What is settled already, was not asked for, or is never reached.
    held: Vec<NotPlanned>,
    /// Containers, such as epics, that are open although all that is in them is settled, in an order in which they can be
    /// closed.
    finished: Vec<TaskId>,
    /// Open tasks that wait for themselves: each for the next, and the last for the first.
    cycles: Vec<Vec<TaskId>>,
    unknown_dependencies: Vec<UnknownDependency>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Planned {
    #[serde(flatten)]
    item: Item,
    ready: bool,
    /// What has to be done before.
    after: Vec<TaskId>,
    /// How many unfinished tasks wait for it directly.
    waiting: usize,
    /// How much waits for it, directly or not; 1 on average.
    weight: f64,
    why: String,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct NotPlanned {
    #[serde(flatten)]
    item: Item,
    /// completed, cancelled, blocked, container, filtered, cycle, unknown_dependency or waits.
    held: String,
    why: String,
}

pub(crate) fn run(args: &ListArgs) -> Outcome {
    let Chosen { mut tracker, others } = args.tracker.choose()?;
    let backlog = tracker.load().map_err(|error| tracker_problem(&error))?;
    let wanted = args.filter.wanted(&backlog, tracker.order(), is_shared(tracker.kind()))?;
    if let Some(remark) = tracker.remark() {
        eprintln!("note: {}", inert(remark));
    }
    let mut plan = backlog.plan(&wanted);
    let nothing = plan.turns.is_empty();
    if args.next {
        plan.turns.truncate(1);
        plan.held.clear();
    }
    if args.json {
        print_json(&listed(&backlog, plan, tracker.kind().name(), tracker.source()));
    } else if args.next {
        print(&plan.turns.iter().map(|turn| told_next(turn, args.why)).collect::<String>());
    } else {
        let mut text = format!("{}\n", paint(HEAD, &inert(&tracker.source())));
        for other in others {
            text += &paint(FAINT, &format!("not this one: {}\n", inert(&other.display().to_string())));
        }
        print(&(text + &told(&plan, args.why)));
    }
    if nothing && args.next && !args.json {
        print("nothing to do: `ralph tasks --why` says why\n");
    }
    Ok(if nothing { NOTHING } else { 0 })
}

fn listed(backlog: &Backlog, plan: Plan<'_>, tracker: &str, source: String) -> Tasks {
    let with_blocks = |item: &Item| {
        let blocks = backlog.dependents(&item.id).map(|one| one.id.clone()).collect();
        Item { blocks, ..item.clone() }
    };
    let planned = plan.turns.iter().map(|turn| Planned {
        item: with_blocks(turn.item),
        ready: turn.is_ready(),
        after: turn.after.iter().copied().cloned().collect(),
        waiting: turn.waiting,
        weight: (turn.rank * 1e6).round() / 1e6,
        why: turn.to_string(),
    });
    let held = plan.held.iter().map(|held| NotPlanned {
        item: with_blocks(held.item),
        held: held.why.name().to_owned(),
        why: held.to_string(),
    });
    Tasks {
        tracker: tracker.to_owned(),
        source,
        next: plan.turns.first().map(|turn| turn.item.id.clone()),
        tasks: planned.collect(),
        held: held.collect(),
        finished: backlog.finished().map(|item| item.id.clone()).collect(),
        cycles: backlog.cycles().map(<[TaskId]>::to_vec).collect(),
        unknown_dependencies: backlog.unknown().to_vec(),
    }
}

fn named(item: &Item) -> String {
    format!("{}  {}", item.id, inert(&cut(&item.title, TITLE)))
}

fn told_next(turn: &Turn<'_>, why: bool) -> String {
    let why = if why { paint(FAINT, &format!("  {turn}\n")) } else { String::new() };
    format!("{}\n{why}", named(turn.item))
}

fn told(plan: &Plan<'_>, why: bool) -> String {
    let mut text = String::new();
    let width = plan.turns.len().to_string().len();
    for (at, turn) in plan.turns.iter().enumerate() {
        let style = if turn.is_ready() { GOOD } else { CALM };
        text += &format!("{}  {}", paint(style, &format!("{:>width$}", at + 1)), named(turn.item));
        text += &match turn.after.as_slice() {
            _ if why => paint(FAINT, &format!("\n{:width$}  {turn}", "")),
            [] => String::new(),
            [one] => paint(FAINT, &format!("  after {one}")),
            [one, more @ ..] => paint(FAINT, &format!("  after {one} and {} more", more.len())),
        };
        text += "\n";
    }
    let mut stuck = 0;
    for held in &plan.held {
        let standing = Standing::of(&held.why);
        stuck += usize::from(standing == Standing::Stuck);
        if standing == Standing::Stuck || why {
            let style = if standing == Standing::Stuck { BAD } else { FAINT };
            text += &format!("{}  {}", paint(style, &format!("{:>width$}", "–")), named(held.item));
            text += &paint(FAINT, &format!("  {held}\n"));
        }
    }
    let held =
        |standing: Standing| plan.held.iter().filter(|held| Standing::of(&held.why) == standing).count();
    let counts = [
        (plan.turns.iter().filter(|turn| turn.is_ready()).count(), "ready"),
        (plan.turns.iter().filter(|turn| !turn.is_ready()).count(), "waiting for others"),
        (stuck, "not going to be done"),
        (held(Standing::Completed), "completed"),
        (held(Standing::Cancelled), "cancelled"),
        (held(Standing::NotAskedFor), "not asked for"),
    ];
    let counts =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let containers = held(Standing::Container);
    let beside = match containers {
        0 => String::new(),
        some => format!("; and {}", counted(some as u64, "container")),
    };
    match plan.turns.len() + plan.held.len() {
        0 => text + "no tasks yet\n",
        all => {
            let all = counted((all - containers) as u64, "task");
            text + &format!("{all}: {}{beside}\n", counts.collect::<Vec<_>>().join(", "))
        }
    }
}

/// What it means for a person that an entry is not worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Completed,
    Cancelled,
    NotAskedFor,
    /// Not worked on itself, and nothing is wrong with that.
    Container,
    Stuck,
}

impl Standing {
    fn of(why: &Hold<'_>) -> Standing {
        match why {
            Hold::Completed => Standing::Completed,
            Hold::Cancelled => Standing::Cancelled,
            Hold::Filtered => Standing::NotAskedFor,
            Hold::Container => Standing::Container,
            Hold::Blocked
            | Hold::Skipped
            | Hold::Parked
            | Hold::Taken
            | Hold::Cycle(_)
            | Hold::Unknown(_)
            | Hold::Waits(_) => Standing::Stuck,
        }
    }
}
