//! Targets of a makefile that are really there.

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

/// The order in which make looks.
pub(super) const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

const TARGETS: [(Criterion, &[&str]); 4] = [
    (Criterion::TestPass, &["test", "tests", "check"]),
    (Criterion::BuildSuccess, &["build", "all"]),
    (Criterion::LintClean, &["lint"]),
    (Criterion::TypeCheck, &["typecheck", "type-check", "types"]),
];

pub(super) fn propose(dir: &Dir) -> Vec<Proposal> {
    let Some(file) = dir.first(&FILES) else { return Vec::new() };
    let text = dir.text(file).unwrap_or_default();
    let targets: Vec<&str> = text.lines().flat_map(targets).collect();
    let there = TARGETS.iter().filter_map(|(criterion, names)| {
        let name = names.iter().find(|name| targets.contains(*name))?;
        let command = ["make", "--keep-going", name];
        Some(proposal(*criterion, Tool::Make, &command, format!("{file}: {name}")))
    });
    there.collect()
}

/// What stands before the colon of a rule. An assignment (`:=`) is none, nor is anything indented or special.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let is_rule = !line.starts_with(['\t', ' ', '#', '.', '$']);
    let split = line.split_once(':').filter(|(names, rest)| {
        is_rule && !rest.starts_with('=') && !rest.starts_with(":=") && !names.contains(['=', '$', '"'])
    });
    split.map_or("", |(names, _)| names).split_whitespace()
}
