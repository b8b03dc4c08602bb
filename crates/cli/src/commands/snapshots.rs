//! `ralph snapshots`.

use ralph_core::Timestamp;
use ralph_core::event::Occasion;
use ralph_core::id::RunId;
use ralph_core::put_back::Why;
use ralph_snapshot::{ChangeKind, Kind, SnapshotError, SnapshotId, State, Vault};
use ralph_store::{SqliteStore, Store};
use serde::Serialize;

use super::Outcome;
use crate::history::{History, Taken, short};
use crate::problem::Problems;
use crate::project::{Project, block_on, run_to_look_at, store_problem};
use crate::render::{BAD, CALM, FAINT, GOOD, HEAD, inert, paint};
use crate::settings::Given;
use crate::vault;
use crate::words::{counted, moment, print, print_json, size};

/// List what was kept of the project's tree, before and after each iteration.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph snapshots              those of the latest run
  ralph snapshots --all        those of every run of this directory
  ralph snapshots --json | jq -r '.snapshots[-1].snapshot'")]
pub(crate) struct Args {
    /// The run's id or the beginning of it; the latest by default
    run: Option<String>,
    /// Those of every run of this directory, the oldest first
    #[arg(long, conflicts_with = "run")]
    all: bool,
    /// Print it as JSON (docs/schema/snapshots.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Snapshots {
    snapshots: Vec<Listed>,
    store: Totals,
}

#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
struct Listed {
    run: RunId,
    at: Timestamp,
    /// 0 is before the first.
    iteration: u32,
    attempt: u32,
    occasion: Occasion,
    /// Why the tree was put back right after, which this undoes; null for those that an attempt began or ended with.
    put_back: Option<Why>,
    /// The same for the same content.
    snapshot: String,
    /// What it holds; null where it has expired.
    holds: Option<Holds>,
    /// What changed since the run's snapshot before it; null for the first, and where either has expired.
    changes: Option<Changes>,
    /// By how many bytes the store grew.
    stored: u64,
    /// How many things could not be kept.
    uncovered: u64,
    /// The first of them, each with the reason.
    left_out: Vec<String>,
}

#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
struct Holds {
    files: u64,
    links: u64,
    directories: u64,
    /// Of the files' content, before compression.
    bytes: u64,
}

/// Directories apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
struct Changes {
    added: u64,
    changed: u64,
    removed: u64,
}

/// What is kept of the whole project.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Totals {
    directory: String,
    snapshots: u64,
    bytes: u64,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let project = Project::here(Given::default())?;
    let histories = block_on(async {
        let store = project.existing_store()?;
        if args.all {
            return all(&store).await;
        }
        let id = run_to_look_at(&store, &project.place, args.run.as_deref()).await?;
        Ok(vec![History::read(&store, &id).await?])
    })?;
    let vault = vault::existing(&project.place)?;
    if let ([only], false) = (histories.as_slice(), args.all)
        && only.taken.is_empty()
    {
        return Err(only.nothing_kept().into());
    }
    let looked = look(&vault, &histories);
    let (snapshots, (count, bytes)) = looked.map_err(|error| vault::problem(&error))?;
    let directory = project.place.snapshots().display().to_string();
    let listed = Snapshots { snapshots, store: Totals { directory, snapshots: count, bytes } };
    if args.json {
        print_json(&listed);
    } else {
        print(&tell(&listed));
    }
    Ok(0)
}

/// Of every run, the oldest first.
async fn all(store: &SqliteStore) -> Result<Vec<History>, Problems> {
    let runs = store.runs(usize::MAX).await.map_err(|error| store_problem(&error))?;
    let mut histories = Vec::new();
    for run in runs.into_iter().rev() {
        histories.push(History::read(store, &run.id).await?);
    }
    Ok(histories)
}

type Looked = (Vec<Listed>, (u64, u64));

fn look(vault: &Vault, histories: &[History]) -> Result<Looked, SnapshotError> {
    let mut listed = Vec::new();
    for history in histories {
        let mut before = None;
        for taken in &history.taken {
            listed.push(Listed::new(&history.run, taken, before, vault)?);
            before = Some(taken.id);
        }
    }
    Ok((listed, (vault.list()?.len() as u64, vault.size()?)))
}

