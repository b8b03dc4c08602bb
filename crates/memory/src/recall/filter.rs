//! Which notes may be found at all.

use ralph_core::note::{KindName, Scope};
use ralph_store::{Notes, StoreError};

use super::lexical::Matches;
use super::top;
use crate::analysis::facet;
use crate::query::{Except, Query, Reported, Visible};

/// Sets of notes by number, as far as a question restricts them.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowed {
    only: Option<Set>,
    except: Set,
}

impl Allowed {
    pub(super) fn lets(&self, no: u32) -> bool {
        self.only.as_ref().is_none_or(|only| only.has(no)) && !self.except.has(no)
    }

    /// The newest of those that it is restricted to, if it is.
    pub(super) fn newest(&self, most: usize) -> Option<Vec<u32>> {
        let only = self.only.as_ref()?;
        Some(only.backwards().filter(|no| self.lets(*no)).take(most).collect())
    }

    /// Those that fit best by their words.
    pub(super) fn best(&self, matches: &Matches, most: usize) -> Vec<u32> {
        match &self.only {
            None => top::best(matches.totals().filter(|(no, _)| self.lets(*no)), most),
            Some(only) => {
                let totals = only.numbers().map(|no| (no, matches.total(no)));
                top::best(totals.filter(|(no, total)| *total > 0.0 && self.lets(*no)), most)
            }
        }
    }

    fn restrict(&mut self, to: Set) {
        self.only = Some(match self.only.take() {
            Some(only) => only.both(&to),
            None => to,
        });
    }
}

/// Those that may be seen by whoever asks, without those that are of no use to them.
pub(super) async fn visible(store: &impl Notes, query: &Query) -> Result<Allowed, StoreError> {
    let mut allowed = seen(store, &query.visible).await?;
    let unwanted: Vec<String> = query.except.iter().map(of_no_use).collect();
    if !unwanted.is_empty() {
        allowed.except.add(&having(store, unwanted).await?);
    }
    Ok(allowed)
}

fn of_no_use(except: &Except) -> String {
    match except {
        Except::Outcomes => facet::OUTCOME.to_owned(),
        Except::FailingIn(run) => facet::failing_in(run),
    }
}

async fn seen(store: &impl Notes, visible: &Visible) -> Result<Allowed, StoreError> {
    let mut allowed = Allowed::default();
    match visible {
        Visible::Everything => {}
        Visible::Shared => allowed.except = having(store, vec![facet::STAGED.to_owned()]).await?,
        Visible::Task(task) => {
            allowed.except = having(store, vec![facet::STAGED.to_owned()]).await?;
            allowed.except.remove(&having(store, vec![facet::task(task)]).await?);
        }
        Visible::Only(scope) => {
            let wanted = match scope {
                Scope::Task { task } => facet::task(task),
                Scope::Project | Scope::Global => facet::scope(scope.name()),
            };
            allowed.restrict(having(store, vec![wanted]).await?);
        }
    }
    Ok(allowed)
}

/// Of those that may be seen, the ones that a question is about. Nothing if nothing can be found.
pub(super) async fn allowed(
    store: &impl Notes,
    query: &Query,
    visible: &Allowed,
) -> Result<Option<Allowed>, StoreError> {
    let mut allowed = visible.clone();
    if let Some(kinds) = query.wanted_kinds() {
        // Most notes are of some kinds; to read which, where all of them are wanted, is for nothing.
        if KindName::ALL.iter().any(|kind| !kinds.contains(kind)) {
            allowed.restrict(having(store, kinds.into_iter().map(facet::kind).collect()).await?);
        }
    }
    if !query.files.is_empty() {
        allowed.restrict(having(store, query.files.iter().map(|path| facet::file(path)).collect()).await?);
    }
    match query.reported {
        Reported::Too => {}
        Reported::Never => allowed.except.add(&having(store, vec![facet::FAILING.to_owned()]).await?),
        Reported::Alone => allowed.restrict(having(store, vec![facet::FAILING.to_owned()]).await?),
    }
    let is_empty = allowed.only.as_ref().is_some_and(Set::is_empty);
    Ok((!is_empty).then_some(allowed))
}

/// The notes that have at least one of these facets.
async fn having(store: &impl Notes, facets: Vec<String>) -> Result<Set, StoreError> {
    let words = store.words(facets).await?;
    let lists = store.postings(words.into_iter().map(|word| word.no).collect()).await?;
    let mut set = Set::default();
    lists.iter().flat_map(|list| list.iter()).for_each(|posting| set.insert(posting.no));
    Ok(set)
}

/// One bit a note.
#[derive(Debug, Clone, Default)]
struct Set(Vec<u64>);

impl Set {
    fn insert(&mut self, no: u32) {
        let at = no as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (no % 64);
    }

    fn has(&self, no: u32) -> bool {
        self.0.get(no as usize / 64).is_some_and(|bits| bits >> (no % 64) & 1 == 1)
    }

    fn both(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn add(&mut self, others: &Set) {
        self.0.resize(self.0.len().max(others.0.len()), 0);
        self.0.iter_mut().zip(&others.0).for_each(|(bits, more)| *bits |= more);
    }

    fn remove(&mut self, others: &Set) {
        self.0.iter_mut().zip(&others.0).for_each(|(bits, gone)| *bits &= !gone);
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|bits| *bits == 0)
    }

    /// Skips where there are none at once.
    fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().zip(0_u32..).flat_map(|(bits, at)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| at * 64 + left.trailing_zeros());
                left &= left.wrapping_sub(1);
                next
            })
        })
    }

    fn backwards(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.0.len() as u32 * 64).rev().filter(|no| self.has(*no))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Set;

    proptest! {
        #[test]
        fn a_set_has_what_was_put_into_it(numbers: BTreeSet<u16>) {
            let mut set = Set::default();
            numbers.iter().for_each(|no| set.insert(u32::from(*no)));
            let mut expected: Vec<u32> = numbers.iter().copied().map(u32::from).collect();
            prop_assert_eq!(&set.numbers().collect::<Vec<_>>(), &expected);
            expected.reverse();
            prop_assert_eq!(set.backwards().collect::<Vec<_>>(), expected);
        }
    }
}
