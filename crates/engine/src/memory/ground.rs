//! The code graph of the tree that a run works in: what a task's names mean there, and what an attempt touched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_core::note::Anchor;
use ralph_graph::{GraphError, Options, Watched};
use ralph_memory::Mention;
use ralph_store::Store;
use tokio::task::JoinError;

use super::survey::{self, Surveyed, anchor, definitions, survey, without_graph};
use crate::drive::Drive;
use crate::error::{EngineError, chain};
use crate::urgency::{Urgency, pressed};

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
            done = &mut working => done,
            // Whoever wants an end does not wait for it: the graph is only read, and is built again next time.
            _ = pressed(&mut urgency, Urgency::None) => return Ok(None),
            // A host waits for its hook, and a graph is not what it waits for.
            () = tokio::time::sleep(IN_A_HOOK), if folders.is_some() => {
                self.ground = Ground::Unusable;
                return Ok(None);
            }
        };
        match come_to(done) {
            Ok((watched, answer)) => {
                self.ground = Ground::Seen(watched);
                Ok(Some(answer))
            }
            Err(why) => {
                self.ground = Ground::Unusable;
                self.tell_once(&format!("the code graph cannot be used: {why}"));
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

    /// All that these files define now.
    pub(super) async fn defined(&mut self, files: Vec<String>) -> Result<Vec<Anchor>, EngineError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.ask_ground(move |watched| {
            Ok(definitions(watched.graph(), &files).into_iter().map(anchor).collect())
        });
        Ok(found.await?.unwrap_or_default())
    }

    /// These symbols as they are now; one that is gone has no digest.
    pub(super) async fn as_they_are(&mut self, anchors: Vec<Anchor>) -> Result<Vec<Anchor>, EngineError> {
        if anchors.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.ask_ground(move |watched| Ok(survey::as_they_are(watched.graph(), anchors)));
        Ok(found.await?.unwrap_or_default())
    }

    /// The code of these files in a few lines, for somebody who is about to work there.
    pub(super) async fn scope(&mut self, files: Vec<String>, budget: usize) -> Result<String, EngineError> {
        if files.is_empty() || budget == 0 {
            return Ok(String::new());
        }
        let told = self.ask_ground(move |watched| Ok(survey::scope(watched.graph(), &files, budget)));
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

/// Whatever goes wrong with the graph, a panic too, is a sentence, and ends nothing else.
fn come_to<T>(done: Result<Result<T, GraphError>, JoinError>) -> Result<T, String> {
    match done {
        Ok(done) => done.map_err(|error| chain(&error)),
        Err(_) => Err("it came to grief over this tree".to_owned()),
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

#[cfg(test)]
mod tests {
    use ralph_graph::GraphError;

    use super::come_to;

    #[tokio::test]
    async fn a_panic_in_the_graph_is_told_and_ends_nothing() {
        let work = || -> Result<u32, GraphError> { panic!("a file that nobody foresaw") };
        let done = tokio::task::spawn_blocking(work).await;
        assert_eq!(come_to(done), Err("it came to grief over this tree".to_owned()));
        let done = tokio::task::spawn_blocking(|| Ok::<_, GraphError>(7)).await;
        assert_eq!(come_to(done), Ok(7));
    }
}
