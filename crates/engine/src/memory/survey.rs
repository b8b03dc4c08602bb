//! What a tree says of what a task names, of notes about its code, and of the files at hand: the graph is asked, and
//! nothing else happens.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ralph_core::note::Anchor;
use ralph_graph::{Definition, FileId, Graph, Node};
use ralph_memory::{Hydration, Mention, MentionKind};

/// How many files and symbols near those at hand are told to the memory.
const NEAR: usize = 200;

/// What the tree says of what a task names.
#[derive(Debug, Default)]
pub(super) struct Surveyed {
    /// Of the mentions, those that are there.
    pub(super) known: BTreeSet<String>,
    /// Files at hand, below the root.
    pub(super) files: Vec<String>,
    pub(super) symbols: Vec<String>,
    pub(super) near: BTreeMap<String, f64>,
    /// What the files at hand define now.
    pub(super) current: Vec<Anchor>,
}

/// What is there of what a task names, with what is near it.
pub(super) fn survey(graph: &Graph, root: &Path, mentions: &[Mention], changed: Vec<String>) -> Surveyed {
    let mut surveyed = Surveyed { files: changed, ..Surveyed::default() };
    let mut nodes: Vec<Node> = Vec::new();
    for mention in mentions {
        let text = mention.text.as_str();
        match mention.kind {
            MentionKind::File => {
                let paths = files_called(graph, root, text);
                if !paths.is_empty() {
                    surveyed.known.insert(text.to_owned());
                    surveyed.files.extend(paths);
                }
            }
            MentionKind::Symbol | MentionKind::Test => {
                let found = graph.find(text);
                if !found.is_empty() {
                    surveyed.known.insert(text.to_owned());
                    surveyed.symbols.push(text.to_owned());
                    nodes.extend(found);
                }
            }
            // Whether a program is there, its first use tells.
            MentionKind::Command => {
                surveyed.known.insert(text.to_owned());
            }
        }
    }
    surveyed.files.sort_unstable();
    surveyed.files.dedup();
    nodes.extend(surveyed.files.iter().filter_map(|path| graph.file(path)).map(Node::File));
    if !nodes.is_empty() {
        surveyed.near = graph.near(&nodes, NEAR);
    }
    surveyed.current = definitions(graph, &surveyed.files).into_iter().map(anchor).collect();
    surveyed
}

/// The files that a path or the end of one means, at most a few.
fn files_called(graph: &Graph, root: &Path, text: &str) -> Vec<String> {
    const MOST: usize = 3;
    let text = text.trim_start_matches("./");
    if is_below(root, text) {
        return vec![text.to_owned()];
    }
    let ends =
        |path: &str| path.strip_suffix(text).is_some_and(|front| front.is_empty() || front.ends_with('/'));
    graph.files().filter(|(_, path, _)| ends(path)).map(|(_, path, _)| path.to_owned()).take(MOST).collect()
}

fn is_below(root: &Path, text: &str) -> bool {
    let is_plain =
        |path: &Path| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let path = Path::new(text);
    !text.is_empty() && is_plain(path) && root.join(path).symlink_metadata().is_ok()
}

/// The same where nobody can tell.
pub(super) fn without_graph(root: &Path, mentions: &[Mention], changed: Vec<String>) -> Surveyed {
    let mut surveyed = Surveyed { files: changed, ..Surveyed::default() };
    for mention in mentions {
        let is_file = match mention.kind {
            MentionKind::File => is_below(root, &mention.text),
            MentionKind::Symbol | MentionKind::Test | MentionKind::Command => false,
        };
        if is_file {
            surveyed.files.push(mention.text.clone());
        }
        // Of anything else nobody can tell whether it is there.
        surveyed.known.insert(mention.text.clone());
    }
    surveyed
}

/// These symbols as they are now; one that is gone has no digest.
pub(super) fn as_they_are(graph: &Graph, anchors: Vec<Anchor>) -> Vec<Anchor> {
    let now = anchors.into_iter().map(|old| {
        let here = graph.definition(&old.symbol, &old.file).into_iter().next();
        // The name and the file are the note's own: what is compared is the text.
        let digest = here.map(|one| one.digest.to_string()).unwrap_or_default();
        Anchor { digest, ..old }
    });
    now.collect()
}

/// The anchors of what was taken that nobody has looked at yet.
pub(super) fn elsewhere(hydration: &Hydration, current: &[Anchor]) -> Vec<Anchor> {
    let anchors = hydration.taken.iter().flat_map(|taken| taken.note.said.anchors.clone());
    let is_known = |one: &Anchor| current.iter().any(|now| now.symbol == one.symbol && now.file == one.file);
    let mut unknown: Vec<Anchor> = anchors.filter(|one| !is_known(one)).collect();
    unknown.sort_unstable();
    unknown.dedup_by(|one, other| one.symbol == other.symbol && one.file == other.file);
    unknown
}

/// The code of these files in a few lines.
pub(super) fn scope(graph: &Graph, files: &[String], budget: usize) -> String {
    let ids: Vec<FileId> = files.iter().filter_map(|path| graph.file(path)).collect();
    graph.scope(&ids, budget).text
}

pub(super) fn anchor(definition: Definition) -> Anchor {
    Anchor { symbol: definition.symbol, file: definition.path, digest: definition.digest.to_string() }
}

pub(super) fn definitions(graph: &Graph, files: &[String]) -> BTreeSet<Definition> {
    files.iter().flat_map(|path| graph.definitions(path)).collect()
}
