//! Where the formats put what they recognise: each failure once, named by what stays the same.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, Hash, RandomState};

use crate::findings::{Counts, Failure, Location};
use crate::fingerprint::Fingerprint;
use crate::normal::Root;
use crate::text::cut;
use crate::tool::Tool;

/// More than these are not kept one by one.
pub(crate) const MOST_FAILURES: usize = 5_000;
const LONGEST_MESSAGE: usize = 2_000;
const LONGEST_TITLE: usize = 200;
/// What has been said word for word is passed over; this many sayings are remembered.
const MOST_SAID: usize = 50_000;

/// A test that failed.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Test<'a> {
    /// The file or program that the test belongs to; part of its name.
    pub(crate) file: &'a str,
    pub(crate) name: &'a str,
    pub(crate) message: &'a str,
    /// Where it is or where it failed, as `file:line:column`; no part of its name.
    pub(crate) place: &'a str,
}

/// A complaint of a compiler or linter.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Complaint<'a> {
    pub(crate) severity: Severity,
    pub(crate) file: &'a str,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) code: &'a str,
    pub(crate) message: &'a str,
    /// What it adds to the message; part of how it fails, not of what it is.
    pub(crate) more: &'a str,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Severity {
    #[default]
    Error,
    Warning,
}

#[derive(Debug)]
pub(crate) struct Sink<'a> {
    root: &'a Root,
    failures: Vec<Failure>,
    /// What counts only if nothing worse explains the exit status.
    warnings: Vec<Failure>,
    tests: HashMap<Fingerprint, usize>,
    complaints: HashSet<Fingerprint>,
    alike: HashMap<Fingerprint, u32>,
    counts: BTreeMap<Tool, Counts>,
    sources: BTreeSet<Tool>,
    truncated: bool,
    /// Whether a runner leaves out tests that pass.
    is_partial: bool,
    said: HashSet<u64>,
    hasher: RandomState,
}

