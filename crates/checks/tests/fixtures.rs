//! The small projects: each command is found, run for real, and read; failures go as they are mended, and stay when
//! they are not.

#![expect(clippy::unwrap_used, reason = "what a test cannot read or make, it fails for")]
use std::path::Path;
use std::process::Stdio;

use ralph_checks::{Counts, Criterion, Exit, Findings, Output, Root, Tool, discover, read};
use ralph_testkit::fixtures::{Fixture, Tools, install_tools};
use ralph_testkit::programs::target_dir;

/// Laid out, found and run.
struct World {
    fixture: Fixture,
    tools: Tools,
    home: tempfile::TempDir,
}

impl World {
    /// `None` if a program is missing, which on a machine of CI is a failure.
    fn of(name: &str) -> Option<World> {
        let fixture = Fixture::named(name);
        let tools = install_tools(&target_dir()).unwrap_or_else(|error| panic!("{error:#?}"));
        let missing: Vec<&String> = fixture.needs.iter().filter(|program| !tools.has(program)).collect();
        if !missing.is_empty() {
            assert!(std::env::var_os("CI").is_none(), "{name} cannot be checked without {missing:?}");
            println!("LEFT OUT: {name} cannot be checked without {missing:?}");
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        fixture.lay(&home.path().join("project"), &tools).unwrap();
        Some(World { fixture, tools, home })
    }

    fn project(&self) -> std::path::PathBuf {
        self.home.path().join("project")
    }

    fn check(&self) -> Findings {
        let project = self.project();
        let mut start = self.fixture.start(&self.fixture.command, &project, &self.tools);
        // Both streams into one file, as a person would see them.
        let log = std::fs::File::create(self.home.path().join("log")).unwrap();
        start.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let status = start.status().unwrap_or_else(|error| panic!("{:?}: {error}", self.fixture.command));
        let exit = Exit::Code(status.code().unwrap());
        let bytes = std::fs::read(self.home.path().join("log")).unwrap();
        let found = read(&Output { tool: None, exit, root: &Root::new(&project), bytes: &bytes });
        assert_eq!(found.failures.is_empty(), exit.is_success(), "{}", String::from_utf8_lossy(&bytes));
        found
    }
}

fn bad(found: &Findings) -> u64 {
    found.counts.map_or(0, |counts| counts.bad())
}

fn the_command_is_found(fixture: &Fixture, project: &Path) {
    let criterion: Criterion = serde_json::from_value(fixture.criterion.clone().into()).unwrap();
    let found = discover(project);
    let first = found.iter().find(|proposal| proposal.criterion == criterion);
    let first = first.unwrap_or_else(|| panic!("nothing for {criterion:?} among {found:#?}"));
    assert_eq!(first.command, fixture.command, "{found:#?}");
}

fn play(name: &str) {
    let Some(world) = World::of(name) else { return };
    let fixture = &world.fixture;
    the_command_is_found(fixture, &world.project());
    let first = world.check();
    let tool: Tool = serde_json::from_value(fixture.tool.clone().into()).unwrap();
    assert!(first.sources.contains(&tool), "{first:#?}");
    let counted = fixture.counts;
    let counts = Counts {
        passed: counted.passed,
        failed: counted.failed,
        skipped: counted.skipped,
        errors: counted.errors,
    };
    assert_eq!(first.counts, Some(counts), "{first:#?}");
    assert_eq!((bad(&first), first.fingerprints().len()), (3, 3), "{first:#?}");

    for wrong in &fixture.wrong {
        wrong.apply(&world.project()).unwrap();
        let found = world.check();
        assert_eq!(found.fingerprints(), first.fingerprints(), "{}: {found:#?}\n{first:#?}", wrong.name);
    }

    let mut before = first;
    for (mended, fix) in (1_u64..).zip(&fixture.fix) {
        fix.apply(&world.project()).unwrap();
        let found = world.check();
        assert_eq!(bad(&found), 3 - mended, "{found:#?}");
        assert!(found.fingerprints().is_subset(&before.fingerprints()), "{found:#?}\n{before:#?}");
        assert_eq!(found.fingerprints().len() as u64, 3 - mended, "{found:#?}");
        before = found;
    }
}

/// Tampering hides failures, one or all.
fn tamper(name: &str) {
    let fixture = Fixture::named(name);
    for tamper in &fixture.tamper {
        let Some(world) = World::of(name) else { return };
        tamper.apply(&world.project()).unwrap();
        let found = world.check();
        assert!(bad(&found) < 3, "{}: {found:#?}", tamper.name);
    }
}

macro_rules! fixtures {
    ($($test:ident $name:literal,)*) => {
        $(
            mod $test {
                #[test]
                fn failures_go_as_they_are_mended() {
                    super::play($name);
                }

                #[test]
                fn tampering_hides_failures() {
                    super::tamper($name);
                }
            }
        )*

        #[test]
        fn every_project_is_played() {
            let names: Vec<String> = Fixture::all().into_iter().map(|fixture| fixture.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

fixtures! {
    bun_test "bun-test",
    cargo_build "cargo-build",
    cargo_nextest "cargo-nextest",
    cargo_test "cargo-test",
    eslint "eslint",
    gcc_make "gcc-make",
    go_test "go-test",
    jest "jest",
    just "just",
    mocha "mocha",
    mypy "mypy",
    node_test "node-test",
    pytest "pytest",
    ruff "ruff",
    tsc "tsc",
    tsc_vitest "tsc-vitest",
    vitest "vitest",
}

#[test]
fn every_project_is_fully_described() {
    for fixture in Fixture::all() {
        let name = &fixture.name;
        assert_eq!((fixture.fix.len(), fixture.wrong.len()), (3, 2), "{name}");
        assert!(
            fixture.tamper.len() >= 2 && !fixture.needs.is_empty() && !fixture.about.is_empty(),
            "{name}"
        );
        assert_eq!(fixture.counts.failed + fixture.counts.errors, 3, "{name}");
    }
}
