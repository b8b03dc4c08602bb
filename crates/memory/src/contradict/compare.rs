//! Two claims beside each other.

use std::collections::BTreeSet;

use super::claim::Claim;
use super::clause::Word;
use super::tables::{are_opposite, chooses};
use super::value::skeleton;
use super::{Conflict, Ground};

/// What the two cannot both be right about.
pub(super) fn conflict(our: &Claim, their: &Claim) -> Option<Conflict> {
    if our.condition != their.condition || our.stems.is_disjoint(&their.stems) {
        return None;
    }
    if our.is_denied != their.is_denied {
        return denial(our, their);
    }
    let found = opposite(our, their);
    if our.is_denied || our.is_hedged || their.is_hedged {
        return found;
    }
    found
        .or_else(|| choice(our, their))
        .or_else(|| number(our, their))
        .or_else(|| command(our, their))
        .or_else(|| name(our, their))
}

fn conflict_on(ground: Ground, this: &str, that: &str) -> Conflict {
    Conflict { ground, this: this.to_owned(), that: that.to_owned() }
}

/// How two sets of words lie to each other.
struct Overlap {
    both: usize,
    /// Of the one that has more; the other has none of its own.
    more: usize,
}

/// Nothing where each speaks of something that the other does not.
fn overlap(ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> Option<Overlap> {
    let (only_ours, only_theirs) = (ours.difference(theirs).count(), theirs.difference(ours).count());
    let both = ours.intersection(theirs).count();
    (only_ours == 0 || only_theirs == 0).then_some(Overlap { both, more: only_ours.max(only_theirs) })
}

fn borrowed(words: &BTreeSet<String>) -> BTreeSet<&str> {
    words.iter().map(String::as_str).collect()
}

/// Whether two claims are about the same: not much more is said in one of them than in the other.
fn same_subject(ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> bool {
    overlap(ours, theirs).is_some_and(|lap| {
        (lap.both == 0 && lap.more == 0)
            || (lap.both >= 1 && lap.more <= 2)
            || (lap.both >= 2 && lap.more <= 4)
    })
}

fn denial(our: &Claim, their: &Claim) -> Option<Conflict> {
    if our.is_hedged || their.is_hedged {
        return None;
    }
    let (ours, theirs) = (our.everything(), their.everything());
    // That something is run or used is only worth a word where both say so.
    let counted = |words: &[&'_ str], others: &[&'_ str]| -> BTreeSet<String> {
        let counted = words.iter().filter(|word| !chooses(word) || others.contains(word));
        counted.map(|word| (*word).to_owned()).collect()
    };
    let (ours, theirs) = (counted(&ours, &theirs), counted(&theirs, &ours));
    let lap = overlap(&borrowed(&ours), &borrowed(&theirs))?;
    let is_same = (lap.both >= 2 && lap.more == 0)
        || (lap.both >= 3 && lap.more <= 1)
        || (lap.both >= 4 && lap.more <= 2);
    is_same.then(|| {
        let said = |claim: &Claim| if claim.is_denied { "it is not so" } else { "it is so" };
        conflict_on(Ground::Denial, said(our), said(their))
    })
}

fn opposite(our: &Claim, their: &Claim) -> Option<Conflict> {
    for (at, word) in our.words.iter().enumerate() {
        let Some(there) = their.words.iter().position(|other| are_opposite(&word.text, &other.text)) else {
            continue;
        };
        let has_both = |words: &[Word], of: &str| words.iter().any(|word| are_opposite(&word.text, of));
        let other = &their.words[there].text;
        if has_both(&our.words, &word.text) || has_both(&their.words, other) {
            continue;
        }
        let rest = |claim: &Claim, at: usize| -> Vec<String> {
            let others = claim.words.iter().enumerate().filter(|(place, _)| *place != at);
            others.filter_map(|(_, word)| word.stem.clone()).collect()
        };
        let (ours, theirs) = (rest(our, at), rest(their, there));
        // What comes before and what after is told by the order; other opposites are told by the words alone.
        let is_same = if ["before", "after"].contains(&word.text.as_str()) {
            ours == theirs
        } else {
            let set = |rest: &'_ [String]| -> BTreeSet<String> { rest.iter().cloned().collect() };
            set(&ours) == set(&theirs)
        };
        if is_same && !ours.is_empty() {
            return Some(conflict_on(Ground::Opposite, &word.text, other));
        }
    }
    None
}

fn choice(our: &Claim, their: &Claim) -> Option<Conflict> {
    for ours in &our.choices {
        for theirs in
            their.choices.iter().filter(|theirs| theirs.among == ours.among && theirs.what != ours.what)
        {
            let subject = |claim: &Claim, what: &str| -> BTreeSet<String> {
                let is_it = |_: usize, word: &Word| word.text == what || word.stem.as_deref() == Some(what);
                claim.subject(is_it).into_iter().map(str::to_owned).collect()
            };
            let (a, b) = (subject(our, &ours.what), subject(their, &theirs.what));
            // What is named to say that it is not that needs no other word in common.
            let is_rejected = our.rejected.contains(&theirs.what) || their.rejected.contains(&ours.what);
            let (a, b) = (borrowed(&a), borrowed(&b));
            let lies_within = || overlap(&a, &b).is_some_and(|lap| lap.more <= 2);
            if same_subject(&a, &b) || (is_rejected && lies_within()) {
                return Some(conflict_on(Ground::Choice, &ours.what, &theirs.what));
            }
        }
    }
    None
}

fn number(our: &Claim, their: &Claim) -> Option<Conflict> {
    // With more than one of them, others may be the condition of this one.
    let differing =
        our.numbers.iter().filter(|ours| their.numbers.iter().all(|theirs| ours.value != theirs.value));
    if our.numbers.len() != their.numbers.len() || differing.count() != 1 {
        return None;
    }
    for ours in &our.numbers {
        for theirs in their.numbers.iter().filter(|theirs| ours.excludes(theirs)) {
            let subject_of = |claim: &Claim| -> BTreeSet<String> {
                let is_number = |at: usize, _: &Word| claim.numbers.iter().any(|number| number.at == at);
                let mut subject: BTreeSet<String> =
                    claim.subject(is_number).into_iter().map(str::to_owned).collect();
                let labels = claim.numbers.iter().flat_map(|number| number.labels.iter().cloned());
                subject.extend(labels);
                subject
            };
            let (a, b) = (subject_of(our), subject_of(their));
            if same_subject(&borrowed(&a), &borrowed(&b)) {
                return Some(conflict_on(Ground::Number, &ours.value, &theirs.value));
            }
        }
    }
    None
}

fn command(our: &Claim, their: &Claim) -> Option<Conflict> {
    let (ours, theirs) = (our.command.as_ref()?, their.command.as_ref()?);
    let (a, b) = (skeleton(ours), skeleton(theirs));
    if a.starts_with(&b) || b.starts_with(&a) {
        return None;
    }
    let is_quoted = |_: usize, word: &Word| word.is_quoted;
    let lap = overlap(&our.subject(is_quoted), &their.subject(is_quoted))?;
    (lap.both >= 1 && lap.more <= 1).then(|| conflict_on(Ground::Command, ours, theirs))
}

fn name(our: &Claim, their: &Claim) -> Option<Conflict> {
    let (ours, theirs) = (our.value.as_ref()?, their.value.as_ref()?);
    let is_inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if is_inside(&ours.is, &theirs.is) || is_inside(&theirs.is, &ours.is) || ours.of != theirs.of {
        return None;
    }
    Some(conflict_on(Ground::Name, &ours.is, &theirs.is))
}
