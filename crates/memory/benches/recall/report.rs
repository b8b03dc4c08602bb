//! How much of the evidence was among the first few, by category and by conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub(crate) struct Answered {
    pub(crate) conversation: String,
    pub(crate) category: u64,
    /// The best first.
    pub(crate) ranked: Vec<String>,
    pub(crate) evidence: BTreeSet<String>,
}

const DEPTHS: [usize; 3] = [5, 10, 20];

/// A table for people, and one line for programs.
pub(crate) fn table(answered: &[Answered]) -> String {
    let mut text = "| questions | count | R@5 | R@10 | R@20 |\n|---|---:|---:|---:|---:|\n".to_owned();
    row(&mut text, "all", answered);
    rows(&mut text, answered, |one| category(one.category).to_owned());
    rows(&mut text, answered, |one| one.conversation.clone());
    for depth in DEPTHS {
        let _ = write!(text, "\noverall R@{depth} {:.1}", recall_at(depth, answered));
    }
    text
}

fn rows(text: &mut String, answered: &[Answered], key: impl Fn(&Answered) -> String) {
    let mut groups: BTreeMap<String, Vec<&Answered>> = BTreeMap::new();
    for one in answered {
        groups.entry(key(one)).or_default().push(one);
    }
    for (name, group) in groups {
        row(text, &name, group);
    }
}

fn row<'a>(text: &mut String, name: &str, group: impl IntoIterator<Item = &'a Answered> + Clone) {
    let count = group.clone().into_iter().count();
    let figures = DEPTHS.map(|depth| format!("{:.1}", recall_at(depth, group.clone()))).join(" | ");
    let _ = writeln!(text, "| {name} | {count} | {figures} |");
}

/// The mean share of the evidence that was among the first `depth`, in percent.
fn recall_at<'a>(depth: usize, answered: impl IntoIterator<Item = &'a Answered>) -> f64 {
    let shares = answered.into_iter().map(|one| {
        let found = one.ranked.iter().take(depth).filter(|id| one.evidence.contains(*id)).count();
        found as f64 / one.evidence.len() as f64
    });
    let (sum, count) = shares.fold((0.0, 0), |(sum, count), share| (sum + share, count + 1));
    100.0 * sum / f64::from(count)
}

fn category(number: u64) -> &'static str {
    match number {
        1 => "multi-hop",
        2 => "temporal",
        3 => "open-domain",
        4 => "single-hop",
        5 => "adversarial",
        _ => "other",
    }
}
