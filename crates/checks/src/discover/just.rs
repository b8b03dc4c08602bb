//! Recipes of a justfile that are really there.

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

pub(super) const FILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

const RECIPES: [(Criterion, &[&str]); 4] = [
    (Criterion::TestPass, &["test", "tests", "check"]),
    (Criterion::BuildSuccess, &["build"]),
    (Criterion::LintClean, &["lint", "clippy"]),
    (Criterion::TypeCheck, &["typecheck", "type-check", "types"]),
];

pub(super) fn propose(dir: &Dir) -> Vec<Proposal> {
    let Some(file) = dir.first(&FILES) else { return Vec::new() };
    let text = dir.text(file).unwrap_or_default();
    let recipes: Vec<&str> = text.lines().filter_map(recipe).collect();
    let there = RECIPES.iter().filter_map(|(criterion, names)| {
        let name = names.iter().find(|name| recipes.contains(*name))?;
        Some(proposal(*criterion, Tool::Just, &["just", name], format!("{file}: {name}")))
    });
    there.collect()
}

/// The name of a recipe that can be run as it is: one with a parameter that has no value cannot.
fn recipe(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#', '[']) {
        return alias(line);
    }
    let (head, rest) = line.split_once(':')?;
    let mut words = head.trim_start_matches('@').split_whitespace();
    let name = words.next()?;
    let is_recipe = !rest.starts_with('=') && !["set", "export", "import", "mod"].contains(&name);
    let can_run = words.all(|parameter| parameter.contains('=') || parameter.starts_with('*'));
    if is_recipe && can_run { Some(name) } else { alias(line) }
}

/// `alias t := test`.
fn alias(line: &str) -> Option<&str> {
    line.strip_prefix("alias ")?.split_whitespace().next()
}
