//! The scripts of package.json, started by the package manager that the project uses.

use serde_json::Value;

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manager {
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

const LOCKS: [(&str, Manager); 6] = [
    ("bun.lock", Manager::Bun),
    ("bun.lockb", Manager::Bun),
    ("pnpm-lock.yaml", Manager::Pnpm),
    ("yarn.lock", Manager::Yarn),
    ("package-lock.json", Manager::Npm),
    ("npm-shrinkwrap.json", Manager::Npm),
];

const SCRIPTS: [(Criterion, &[&str]); 4] = [
    (Criterion::TestPass, &["test"]),
    (Criterion::BuildSuccess, &["build"]),
    (Criterion::LintClean, &["lint"]),
    (Criterion::TypeCheck, &["typecheck", "type-check", "check-types", "check:types", "types", "tsc"]),
];

const ESLINT_SETTINGS: [&str; 10] = [
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
];

/// Words of a script, and who prints when they are run.
const PRINTERS: [(&str, Tool); 8] = [
    ("vitest", Tool::Vitest),
    ("jest", Tool::Jest),
    ("mocha", Tool::Mocha),
    ("bun test", Tool::BunTest),
    ("--test", Tool::NodeTest),
    ("eslint", Tool::Eslint),
    ("vue-tsc", Tool::Tsc),
    ("tsc", Tool::Tsc),
];

pub(super) fn propose(dir: &Dir) -> Vec<Proposal> {
    let Some(package) = dir.json("package.json") else { return Vec::new() };
    let manager = Manager::of(dir, &package);
    let mut found: Vec<Proposal> = Vec::new();
    for (criterion, names) in SCRIPTS {
        let script = names.iter().find_map(|name| Some((*name, script(&package, name)?)));
        match script {
            Some((name, text)) => {
                let why = format!("package.json: scripts.{name}");
                found.push(proposal(criterion, printer(text), &manager.script(name), why));
            }
            None => found.extend(without_script(dir, &package, manager, criterion)),
        }
    }
    found
}

/// A script that does something; what `npm init` writes for tests only says that there are none.
fn script<'a>(package: &'a Value, name: &str) -> Option<&'a str> {
    let text = package.get("scripts")?.get(name)?.as_str()?;
    (!text.trim().is_empty() && !text.contains("no test specified")).then_some(text)
}

fn printer(script: &str) -> Tool {
    let found = PRINTERS.iter().filter_map(|(word, tool)| Some((script.rfind(word)?, *tool)));
    found.max_by_key(|(at, _)| *at).map_or(Tool::NodeScript, |(_, tool)| tool)
}

/// What can be run without a script because it is there and has its settings.
fn without_script(dir: &Dir, package: &Value, manager: Manager, criterion: Criterion) -> Option<Proposal> {
    let uses = |name: &str| {
        ["devDependencies", "dependencies"]
            .iter()
            .any(|kind| package.get(kind).is_some_and(|all| all.get(name).is_some()))
    };
    match criterion {
        Criterion::TestPass if manager == Manager::Bun => {
            let is_test =
                |name: &str| [".test.", "_test.", ".spec.", "_spec."].iter().any(|part| name.contains(part));
            let place = ["test", "tests", "src", "__tests__", "."]
                .into_iter()
                .find(|place| dir.any(place, is_test))?;
            Some(proposal(criterion, Tool::BunTest, &["bun", "test"], format!("bun, and tests in {place}")))
        }
        Criterion::LintClean if uses("eslint") => {
            let settings = dir.first(&ESLINT_SETTINGS)?;
            Some(proposal(criterion, Tool::Eslint, &manager.program(&["eslint", "."]), settings))
        }
        Criterion::TypeCheck if uses("typescript") && dir.has("tsconfig.json") => {
            Some(proposal(criterion, Tool::Tsc, &manager.program(&["tsc", "--noEmit"]), "tsconfig.json"))
        }
        Criterion::TestPass | Criterion::BuildSuccess | Criterion::LintClean | Criterion::TypeCheck => None,
    }
}

impl Manager {
    /// What the project says of itself comes before what lies in it.
    fn of(dir: &Dir, package: &Value) -> Manager {
        let said = package.get("packageManager").and_then(Value::as_str).unwrap_or_default();
        let said = match said.split('@').next().unwrap_or_default() {
            "npm" => Some(Manager::Npm),
            "pnpm" => Some(Manager::Pnpm),
            "yarn" => Some(Manager::Yarn),
            "bun" => Some(Manager::Bun),
            _ => None,
        };
        let locked = || LOCKS.iter().find(|(name, _)| dir.has(name)).map(|(_, manager)| *manager);
        said.or_else(locked).unwrap_or(Manager::Npm)
    }

    fn script(self, name: &'static str) -> Vec<&'static str> {
        match (self, name) {
            (Manager::Npm, "test") => vec!["npm", "test"],
            (Manager::Npm, _) => vec!["npm", "run", name],
            (Manager::Pnpm, _) => vec!["pnpm", "run", name],
            (Manager::Yarn, _) => vec!["yarn", "run", name],
            (Manager::Bun, _) => vec!["bun", "run", name],
        }
    }

    /// A program among the project's packages, never fetched for this.
    fn program(self, words: &[&'static str]) -> Vec<&'static str> {
        let start: &[&str] = match self {
            Manager::Npm => &["npx", "--no-install"],
            Manager::Pnpm => &["pnpm", "exec"],
            Manager::Yarn => &["yarn", "run"],
            Manager::Bun => &["bun", "x", "--no-install"],
        };
        [start, words].concat()
    }
}