impl Listed {
    fn new(
        run: &RunId,
        taken: &Taken,
        before: Option<SnapshotId>,
        vault: &Vault,
    ) -> Result<Listed, SnapshotError> {
        let holds = unless_expired(vault.find(taken.id))?.map(|snapshot| Holds {
            files: snapshot.files,
            links: snapshot.links,
            directories: snapshot.directories,
            bytes: snapshot.bytes,
        });
        let changes = match before {
            Some(before) if before == taken.id => Some(Changes::default()),
            Some(before) => unless_expired(changes(vault, before, taken.id))?,
            None => None,
        };
        Ok(Listed {
            run: run.clone(),
            at: taken.at,
            iteration: taken.iteration,
            attempt: taken.attempt,
            occasion: taken.occasion,
            put_back: taken.put_back,
            snapshot: taken.id.to_string(),
            holds,
            changes,
            stored: taken.stored,
            uncovered: taken.uncovered,
            left_out: taken.left_out.clone(),
        })
    }

    fn line(&self) -> String {
        let attempt = if self.attempt > 1 { format!(".{}", self.attempt) } else { String::new() };
        let place = match (self.put_back, self.iteration, self.occasion) {
            (Some(Why::Forked), ..) => "before fork".to_owned(),
            (Some(_), ..) => "at rollback".to_owned(),
            (None, 0, Occasion::Begin) => "before".to_owned(),
            (None, 0, Occasion::End) => "first checks".to_owned(),
            (None, n, Occasion::Begin) => format!("before {n}{attempt}"),
            (None, n, Occasion::End) => format!("after {n}{attempt}"),
        };
        let id = short(&self.snapshot);
        let files =
            self.holds.as_ref().map_or_else(|| "expired".to_owned(), |holds| counted(holds.files, "file"));
        let stored = if self.stored > 0 { size(self.stored) } else { String::new() };
        let head = format!("  {}  {place:<11}  {id}  {files:>9}  {stored:>9}", moment(self.at));
        let mut text =
            format!("{head}  {}", self.changes.map_or(String::new(), Changes::words)).trim_end().to_owned()
                + "\n";
        for what in &self.left_out {
            text += &paint(CALM, &format!("    not kept: {}\n", inert(what)));
        }
        let more = self.uncovered.saturating_sub(self.left_out.len() as u64);
        if more > 0 {
            text += &paint(CALM, &format!("    not kept: {more} more\n"));
        }
        text
    }
}

impl Changes {
    /// `+1 ~2 -3`, without what is none.
    fn words(self) -> String {
        let parts = [(GOOD, "+", self.added), (CALM, "~", self.changed), (BAD, "-", self.removed)];
        let parts = parts.into_iter().filter(|(_, _, count)| *count > 0);
        let parts: Vec<String> =
            parts.map(|(style, mark, count)| paint(style, &format!("{mark}{count}"))).collect();
        if parts.is_empty() { paint(FAINT, "as before") } else { parts.join(" ") }
    }
}

fn changes(vault: &Vault, from: SnapshotId, to: SnapshotId) -> Result<Changes, SnapshotError> {
    let is_directory = |state: Option<State>| state.is_none_or(|state| state.kind == Kind::Directory);
    let mut changes = Changes::default();
    for change in vault.diff(from, to)? {
        if is_directory(change.before) && is_directory(change.after) {
            continue;
        }
        match change.kind {
            ChangeKind::Added => changes.added += 1,
            ChangeKind::Removed => changes.removed += 1,
            ChangeKind::Modified | ChangeKind::Mode | ChangeKind::Type => changes.changed += 1,
        }
    }
    Ok(changes)
}

fn unless_expired<T>(outcome: Result<T, SnapshotError>) -> Result<Option<T>, SnapshotError> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(SnapshotError::Unknown { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn tell(listed: &Snapshots) -> String {
    let mut text = String::new();
    let mut run = None;
    for one in &listed.snapshots {
        if run != Some(&one.run) {
            text += &(paint(HEAD, &format!("run {}", one.run)) + "\n");
            run = Some(&one.run);
        }
        text += &one.line();
    }
    let Totals { directory, snapshots, bytes } = &listed.store;
    let kept = format!("kept of this project: {}, {} on disk", counted(*snapshots, "snapshot"), size(*bytes));
    text + &format!("{kept}\n{}", paint(FAINT, &format!("in {}\n", inert(directory))))
}
