//! Which commands are found in which projects.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]

use ralph_checks::discover::{defined_by_line, defined_by_words, defined_in};
use ralph_checks::{Criterion, Proposal, Tool, discover};

const PACKAGE: &str =
    r#"{"scripts": {"test": "vitest run", "build": "vite build", "lint": "eslint .", "typecheck": "tsc"}}"#;
const CRATE: &str = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n";

fn laid(files: &[(&str, &str)]) -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    project
}

fn project(files: &[(&str, &str)]) -> Vec<Proposal> {
    let project = laid(files);
    let found = discover(project.path());
    assert_eq!(found, discover(project.path()), "twice the same");
    found
}

/// The commands for a criterion, in their order.
fn commands(files: &[(&str, &str)], criterion: Criterion) -> Vec<String> {
    let of_it = project(files).into_iter().filter(|proposal| proposal.criterion == criterion);
    of_it.map(|proposal| proposal.command.join(" ")).collect()
}

fn tests(files: &[(&str, &str)]) -> Vec<String> {
    commands(files, Criterion::TestPass)
}

#[test]
fn cargo() {
    assert_eq!(tests(&[("Cargo.toml", CRATE)]), ["cargo test --no-fail-fast"]);
    let workspace = "[workspace]\nmembers = [\"crates/*\"]\n";
    assert_eq!(tests(&[("Cargo.toml", workspace)]), ["cargo test --workspace --no-fail-fast"]);
    let alone = &format!("{CRATE}\n[workspace]\n");
    assert_eq!(tests(&[("Cargo.toml", alone)]), ["cargo test --no-fail-fast"]);
    let nextest = tests(&[("Cargo.toml", CRATE), (".config/nextest.toml", "")]);
    assert_eq!(nextest, ["cargo nextest run --no-fail-fast", "cargo test --no-fail-fast"]);
    let lint = commands(&[("Cargo.toml", CRATE)], Criterion::LintClean);
    assert_eq!(lint, ["cargo clippy --all-targets -- -D warnings"]);
    for nothing in ["", "[profile.dev]\n", "not toml [", "[package"] {
        assert_eq!(project(&[("Cargo.toml", nothing)]), [], "{nothing}");
    }
}

#[test]
fn the_package_manager_is_the_one_that_the_project_names_or_locks() {
    let with = |more: &[(&'static str, &'static str)]| tests(&[&[("package.json", PACKAGE)], more].concat());
    assert_eq!(with(&[]), ["npm test"]);
    assert_eq!(with(&[("package-lock.json", "{}")]), ["npm test"]);
    assert_eq!(with(&[("pnpm-lock.yaml", "")]), ["pnpm run test"]);
    assert_eq!(with(&[("yarn.lock", "")]), ["yarn run test"]);
    assert_eq!(with(&[("bun.lock", "")]), ["bun run test"]);
    assert_eq!(with(&[("bun.lockb", "")]), ["bun run test"]);
    let named = r#"{"packageManager": "pnpm@9.1.0+sha512.abc", "scripts": {"test": "jest"}}"#;
    assert_eq!(tests(&[("package.json", named), ("package-lock.json", "{}")]), ["pnpm run test"]);
}

