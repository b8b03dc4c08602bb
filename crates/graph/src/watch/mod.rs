//! A graph that follows its tree while somebody works in it: only where something happened is it looked.

mod changes;
mod eyes;
mod rules;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use changes::Changes;
pub use eyes::Unwatched;

use crate::build::{Options, Progress, Report, load};
use crate::error::GraphError;
use crate::graph::{Graph, Parts};
use crate::keep;
use crate::refresh::{Difference, Refresh};
use crate::walk::{Stamp, Walk, walk};
use eyes::{Eyes, MOST_FOLDERS, Seen};
use rules::Rules;

/// A graph in memory, and the tree that it is of.
///
/// Nothing runs while it is not asked: the kernel remembers what happens, and nothing is left behind when this is dropped.
#[derive(Debug)]
pub struct Watched {
    root: PathBuf,
    kept: PathBuf,
    options: Options,
    most_folders: usize,
    graph: Graph,
    sight: Sight,
    /// Whether the graph's file is as the graph is.
    is_kept: bool,
}

#[derive(Debug)]
enum Sight {
    /// What is watched, what decides what is left out, and which directory the root was.
    Clear { eyes: Eyes, rules: Rules, root: Option<Identity> },
    /// Something cannot be told: it is walked and watched anew.
    Lost,
    /// It is walked each time.
    None(Unwatched),
}

/// The device and the inode of a directory: which one it is, whatever happens in it.
type Identity = (u64, u64);

impl Watched {
    /// Brings the graph that is kept in `kept` up to date with the tree at `root`, keeps it, and watches the tree.
    pub fn new(
        root: &Path,
        kept: &Path,
        options: Options,
        progress: Progress<'_>,
    ) -> Result<(Watched, Report), GraphError> {
        Watched::within(root, kept, options, MOST_FOLDERS, progress)
    }

    /// The same for a tree of at most so many directories; a larger one is not watched.
    pub fn within(
        root: &Path,
        kept: &Path,
        options: Options,
        most_folders: usize,
        progress: Progress<'_>,
    ) -> Result<(Watched, Report), GraphError> {
        let mut report = Report::default();
        let old = load(kept, &mut report)?;
        let mut watched = Watched {
            root: root.to_owned(),
            kept: kept.to_owned(),
            options,
            most_folders,
            is_kept: report.unusable.is_none() && !old.files.is_empty(),
            graph: Graph::new(old),
            sight: Sight::Lost,
        };
        watched.refresh(None, progress, &mut report)?;
        report.written = watched.keep()?;
        report.count(&watched.graph);
        Ok((watched, report))
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Why the tree is not watched, where it is not: what a person should know once.
    pub fn unwatched(&self) -> Option<Unwatched> {
        match self.sight {
            Sight::None(why) => Some(why),
            Sight::Clear { .. } | Sight::Lost => None,
        }
    }

    /// Brings the graph up to date with the tree. Its file is left as it is; [`keep`](Watched::keep) writes it.
    pub fn update(&mut self) -> Result<Report, GraphError> {
        let mut report = Report::default();
        match self.look() {
            Seen::These(changes) if changes.is_empty() => {}
            Seen::These(changes) => self.refresh(Some(Arc::new(changes)), &|_, _| {}, &mut report)?,
            Seen::Anything => self.refresh(None, &|_, _| {}, &mut report)?,
        }
        report.count(&self.graph);
        Ok(report)
    }

    /// Writes the graph's file if it is another by now, and says how large it is then. Who never does loses nothing but
    /// the time to parse again what changed.
    pub fn keep(&mut self) -> Result<u64, GraphError> {
        if self.is_kept {
            return Ok(0);
        }
        let written = keep::save(&self.kept, &self.graph.parts)?;
        self.is_kept = true;
        Ok(written)
    }

    fn look(&mut self) -> Seen {
        match &mut self.sight {
            Sight::Clear { eyes, rules, root } if *root == identity(&self.root) && rules.still_hold() => {
                eyes.look()
            }
            Sight::Clear { .. } | Sight::Lost | Sight::None(_) => Seen::Anything,
        }
    }

    fn refresh(
        &mut self,
        part: Option<Arc<Changes>>,
        progress: Progress<'_>,
        report: &mut Report,
    ) -> Result<(), GraphError> {
        let tree = self.walk(part.clone())?;
        let refresh = Refresh { root: &self.root, options: &self.options, part: part.as_deref() };
        let old: Parts = std::mem::take(&mut self.graph.parts);
        let (parts, difference) = refresh.bring(old, tree, progress, report).inspect_err(|_| {
            // Half of a graph is worse than none.
            self.graph = Graph::new(Parts::default());
            self.sight = Sight::Lost;
        })?;
        match difference {
            // What was found out about the same content still holds.
            Difference::None | Difference::Stamps => self.graph.parts = parts,
            Difference::Content => self.graph = Graph::new(parts),
        }
        self.is_kept &= difference == Difference::None;
        Ok(())
    }

    /// Lists what is asked for, and watches the directories on the way. Whatever goes wrong, the next walk is of all.
    fn walk(&mut self, part: Option<Arc<Changes>>) -> Result<Vec<(String, Stamp)>, GraphError> {
        let (sight, is_part) = (std::mem::replace(&mut self.sight, Sight::Lost), part.is_some());
        let mut what = Walk { root: &self.root, options: &self.options, part, enter: None };
        let before = match sight {
            Sight::Clear { eyes, rules, root } if is_part => Ok((eyes, rules, root)),
            Sight::None(why) => Err(why),
            // Those that were open are closed first: a user may have only so many.
            Sight::Clear { .. } | Sight::Lost => self.open(),
        };
        let (mut eyes, mut rules, root) = match before {
            Ok(sight) => sight,
            Err(why) => {
                self.sight = Sight::None(why);
                return Ok(walk(&what)?.files);
            }
        };
        let (enter, opened) = eyes.opening(&self.root, self.most_folders);
        what.enter = Some(enter);
        let found = walk(&what)?.files;
        self.sight = match eyes.take(&opened, self.most_folders) {
            Err(why) => Sight::None(why),
            Ok(Some(entered)) if rules.still_hold() && root == identity(&self.root) => {
                for folder in entered {
                    rules.enter(&self.root.join(folder));
                }
                Sight::Clear { eyes, rules, root }
            }
            Ok(_) => Sight::Lost,
        };
        Ok(found)
    }

    /// Before anything is walked, so that what changes meanwhile is noticed.
    fn open(&self) -> Result<(Eyes, Rules, Option<Identity>), Unwatched> {
        let eyes = Eyes::new(&self.root)?;
        let rules = Rules::above(&self.root, self.options.excludes_file.as_deref());
        Ok((eyes, rules, identity(&self.root)))
    }
}

fn identity(root: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(root).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
