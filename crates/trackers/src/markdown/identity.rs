//! Which task is which: every one gets a name of its own, and its place below others.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use ralph_core::backlog::Status;
use ralph_core::id::TaskId;

use super::names::{Naming, derived, naming};
use super::read::{Document, Entry, Identity};
use crate::error::{Spot, TrackerError};

pub(super) fn identify(path: &Path, bytes: &[u8], document: &mut Document) -> Result<(), TrackerError> {
    let mut taken = named(path, bytes, &mut document.entries)?;
    guessed(&mut document.entries, &mut taken);
    made(document, &mut taken);
    depend(&mut document.entries, &taken);
    nest(&mut document.entries);
    for entry in &mut document.entries {
        entry.item.description.truncate(entry.item.description.trim_end().len());
    }
    document.description = document.description.trim().to_owned();
    Ok(())
}

/// Names that are written as names; no two tasks may have the same.
fn named(path: &Path, bytes: &[u8], entries: &mut [Entry]) -> Result<HashSet<TaskId>, TrackerError> {
    let mut taken: HashMap<TaskId, usize> = HashMap::new();
    for place in 0..entries.len() {
        let Naming::Named(id, title) = naming(&entries[place].item.title) else { continue };
        let title = title.to_owned();
        if let Some(first) = taken.insert(id.clone(), place) {
            let line = Spot::of(bytes, entries[first].line.start).line;
            let what = format!("two tasks are called {id}: the first is on line {line}");
            let spot = Spot::of(bytes, entries[place].line.start);
            return Err(TrackerError::malformed(path, spot, what, "give one of them another id"));
        }
        (entries[place].item.id, entries[place].item.title) = (id, title);
        entries[place].identity = Identity::Named;
    }
    Ok(taken.into_keys().collect())
}

/// Titles that begin with what looks like a name, and with the same as no other.
fn guessed(entries: &mut [Entry], taken: &mut HashSet<TaskId>) {
    let guess = |entry: &Entry| match naming(&entry.item.title) {
        Naming::Guessed(id, title) if entry.identity != Identity::Named => Some((id, title.to_owned())),
        Naming::Guessed(..) | Naming::Named(..) | Naming::Unnamed => None,
    };
    let mut count: HashMap<TaskId, usize> = HashMap::new();
    for (id, _) in entries.iter().filter_map(guess) {
        *count.entry(id).or_default() += 1;
    }
    for entry in entries {
        if let Some((id, title)) = guess(entry).filter(|(id, _)| count[id] == 1 && !taken.contains(id)) {
            taken.insert(id.clone());
            (entry.item.id, entry.item.title, entry.identity) = (id, title, Identity::Named);
        }
    }
}

/// Names made of titles. Where several are alike, what they stand under is added; where that is the same too, they are
/// counted.
fn made(document: &mut Document, taken: &mut HashSet<TaskId>) {
    let unnamed = |entries: &[Entry]| -> Vec<usize> {
        (0..entries.len()).filter(|place| entries[*place].identity != Identity::Named).collect()
    };
    let places = unnamed(&document.entries);
    let short: Vec<TaskId> =
        places.iter().map(|place| derived(&document.entries[*place].item.title)).collect();
    let mut alike: HashMap<&TaskId, usize> = HashMap::new();
    short.iter().for_each(|id| *alike.entry(id).or_default() += 1);
    let is_alone = |id: &TaskId| alike[id] == 1 && !taken.contains(id);
    let long: Vec<TaskId> = places
        .iter()
        .zip(&short)
        .map(|(place, id)| if is_alone(id) { id.clone() } else { under(document, *place, id) })
        .collect();
    let mut alike: HashMap<TaskId, usize> = HashMap::new();
    long.iter().for_each(|id| *alike.entry(id.clone()).or_default() += 1);
    let (sole, others): (Vec<usize>, Vec<usize>) =
        (0..places.len()).partition(|no| alike[&long[*no]] == 1 && !taken.contains(&long[*no]));
    for no in sole {
        taken.insert(long[no].clone());
        document.entries[places[no]].item.id = long[no].clone();
    }
    let mut last: HashMap<TaskId, usize> = HashMap::new();
    for no in others {
        let base = &short[no];
        let number = last.entry(base.clone()).or_insert(1);
        let mut id = base.clone();
        while !taken.insert(id.clone()) {
            *number += 1;
            id = TaskId::parse(&format!("{base}-{number}")).expect("it stays short");
        }
        let entry = &mut document.entries[places[no]];
        (entry.item.id, entry.identity) = (id, Identity::Counted);
    }
}

/// A name with that of the task around it, or else of the heading above it.
fn under(document: &Document, place: usize, id: &TaskId) -> TaskId {
    let entry = &document.entries[place];
    let section = || entry.sections.checked_sub(1).map(|at| document.sections[at].as_str());
    let outer = entry.outer.map(|outer| document.entries[outer].item.title.as_str());
    match outer.or_else(section).filter(|title| !title.is_empty()) {
        Some(title) => {
            TaskId::parse(&format!("{id}-{}", derived(title))).expect("two short names are not long")
        }
        None => id.clone(),
    }
}

/// What may be a list of dependencies is one if one of them is a task; else it is a part of the description.
fn depend(entries: &mut [Entry], taken: &HashSet<TaskId>) {
    for entry in entries {
        for (stands, line, ids) in std::mem::take(&mut entry.perhaps).into_iter().rev() {
            if ids.iter().any(|id| taken.contains(id)) {
                entry.item.depends_on.extend(ids);
            } else {
                entry.item.description.insert_str(stands, &format!("{}\n", line.trim()));
            }
        }
    }
}

/// A task is done when those nested in it are, and dropped with what it is nested in.
fn nest(entries: &mut [Entry]) {
    for place in 0..entries.len() {
        let Some(outer) = entries[place].outer else { continue };
        let child = entries[place].item.id.clone();
        let parent = &mut entries[outer].item;
        parent.depends_on.push(child);
        let (parent, is_dropped) = (parent.id.clone(), parent.status == Status::Cancelled);
        let item = &mut entries[place].item;
        item.parent.get_or_insert(parent);
        if is_dropped && item.status != Status::Completed {
            item.status = Status::Cancelled;
        }
    }
}

/// For each task, what stands before it, what it is, and how many are called like it, but not what is checked: the same
/// as long as it is in its place.
pub(super) fn places(bytes: &[u8], document: &Document) -> Vec<u64> {
    let mut alike: HashMap<&str, usize> = HashMap::new();
    for entry in &document.entries {
        *alike.entry(&entry.item.title).or_default() += 1;
    }
    let mut hasher = DefaultHasher::new();
    let mut done = 0;
    let place = |entry: &Entry| {
        hasher.write(&bytes[done..entry.mark]);
        hasher.write(&bytes[entry.mark + 1..entry.line.end]);
        done = entry.line.end;
        let mut place = hasher.clone();
        place.write_usize(alike[entry.item.title.as_str()]);
        place.finish()
    };
    document.entries.iter().map(place).collect()
}