#[test]
fn only_scripts_that_do_something_are_proposed() {
    let script = |text: &str| tests(&[("package.json", &format!(r#"{{"scripts": {{"test": {text:?}}}}}"#))]);
    assert_eq!(script("echo \"Error: no test specified\" && exit 1"), [""; 0]);
    assert_eq!(script("  "), [""; 0]);
    assert_eq!(script("mocha"), ["npm test"]);
    let no_scripts =
        [r#"{"name": "a"}"#, r#"{"scripts": {"start": "node ."}}"#, r#"{"scripts": []}"#, "[]", "{", "null"];
    let odd = [r#"{"scripts": {"test": 3}}"#, r#"{"scripts": {"test": null}}"#];
    for text in no_scripts.into_iter().chain(odd) {
        assert_eq!(project(&[("package.json", text)]), [], "{text}");
    }
}

#[test]
fn a_script_says_who_will_print() {
    let tool = |script: &str| {
        project(&[("package.json", &format!(r#"{{"scripts": {{"test": {script:?}}}}}"#))])[0].tool
    };
    let cases = [
        ("jest --ci", Tool::Jest),
        ("vitest run", Tool::Vitest),
        ("mocha 'test/**'", Tool::Mocha),
        ("node --test", Tool::NodeTest),
        ("bun test", Tool::BunTest),
        ("tsc && vitest run", Tool::Vitest),
        ("ava", Tool::NodeScript),
    ];
    for (script, expected) in cases {
        assert_eq!(tool(script), expected, "{script}");
    }
}

#[test]
fn node_tools_without_a_script() {
    let package = r#"{"devDependencies": {"eslint": "9", "typescript": "5"}}"#;
    let files = [("package.json", package), ("eslint.config.mjs", ""), ("tsconfig.json", "{}")];
    assert_eq!(commands(&files, Criterion::LintClean), ["npx --no-install eslint ."]);
    assert_eq!(commands(&files, Criterion::TypeCheck), ["npx --no-install tsc --noEmit"]);
    assert_eq!(commands(&files[..1], Criterion::LintClean), [""; 0]);
    let bun = [("package.json", "{}"), ("bun.lock", ""), ("src/a.test.ts", "")];
    assert_eq!(tests(&bun), ["bun test"]);
    assert_eq!(tests(&bun[..2]), [""; 0]);
}

#[test]
fn python() {
    let pytest = "python3 -m pytest";
    let found = |files: &[(&str, &str)]| tests(files);
    assert_eq!(found(&[("pyproject.toml", "[tool.pytest.ini_options]\n")]), [pytest]);
    assert_eq!(found(&[("pytest.ini", "[pytest]\n")]), [pytest]);
    assert_eq!(found(&[("setup.cfg", "[metadata]\n[tool:pytest]\n")]), [pytest]);
    assert_eq!(found(&[("tox.ini", "[pytest]\n")]), [pytest]);
    assert_eq!(found(&[("tests/test_a.py", "")]), [pytest]);
    assert_eq!(found(&[("a_test.py", "")]), [pytest]);
    assert_eq!(found(&[("pytest.ini", ""), ("uv.lock", "")]), ["uv run python -m pytest"]);
    assert_eq!(found(&[("pytest.ini", ""), ("poetry.lock", "")]), ["poetry run python -m pytest"]);
    assert_eq!(found(&[("pytest.ini", ""), (".venv/bin/python", "")]), [".venv/bin/python -m pytest"]);
    for nothing in [("setup.cfg", "[metadata]\n"), ("tests/data.txt", ""), ("pyproject.toml", "[project]\n")]
    {
        assert_eq!(project(&[nothing]), [], "{nothing:?}");
    }
    assert_eq!(commands(&[("ruff.toml", "")], Criterion::LintClean), ["ruff check"]);
    assert_eq!(commands(&[("pyproject.toml", "[tool.ruff]\n")], Criterion::LintClean), ["ruff check"]);
    assert_eq!(
        commands(&[("pyproject.toml", "[tool.mypy]\nstrict = true\n")], Criterion::TypeCheck),
        ["mypy ."]
    );
    assert_eq!(commands(&[("mypy.ini", "[mypy]\nfiles = src\n")], Criterion::TypeCheck), ["mypy"]);
    assert_eq!(commands(&[("setup.cfg", "[mypy]\n\n[x]\nfiles = y\n")], Criterion::TypeCheck), ["mypy ."]);
}

#[test]
fn go_maven_and_gradle() {
    assert_eq!(tests(&[("go.mod", "module a\n")]), ["go test -v ./..."]);
    assert_eq!(tests(&[("go.work", "")]), [""; 0]);
    assert_eq!(
        commands(&[("go.mod", ""), (".golangci.yml", "")], Criterion::LintClean),
        ["golangci-lint run"]
    );
    assert_eq!(tests(&[("pom.xml", "<project/>")]), ["mvn -B -fae test"]);
    assert_eq!(tests(&[("pom.xml", "<project/>"), ("mvnw", "")]), ["./mvnw -B -fae test"]);
    assert_eq!(tests(&[("build.gradle", "")]), ["gradle --console=plain --continue test"]);
    assert_eq!(
        tests(&[("build.gradle.kts", ""), ("gradlew", "")]),
        ["./gradlew --console=plain --continue test"]
    );
}

#[test]
fn make_targets_that_are_there() {
    let found = |text: &str| tests(&[("Makefile", text)]);
    assert_eq!(found("test:\n\tcc\n"), ["make --keep-going test"]);
    assert_eq!(found("all test: a.o\n"), ["make --keep-going test"]);
    assert_eq!(found("check: all\n"), ["make --keep-going check"]);
    for nothing in [
        "test := 1\n",
        "test ::= 1\n",
        "# test:\n",
        "\ttest:\n",
        ".PHONY: test\n",
        "x = test: y\n",
        "tester:\n",
    ] {
        assert_eq!(found(nothing), [""; 0], "{nothing}");
    }
    assert_eq!(
        commands(&[("GNUmakefile", "build:\n"), ("Makefile", "test:\n")], Criterion::TestPass),
        [""; 0]
    );
    assert_eq!(
        commands(&[("makefile", "all:\nbuild:\n")], Criterion::BuildSuccess),
        ["make --keep-going build"]
    );
}

#[test]
fn just_recipes_that_are_there() {
    let found = |text: &str| tests(&[("justfile", text)]);
    assert_eq!(found("test:\n    cargo test\n"), ["just test"]);
    assert_eq!(found("@test filter='':\n    x\n"), ["just test"]);
    assert_eq!(found("test *args:\n    x\n"), ["just test"]);
    assert_eq!(found("alias test := t\n"), ["just test"]);
    for nothing in
        ["test name:\n    x\n", "test := 'a'\n", "# test:\n", "    test:\n", "set test := true\n", ""]
    {
        assert_eq!(found(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn one_language_comes_before_task_runners_and_several_come_after() {
    let makefile = ("Makefile", "test:\n\tx\n");
    let justfile = ("justfile", "test:\n    x\n");
    let one = [("Cargo.toml", CRATE), makefile, justfile];
    assert_eq!(tests(&one), ["cargo test --no-fail-fast", "just test", "make --keep-going test"]);
    let several = [("Cargo.toml", CRATE), ("package.json", PACKAGE), makefile, justfile];
    assert_eq!(
        tests(&several),
        ["just test", "make --keep-going test", "cargo test --no-fail-fast", "npm test"]
    );
    assert_eq!(tests(&several[..2]), ["cargo test --no-fail-fast", "npm test"]);
}

#[test]
fn a_proposal_says_what_it_was_concluded_from() {
    let why: Vec<String> = project(&[("package.json", PACKAGE), ("Makefile", "lint:\n")])
        .into_iter()
        .map(|found| found.why)
        .collect();
    let expected = ["test", "build", "lint", "typecheck"].map(|name| format!("package.json: scripts.{name}"));
    assert_eq!(why, [&expected[0], &expected[1], &expected[2], "Makefile: lint", &expected[3]]);
}

/// What the first proposal for a criterion is defined in.
fn definition(files: &[(&str, &str)], criterion: Criterion) -> Vec<String> {
    let found = project(files);
    defined_in(laid(files).path(), found.iter().find(|proposal| proposal.criterion == criterion).unwrap())
}

#[test]
fn what_would_change_a_check_is_part_of_it_whether_or_not_it_is_there() {
    let pyproject = ("pyproject.toml", "[tool.pytest]\n[tool.ruff]\n[tool.mypy]\n");
    let package = |script: &str| format!(r#"{{"scripts": {{"test": {script:?}, "lint": {script:?}}}}}"#);
    let (jest, vitest, mocha, eslint) =
        (package("jest"), package("vitest run"), package("mocha"), package("eslint ."));
    let makefile = ("Makefile", "test:\n\tcc\n");
    let nextest = [("Cargo.toml", CRATE), (".config/nextest.toml", "")];
    type Case<'a> = (&'a [(&'a str, &'a str)], Criterion, &'a [&'a str]);
    let cases: [Case<'_>; 13] = [
        (&[makefile], Criterion::TestPass, &["Makefile", "makefile", "GNUmakefile"]),
        (&[("justfile", "test:\n")], Criterion::TestPass, &["justfile", ".justfile"]),
        (&[("Cargo.toml", CRATE)], Criterion::LintClean, &["clippy.toml", "Cargo.toml#lints"]),
        (&[("Cargo.toml", CRATE)], Criterion::TestPass, &[".cargo/config.toml"]),
        (&nextest, Criterion::TestPass, &[".config/nextest.toml"]),
        (
            &[("go.mod", ""), (".golangci.yml", "")],
            Criterion::LintClean,
            &[".golangci.yml", ".golangci.toml"],
        ),
        (&[pyproject], Criterion::TestPass, &["pyproject.toml#tool.pytest", "pytest.ini", "tox.ini#pytest"]),
        (&[pyproject], Criterion::LintClean, &["pyproject.toml#tool.ruff", "ruff.toml", ".ruff.toml"]),
        (&[pyproject], Criterion::TypeCheck, &["pyproject.toml#tool.mypy", "mypy.ini", "setup.cfg#mypy"]),
        (&[("package.json", &jest)], Criterion::TestPass, &["package.json#scripts", "jest.config.js"]),
        (&[("package.json", &vitest)], Criterion::TestPass, &["package.json#scripts", "vitest.config.ts"]),
        (&[("package.json", &mocha)], Criterion::TestPass, &["package.json#mocha", ".mocharc.yml"]),
        (&[("package.json", &eslint)], Criterion::LintClean, &["eslint.config.js", ".eslintignore"]),
    ];
    for (files, criterion, parts) in cases {
        let found = definition(files, criterion);
        for part in parts {
            assert!(found.iter().any(|one| one == part), "{part} is missing: {found:?}");
        }
    }
    let typecheck = definition(&[("package.json", PACKAGE)], Criterion::TypeCheck);
    assert!(typecheck.iter().any(|part| part == "tsconfig.json"), "{typecheck:?}");
}

#[test]
fn how_a_program_is_built_is_not_part_of_its_checks() {
    assert_eq!(definition(&[("Cargo.toml", CRATE)], Criterion::BuildSuccess), [""; 0]);
    assert_eq!(definition(&[("go.mod", "")], Criterion::BuildSuccess), [""; 0]);
    assert_eq!(
        definition(&[("package.json", PACKAGE)], Criterion::BuildSuccess),
        ["package.json#scripts", ".npmrc"]
    );
}

#[test]
fn a_command_that_was_given_is_defined_by_what_its_words_name() {
    let nowhere = std::path::Path::new("/nonexistent");
    let words = |line: &str| defined_by_words(nowhere, "", &line.split(' ').collect::<Vec<_>>());
    let cases = [
        ("make test", "GNUmakefile"),
        ("npm run lint", "package.json#scripts"),
        ("npm test", ".npmrc"),
        ("pnpm test", "pnpm-workspace.yaml"),
        ("yarn test", ".yarnrc.yml"),
        ("bun test", "bunfig.toml"),
        ("mvn test", ".mvn/maven.config"),
        ("./gradlew test", "gradle.properties"),
        ("cargo test --workspace", ".cargo/config.toml"),
        ("uv run ruff check", "ruff.toml"),
        (".venv/bin/mypy .", "mypy.ini"),
        ("python3 -m pytest -q", "pytest.ini"),
        ("npx eslint .", "eslint.config.js"),
        ("npx tsc --noEmit", "tsconfig.json"),
        ("cargo nextest run", ".config/nextest.toml"),
        ("cargo clippy -- -D warnings", "clippy.toml"),
        ("golangci-lint run", ".golangci.yml"),
    ];
    for (line, part) in cases {
        assert!(words(line).iter().any(|one| one == part), "{part} is missing for {line}: {:?}", words(line));
    }
    assert_eq!(words("cargo build"), [""; 0]);
    assert!(defined_by_line(nowhere, "web", "cd .. && make").contains(&"Makefile".to_owned()));
    assert!(
        defined_by_line(nowhere, "", "cd web && npm test").contains(&"web/package.json#scripts".to_owned())
    );
}

#[test]
fn every_script_that_a_command_starts_is_part_of_it() {
    let package =
        r#"{"scripts": {"test": "jest && node ci/run.js && node test.js", "pretest": "sh pre.sh"}}"#;
    let dir = laid(&[
        ("package.json", package),
        ("check.sh", "test -e done"),
        ("check", "test -e done"),
        ("check.py", ""),
        ("app.py", ""),
        ("notes.txt", ""),
        ("rules.toml", ""),
        ("ci/check.sh", ""),
        ("ci/run.js", ""),
        ("ci/begins", "#!/bin/sh\n"),
        ("test.js", ""),
        ("pre.sh", ""),
    ]);
    let root = dir.path();
    let in_full = format!("sh {}/check.sh", root.display());
    let cases: [(&str, &[&str]); 22] = [
        ("sh check.sh", &["check.sh"]),
        ("cd . && sh check.sh", &["check.sh"]),
        ("cd ci&&./check.sh", &["ci/check.sh"]),
        ("(cd ci; true) && sh check.sh", &["check.sh"]),
        ("timeout 60 sh check.sh", &["check.sh"]),
        ("CI=1 sh check.sh", &["check.sh"]),
        ("bash -o pipefail check.sh", &["check.sh"]),
        ("bash -lc 'cd ci && sh check.sh'", &["ci/check.sh"]),
        ("python3 check.py notes.txt", &["check.py"]),
        ("sh check notes.txt", &["check"]),
        (". ./check", &["check"]),
        ("ci/begins", &["ci/begins"]),
        ("sh \"$PWD/check.sh\" | tee log", &["check.sh"]),
        (&in_full, &["check.sh"]),
        ("test -f check.sh && true", &[]),
        ("python3 app.py | diff - notes.txt", &[]),
        ("grep -q fixed app.py", &[]),
        ("python3 -m py_compile app.py", &[]),
        ("bash -n check.sh", &[]),
        ("cat notes.txt", &[]),
        ("lint --config rules.toml app", &["rules.toml"]),
        ("sh ../outside.sh", &[]),
    ];
    for (line, expected) in cases {
        assert_eq!(defined_by_line(root, "", line), expected, "{line}");
    }
    let npm = defined_by_line(root, "", "npm t");
    for part in ["package.json#scripts", ".npmrc", "jest.config.js", "ci/run.js", "pre.sh"] {
        assert!(npm.iter().any(|one| one == part), "{part} is missing: {npm:?}");
    }
    assert!(!npm.contains(&"test.js".to_owned()), "tests are protected where that is asked for");
}
