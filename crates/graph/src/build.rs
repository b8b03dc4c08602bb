//! A graph that is as the tree is: what is kept is loaded, only what changed is read, and the result is kept.

use std::fs::File as OsFile;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

use crate::error::GraphError;
use crate::extract::{Read, Reader, Skipped};
use crate::graph::{File, Graph, Parts, State};
use crate::keep::{self, Unusable};
use crate::language::{Guess, Language};
use crate::names::{Interner, Names};
use crate::outline::Digest;
use crate::walk::{Stamp, walk};

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

/// How far a long build is: files looked at, and files to look at.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A file's time is believed if it was this long ago when the file was read: clocks of file systems are coarse.
const SETTLED: i64 = 1_000_000_000;

/// Brings the graph that is kept in `kept` up to date with the tree at `root`, and keeps it.
pub fn update(
    root: &Path,
    kept: &Path,
    options: &Options,
    progress: Progress<'_>,
) -> Result<(Graph, Report), GraphError> {
    let mut report = Report::default();
    let old = match keep::load(kept)? {
        Some(Ok(parts)) => parts,
        Some(Err(why)) => {
            report.unusable = Some(why);
            Parts::default()
        }
        None => Parts::default(),
    };
    let threads = options
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let tree = walk(root, options.excludes_file.as_deref(), threads)?;
    if tree.len() > options.most_files {
        let why = format!("there are {} files in it, more than {}", tree.len(), options.most_files);
        return Err(GraphError::Walk { path: root.to_owned(), why });
    }
    let was_empty = old.files.is_empty();
    let (known, jobs) = sort_out(&old, tree);
    let done = work(root, &jobs, options, threads, progress);
    let (parts, changed) = assemble(old, known, done, &mut report);
    if changed || was_empty || report.unusable.is_some() {
        report.written = keep::save(kept, &parts)?;
    }
    for file in &parts.files {
        match &file.state {
            State::Skipped(why) => report.skipped.push((file.path.clone(), *why)),
            State::Outlined(outline) => report.mentions += outline.mentions.len(),
        }
    }
    report.files = parts.files.len();
    let graph = Graph::new(parts);
    report.symbols = graph.symbol_count();
    Ok((graph, report))
}

/// A file that has to be looked at.
struct Job {
    path: String,
    stamp: Stamp,
    /// What its content was, and where it is in what was kept.
    before: Option<(Digest, usize)>,
}

/// What came of it.
enum Done {
    /// Its content is as it was.
    Same(usize, Option<Stamp>),
    New(Box<(File, Names)>, u64),
    Gone,
}

/// The numbers of those that are as they were, and the others.
fn sort_out(old: &Parts, tree: Vec<(String, Stamp)>) -> (Vec<usize>, Vec<Job>) {
    let (mut known, mut jobs) = (Vec::new(), Vec::new());
    for (path, stamp) in tree {
        let at = old.files.binary_search_by(|file| file.path.cmp(&path)).ok();
        let before = at.map(|at| &old.files[at]);
        match (at, before) {
            (Some(at), Some(file)) if file.stamp == Some(stamp) => known.push(at),
            (at, before) => {
                let before = before.map(|file| file.digest).zip(at);
                jobs.push(Job { path, stamp, before });
            }
        }
    }
    (known, jobs)
}

fn work(root: &Path, jobs: &[Job], options: &Options, threads: usize, progress: Progress<'_>) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut reader = Reader::new(options.patience);
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return done };
            done.push((at, look(root, job, options, &mut reader)));
            progress(at + 1, jobs.len());
        }
    };
    let mut done: Vec<(usize, Done)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(jobs.len()).max(1)).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|one| one.join().expect("files are read without a panic")).collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, done)| done).collect()
}

fn look(root: &Path, job: &Job, options: &Options, reader: &mut Reader) -> Done {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    let settled = job.stamp.modified.max(job.stamp.changed) < now - SETTLED;
    let stamp = settled.then_some(job.stamp);
    let skipped = |digest, language, why| {
        let file = File { path: job.path.clone(), digest, stamp, language, state: State::Skipped(why) };
        Done::New(Box::new((file, Names::default())), 0)
    };
    let guess = Language::of_path(&job.path);
    if let (Guess::Is(language), true) = (guess, job.stamp.size > options.largest_file) {
        return skipped(Digest::default(), language, Skipped::TooLarge);
    }
    let content = match read(&root.join(&job.path), guess, options.largest_file) {
        Ok(Some(content)) => content,
        Ok(None) => return Done::Gone,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Done::Gone,
        Err(_) => {
            return match guess {
                Guess::Is(language) => skipped(Digest::default(), language, Skipped::Unreadable),
                Guess::ByFirstLine | Guess::None => Done::Gone,
            };
        }
    };
    let digest = Digest::of(&content);
    if let Some((before, at)) = job.before
        && before == digest
    {
        return Done::Same(at, stamp);
    }
    match reader.read(&job.path, &content) {
        Read::Foreign => Done::Gone,
        Read::Skipped { language, why } => skipped(digest, language, why),
        Read::Outlined { language, outline, names } => {
            let state = State::Outlined(outline);
            let file = File { path: job.path.clone(), digest, stamp, language, state };
            Done::New(Box::new((file, names)), content.len() as u64)
        }
    }
}

/// Nothing for what is no script after all, or no file. Links are not followed, pipes not waited for.
fn read(path: &Path, guess: Guess, largest: u64) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = OsFile::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let mut content = Vec::with_capacity(metadata.len().min(largest) as usize + 1);
    if guess == Guess::ByFirstLine {
        (&file).take(2).read_to_end(&mut content)?;
        if content != b"#!" || metadata.len() > largest {
            return Ok(None);
        }
    }
    // One that grows meanwhile is looked at again next time.
    file.take(largest).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// What is known and what is new, sorted by path, with one table of texts; and whether that is anything new.
fn assemble(old: Parts, known: Vec<usize>, done: Vec<Done>, report: &mut Report) -> (Parts, bool) {
    let mut kept: Vec<Option<File>> = old.files.into_iter().map(Some).collect();
    let mut files: Vec<File> = known.into_iter().filter_map(|at| kept[at].take()).collect();
    let mut new = Vec::new();
    for one in done {
        match one {
            Done::Same(at, stamp) => {
                if let Some(mut file) = kept[at].take() {
                    report.same += 1;
                    file.stamp = stamp;
                    files.push(file);
                }
            }
            Done::New(file, bytes) => {
                report.parsed += usize::from(matches!(file.0.state, State::Outlined(_)));
                report.bytes += bytes;
                new.push(*file);
            }
            Done::Gone => {}
        }
    }
    // What is new comes in the order of the paths.
    let is_new =
        |path: &str| new.binary_search_by(|(file, _): &(File, Names)| file.path.as_str().cmp(path)).is_ok();
    report.removed = kept.iter().flatten().filter(|file| !is_new(&file.path)).count();
    let changed = report.same + report.removed + new.len() > 0;
    let mut names = old.names;
    if !new.is_empty() {
        let mut interner = Interner::over(names);
        for (mut file, own) in new {
            if let State::Outlined(outline) = &mut file.state {
                let numbers: Vec<u32> = own.iter().map(|text| interner.number(text)).collect();
                outline.renumber(|id| numbers[id as usize]);
            }
            files.push(file);
        }
        names = interner.names;
    }
    files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    (Parts { names, files }, changed)
}
