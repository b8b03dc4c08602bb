//! The symbols of the code as they are now, beside what notes say that they were.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::note::Anchor;

/// By file and name; several in a file may have one name.
pub(crate) struct Now<'a>(BTreeMap<(&'a str, &'a str), BTreeSet<&'a str>>);

impl<'a> Now<'a> {
    pub(crate) fn of(current: &'a [Anchor]) -> Now<'a> {
        let mut now: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for anchor in current {
            now.entry((&anchor.file, &anchor.symbol)).or_default().insert(&anchor.digest);
        }
        Now(now)
    }

    /// The anchors as they are now, if one of them is not what it was.
    pub(crate) fn changed(&self, anchors: &[Anchor]) -> Option<Vec<Anchor>> {
        let renewed: Vec<Anchor> = anchors.iter().map(|anchor| self.renewed(anchor)).collect();
        (renewed != anchors).then_some(renewed)
    }

    fn renewed(&self, anchor: &Anchor) -> Anchor {
        let digests = self.0.get(&(anchor.file.as_str(), anchor.symbol.as_str()));
        let other = digests.filter(|digests| !digests.contains(anchor.digest.as_str()));
        let digest = other.and_then(|digests| digests.first()).copied().unwrap_or(&anchor.digest);
        Anchor { digest: digest.to_owned(), ..anchor.clone() }
    }
}
