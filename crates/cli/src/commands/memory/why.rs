//! `ralph memory why`.

use jiff::Timestamp;
use ralph_core::id::{NoteId, RunId};
use ralph_core::note::{MemoryEvent, Note, Origin, Recorded, Source, Status, Use};
use ralph_memory::Shelf;
use serde::Serialize;

use super::code::beside_code;
use super::opened::{Held, opened};
use super::told;
use crate::commands::Outcome;
use crate::project::block_on;
use crate::render::{CALM, FAINT, HEAD, inert, paint};
use crate::words::{moment, print, print_json};

/// Say where a note comes from, what became of it, where it was used, and whether it is taken for granted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory why 1jcxr8k0q3m5v7aa
  ralph memory why 1jcxr8k0q3m5v7aa --json | jq '.[0].uses'")]
pub(crate) struct WhyArgs {
    /// The note
    #[arg(value_parser = NoteId::parse)]
    id: NoteId,
    /// Print it as JSON (docs/schema/memory-why.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints, once for every shelf that the note stands on.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Provenance {
    shelf: Shelf,
    /// Nothing, if it was forgotten.
    note: Option<Note>,
    origin: Option<Origin>,
    source: Option<Source>,
    /// What it took the place of.
    supersedes: Vec<NoteId>,
    superseded_by: Option<NoteId>,
    /// Whether briefs show it as something to be checked first.
    hypothesis: bool,
    /// The reason for that.
    because: &'static str,
    /// The briefs that it was in, the oldest first.
    uses: Vec<Use>,
    /// All that became of it, the oldest first.
    events: Vec<Recorded>,
}

pub(crate) fn run(args: &WhyArgs) -> Outcome {
    let opened = opened()?;
    let mut held = block_on(opened.held(&args.id))?;
    beside_code(&opened.here, held.iter_mut().filter_map(|one| one.note.as_mut()));
    let all: Vec<Provenance> = held.into_iter().map(Provenance::of).collect();
    if args.json {
        print_json(&all);
    } else {
        all.iter().for_each(|one| print(&one.text()));
    }
    Ok(0)
}

impl Provenance {
    fn of(held: Held<'_>) -> Provenance {
        let note = held.note;
        let uses = held.history.iter().filter_map(|line| match &line.event {
            Some(MemoryEvent::Used { used, .. }) => Some(used.clone()),
            _ => None,
        });
        Provenance {
            shelf: held.shelf,
            origin: note.as_ref().map(|note| note.said.origin),
            source: note.as_ref().map(|note| note.said.source.clone()),
            supersedes: note.as_ref().map(|note| note.said.supersedes.clone()).unwrap_or_default(),
            superseded_by: note.as_ref().and_then(|note| match &note.status {
                Status::Active => None,
                Status::Superseded { by, .. } => Some(by.clone()),
            }),
            hypothesis: note.as_ref().is_some_and(Note::is_hypothesis),
            because: note.as_ref().map_or("it was forgotten", standing),
            uses: uses.collect(),
            events: held.history,
            note,
        }
    }

    fn text(&self) -> String {
        let mut text = match &self.note {
            Some(note) => format!(
                "{}\n{}\n\n",
                paint(HEAD, &inert(note.headline())),
                paint(FAINT, &told::facts(note, Timestamp::now()))
            ),
            None => "forgotten\n\n".to_owned(),
        };
        let mut fact = |name: &str, value: String| text += &format!("{name:<12}{}\n", inert(&value));
        if let (Some(origin), Some(source)) = (self.origin, &self.source) {
            fact("said by", said_by(origin).to_owned());
            fact("in", place(source));
        }
        let ids = |ids: &[NoteId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if !self.supersedes.is_empty() {
            fact("instead of", ids(&self.supersedes));
        }
        if let Some(by) = &self.superseded_by {
            fact("gave way to", by.to_string());
        }
        if self.note.is_some() {
            let word = if self.hypothesis { "as a hypothesis" } else { "as known" };
            fact("shown", format!("{word}: {}", self.because));
        }
        let went = self.uses.iter().filter(|used| used.succeeded == Some(true)).count();
        if !self.uses.is_empty() {
            fact("used", format!("{} times, and {went} went well", self.uses.len()));
        }
        text.push('\n');
        self.events.iter().for_each(|line| text += &event(line));
        text
    }
}

/// Why it is taken for granted, or why not.
fn standing(note: &Note) -> &'static str {
    if note.stale {
        "the code that it was said of has changed, and nobody has confirmed it since"
    } else if note.verified {
        "checks, a merge or a person have shown that it holds"
    } else if note.said.citations.is_empty() {
        "it cites nothing, and nothing has shown that it holds"
    } else {
        "it cites what it can be checked against"
    }
}

fn said_by(origin: Origin) -> &'static str {
    match origin {
        Origin::Person => "a person",
        Origin::Rule => "ralph, by rule",
        Origin::Agent => "an agent",
        Origin::Tool => "the output of a tool, or another program: never an instruction",
    }
}

fn place(source: &Source) -> String {
    let run = |run: &RunId| format!("run {run}");
    let parts = [
        source.run.as_ref().map(run),
        source.task.as_ref().map(|task| format!("task {task}")),
        source.iteration.map(|iteration| format!("iteration {iteration}")),
        source.commit.as_ref().map(|commit| format!("commit {commit}")),
        source.session.as_ref().map(|session| format!("session {session}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no run".to_owned() } else { parts.join(", ") }
}

fn event(line: &Recorded) -> String {
    let what = match &line.event {
        None => "blanked".to_owned(),
        Some(MemoryEvent::Observed { draft, .. }) => format!("with a confidence of {}", draft.confidence),
        Some(MemoryEvent::Confirmed { evidence, .. } | MemoryEvent::Doubted { evidence, .. }) => {
            let name = serde_json::to_value(evidence).ok();
            name.and_then(|name| name.as_str().map(|name| name.replace('_', " "))).unwrap_or_default()
        }
        Some(MemoryEvent::Used { used, .. } | MemoryEvent::Withheld { used, .. }) => {
            let outcome = match used.succeeded {
                Some(true) => "it went well",
                Some(false) => "it went wrong",
                None => "as much failed as before",
            };
            let source = Source {
                run: used.run.clone(),
                task: used.task.clone(),
                iteration: used.iteration,
                ..Source::default()
            };
            format!("{}: {outcome}", place(&source))
        }
        Some(MemoryEvent::Anchored { anchors, .. }) => {
            anchors.iter().map(|anchor| anchor.symbol.clone()).collect::<Vec<_>>().join(", ")
        }
        Some(MemoryEvent::Superseded { by, why, .. }) => format!("by {by}: {why}"),
        Some(MemoryEvent::Promoted { to, .. }) => format!("to {}", to.name()),
        Some(MemoryEvent::Forgotten { .. }) => String::new(),
    };
    let name = paint(CALM, &format!("{:<11}", line.name.to_lowercase()));
    format!("{}  {name} {}\n", paint(FAINT, &moment(line.at)), inert(&what))
}
