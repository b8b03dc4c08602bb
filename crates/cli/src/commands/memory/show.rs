//! `ralph memory show`.

use jiff::Timestamp;
use ralph_core::id::NoteId;
use ralph_core::note::{Note, Recorded};
use ralph_memory::catch_up;
use ralph_store::{Notes, StoreError};
use serde::Serialize;

use super::{existing, told};
use crate::commands::Outcome;
use crate::problem::Problem;
use crate::project::{block_on, store_problem};
use crate::render::{FAINT, HEAD, inert, paint};
use crate::words::{moment, print, print_json};

/// Show a note with all that has become of it.
#[derive(Debug, clap::Args)]
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
    let shown = match existing()? {
        Some(store) => block_on(shown(&store, &args.id)).map_err(|error| store_problem(&error))?,
        None => Shown { note: None, history: Vec::new() },
    };
    if shown.history.is_empty() {
        let problem = Problem::new(format!("there is no note {}", args.id));
        return Err(problem.next("`ralph memory list` lists those that are there").into());
    }
    if args.json {
        print_json(&shown);
    } else {
        print(&text(&shown));
    }
    Ok(0)
}

async fn shown(store: &impl Notes, id: &NoteId) -> Result<Shown, StoreError> {
    catch_up(store).await?;
    Ok(Shown { note: store.note(id).await?, history: store.memory_history(id).await? })
}

fn text(shown: &Shown) -> String {
    let mut text = match &shown.note {
        Some(note) => {
            let facts = paint(FAINT, &told::facts(note, Timestamp::now()));
            let lines =
                note.said.content.lines().chain(note.said.kind.texts().into_iter().flat_map(str::lines));
            let content: String = lines.map(|line| format!("{}\n", inert(line))).collect();
            format!("{}\n{facts}\n\n{content}", paint(HEAD, &inert(note.headline())))
        }
        None => "forgotten\n".to_owned(),
    };
    text.push('\n');
    for line in &shown.history {
        text += &paint(FAINT, &format!("{}  {}\n", moment(line.at), line.name.to_lowercase()));
    }
    text
}
