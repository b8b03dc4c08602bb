//! Runs the real test runners, compilers and linters on the small projects and keeps what they print.

mod cases;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use clap::Parser;
use ralph_testkit::fixtures::{Fixture, Tools, install_tools};
use ralph_testkit::programs::target_dir;

use cases::{CASES, Case, State};

/// What each program says its version is.
type Versions = [(&'static str, Option<String>)];

/// Records what checks print, for the tests of their readers.
#[derive(Parser)]
struct Args {
    /// Where the recordings go: OUT_DIR/TOOL/CASE.txt, and OUT_DIR/index.toml which names them all.
    out_dir: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let tools = install_tools(&target_dir())?;
    let versions = tools.versions();
    let mut index = String::from("# Made by `cargo run -p ralph-testkit --bin record-checks`.\n");
    for case in CASES {
        let entry = record(case, &tools, &versions, &args.out_dir)
            .with_context(|| format!("{}/{}", case.tool, case.name))?;
        eprintln!("{}/{}", case.tool, case.name);
        index += &entry;
    }
    fs::write(args.out_dir.join("index.toml"), index)?;
    Ok(())
}

/// Runs one case, stores its output, and returns its entry of the index.
fn record(case: &Case, tools: &Tools, versions: &Versions, out_dir: &Path) -> Result<String> {
    let fixture = Fixture::named(case.fixture);
    let home = tempfile::tempdir()?;
    let project = home.path().join("project");
    fixture.lay(&project, tools)?;
    if case.state == State::Mended {
        fixture.fix.iter().try_for_each(|fix| fix.apply(&project))?;
    }
    for (file, content) in case.edits {
        fs::write(project.join(file), content)?;
    }
    let command: Vec<String> = match case.command {
        [] => fixture.command.clone(),
        words => words.iter().map(|word| (*word).to_owned()).collect(),
    };
    let log_path = home.path().join("log");
    let log = File::create(&log_path)?;
    let mut start = fixture.start(&command, &project, tools);
    if case.colour {
        start.env_remove("NO_COLOR").env("FORCE_COLOR", "1");
    }
    let status = start.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).status()?;
    let Some(exit) = status.code() else { bail!("ended with {status}") };
    let text = String::from_utf8_lossy(&fs::read(&log_path)?).into_owned();
    let text = without_paths(&text, &project, tools);
    let directory = out_dir.join(case.tool);
    fs::create_dir_all(&directory)?;
    fs::write(directory.join(format!("{}.txt", case.name)), text)?;
    entry(case, &command, exit, versions)
}

fn entry(case: &Case, command: &[String], exit: i32, versions: &Versions) -> Result<String> {
    let version = versions
        .iter()
        .find(|(program, _)| *program == case.program)
        .and_then(|(_, version)| version.clone());
    let version = version.with_context(|| format!("{} does not say its version", case.program))?;
    let mut entry = String::new();
    writeln!(entry, "\n[[recording]]\nfile = \"{}/{}.txt\"", case.tool, case.name)?;
    writeln!(entry, "program = {:?}", case.program)?;
    writeln!(entry, "version = {version:?}\nproject = {:?}", case.fixture)?;
    writeln!(entry, "command = {:?}\nexit = {exit}", shell_words::join(command))?;
    Ok(entry)
}

/// The recordings of two machines differ in nothing that has to do with the machine.
fn without_paths(text: &str, project: &Path, tools: &Tools) -> String {
    let text = text.replace(project.to_string_lossy().as_ref(), "/project");
    let text = text.replace(tools.home().to_string_lossy().as_ref(), "/tools");
    let home = std::env::var("HOME").unwrap_or_default();
    let text = if home.len() > 1 { text.replace(&home, "/home/someone") } else { text };
    // What npm thinks of this machine's settings.
    let lines = text.split_inclusive('\n').filter(|line| !line.starts_with("npm warn "));
    lines.collect()
}
