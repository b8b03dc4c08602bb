//! Go.

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

pub(super) const LINTER_SETTINGS: [&str; 4] =
    [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];

pub(super) fn propose(dir: &Dir) -> Vec<Proposal> {
    // In a directory with only go.work, `./...` names no package.
    if !dir.has("go.mod") {
        return Vec::new();
    }
    let why = "go.mod";
    let lint = match dir.first(&LINTER_SETTINGS) {
        Some(settings) => proposal(Criterion::LintClean, Tool::Go, &["golangci-lint", "run"], settings),
        None => proposal(Criterion::LintClean, Tool::Go, &["go", "vet", "./..."], why),
    };
    vec![
        // Only so does it tell of the tests that pass, and of those that are gone.
        proposal(Criterion::TestPass, Tool::GoTest, &["go", "test", "-v", "./..."], why),
        proposal(Criterion::BuildSuccess, Tool::Go, &["go", "build", "./..."], why),
        lint,
        proposal(Criterion::TypeCheck, Tool::Go, &["go", "vet", "./..."], why),
    ]
}
