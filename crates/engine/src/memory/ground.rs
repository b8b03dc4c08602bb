//! The code graph of the tree that a run works in: what a task's names mean there, and what an attempt touched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::note::Anchor;
use ralph_graph::{Definition, FileId, Graph, GraphError, Node, Options, Watched};
use ralph_memory::{Mention, MentionKind};
use ralph_store::Store;

use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::urgency::{Urgency, pressed};

/// How many files and symbols near those at hand are told to the memory.
const NEAR: usize = 200;
/// How long a hook looks at the code before it goes on without.
const IN_A_HOOK: Duration = Duration::from_secs(10);
/// How many symbols an attempt is taken to have touched; a note about more is about none.
const TOUCHED: usize = 12;

/// The graph, as far as this process has it.
#[derive(Debug, Default)]
pub(crate) enum Ground {
    #[default]
    Unseen,
    Seen(Box<Watched>),
    /// It cannot be had, and a person was told.
    Unusable,
}

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

impl<S: Store + 'static> Drive<S> {
    /// Brings the graph up to date and asks it something. None where there is no graph, or a signal came first.
    pub(super) async fn ask_ground<T: Send + 'static>(
        &mut self,
        ask: impl FnOnce(&mut Watched) -> Result<T, GraphError> + Send + 'static,
    ) -> Result<Option<T>, EngineError> {
        if *self.parts.urgency.borrow() != Urgency::None {
            return Ok(None);
        }
        let ground = match std::mem::take(&mut self.ground) {
            Ground::Unusable => {
                self.ground = Ground::Unusable;
                return Ok(None);
            }
            ground => ground,
        };
        let place = self.parts.place.clone();
        let memory = self.parts.memory.as_ref();
        let excludes_file = memory.and_then(|memory| memory.excludes_file.clone());
        // A hook's process is gone before anything could be seen to change.
        let folders = if self.run.in_session.is_some() { Some(0) } else { None };
        let work = move || -> Result<(Box<Watched>, T), GraphError> {
            let mut watched = match ground {
                Ground::Seen(watched) => watched,
                Ground::Unseen | Ground::Unusable => {
                    Box::new(open(&place.root, &place.graph(), excludes_file, folders)?)
                }
            };
            let answer = ask(&mut watched)?;
            Ok((watched, answer))
        };
        let mut urgency = self.parts.urgency.clone();
        let mut working = tokio::task::spawn_blocking(work);
        let done = tokio::select! {
            biased;
            done = &mut working => done.expect("a graph does not panic and is not cancelled"),
            // Whoever wants an end does not wait for it: the graph is only read, and is built again next time.
            _ = pressed(&mut urgency, Urgency::None) => return Ok(None),
            // A host waits for its hook, and a graph is not what it waits for.
            () = tokio::time::sleep(IN_A_HOOK), if folders.is_some() => {
                self.ground = Ground::Unusable;
                return Ok(None);
            }
        };
        match done {
            Ok((watched, answer)) => {
                self.ground = Ground::Seen(watched);
                Ok(Some(answer))
            }
            Err(error) => {
                self.ground = Ground::Unusable;
                self.tell_once(&format!("the code graph cannot be used: {}", chain(&error)));
                Ok(None)
            }
        }
    }

    /// What is there of what a task names, with what is near it.
    pub(super) async fn survey_ground(
        &mut self,
        mentions: Vec<Mention>,
        changed: Vec<String>,
    ) -> Result<Surveyed, EngineError> {
        let root = self.parts.place.root.clone();
        let asked = (mentions.clone(), changed.clone());
        let surveyed = self
            .ask_ground(move |watched| {
                watched.update()?;
                Ok(survey(watched.graph(), &root, &asked.0, asked.1))
            })
            .await?;
        let root = self.parts.place.root.clone();
        Ok(surveyed.unwrap_or_else(|| without_graph(&root, &mentions, changed)))
    }

    /// The symbols of changed files that are not as they were when the graph was last looked at.
    pub(super) async fn altered(&mut self, files: Vec<String>) -> Result<Vec<Anchor>, EngineError> {
        let was_seen = matches!(self.ground, Ground::Seen(_));
        let altered = self.ask_ground(move |watched| {
            let before = if was_seen { definitions(watched.graph(), &files) } else { BTreeSet::new() };
            watched.update()?;
            let now = definitions(watched.graph(), &files);
            Ok(now.difference(&before).take(TOUCHED).cloned().map(anchor).collect())
        });
        Ok(altered.await?.unwrap_or_default())
    }

    /// These symbols as they are now; one that is gone has no digest.
    pub(super) async fn as_they_are(&mut self, anchors: Vec<Anchor>) -> Result<Vec<Anchor>, EngineError> {
        if anchors.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.ask_ground(move |watched| {
            let graph = watched.graph();
            let now = anchors.into_iter().map(|old| {
                let here = graph.definition(&old.symbol, &old.file).into_iter().next();
                // The name and the file are the note's own: what is compared is the text.
                let digest = here.map(|one| one.digest.to_string()).unwrap_or_default();
                Anchor { digest, ..old }
            });
            Ok(now.collect())
        });
        Ok(found.await?.unwrap_or_default())
    }

    /// The code of these files in a few lines, for somebody who is about to work there.
    pub(super) async fn scope(&mut self, files: Vec<String>, budget: usize) -> Result<String, EngineError> {
        if files.is_empty() || budget == 0 {
            return Ok(String::new());
        }
        let told = self.ask_ground(move |watched| {
            let graph = watched.graph();
            let ids: Vec<FileId> = files.iter().filter_map(|path| graph.file(path)).collect();
            Ok(graph.scope(&ids, budget).text)
        });
        Ok(told.await?.unwrap_or_default())
    }

    /// Leaves the graph where the next process finds it.
    pub(super) async fn keep_ground(&mut self) -> Result<(), EngineError> {
        if let Ground::Seen(_) = self.ground {
            self.ask_ground(Watched::keep).await?;
        }
        Ok(())
    }
}

fn open(
    root: &Path,
    kept: &Path,
    excludes_file: Option<PathBuf>,
    folders: Option<usize>,
) -> Result<Watched, GraphError> {
    let options = Options { excludes_file, ..Options::default() };
    let opened = match folders {
        Some(most) => Watched::within(root, kept, options, most, &|_, _| {}),
        None => Watched::new(root, kept, options, &|_, _| {}),
    };
    opened.map(|(watched, _)| watched)
}

fn anchor(definition: Definition) -> Anchor {
    Anchor { symbol: definition.symbol, file: definition.path, digest: definition.digest.to_string() }
}

fn definitions(graph: &Graph, files: &[String]) -> BTreeSet<Definition> {
    files.iter().flat_map(|path| graph.definitions(path)).collect()
}

fn survey(graph: &Graph, root: &Path, mentions: &[Mention], changed: Vec<String>) -> Surveyed {
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

fn without_graph(root: &Path, mentions: &[Mention], changed: Vec<String>) -> Surveyed {
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
