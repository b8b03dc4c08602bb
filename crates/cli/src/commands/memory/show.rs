//! `ralph memory show`.

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Note, Recorded};
use serde::Serialize;

use super::code::beside_code;
use super::opened::opened;
use super::told;
use crate::commands::Outcome;
use crate::project::block_on;
use crate::render::{FAINT, HEAD, inert, paint};
use crate::words::{moment, print, print_json};

/// Show a note with all that has become of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ralph memory show 1jcxr8k0q3m5v7aa
  ralph memory show 1jcxr8k0q3m5v7aa --json | jq -r .note.content")]
pub(crate) struct ShowArgs {
    /// The note
    #[arg(value_parser = NoteId::parse)]
    id: NoteId,
    /// Print it as JSON (docs/schema/memory-note.json)
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Shown {
    /// Nothing, if it was forgotten.
    note: Option<Note>,
    /// The oldest first.
    history: Vec<Recorded>,
}

pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let opened = opened()?;
    // What became of it here comes before what is for all projects; where it was forgotten in one, it is in the other.
    let mut held = block_on(opened.held(&args.id))?;
    let at = held.iter().position(|one| one.note.is_some()).unwrap_or_default();
    let mut held = held.swap_remove(at);
    beside_code(&opened.here, held.note.as_mut());
    let shown = Shown { note: held.note, history: held.history };
    if args.json {
        print_json(&shown);
    } else {
        print(&text(&shown));
    }
    Ok(0)
}

fn text(shown: &Shown) -> String {
    let mut text = match &shown.note {
        Some(note) => {
            let facts = paint(FAINT, &told::facts(note, Timestamp::now()));
            let lines =
                note.said.content.lines().chain(note.said.kind.texts().into_iter().flat_map(str::lines));
            let content: String = lines.map(|line| format!("{}\n", inert(line))).collect();
            let head = paint(HEAD, &inert(note.headline())) + &told::mark(note);
            format!("{head}\n{facts}\n\n{content}")
        }
        None => "forgotten\n".to_owned(),
    };
    text.push('\n');
    for line in &shown.history {
        text += &paint(FAINT, &format!("{}  {}\n", moment(line.at), line.name.to_lowercase()));
    }
    text
}
