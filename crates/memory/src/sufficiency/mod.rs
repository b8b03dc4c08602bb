//! Whether enough is known to begin: every file, symbol, command and test that a task names is either found or listed
//! as missing. Arithmetic, not an opinion.

mod expand;
mod mention;
mod names;
mod scan;
mod shape;
mod standing;

use ralph_core::id::NoteId;
use ralph_core::note::Note;
use schemars::JsonSchema;
use serde::Serialize;

pub use expand::expand;
pub use mention::{Mention, MentionKind, Standing, mentions};
use names::names;

/// What is known of the code.
pub trait Knows {
    /// Whether what is mentioned is there: a file of the tree, a symbol of the graph, a command of the project.
    fn knows(&self, mention: &Mention) -> bool;
}

/// How far notes were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    /// Those that fit the task.
    Nearby,
    /// Everything that names what is missing.
    Widely,
}

/// What a task names, and what of it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sufficiency {
    /// How many things the task names.
    pub named: usize,
    pub resolved: Vec<Resolved>,
    pub missing: Vec<Missing>,
    pub recommendation: Option<Recommendation>,
    /// For a person; only where one is to be asked.
    pub questions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Resolved {
    #[serde(flatten)]
    pub mention: Mention,
    /// The note that names it, if the code does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<NoteId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missing {
    #[serde(flatten)]
    pub mention: Mention,
    /// Without it the task cannot be understood.
    pub essential: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    ExpandSearch,
    RequestHuman,
}

/// More at once are not answered.
const MOST_QUESTIONS: usize = 5;

/// Counts what a task names against what is known. What is to be made need not be there.
pub fn sufficiency(text: &str, known: &dyn Knows, notes: &[Note], searched: Searched) -> Sufficiency {
    let mut resolved = Vec::new();
    let mut missing = Vec::new();
    let mentions = mentions(text);
    let named = mentions.len();
    for mention in mentions {
        if mention.standing == Standing::ToBeMade || known.knows(&mention) {
            resolved.push(Resolved { mention, note: None });
        } else if let Some(note) = notes.iter().find(|note| note.is_active() && names(note, &mention)) {
            resolved.push(Resolved { mention, note: Some(note.id.clone()) });
        } else {
            let essential = mention.is_essential();
            missing.push(Missing { mention, essential });
        }
    }
    let recommendation = recommended(&missing, searched);
    let questions = match recommendation {
        Some(Recommendation::RequestHuman) => {
            missing.iter().filter(|one| one.essential).take(MOST_QUESTIONS).map(Missing::question).collect()
        }
        Some(Recommendation::ExpandSearch) | None => Vec::new(),
    };
    Sufficiency { named, resolved, missing, recommendation, questions }
}

/// What is missing but not essential is looked for, and nobody is asked for it.
fn recommended(missing: &[Missing], searched: Searched) -> Option<Recommendation> {
    match searched {
        Searched::Nearby => (!missing.is_empty()).then_some(Recommendation::ExpandSearch),
        Searched::Widely => missing.iter().any(|one| one.essential).then_some(Recommendation::RequestHuman),
    }
}

impl Sufficiency {
    /// Everything that the task names is there.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Each once.
    pub fn missing_kinds(&self) -> Vec<MentionKind> {
        let mut kinds: Vec<MentionKind> = self.missing.iter().map(|one| one.mention.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

impl Missing {
    fn question(&self) -> String {
        let text = &self.mention.text;
        match self.mention.kind {
            MentionKind::File => format!(
                "The task names the file `{text}`, which is not in the project, and no note tells of it. Which file is meant, or is \
                 it to be made?"
            ),
            MentionKind::Symbol => format!(
                "The task names `{text}`, which is nowhere in the code, and no note tells of it. What is meant, or is it to be made?"
            ),
            MentionKind::Command => {
                format!(
                    "The task names the command `{text}`, which the project is not known to have. How is it run?"
                )
            }
            MentionKind::Test => {
                format!("The task names the test `{text}`, which is nowhere in the code. Which one is meant?")
            }
        }
    }
}
