//! `cargo xtask test`: every step in order, each with its time, and a table at the end whatever happens.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use ralph_testkit::fixtures::{Fixture, install_tools};
use ralph_testkit::{install_mcp_client, install_ralph_tui};

use crate::beside::Beside;
use crate::br;
use crate::cargo::{RELEASE, cargo, has, has_subcommand, patient_cargo, release_binary, succeed, target};
use crate::prerequisites;
use crate::steps::Steps;

const QUICK: &str = "quick";
/// One in so many planted bugs, another share with every commit: all of them take longer than all tests.
const BUGS_TRIED: &str = "20";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Leave out the long sweeps
    #[arg(long)]
    quick: bool,
    /// Build the br that is pinned, which takes five minutes the first time, and try it as well
    #[arg(long)]
    with_br: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut steps = Steps::default();
    steps.run("prerequisites", prerequisites::meet);
    steps.run("tools of the projects", fixture_tools);
    ralph_tui(&mut steps);
    steps.run("client of the Model Context Protocol", || {
        println!(
            "its SDK {}: the tests speak with `ralph mcp` by it",
            install_mcp_client(&target()?)?.version()
        );
        Ok(())
    });
    steps.run("format", || succeed(cargo().args(["fmt", "--all", "--check"])));
    steps.run("clippy", clippy);
    let beside = Beside::start(vec![("release build", release_build()), ("documentation", documentation())]);
    steps.run("tests", tests);
    steps.take(beside);
    steps.run("custody", custody);
    real_trackers(&mut steps, args.with_br);
    steps.run("doc tests", || {
        succeed(cargo().args(["test", "--workspace", "--all-features", "--locked", "--doc"]))
    });
    steps.run("demo", demo);
    let long = [
        ("crash sweep", &["crash"][..]),
        ("a share of the planted bugs", &["bite", "--after-tests", "--one-in", BUGS_TRIED]),
    ];
    for (name, task) in long {
        if args.quick {
            steps.leave_out(name, QUICK);
        } else {
            steps.run(name, || succeed(&mut this(task)?));
        }
    }
    steps.conclude()
}

/// What the projects in `tests/projects` are checked with. On a machine of CI none may be missing; elsewhere the table
/// says which projects will be left out.
fn fixture_tools() -> anyhow::Result<()> {
    let tools = install_tools(&target()?)?;
    let versions = tools.versions();
    for (program, version) in &versions {
        println!("{program:<14} {}", version.as_deref().unwrap_or("MISSING"));
    }
    println!();
    let mut left_out = 0;
    for fixture in Fixture::all() {
        let missing: Vec<&str> =
            fixture.needs.iter().map(String::as_str).filter(|program| !tools.has(program)).collect();
        left_out += usize::from(!missing.is_empty());
        let fate = if missing.is_empty() {
            "checked".to_owned()
        } else {
            format!("LEFT OUT: no {}", missing.join(", "))
        };
        println!("{:<14} {fate}", fixture.name);
    }
    let is_ci = std::env::var_os("CI").is_some();
    ensure!(left_out == 0 || !is_ci, "{left_out} projects cannot be checked for want of programs");
    Ok(())
}

/// What shares its backlog with ralph in the tests. On a machine of CI it may not be missing; elsewhere the table says
/// that those tests are left out.
fn ralph_tui(steps: &mut Steps) {
    let installed = target().and_then(|target| Ok(install_ralph_tui(&target)?));
    match installed {
        Err(error) if std::env::var_os("CI").is_none() => {
            println!("{error:#}");
            steps.leave_out("backlog shared with ralph-tui", "no ralph-tui: npm could not install it");
        }
        installed => steps.run("backlog shared with ralph-tui", || {
            println!("ralph-tui {}: the tests share a backlog with it", installed?.version());
            Ok(())
        }),
    }
}

fn clippy() -> anyhow::Result<()> {
    let args =
        ["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings"];
    succeed(cargo().args(args))
}

