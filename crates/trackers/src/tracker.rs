//! What every tracker offers.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;

use ralph_core::backlog::{Backlog, Filter, Item, Order, Status, Turn, Wanted};
use ralph_core::id::TaskId;

use crate::beads::Beads;
use crate::detect::Place;
use crate::error::TrackerError;
use crate::github::Github;
use crate::jira::Jira;
use crate::linear::Linear;
use crate::markdown::Markdown;
use crate::native::Native;
use crate::prd::Prd;

/// The trackers that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Prd,
    Markdown,
    Beads,
    BeadsBv,
    Github,
    Linear,
    Jira,
    /// In ralph's own store.
    Native,
}

impl Kind {
    pub const ALL: [Kind; 8] = [
        Kind::Prd,
        Kind::Markdown,
        Kind::Beads,
        Kind::BeadsBv,
        Kind::Github,
        Kind::Linear,
        Kind::Jira,
        Kind::Native,
    ];

    /// As it is written on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Prd => "prd",
            Kind::Markdown => "markdown",
            Kind::Beads => "beads",
            Kind::BeadsBv => "beads-bv",
            Kind::Github => "github",
            Kind::Linear => "linear",
            Kind::Jira => "jira",
            Kind::Native => "native",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A backlog that is kept somewhere else. Its calls block; each reads what is there at that moment.
pub trait Tracker: Send + fmt::Debug {
    fn kind(&self) -> Kind;

    /// The file or the program and directory, for people.
    fn source(&self) -> String;

    /// Everything that is there now.
    fn load(&mut self) -> Result<Backlog, TrackerError>;

    /// Writes the status through; one that the format does not have is not written, and the caller has to keep it.
    /// To say what is so already changes nothing.
    fn set_status(&mut self, id: &TaskId, status: Status) -> Result<Kept, TrackerError>;

    /// Writes that it is done, with the reason where there is a place for it.
    fn complete(&mut self, id: &TaskId, reason: &str) -> Result<(), TrackerError>;

    /// What all of it is about.
    fn context(&mut self) -> Result<Context, TrackerError>;

    /// The files that the backlog is kept in, links and what they point at: they are ralph's business, not the agent's
    /// work. So is what [`is_temporary`](crate::is_temporary) tells of beside them.
    fn files(&self) -> Vec<PathBuf>;

    /// What counts first among tasks that are ready.
    fn order(&mut self) -> Order {
        Order::Priority
    }

    /// What a person should know of the last order that was told.
    fn remark(&self) -> Option<&str> {
        None
    }

    fn tasks(&mut self, filter: &Filter) -> Result<Vec<Item>, TrackerError> {
        let backlog = self.load()?;
        let meant = filter.meant(&backlog);
        let items = backlog.into_items().into_iter().zip(meant);
        Ok(items.filter_map(|(item, meant)| meant.then_some(item)).collect())
    }

    /// What to work on now, in the tracker's own order.
    fn next(&mut self, wanted: &Wanted) -> Result<Option<Item>, TrackerError> {
        let wanted = Wanted { order: self.order(), ..wanted.clone() };
        Ok(self.load()?.next(&wanted).map(|Turn { item, .. }| item.clone()))
    }

    fn is_complete(&mut self, filter: &Filter) -> Result<bool, TrackerError> {
        Ok(self.load()?.is_complete(filter))
    }

    fn is_ready(&mut self, id: &TaskId) -> Result<bool, TrackerError> {
        Ok(self.load()?.is_ready(id))
    }

    /// What has changed since `known` was loaded.
    fn sync(&mut self, known: &Backlog) -> Result<(Backlog, Changes), TrackerError> {
        let now = self.load()?;
        let changes = Changes::between(known, &now);
        Ok((now, changes))
    }
}

/// Whether a tracker could take a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    ByTracker,
    /// Its format has no such status.
    Nowhere,
}

/// In the order of the tracker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub added: Vec<TaskId>,
    pub updated: Vec<TaskId>,
    pub removed: Vec<TaskId>,
}

impl Changes {
    fn between(before: &Backlog, after: &Backlog) -> Changes {
        let known: HashMap<&TaskId, &Item> = before.items().iter().map(|item| (&item.id, item)).collect();
        let mut changes = Changes::default();
        for item in after.items() {
            match known.get(&item.id) {
                None => changes.added.push(item.id.clone()),
                Some(old) if **old != *item => changes.updated.push(item.id.clone()),
                Some(_) => {}
            }
        }
        let gone = before.items().iter().filter(|item| after.item(&item.id).is_none());
        changes.removed = gone.map(|item| item.id.clone()).collect();
        changes
    }
}

/// What all tasks of a backlog are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    pub name: String,
    pub description: String,
    /// The document that the backlog was made of, where it names one; else empty.
    pub content: String,
    pub completed: usize,
    pub total: usize,
}

impl Context {
    /// Counts what is there; containers are no work.
    pub(crate) fn counted(backlog: &Backlog) -> Context {
        let is_work = |item: &&Item| item.kind == ralph_core::backlog::Kind::Work;
        let work = || backlog.items().iter().filter(is_work);
        let completed = work().filter(|item| item.status == Status::Completed).count();
        Context { completed, total: work().count(), ..Context::default() }
    }
}

/// The tracker of a place.
pub fn open(place: Place) -> Box<dyn Tracker> {
    match place {
        Place::Prd { file, root } => Box::new(Prd::new(file, root)),
        Place::Markdown { file } => Box::new(Markdown::new(file)),
        Place::Beads { root, program, viewer } => Box::new(Beads::new(root, program, viewer)),
        Place::Github { root, program } => Box::new(Github::new(root, program)),
        Place::Linear(account) => Box::new(Linear::new(account)),
        Place::Jira(account) => Box::new(Jira::new(account)),
        Place::Native { state, root } => Box::new(Native::new(state, root)),
    }
}

/// The longest reason that is written down, in bytes; a command line takes about twice as much.
const LONGEST_REASON: usize = 64 << 10;

/// A reason as it can be told to any tracker: no NUL, and not without end.
pub(crate) fn told(reason: &str) -> String {
    told_within(reason, LONGEST_REASON)
}

/// The same, for those that take less.
pub(crate) fn told_within(reason: &str, most: usize) -> String {
    let end = (0..=most.min(reason.len())).rev().find(|at| reason.is_char_boundary(*at)).unwrap_or(0);
    let cut = if end < reason.len() { "…" } else { "" };
    reason[..end].replace('\0', "\u{fffd}") + cut
}

/// Keys of a foreign format that have no field of their own.
pub(crate) type Metadata = BTreeMap<String, serde_json::Value>;