/// What is left at the end.
pub(crate) struct Collected {
    pub(crate) failures: Vec<Failure>,
    pub(crate) warnings: Vec<Failure>,
    pub(crate) counts: Option<Counts>,
    pub(crate) tests: Option<u64>,
    pub(crate) sources: BTreeSet<Tool>,
    pub(crate) truncated: bool,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(root: &'a Root) -> Sink<'a> {
        Sink {
            root,
            failures: Vec::new(),
            warnings: Vec::new(),
            tests: HashMap::new(),
            complaints: HashSet::new(),
            alike: HashMap::new(),
            counts: BTreeMap::new(),
            sources: BTreeSet::new(),
            truncated: false,
            is_partial: false,
            said: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// Whether exactly this has been said before.
    fn is_said(&mut self, saying: impl Hash) -> bool {
        if self.said.len() >= MOST_SAID {
            self.said.clear();
        }
        !self.said.insert(self.hasher.hash_one(saying))
    }

    pub(crate) fn was_cut(&mut self) {
        self.truncated = true;
    }

    /// Adds what a runner says it counted.
    pub(crate) fn count(&mut self, tool: Tool, counts: Counts) {
        self.sources.insert(tool);
        self.counts.entry(tool).or_default().add(counts);
    }

    /// There may be more tests than this runner tells of.
    pub(crate) fn tells_not_all(&mut self) {
        self.is_partial = true;
    }

    /// A test that is shown twice is one failure; the fuller message is kept.
    pub(crate) fn test(&mut self, tool: Tool, test: &Test<'_>) {
        if self.is_said((tool, test)) {
            return;
        }
        self.sources.insert(tool);
        let file = self.root.file(test.file);
        // A runner may call a file that it could not run by its path.
        let name = if test.name.starts_with('/') { self.root.file(test.name) } else { test.name.to_owned() };
        let fingerprint = Fingerprint::of(&["test", tool.name(), &file, &self.root.normal(&name)]);
        let message = message(test.message);
        if let Some(known) = self.tests.get(&fingerprint) {
            let known = &mut self.failures[*known];
            if message.len() > known.message.len() {
                known.detail = detail(self.root, &message);
                known.message = message;
            }
            return;
        }
        if self.failures.len() >= MOST_FAILURES {
            self.truncated = true;
            return;
        }
        self.tests.insert(fingerprint, self.failures.len());
        let file = if test.file.is_empty() { String::new() } else { format!("{file}: ") };
        self.failures.push(Failure {
            fingerprint,
            detail: detail(self.root, &message),
            title: cut(&format!("{file}{name}"), LONGEST_TITLE).to_owned(),
            location: location(self.root, test.place),
            message,
            source: tool,
        });
    }

    /// The same complaint about the same place is one failure; about two places of a file it is two.
    pub(crate) fn complaint(&mut self, tool: Tool, complaint: &Complaint<'_>) {
        if self.is_said((tool, complaint)) {
            return;
        }
        self.sources.insert(tool);
        let file = self.root.file(complaint.file);
        let text = complaint.message.trim().trim_end_matches('.');
        let base =
            Fingerprint::of(&["complaint", tool.name(), &file, complaint.code, &self.root.normal(text)]);
        let place = format!("{:?}:{:?}", complaint.line, complaint.column);
        if !self.complaints.insert(Fingerprint::of(&[&base.to_string(), &place])) {
            return;
        }
        let list = match complaint.severity {
            Severity::Error => &mut self.failures,
            Severity::Warning => &mut self.warnings,
        };
        if list.len() >= MOST_FAILURES {
            self.truncated = true;
            // Neither may what is known of those that are not kept grow without end.
            self.complaints.clear();
            return;
        }
        let number = self.alike.entry(base).or_default();
        let fingerprint = base.numbered(*number);
        *number += 1;
        let message = message(&[text, complaint.more].join("\n"));
        let code = if complaint.code.is_empty() { String::new() } else { format!("{}: ", complaint.code) };
        list.push(Failure {
            fingerprint,
            detail: detail(self.root, &message),
            title: cut(&format!("{code}{}", text.lines().next().unwrap_or_default()), LONGEST_TITLE)
                .to_owned(),
            location: (!file.is_empty()).then_some(Location {
                file,
                line: complaint.line,
                column: complaint.column,
            }),
            message,
            source: tool,
        });
    }

    /// Ends the collection. What a runner counted is never less than what it named.
    pub(crate) fn collected(mut self) -> Collected {
        let mut named: BTreeMap<Tool, u64> = BTreeMap::new();
        let mut errors = 0;
        for (at, failure) in self.failures.iter().enumerate() {
            if self.tests.get(&failure.fingerprint) == Some(&at) {
                *named.entry(failure.source).or_default() += 1;
            } else {
                errors += 1;
            }
        }
        for (tool, number) in named {
            self.is_partial |= !self.counts.contains_key(&tool);
            let counts = self.counts.entry(tool).or_default();
            counts.failed += number.saturating_sub(counts.bad());
        }
        let run = self.counts.values().map(|counts| counts.passed.saturating_add(counts.failed)).sum();
        let mut all = Counts { errors, ..Counts::default() };
        self.counts.values().for_each(|counts| all.add(*counts));
        Collected {
            counts: (!self.sources.is_empty()).then_some(all),
            tests: (!self.is_partial).then_some(run),
            failures: self.failures,
            warnings: self.warnings,
            sources: self.sources,
            truncated: self.truncated,
        }
    }
}

/// Without indentation common to all lines, cut to size.
pub(crate) fn message(text: &str) -> String {
    let text = cut(text.trim_end(), LONGEST_MESSAGE);
    let lines: Vec<&str> = text.lines().skip_while(|line| line.trim().is_empty()).collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or_default();
    let lines = lines.iter().map(|line| line.get(common..).unwrap_or_default().trim_end());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn detail(root: &Root, message: &str) -> Fingerprint {
    Fingerprint::of(&["detail", &root.normal(message)])
}

/// Reads `file:line:column`; either number may be missing.
fn location(root: &Root, place: &str) -> Option<Location> {
    let place = place.trim();
    let number = |text: &str| text.parse::<u32>().ok();
    let split =
        |text: &str| text.rsplit_once(':').and_then(|(file, last)| Some((file.to_owned(), number(last)?)));
    let (file, line, column) = match split(place) {
        Some((rest, last)) => match split(&rest) {
            Some((file, line)) => (file, Some(line), Some(last)),
            None => (rest, Some(last), None),
        },
        None => (place.to_owned(), None, None),
    };
    (!file.is_empty()).then(|| Location { file: root.file(&file), line, column })
}
