//! Cargo, and nextest where the project has settings for it.

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

pub(super) fn propose(dir: &Dir) -> Vec<Proposal> {
    let Some(manifest) = dir.toml("Cargo.toml") else { return Vec::new() };
    let has_package = manifest.contains_key("package");
    let workspace = manifest.get("workspace").and_then(toml::Value::as_table);
    let has_members = workspace.is_some_and(|workspace| workspace.contains_key("members"));
    let why = match (has_package, has_members) {
        (_, true) => "Cargo.toml: [workspace]",
        (true, false) => "Cargo.toml: [package]",
        (false, false) => return Vec::new(),
    };
    let all: &[&'static str] = if has_members { &["--workspace"] } else { &[] };
    let of = |words: &[&'static str], more: &[&'static str]| [words, all, more].concat();
    let mut found = Vec::new();
    if dir.has(".config/nextest.toml") {
        let command = of(&["cargo", "nextest", "run"], &["--no-fail-fast"]);
        found.push(proposal(Criterion::TestPass, Tool::Nextest, &command, ".config/nextest.toml"));
    }
    let rest: [(Criterion, Tool, Vec<&str>); 4] = [
        (Criterion::TestPass, Tool::CargoTest, of(&["cargo", "test"], &["--no-fail-fast"])),
        (Criterion::BuildSuccess, Tool::Rustc, of(&["cargo", "build"], &[])),
        (
            Criterion::LintClean,
            Tool::Rustc,
            of(&["cargo", "clippy"], &["--all-targets", "--", "-D", "warnings"]),
        ),
        (Criterion::TypeCheck, Tool::Rustc, of(&["cargo", "check"], &["--all-targets"])),
    ];
    found.extend(rest.iter().map(|(criterion, tool, command)| proposal(*criterion, *tool, command, why)));
    found
}
