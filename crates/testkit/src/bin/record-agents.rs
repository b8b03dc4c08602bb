//! Runs the real agent programs through every scenario and keeps what they print.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use ralph_testkit::programs::{End, Play, Program, Programs, Scenario, install, target_dir};

/// Records what the agent programs print, for the tests of their parsers.
#[derive(Parser)]
struct Args {
    /// Where the recordings go: OUT_DIR/PROGRAM/SCENARIO.{out,err} and a README.md per program.
    out_dir: PathBuf,
    /// Only this program; may be given more than once.
    #[arg(long)]
    program: Vec<String>,
    /// Only this scenario; may be given more than once.
    #[arg(long)]
    scenario: Vec<String>,
    /// Speak the Agent Client Protocol with the programs that can, through this ralph. The recordings go to OUT_DIR/PROGRAM-acp.
    #[arg(long)]
    relay: Option<PathBuf>,
    /// Seconds a program gets for one scenario.
    #[arg(long, default_value_t = 150)]
    seconds: u64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let programs = install(&target_dir())?;
    let chosen = |wanted: &[String], name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let relay = args.relay.as_deref();
    let able = |program: &Program| relay.is_none() || program.acp_arguments().is_some();
    for program in Program::ALL.into_iter().filter(able).filter(|p| chosen(&args.program, p.name())) {
        let suffix = if relay.is_some() { "-acp" } else { "" };
        let directory = args.out_dir.join(format!("{}{suffix}", program.name()));
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let mut readme = heading(&programs, program, relay.is_some());
        for scenario in Scenario::ALL.into_iter().filter(|s| chosen(&args.scenario, s.name())) {
            let within = Duration::from_secs(args.seconds);
            let row = record((&programs, relay), program, scenario, within, &directory)?;
            eprintln!("{} {row}", program.name());
            readme += &row;
            readme += "\n";
        }
        fs::write(directory.join("README.md"), readme)?;
    }
    Ok(())
}

fn heading(programs: &Programs, program: Program, by_relay: bool) -> String {
    let spoken = || program.acp_arguments().into_iter().flatten().map(|word| (*word).to_owned()).collect();
    let arguments = if by_relay { spoken() } else { program.arguments("PROMPT") };
    format!(
        "# {name} {version}\n\nRecorded with `cargo run -p ralph-testkit --bin record-agents`, against a scripted \
         model server. Paths of the run are replaced by /home/agent and /project.\n\n    {command}\n\n\
         | scenario | exit | seconds | requests | killed with it |\n|---|---|---|---|---|\n",
        name = program.name(),
        version = programs.version(program),
        command = shell_words::join([program.name().to_owned()].into_iter().chain(arguments)),
    )
}

/// Plays one scene and stores its output; returns its row of the table.
fn record(
    (programs, relay): (&Programs, Option<&Path>),
    program: Program,
    scenario: Scenario,
    within: Duration,
    directory: &Path,
) -> Result<String> {
    let world = tempfile::tempdir()?;
    let Play { ended, seen, .. } = scenario.play_by(relay, programs, program, within, world.path())?;
    for (text, extension) in [(&ended.stdout, "out"), (&ended.stderr, "err")] {
        let path = directory.join(format!("{}.{extension}", scenario.name()));
        fs::write(&path, without_paths(text, world.path(), programs))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let end = match ended.end {
        End::Code(code) => code.to_string(),
        End::Signal(signal) => format!("signal {signal}"),
        End::OutOfTime => "none, killed when its time was up".into(),
    };
    let mut row = format!("| {} | {end} | {:.1} | ", scenario.name(), ended.took.as_secs_f64());
    let asked = seen.iter().filter(|seen| seen.protocol.is_some()).count();
    write!(row, "{asked} | {} |", ended.survivors.len())?;
    Ok(row)
}

/// The recordings of two machines differ in nothing that has to do with the machine.
fn without_paths(text: &str, world: &Path, programs: &Programs) -> String {
    let replace = |text: String, path: &Path, by: &str| text.replace(path.to_string_lossy().as_ref(), by);
    let text = replace(text.to_owned(), &world.join("home"), "/home/agent");
    let text = replace(text, &world.join("project"), "/project");
    let installed = programs.bin().parent().unwrap_or(programs.bin());
    replace(text, installed, "/agents")
}
