//! Which notes may be found at all.

use std::collections::HashMap;

use ralph_core::note::{KindName, Scope};
use ralph_store::{Notes, StoreError};

use super::lexical::Matches;
use super::set::Set;
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
            None => top::best(matches.totals().filter(|(no, _)| !self.except.has(*no)), most),
            Some(only) => {
                let totals = only.numbers().map(|no| (no, matches.total(no)));
                top::best(totals.filter(|(no, total)| *total > 0.0 && !self.except.has(*no)), most)
            }
        }
    }

    fn by(mut self, rules: Vec<Rule>, facets: &Facets) -> Allowed {
        for rule in rules {
            match rule {
                Rule::Only(having) => self.restrict(facets.notes(&having)),
                Rule::Except(having) => self.except.add(&facets.notes(&having)),
                Rule::But(having) => self.except.remove(&facets.notes(&having)),
            }
        }
        self
    }

    fn restrict(&mut self, to: Set) {
        self.only = Some(match self.only.take() {
            Some(only) => only.both(&to),
            None => to,
        });
    }
}

/// One after the other; each is about the notes that have at least one of these facets.
enum Rule {
    Only(Vec<String>),
    Except(Vec<String>),
    /// Without what was excepted so far.
    But(Vec<String>),
}

impl Rule {
    fn facets(self) -> Vec<String> {
        match self {
            Rule::Only(facets) | Rule::Except(facets) | Rule::But(facets) => facets,
        }
    }
}

/// The notes that have each of the facets that questions ask for.
#[derive(Debug)]
pub(super) struct Facets(HashMap<String, Set>);

impl Facets {
    /// Of all of them at once, for many ask for the same.
    pub(super) async fn of(store: &impl Notes, queries: &[Query]) -> Result<Facets, StoreError> {
        let rules = queries.iter().flat_map(|query| seen(query).into_iter().chain(asked_for(query)));
        let mut facets: Vec<String> = rules.flat_map(Rule::facets).collect();
        facets.sort_unstable();
        facets.dedup();
        let lists = store.listed(facets.clone()).await?;
        Ok(Facets(facets.into_iter().zip(lists.iter().map(Set::of)).collect()))
    }

    /// Those that have at least one of these.
    fn notes(&self, facets: &[String]) -> Set {
        let mut notes = Set::default();
        facets.iter().filter_map(|facet| self.0.get(facet)).for_each(|set| notes.add(set));
        notes
    }
}

/// Those that may be seen by whoever asks, without those that are of no use to them.
pub(super) fn visible(query: &Query, facets: &Facets) -> Allowed {
    Allowed::default().by(seen(query), facets)
}

/// Of those that may be seen, the ones that a question is about.
pub(super) fn allowed(query: &Query, visible: &Allowed, facets: &Facets) -> Allowed {
    visible.clone().by(asked_for(query), facets)
}

fn seen(query: &Query) -> Vec<Rule> {
    let staged = || Rule::Except(vec![facet::STAGED.to_owned()]);
    let mut rules = match &query.visible {
        Visible::Everything => vec![],
        Visible::Shared => vec![staged()],
        Visible::Task(task) => vec![staged(), Rule::But(vec![facet::task(task)])],
        Visible::Only(Scope::Task { task }) => vec![Rule::Only(vec![facet::task(task)])],
        Visible::Only(scope @ (Scope::Project | Scope::Global)) => {
            vec![Rule::Only(vec![facet::scope(scope.name())])]
        }
    };
    rules.push(Rule::Except(query.except.iter().map(of_no_use).collect()));
    rules
}

fn of_no_use(except: &Except) -> String {
    match except {
        Except::Outcomes => facet::OUTCOME.to_owned(),
        Except::FailingIn(run) => facet::failing_in(run),
    }
}

fn asked_for(query: &Query) -> Vec<Rule> {
    let mut rules = Vec::new();
    // Most notes are of some kinds; to read which, where all of them are wanted, is for nothing.
    if let Some(kinds) =
        query.wanted_kinds().filter(|kinds| KindName::ALL.iter().any(|kind| !kinds.contains(kind)))
    {
        rules.push(Rule::Only(kinds.into_iter().map(facet::kind).collect()));
    }
    if !query.files.is_empty() {
        rules.push(Rule::Only(query.files.iter().map(|path| facet::file(path)).collect()));
    }
    let failing = || vec![facet::FAILING.to_owned()];
    match query.reported {
        Reported::Too => {}
        Reported::Never => rules.push(Rule::Except(failing())),
        Reported::Alone => rules.push(Rule::Only(failing())),
    }
    rules
}