/// Unit, integration, property and snapshot tests. Custody is a step of its own: it has no test harness.
fn tests() -> anyhow::Result<()> {
    let mut command = cargo();
    if has_subcommand("nextest") {
        command.args(["nextest", "run", "--workspace", "--all-features", "--locked", "--no-fail-fast"]);
        command.args(["-E", "not (package(ralph-engine) and binary(custody))"]);
    } else {
        command.args([
            "test",
            "--workspace",
            "--all-features",
            "--locked",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ]);
    }
    // A snapshot that differs is a failure, and nothing is written into the tree.
    succeed(command.env("INSTA_UPDATE", "no").env("INSTA_FORCE_PASS", "0"))
}

fn custody() -> anyhow::Result<()> {
    succeed(cargo().args(["test", "--workspace", "--all-features", "--locked", "--test", "custody"]))
}

/// The programs that issues are reached through, where there are real ones on this machine.
fn real_trackers(steps: &mut Steps, with_br: bool) {
    let mut built = None;
    if with_br {
        steps.run("a real br", || {
            built = Some(br::install(&target()?)?);
            Ok(())
        });
    }
    for (name, variable, step, missing) in [
        (
            "br",
            "RALPH_TEST_BR",
            "backlog of a real br",
            "no br: see `--with-br`, or name one in RALPH_TEST_BR",
        ),
        (
            "bd",
            "RALPH_TEST_BD",
            "backlog of a real bd",
            "no bd: RALPH_TEST_BD names none, and none is in PATH",
        ),
        (
            "gh",
            "RALPH_TEST_GH",
            "backlog of a real gh",
            "no gh: RALPH_TEST_GH names none, and none is in PATH",
        ),
    ] {
        let here = std::env::var_os(variable).or_else(|| has(name).then(|| name.into()));
        let program = built.take().map(PathBuf::into_os_string).filter(|_| name == "br").or(here);
        match program {
            Some(program) => steps.run(step, || conforms(name, variable, &program)),
            None => steps.leave_out(step, missing),
        }
    }
}

fn conforms(name: &str, variable: &str, program: &OsString) -> anyhow::Result<()> {
    let mut args = vec!["test", "--workspace", "--all-features", "--locked"];
    args.extend(["conformance", "writing", "beads"].iter().flat_map(|test| ["--test", test]));
    let tests = [
        format!("a_real_{name}_conforms"),
        format!("a_real_{name}_is_written_to"),
        format!("issues_of_a_real_{name}_are_worked_off"),
    ];
    succeed(cargo().args(args).args(["--", "--ignored", "--exact"]).args(tests).env(variable, program))
}

/// The program that a newcomer builds, for the demo.
fn release_build() -> Command {
    let mut command = patient_cargo();
    command.args(RELEASE);
    command
}

fn documentation() -> Command {
    let mut command = patient_cargo();
    command.args([
        "doc",
        "--workspace",
        "--all-features",
        "--no-deps",
        "--locked",
        "--document-private-items",
    ]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// What a newcomer runs first, on the program that they would build.
fn demo() -> anyhow::Result<()> {
    let ralph = release_binary()?;
    let begun = std::time::Instant::now();
    let out = Command::new(ralph).arg("demo").output().context("cannot start the demo")?;
    let took = begun.elapsed().as_secs_f64();
    let shown = String::from_utf8_lossy(&out.stdout);
    let told = String::from_utf8_lossy(&out.stderr);
    // Its project has failing tests at first: marked, so that nobody takes them for ours.
    shown.lines().chain(told.lines()).for_each(|line| println!("demo | {line}"));
    ensure!(out.status.success(), "the demo ended with {}", out.status);
    let believed_too_early = shown.matches("and is not believed").count() != 2;
    ensure!(!believed_too_early, "the demo did not show that two claims were not believed");
    ensure!(shown.contains("✔ completed"), "the demo did not say that it completed");
    println!("the demo took {took:.2} s");
    Ok(())
}

/// Another task of this program.
fn this(task: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(task);
    Ok(command)
}
