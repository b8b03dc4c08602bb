//! pytest, ruff and mypy, in the environment that the project has.

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

pub(super) fn propose(dir: &Dir) -> Vec<Proposal> {
    let pyproject = dir.toml("pyproject.toml").unwrap_or_default();
    let has_tool = |name: &str| pyproject.get("tool").and_then(|tools| tools.get(name)).is_some();
    let environment = Environment::of(dir);
    let mut found = Vec::new();
    if let Some(why) = tests(dir, has_tool("pytest")) {
        found.push(proposal(Criterion::TestPass, Tool::Pytest, &environment.module("pytest", &[]), why));
    }
    let ruff = dir.first(&["ruff.toml", ".ruff.toml"]);
    if let Some(why) = ruff.or_else(|| has_tool("ruff").then_some("pyproject.toml: [tool.ruff]")) {
        found.push(proposal(Criterion::LintClean, Tool::Ruff, &environment.program("ruff", &["check"]), why));
    }
    if let Some((why, names_files)) = types(dir, &pyproject) {
        let all: &[&str] = if names_files { &[] } else { &["."] };
        found.push(proposal(Criterion::TypeCheck, Tool::Mypy, &environment.program("mypy", all), why));
    }
    found
}

/// Settings of pytest, or else files that it would find.
fn tests(dir: &Dir, has_settings: bool) -> Option<&'static str> {
    let has_section = |file: &str, section: &str| {
        dir.text(file).is_some_and(|text| text.lines().any(|line| line.trim() == section))
    };
    let is_test =
        |name: &str| name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"));
    if has_settings {
        return Some("pyproject.toml: [tool.pytest]");
    }
    if let Some(file) = dir.first(&["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"]) {
        return Some(file);
    }
    if has_section("setup.cfg", "[tool:pytest]") {
        return Some("setup.cfg: [tool:pytest]");
    }
    if has_section("tox.ini", "[pytest]") {
        return Some("tox.ini: [pytest]");
    }
    let places = [("tests", "tests in tests/"), ("test", "tests in test/"), (".", "tests beside the code")];
    places.into_iter().find(|(place, _)| dir.any(place, is_test)).map(|(_, why)| why)
}

/// Settings of mypy, and whether they say which files to look at.
fn types(dir: &Dir, pyproject: &toml::Table) -> Option<(&'static str, bool)> {
    if let Some(settings) = pyproject.get("tool").and_then(|tools| tools.get("mypy")) {
        let names_files = ["files", "packages", "modules"].iter().any(|key| settings.get(key).is_some());
        return Some(("pyproject.toml: [tool.mypy]", names_files));
    }
    for (file, why) in
        [("mypy.ini", "mypy.ini"), (".mypy.ini", ".mypy.ini"), ("setup.cfg", "setup.cfg: [mypy]")]
    {
        let Some(text) = dir.text(file) else { continue };
        let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[mypy]");
        if lines.next().is_some() {
            let section: Vec<&str> = lines.take_while(|line| !line.starts_with('[')).collect();
            let key = |line: &str| line.split(['=', ':']).next().unwrap_or_default().trim().to_owned();
            let names_files =
                section.iter().any(|line| ["files", "packages", "modules"].contains(&key(line).as_str()));
            return Some((why, names_files));
        }
    }
    None
}

/// Where the project's programs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Environment {
    Uv,
    Poetry,
    /// A directory of the project's own.
    Venv(&'static str),
    Path,
}

impl Environment {
    fn of(dir: &Dir) -> Environment {
        if dir.has("uv.lock") {
            return Environment::Uv;
        }
        if dir.has("poetry.lock") {
            return Environment::Poetry;
        }
        match [".venv", "venv"].into_iter().find(|venv| dir.has_directory(&format!("{venv}/bin"))) {
            Some(venv) => Environment::Venv(venv),
            None => Environment::Path,
        }
    }

    fn program(self, name: &'static str, more: &[&str]) -> Vec<String> {
        let start = match self {
            Environment::Uv => vec!["uv".to_owned(), "run".to_owned(), name.to_owned()],
            Environment::Poetry => vec!["poetry".to_owned(), "run".to_owned(), name.to_owned()],
            Environment::Venv(venv) => vec![format!("{venv}/bin/{name}")],
            Environment::Path => vec![name.to_owned()],
        };
        start.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }

    /// As a module: then the project's directory is where Python looks for packages.
    fn module(self, name: &'static str, more: &[&str]) -> Vec<String> {
        let python = match self {
            Environment::Uv | Environment::Poetry | Environment::Venv(_) => "python",
            Environment::Path => "python3",
        };
        let more: Vec<&str> = ["-m", name].into_iter().chain(more.iter().copied()).collect();
        self.program(python, &more)
    }
}
