//! Which commands a project has for its tests, its build, its linter and its types.
//!
//! Where a project has several tools for one criterion, they come in this order: the tools of a language, in the order
//! Cargo, Go, Maven, Gradle, Node, Python; then the recipes of just; then the targets of make. But where two or more
//! languages answer, just and make come first: only what the authors wrote down themselves speaks for the whole.
//! Nothing is proposed that is not there: a script, a recipe or a target must exist, and a linter must be configured,
//! except where it comes with the language.
//!
//! Commands are chosen to show all failures at once, not only the first.

mod cargo;
mod definition;
mod dir;
mod given;
mod go;
mod just;
mod jvm;
mod line;
mod make;
mod node;
mod python;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::tool::Tool;
pub use definition::{defined_in, scripts};
use dir::Dir;
pub use given::{defined_by_line, defined_by_words};

/// What a check shows when it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    TestPass,
    BuildSuccess,
    LintClean,
    TypeCheck,
}

impl Criterion {
    pub const ALL: [Criterion; 4] =
        [Criterion::TestPass, Criterion::BuildSuccess, Criterion::LintClean, Criterion::TypeCheck];
}

/// A command that a project seems to have for a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub criterion: Criterion,
    /// The program and its arguments; no shell is needed.
    pub command: Vec<String>,
    /// What it was concluded from, for a person.
    pub why: String,
    /// What will print the output, as far as that can be told.
    pub tool: Tool,
}

/// Who proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Language(&'static str),
    Runner,
}

/// Reads the files in a project's directory, none of them beyond a bound, and proposes commands, sorted by criterion and
/// within one by the rule above. A file that cannot be read or understood proposes nothing.
pub fn discover(root: &Path) -> Vec<Proposal> {
    let dir = Dir::new(root);
    let mut found: Vec<(Origin, Proposal)> = Vec::new();
    type Propose = fn(&Dir) -> Vec<Proposal>;
    let languages: [(&'static str, Propose); 6] = [
        ("cargo", cargo::propose),
        ("go", go::propose),
        ("maven", jvm::maven),
        ("gradle", jvm::gradle),
        ("node", node::propose),
        ("python", python::propose),
    ];
    for (name, propose) in languages {
        found.extend(propose(&dir).into_iter().map(|proposal| (Origin::Language(name), proposal)));
    }
    for propose in [just::propose, make::propose] {
        found.extend(propose(&dir).into_iter().map(|proposal| (Origin::Runner, proposal)));
    }
    Criterion::ALL.into_iter().flat_map(|criterion| ordered(criterion, &found)).collect()
}

fn ordered(criterion: Criterion, found: &[(Origin, Proposal)]) -> Vec<Proposal> {
    let mut of_it: Vec<&(Origin, Proposal)> =
        found.iter().filter(|(_, one)| one.criterion == criterion).collect();
    let mut languages: Vec<Origin> = of_it.iter().map(|(origin, _)| *origin).collect();
    languages.retain(|origin| *origin != Origin::Runner);
    languages.dedup();
    if languages.len() > 1 {
        of_it.sort_by_key(|(origin, _)| *origin != Origin::Runner);
    }
    of_it.into_iter().map(|(_, proposal)| proposal.clone()).collect()
}

/// A proposal from words.
fn proposal(
    criterion: Criterion,
    tool: Tool,
    command: &[impl AsRef<str>],
    why: impl Into<String>,
) -> Proposal {
    let command = command.iter().map(|word| word.as_ref().to_owned()).collect();
    Proposal { criterion, command, why: why.into(), tool }
}
