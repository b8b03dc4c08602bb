//! The outlines of a tree from those that it had before: only what changed is read.

use std::fs::File as OsFile;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

use crate::build::{Options, Progress, Report};
use crate::error::GraphError;
use crate::extract::{Read, Reader, Skipped};
use crate::graph::{File, Parts, State};
use crate::language::{Guess, Language};
use crate::names::{Interner, Names};
use crate::outline::Digest;
use crate::walk::Stamp;
use crate::watch::Changes;

/// A file's time is believed if it was this long ago when the file was read: clocks of file systems are coarse.
const SETTLED: i64 = 1_000_000_000;

/// How a graph that was brought up to date differs from what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    None,
    /// In nothing but the times of files.
    Stamps,
    Content,
}

/// A tree whose outlines are brought up to date.
pub(crate) struct Refresh<'a> {
    pub(crate) root: &'a Path,
    pub(crate) options: &'a Options,
    /// What of the tree was walked; all of it if nothing is said.
    pub(crate) part: Option<&'a Changes>,
}

impl Refresh<'_> {
    /// From what there was, and the files that were found now.
    pub(crate) fn bring(
        &self,
        old: Parts,
        tree: Vec<(String, Stamp)>,
        progress: Progress<'_>,
        report: &mut Report,
    ) -> Result<(Parts, Difference), GraphError> {
        report.walked = tree.len();
        let (known, jobs) = self.sort_out(&old, tree);
        let (files, most) = (known.len() + jobs.len(), self.options.most_files);
        if files > most {
            let why = format!("there are {files} files in it, more than {most}");
            return Err(GraphError::Walk { path: self.root.to_owned(), why });
        }
        let done = work(self.root, &jobs, self.options, progress);
        Ok(assemble(old, known, done, report))
    }

    /// The numbers of those that are as they were, and the others.
    fn sort_out(&self, old: &Parts, tree: Vec<(String, Stamp)>) -> (Vec<usize>, Vec<Job>) {
        let (mut known, mut jobs) = (Vec::new(), Vec::new());
        if let Some(part) = self.part {
            let outside = old.files.iter().enumerate().filter(|(_, file)| !part.hold(&file.path));
            known.extend(outside.map(|(at, _)| at));
        }
        for (path, stamp) in tree {
            let at = old.files.binary_search_by(|file| file.path.cmp(&path)).ok();
            match at.map(|at| (at, &old.files[at])) {
                Some((at, file)) if file.stamp == Some(stamp) => known.push(at),
                before => {
                    let before = before.map(|(at, file)| (file.digest, at));
                    jobs.push(Job { path, stamp, before });
                }
            }
        }
        (known, jobs)
    }
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

fn work(root: &Path, jobs: &[Job], options: &Options, progress: Progress<'_>) -> Vec<Done> {
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
        let workers: Vec<_> =
            (0..options.threads().min(jobs.len()).max(1)).map(|_| scope.spawn(worker)).collect();
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

/// What is known and what is new, sorted by path, with one table of texts.
fn assemble(old: Parts, known: Vec<usize>, done: Vec<Done>, report: &mut Report) -> (Parts, Difference) {
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
    let difference = match (report.removed + new.len(), report.same) {
        (0, 0) => Difference::None,
        (0, _) => Difference::Stamps,
        _ => Difference::Content,
    };
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
    (Parts { names, files }, difference)
}
