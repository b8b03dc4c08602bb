//! A graph that is as the tree is: what is kept is loaded, only what changed is read, and the result is kept.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::GraphError;
use crate::extract::Skipped;
use crate::graph::{Graph, Parts, State};
use crate::keep::{self, Unusable};
use crate::refresh::{Difference, Refresh};
use crate::walk::{Walk, walk};

/// The bounds within which a tree is read.
#[derive(Debug, Clone)]
pub struct Options {
    /// Larger files are left out.
    pub largest_file: u64,
    /// Files that take longer are left out.
    pub patience: Duration,
    /// More files than this are an error of the caller's: the wrong directory.
    pub most_files: usize,
    /// How many files are read at a time; as many as there are processors by default.
    pub threads: Option<usize>,
    /// A person's own rules for what git ignores.
    pub excludes_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            largest_file: 1 << 20,
            patience: Duration::from_secs(5),
            most_files: 500_000,
            threads: None,
            excludes_file: None,
        }
    }
}

impl Options {
    pub(crate) fn threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(processors)
    }
}

/// What bringing a graph up to date took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Of these languages, in the tree now.
    pub files: usize,
    /// Of them, how many were parsed.
    pub parsed: usize,
    /// Of them, how many were only read: their times had changed, or were too new to be relied on.
    pub same: usize,
    /// How many are no longer there.
    pub removed: usize,
    /// How many files the tree was asked for; none where it was known that nothing has changed.
    pub walked: usize,
    /// Of what was parsed.
    pub bytes: u64,
    pub symbols: usize,
    pub mentions: usize,
    /// Files without an outline, each with the reason.
    pub skipped: Vec<(String, Skipped)>,
    /// Why what was kept could not be used.
    pub unusable: Option<Unusable>,
    /// How large the graph's file is now; 0 if it did not have to be written.
    pub written: u64,
}

impl Report {
    /// What there is in the graph now.
    pub(crate) fn count(&mut self, graph: &Graph) {
        for file in &graph.parts.files {
            match &file.state {
                State::Skipped(why) => self.skipped.push((file.path.clone(), *why)),
                State::Outlined(outline) => self.mentions += outline.mentions.len(),
            }
        }
        self.files = graph.file_count();
        self.symbols = graph.symbol_count();
    }
}

/// How far a long build is: files looked at, and files to look at.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Brings the graph that is kept in `kept` up to date with the tree at `root`, and keeps it.
pub fn update(
    root: &Path,
    kept: &Path,
    options: &Options,
    progress: Progress<'_>,
) -> Result<(Graph, Report), GraphError> {
    let mut report = Report::default();
    let (parts, is_another) = brought(root, kept, options, progress, &mut report)?;
    if is_another {
        report.written = keep::save(kept, &parts)?;
    }
    let graph = Graph::new(parts);
    report.count(&graph);
    Ok((graph, report))
}

/// The graph of the tree at `root` as it is now, with the help of what is kept in `kept`, which stays as it is.
pub fn examine(root: &Path, kept: &Path, options: &Options) -> Result<Graph, GraphError> {
    let (parts, _) = brought(root, kept, options, &|_, _| {}, &mut Report::default())?;
    Ok(Graph::new(parts))
}

/// What is kept, brought up to date, and whether that is something else.
fn brought(
    root: &Path,
    kept: &Path,
    options: &Options,
    progress: Progress<'_>,
    report: &mut Report,
) -> Result<(Parts, bool), GraphError> {
    let old = load(kept, report)?;
    let is_new = old.files.is_empty() || report.unusable.is_some();
    let tree = walk(&Walk::whole(root, options))?;
    let refresh = Refresh { root, options, part: None };
    report.skipped.extend(tree.nameless.into_iter().map(|path| (path, Skipped::NotUtf8)));
    let (parts, difference) = refresh.bring(old, tree.files, progress, report)?;
    Ok((parts, is_new || difference != Difference::None))
}

/// What is kept, or nothing with the reason.
pub(crate) fn load(kept: &Path, report: &mut Report) -> Result<Parts, GraphError> {
    Ok(match keep::load(kept)? {
        Some(Ok(parts)) => parts,
        Some(Err(why)) => {
            report.unusable = Some(why);
            Parts::default()
        }
        None => Parts::default(),
    })
}
