//! What `ralph migrate` writes, and how it tells of it.

use std::fs;
use std::path::{Path, PathBuf};

use ralph_migrate::{Fate, NewFile, Plan, Predecessor, Scope};
use ralph_trackers::{Overwrite, create};
use schemars::JsonSchema;
use serde::Serialize;

use crate::backlog::tracker_problem;
use crate::commands::migrate::{IGNORED, problem};
use crate::perform::redactor;
use crate::problem::{Place, Problem, Problems};
use crate::project::block_on;
use crate::render::{BAD, CALM, FAINT, GOOD, HEAD, inert, paint};
use crate::taken_loops::{LoopTaken, LoopUpshot, take};
use crate::taken_notes::{self, NotesTaken};
use crate::words::{counted, print};

/// What `--json` prints of each predecessor.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Taken {
    from: &'static str,
    /// The directory that it was found in.
    place: PathBuf,
    dry_run: bool,
    files: Vec<Target>,
    /// What became of every loop in a session.
    loops: Vec<LoopTaken>,
    /// What it had written down.
    notes: NotesTaken,
    /// What became of every key and file.
    fates: Vec<Fate>,
    problems: Vec<Told>,
    notices: Vec<String>,
    next: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Target {
    path: PathBuf,
    from: Option<PathBuf>,
    outcome: Upshot,
    /// All of it, as it is written or would be.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Upshot {
    Written,
    /// It would be, without --dry-run.
    Planned,
    /// It is there and says the same.
    Same,
    /// Another file is there, and left as it is.
    Kept,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Told {
    path: PathBuf,
    line: Option<usize>,
    what: String,
    next: String,
    #[serde(skip)]
    shown: String,
}

impl Taken {
    /// Whether all that could be written is there now, or would be.
    pub(crate) fn is_whole(&self) -> bool {
        self.problems.is_empty() && self.files.iter().all(|file| file.outcome != Upshot::Kept)
    }
}

pub(crate) fn perform(
    from: Predecessor,
    scope: Scope,
    root: &Path,
    plan: Plan,
    dry_run: bool,
) -> Result<Taken, Problems> {
    let Plan { files, loops, notes, fates, faults, flags, mut notices } = plan;
    let problems = faults.iter().map(|fault| Told {
        path: fault.path.clone(),
        line: fault.spot.as_ref().map(|spot| spot.line),
        what: fault.what.clone(),
        next: fault.next.clone(),
        shown: format!("{:#}", problem(fault)),
    });
    let problems = problems.collect();
    let mut targets = Vec::new();
    for file in with_ignored(scope, files) {
        let text = redactor().text(&file.text).into_owned();
        if text != file.text {
            notices.push(format!("what looks like a secret is left out of {}", file.path.display()));
        }
        let outcome = put(&file.path, &text, dry_run)?;
        targets.push(Target { path: file.path, from: file.from, outcome, text });
    }
    let loops = block_on(async {
        let mut taken = Vec::new();
        for found in loops {
            taken.push(take(root, found, dry_run).await?);
        }
        Ok::<_, Problems>(taken)
    })?;
    let notes = block_on(taken_notes::take(root, notes, dry_run))?;
    let mut next = kept(&targets);
    next.extend(loops.iter().flat_map(|one| after_loop(from, one)));
    next.extend(next_steps(from, scope, &flags, dry_run));
    let place = from.found(scope, root).unwrap_or_else(|| root.to_owned());
    Ok(Taken {
        from: from.name(),
        place,
        dry_run,
        files: targets,
        loops,
        notes,
        fates,
        problems,
        notices,
        next,
    })
}

/// What is on this machine only stays out of the repository, unless somebody said so already.
fn with_ignored(scope: Scope, mut files: Vec<NewFile>) -> Vec<NewFile> {
    let dir = files.first().and_then(|file| file.path.parent()).map(Path::to_owned);
    if let (Scope::Project, Some(dir)) = (scope, dir) {
        let path = dir.join(IGNORED.0);
        if path.symlink_metadata().is_err() {
            let text = IGNORED.1.to_owned();
            files.push(NewFile { path, from: None, text, origins: std::collections::BTreeMap::new() });
        }
    }
    files
}

fn put(path: &Path, text: &str, dry_run: bool) -> Result<Upshot, Problems> {
    if path.symlink_metadata().is_ok() {
        let is_same = fs::read(path).is_ok_and(|there| there == text.as_bytes());
        return Ok(if is_same { Upshot::Same } else { Upshot::Kept });
    }
    if dry_run {
        return Ok(Upshot::Planned);
    }
    let failed = |error: std::io::Error| {
        Problem::new(format!("cannot make this directory: {error}"))
            .next("run it again: what is written already is left as it is")
            .exit(1)
    };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(|error| failed(error).at(Place::from(dir.to_owned())))?;
    }
    create(path, text, Overwrite::Never).map_err(|error| tracker_problem(&error).exit(1))?;
    Ok(Upshot::Written)
}

fn kept(targets: &[Target]) -> Vec<String> {
    let kept = targets.iter().filter(|target| target.outcome == Upshot::Kept);
    kept.map(|kept| {
        let path = kept.path.display();
        format!("{path} is yours: put in by hand what is missing, or move it away and run this again")
    })
    .collect()
}

/// What is left to a person: two tools that drive one loop undo each other's work.
fn after_loop(from: Predecessor, taken: &LoopTaken) -> Vec<String> {
    let (name, host, file) = (from.name(), taken.host, taken.file().display());
    match taken.outcome {
        LoopUpshot::Told => taken.command.iter().map(|command| anew(from, command, host)).collect(),
        LoopUpshot::Recorded | LoopUpshot::Planned | LoopUpshot::Same => vec![
            format!(
                "end it in {name}, which drives it as long as it finds {file}: {} does that",
                ending(from)
            ),
            format!("`ralph install {host}` puts into {host} what tells ralph of each turn"),
        ],
    }
}

