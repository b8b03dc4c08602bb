//! What a brief would get of the memory and the code, looked at outside of any run. Nothing is put down: code that has
//! changed makes a hypothesis of a note here, and of the note itself only in a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ralph_core::Timestamp;
use ralph_core::id::TaskId;
use ralph_graph::Graph;
use ralph_memory::{
    Allowance, Contradiction, Hydration, Meaning, Mention, MentionKind, Need, Recommendation, Searched,
    Shelves, Standing, Sufficiency, contradictions, disputed, expand, hydrate, mentions, sufficiency, tokens,
};
use ralph_store::{Notes, StoreError};

use super::recollect::{CODE, LOOKS};
use super::sought::nowhere;
use super::survey::{Surveyed, as_they_are, elsewhere, scope, survey, without_graph};
use super::unknown::{Known, words_missing};

/// As long as those of briefs.
const NONCE: &str = "000000000000";

/// What a brief would be about.
#[derive(Debug, Clone)]
pub struct About {
    /// Whose staged notes are seen.
    pub task: TaskId,
    pub text: String,
    /// At hand, whether or not the text names them.
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    /// As it is told.
    pub constitution: String,
    /// What the text means by a measure, where there is one.
    pub meaning: Option<Meaning>,
    /// What the constitution, notes and the code have together.
    pub budget: u32,
}

/// What it would get.
#[derive(Debug)]
pub struct Foreseen {
    /// Files and symbols at hand, and how many others the graph says are near them.
    pub files: Vec<String>,
    pub symbols: Vec<String>,
    pub near: usize,
    /// Tokens.
    pub constitution: u32,
    /// What the task has put down against what the project knows, and the tokens that it takes to say so.
    pub contradictions: Vec<Contradiction>,
    pub disputed: u32,
    pub chosen: Hydration,
    /// The code at hand in a few lines.
    pub code: String,
    pub sufficiency: Sufficiency,
}

pub async fn foresee(
    shelves: Option<&Shelves<'_, impl Notes>>,
    (root, graph): (&Path, Option<&Graph>),
    about: &About,
    now: Timestamp,
) -> Result<Foreseen, StoreError> {
    let surveyed = surveyed(root, graph, about);
    let constitution = tokens(&about.constitution);
    let contradictions = match shelves {
        Some(shelves) => contradictions(shelves.project, &about.task).await?,
        None => Vec::new(),
    };
    let disputed = tokens(&disputed(&contradictions, NONCE));
    let room = about.budget.saturating_sub(constitution + disputed);
    let chosen = match shelves {
        Some(shelves) => hydrated(shelves, graph, &surveyed, about, room, now).await?,
        None => Hydration::default(),
    };
    let sufficiency = suffices(shelves, root, &surveyed.known, &chosen, about, now).await?;
    let left = room.saturating_sub(chosen.tokens).min(CODE);
    let code = graph.filter(|_| left > 0).map(|graph| scope(graph, &surveyed.files, left as usize));
    Ok(Foreseen {
        files: surveyed.files,
        symbols: surveyed.symbols,
        near: surveyed.near.len(),
        constitution,
        contradictions,
        disputed,
        chosen,
        code: code.unwrap_or_default(),
        sufficiency,
    })
}

/// What the graph says is near these, from 0 to 1.
pub fn near(graph: &Graph, root: &Path, files: &[String], symbols: &[String]) -> BTreeMap<String, f64> {
    survey(graph, root, &named(symbols), files.to_vec()).near
}

fn surveyed(root: &Path, graph: Option<&Graph>, about: &About) -> Surveyed {
    let mut all = mentions(&about.text);
    all.extend(named(&about.symbols));
    let mut surveyed = match graph {
        Some(graph) => survey(graph, root, &all, about.files.clone()),
        None => without_graph(root, &all, about.files.clone()),
    };
    // What is at hand by a person's word is so, whether or not it is there.
    let unseen = about.symbols.iter().filter(|name| !surveyed.symbols.contains(name));
    let unseen: Vec<String> = unseen.cloned().collect();
    surveyed.symbols.extend(unseen);
    surveyed
}

fn named(symbols: &[String]) -> Vec<Mention> {
    let one = |text: &String| Mention {
        kind: MentionKind::Symbol,
        text: text.clone(),
        standing: Standing::Passing,
    };
    symbols.iter().map(one).collect()
}

async fn hydrated(
    shelves: &Shelves<'_, impl Notes>,
    graph: Option<&Graph>,
    surveyed: &Surveyed,
    about: &About,
    room: u32,
    now: Timestamp,
) -> Result<Hydration, StoreError> {
    let allowance = Allowance { tokens: room, ..Allowance::default() };
    let mut need = Need {
        task: about.task.clone(),
        text: about.text.clone(),
        files: surveyed.files.clone(),
        symbols: surveyed.symbols.clone(),
        near: surveyed.near.clone(),
        meaning: about.meaning.clone(),
        run: None,
        current: surveyed.current.clone(),
    };
    let mut hydration = Hydration::default();
    for _ in 0..LOOKS {
        hydration = hydrate(shelves, &need, &allowance, None, now).await?;
        let elsewhere = elsewhere(&hydration, &need.current);
        let Some(graph) = graph.filter(|_| !elsewhere.is_empty()) else { break };
        need.current.extend(as_they_are(graph, elsewhere));
    }
    Ok(hydration)
}

/// As before a brief: what seems not to be known is looked for in everything that is remembered, and in every file.
async fn suffices(
    shelves: Option<&Shelves<'_, impl Notes>>,
    root: &Path,
    known: &BTreeSet<String>,
    chosen: &Hydration,
    about: &About,
    now: Timestamp,
) -> Result<Sufficiency, StoreError> {
    let mut notes: Vec<_> = chosen.taken.iter().map(|taken| taken.note.clone()).collect();
    let nearby = sufficiency(&about.text, &Known(known), &notes, Searched::Nearby);
    if nearby.recommendation != Some(Recommendation::ExpandSearch) {
        return Ok(nearby);
    }
    if let Some(shelves) = shelves {
        notes.extend(expand(shelves, &nearby.missing, now).await?);
    }
    let words = words_missing(&nearby);
    let nowhere = if words.is_empty() { BTreeSet::new() } else { nowhere(root, words.clone()) };
    let known: BTreeSet<String> = known.iter().chain(words.difference(&nowhere)).cloned().collect();
    Ok(sufficiency(&about.text, &Known(&known), &notes, Searched::Widely))
}