fn anew(from: Predecessor, command: &str, host: &str) -> String {
    match from {
        Predecessor::Supercode => format!("to begin it anew: `{command}`"),
        Predecessor::ClaudePlugin
        | Predecessor::OhMyOpencode
        | Predecessor::RalphTui
        | Predecessor::RalphMem => format!("to begin it anew: `{command}`, or `/ralph` in {host}"),
    }
}

/// The other tool's command that ends a loop. Where ralph is installed beside it, the bare name is ralph's.
fn ending(from: Predecessor) -> &'static str {
    match from {
        Predecessor::ClaudePlugin => "`/ralph-loop:cancel-ralph`, or `/ralph-wiggum:cancel-ralph`,",
        Predecessor::RalphTui
        | Predecessor::OhMyOpencode
        | Predecessor::Supercode
        | Predecessor::RalphMem => "its own command",
    }
}

fn next_steps(from: Predecessor, scope: Scope, flags: &[String], dry_run: bool) -> Vec<String> {
    let flags = flags.iter().map(|flag| format!(" {flag}")).collect::<String>();
    match (from, scope) {
        (Predecessor::RalphTui, _) if dry_run => {
            vec!["`ralph migrate` without --dry-run writes it".to_owned()]
        }
        (Predecessor::RalphTui, Scope::User) => {
            vec!["`ralph config show --sources` shows what counts".to_owned()]
        }
        (Predecessor::RalphTui, Scope::Project) => vec![
            "`ralph trust` shows what these files ask for, and allows it".to_owned(),
            format!("`ralph tasks{flags}`, and then `ralph run{flags}`"),
        ],
        (Predecessor::RalphMem, _) => vec![
            format!("`ralph run TASK{flags}` does what its loop did"),
            "`ralph memory list` shows what is remembered".to_owned(),
        ],
        (Predecessor::OhMyOpencode | Predecessor::ClaudePlugin | Predecessor::Supercode, _) => Vec::new(),
    }
}

pub(crate) fn tell(taken: &Taken) {
    let mut text = paint(HEAD, &format!("{} in {}\n", taken.from, inert(&taken.place.to_string_lossy())));
    for file in &taken.files {
        let word = match file.outcome {
            Upshot::Written => paint(GOOD, "wrote"),
            Upshot::Planned => paint(GOOD, "would write"),
            Upshot::Same => paint(FAINT, "there already:"),
            Upshot::Kept => paint(BAD, "left as it is:"),
        };
        text += &format!("{word} {}\n", inert(&file.path.to_string_lossy()));
        let is_shown = matches!(file.outcome, Upshot::Planned | Upshot::Kept);
        if is_shown {
            text += &excerpt(&file.text);
        }
    }
    for taken in &taken.loops {
        let word = match taken.outcome {
            LoopUpshot::Recorded => paint(GOOD, "recorded a loop:"),
            LoopUpshot::Planned => paint(GOOD, "would record a loop:"),
            LoopUpshot::Same => paint(FAINT, "a loop that is or was ralph's already:"),
            LoopUpshot::Told => paint(BAD, "a loop that does not go on by itself:"),
        };
        let why = taken.why.map_or(String::new(), |why| format!(" ({why})"));
        text += &format!("{word} {}{why}\n", inert(&taken.seat()));
    }
    let NotesTaken { taken: new, known } = taken.notes;
    if new + known > 0 {
        let word = if taken.dry_run { "would remember" } else { "remembered" };
        text += &format!("{} {}, {known} known already\n", paint(GOOD, word), counted(new, "note"));
    }
    let (said, unsaid): (Vec<&Fate>, Vec<&Fate>) = taken.fates.iter().partition(|fate| fate.became.is_some());
    text += &listed("taken over", &said);
    text += &listed("not taken over", &unsaid);
    for told in &taken.problems {
        text += &format!("\n{}\n", told.shown);
    }
    for notice in &taken.notices {
        text += &format!("\n{} {}\n", paint(CALM, "note:"), inert(notice));
    }
    text += "\n";
    for step in &taken.next {
        text += &format!("{} {}\n", paint(CALM, "next:"), inert(step));
    }
    print(&text);
}

/// As much of a file as a person looks at.
fn excerpt(text: &str) -> String {
    const LINES: usize = 40;
    let count = text.lines().count();
    let mut shown: String =
        text.lines().take(LINES).map(|line| paint(FAINT, &format!("    {}\n", inert(line)))).collect();
    if count > LINES {
        shown += &paint(FAINT, &format!("    … {} more\n", counted((count - LINES) as u64, "line")));
    }
    shown
}

fn listed(heading: &str, fates: &[&Fate]) -> String {
    if fates.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", paint(HEAD, heading));
    for fate in fates {
        let file = Path::new(&fate.file).file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let place = fate.line.map_or(file.to_string(), |line| format!("{file}:{line}"));
        let key = if fate.key.is_empty() { String::new() } else { format!(" {}", fate.key) };
        let became = fate.became.as_ref().map_or(String::new(), |became| format!(" → {became}"));
        let why = if fate.why.is_empty() {
            String::new()
        } else {
            paint(FAINT, &format!(" ({})", inert(&fate.why)))
        };
        text += &format!("  {}{why}\n", inert(&format!("{place}{key}{became}")));
    }
    text
}
